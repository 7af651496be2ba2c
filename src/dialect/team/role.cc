#include "dialect/team/role.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/letters.h"
#include "base/text.h"
#include "base/utf8.h"
#include "dialect/team/json_place.h"
#include "text/front_matter.h"
#include "text/yaml_tree.h"
#include "text/yaml_values.h"

namespace baton::team {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines = split(without_byte_order_mark(text), '\n');
  for (std::string_view& line : lines) {
    if (line.ends_with('\r')) line.remove_suffix(1);
  }
  return lines;
}

/// The first line from `from` on that begins so, outside of fenced blocks.
std::optional<std::size_t> find_heading(const std::vector<std::string_view>& lines, std::string_view heading,
                                        std::size_t from) {
  bool fenced = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (trim(lines[i]).starts_with("```")) fenced = !fenced;
    if (!fenced && i >= from && lines[i].starts_with(heading)) return i;
  }
  return std::nullopt;
}

/// `- **Task Prefix**: `DRAFT-*`` in a list of facts: what stands after the colon, bare.
std::string fact(const std::vector<std::string_view>& lines, std::string_view label) {
  const std::string wanted = lower(label);
  for (const std::string_view line : lines) {
    const std::string small = lower(line);
    const auto at = small.find(wanted);
    if (at == std::string::npos) continue;
    const auto colon = line.find(':', at + wanted.size());
    if (colon == std::string_view::npos || colon > at + wanted.size() + 3) continue;
    std::string value;
    for (const char c : line.substr(colon + 1)) {
      if (c == '|') break;
      if (c != '`' && c != '*') value += c;
    }
    return std::string{trim(value)};
  }
  return {};
}

/// Old files have headings that have to be there, in this order.
void check_sections(const std::vector<std::string_view>& lines, const std::string& path, const std::string& place,
                    Faults& faults) {
  const auto refuse = [&](const std::string& what) {
    faults.push_back(
        {"bad-role-file", fmt::format("Invalid role file: {} missing {}", path, what), rerun_hint, {place, 1, 1}});
  };
  std::optional<std::size_t> at = find_heading(lines, "# Role:", 0);
  if (!at) refuse("role header");
  for (const char* section : {"Identity", "Boundaries", "Execution"}) {
    const auto found = find_heading(lines, fmt::format("## {}", section), at.value_or(0));
    if (!found) refuse(fmt::format("required section: {}", section));
    if (found) at = found;
  }
}

/// New files say it in their front matter.
class SpecReader {
 public:
  SpecReader(const std::string& path, const std::string& place, RoleRead& read)
      : path_(path), place_(place), read_(read) {}

  void head(const FrontMatter& front) {
    const YamlRead yaml = read_yaml(front.yaml, place_, front.lines_before);
    const auto root = yaml.tree ? yaml.tree->root() : std::nullopt;
    if (!root || !root->is_mapping()) return refuse("missing frontmatter", front.lines_before);
    if (const auto role = text_at(*root, "role"); !role) {
      refuse("missing role", front.lines_before);
    } else if (*role != read_.role.name) {
      read_.faults.push_back(
          {"bad-role-path",
           fmt::format("{} says that it is of the role '{}', not '{}'", path_, *role, read_.role.name),
           rerun_hint,
           {place_, root->find("role")->line(), 1}});
    }
    if (const auto prefix = text_at(*root, "prefix")) {
      if (read_.role.prefix.empty()) read_.role.prefix = *prefix;
    } else {
      refuse("missing prefix", front.lines_before);
    }
    inner_loop(*root, front.lines_before);
    messages(*root, front.lines_before);
    if (const auto more = root->find("additional_prefixes"); more && more->is_sequence()) {
      for (std::size_t i = 0; i < more->size(); ++i) read_.role.more_prefixes.emplace_back(more->item(i).text());
    }
  }

  void phases(const std::vector<std::string_view>& lines) {
    for (const char* phase : {"2", "3", "4"}) {
      if (find_heading(lines, fmt::format("## Phase {}", phase), 0)) continue;
      read_.faults.push_back(
          {"bad-role-file", fmt::format("Invalid role-spec: missing Phase {}", phase), rerun_hint, {place_, 1, 1}});
    }
  }

  void refuse(const std::string& what, int line) {
    read_.faults.push_back({"bad-role-file",
                            fmt::format("Invalid role-spec: {} {}", path_, what),
                            rerun_hint,
                            {place_, std::max(line, 1), 1}});
  }

 private:
  void inner_loop(const YamlNode& root, int line) {
    const auto word = text_at(root, "inner_loop");
    const auto truth = word ? as_truth(*word) : std::nullopt;
    if (!truth) return refuse(word ? "inner_loop is neither true nor false" : "missing inner_loop", line);
    if (!registered_) read_.role.inner_loop = *truth;
  }

  void messages(const YamlNode& root, int line) {
    const auto types = root.find("message_types");
    // An empty one is seen in the wild; then the prefix gives the names.
    if (!types) return refuse("missing message_types", line);
    if (types->is_null()) return;
    if (!types->is_mapping()) return refuse("message_types is no map", types->line());
    if (const auto success = text_at(*types, "success")) read_.role.success_type = *success;
    if (const auto error = text_at(*types, "error")) read_.role.error_type = *error;
  }

 public:
  bool registered_ = false;  ///< the register has the word on inner_loop

 private:
  const std::string& path_;
  const std::string& place_;
  RoleRead& read_;
};

void name_messages(Role& role) {
  const std::string prefix = lower(role.prefix.empty() ? role.name : role.prefix);
  if (role.success_type.empty()) role.success_type = prefix + "_complete";
  if (role.error_type.empty()) role.error_type = prefix + "_error";
}

/// `DRAFT-*`, `DRAFT-`, `DRAFT`: all the same.
std::string bare_prefix(std::string prefix) {
  while (prefix.ends_with('*') || prefix.ends_with('-')) prefix.pop_back();
  return prefix;
}

}  // namespace

Expected<std::string> role_path(const RoleEntry& entry, bool has_specs, const std::string& session_folder) {
  const bool spec =
      entry.is_spec || (entry.file.empty() && has_specs) || entry.file.find("role-specs/") != std::string::npos;
  const std::string folder = spec ? "role-specs/" : "roles/";
  if (!is_id(entry.name)) {
    return fault("bad-role-path", fmt::format("'{}' is no name for a role", shorten(entry.name, 80)),
                 "letters, digits, '_', '-' and '.' only");
  }
  std::string path = folder + entry.name + ".md";
  std::string_view named = entry.file;
  for (const std::string_view root :
       {std::string_view{"<session>/"}, std::string_view{"<session-folder>/"}, std::string_view{"./"}}) {
    if (named.starts_with(root)) named.remove_prefix(root.size());
  }
  if (named.starts_with(session_folder + "/")) named.remove_prefix(session_folder.size() + 1);
  if (named.empty() || named == path || named == entry.name + ".md" || named == entry.name) return path;
  const auto parts = split(named, '/');
  const bool leaves = named.starts_with('/') || std::ranges::find(parts, "..") != parts.end();
  if (leaves) {
    return fault("bad-role-path", fmt::format("the file of the role '{}' is not in the session: {}", entry.name, named),
                 rerun_hint);
  }
  return fault("bad-role-path",
               fmt::format("the file of the role '{}' has another name: {} (expected {})", entry.name, named, path),
               rerun_hint);
}

RoleRead read_role(const RoleEntry& entry, std::string_view text, const std::string& path, const std::string& place) {
  RoleRead read;
  Role& role = read.role;
  role.name = entry.name;
  role.prefix = entry.prefix;
  role.file = path;
  role.responsibility = entry.responsibility;
  role.inner_loop = entry.inner_loop.value_or(false);
  const auto front = split_front_matter(text, place);
  const std::string_view body = front ? front->body : text;
  role.body = std::string{trim(body)};
  const std::vector<std::string_view> lines = lines_of(body);
  if (path.starts_with("role-specs/")) {
    SpecReader reader{path, place, read};
    reader.registered_ = entry.inner_loop.has_value();
    if (front) {
      reader.head(*front);
    } else {
      reader.refuse("missing frontmatter", 1);
    }
    reader.phases(lines);
  } else {
    check_sections(lines, path, place, read.faults);
    if (role.prefix.empty()) role.prefix = fact(lines, "Task Prefix");
    const bool loops = lower(fact(lines, "Mode")).starts_with("inner loop");
    if (!entry.inner_loop && loops) role.inner_loop = true;
  }
  role.prefix = bare_prefix(role.prefix);
  for (std::string& more : role.more_prefixes) more = bare_prefix(more);
  name_messages(role);
  return read;
}

const Role* role_by_prefix(const std::vector<Role>& roles, std::string_view task) {
  const Role* best = nullptr;
  std::size_t longest = 0;
  const auto fits = [&](const std::string& prefix) {
    return !prefix.empty() && task.size() > prefix.size() && task.starts_with(prefix) && task[prefix.size()] == '-' &&
           prefix.size() > longest;
  };
  for (const Role& role : roles) {
    if (fits(role.prefix)) {
      best = &role;
      longest = role.prefix.size();
    }
    for (const std::string& more : role.more_prefixes) {
      if (!fits(more)) continue;
      best = &role;
      longest = more.size();
    }
  }
  return best;
}

const Role* find_role(const std::vector<Role>& roles, std::string_view name) {
  const auto found = std::ranges::find(roles, name, &Role::name);
  return found == roles.end() ? nullptr : &*found;
}

}  // namespace baton::team
