// The one file of this folder that looks at the disk.
#include "skill/registry.h"

#include <fcntl.h>
#include <string.h>

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <unordered_map>

#include "base/limits.h"
#include "base/text.h"
#include "io/files.h"

namespace baton {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t listed_max = 20'000;  // names of one folder, before they are sorted
constexpr int files_depth_max = 3;

/// A file's first `bytes_max` bytes, and how many there are.
struct Beginning {
  std::string text;
  std::size_t file_bytes = 0;
};

std::unexpected<Fault> unreadable(const std::string& path, const std::string& why) {
  return std::unexpected(Fault{"file-unreadable", fmt::format("cannot read {}: {}", path, why), {}, {path}});
}

/// nullopt if there is no such file. Only a regular file is read: a link could lead anywhere.
Expected<std::optional<Beginning>> read_beginning(const std::string& path, std::size_t bytes_max) {
  const Descriptor file = open_file(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  if (!file && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
  if (!file) return unreadable(path, errno == ELOOP ? "it is a link" : strerrordesc_np(errno));
  struct stat info{};
  if (::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return unreadable(path, "it is not a regular file");
  const auto size = static_cast<std::size_t>(info.st_size);
  const std::size_t part = std::min(bytes_max, size);
  return Beginning{read_all(file.get(), part, part).value_or(""), size};
}

/// The names in a folder, sorted; hidden ones left out.
std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it{folder, error}, end; !error && it != end && names.size() < listed_max;
       it.increment(error)) {
    std::string name = it->path().filename().string();
    if (!name.starts_with('.')) names.push_back(std::move(name));
  }
  std::ranges::sort(names);
  return names;
}

Fault too_large(const std::string& file) {
  return {"file-too-large",
          fmt::format("the skill is larger than {} MiB", Limits::skill_bytes_max >> 20U),
          "move what is long to files in its 'references' folder",
          {file}};
}

std::string shown_file(const BuiltInSkill& skill) { return "builtin://" + skill.name + "/SKILL.md"; }

}  // namespace

std::string_view to_text(SkillOrigin origin) {
  switch (origin) {
    case SkillOrigin::project:
      return "project";
    case SkillOrigin::plugin:
      return "plugin";
    case SkillOrigin::user:
      return "user";
    case SkillOrigin::configured:
      return "configured";
    case SkillOrigin::built_in:
      return "builtin";
  }
  return "";
}

const std::vector<SkillRoot>& SkillRegistry::roots() {
  if (roots_) return *roots_;
  roots_.emplace();
  for (const char* folder : {".baton/skills", ".claude/skills", ".agents/skills", ".opencode/skills"}) {
    roots_->push_back({places_.project + "/" + folder, folder, SkillOrigin::project});
  }
  std::size_t plugins = 0;
  for (const std::string& plugin : names_in(places_.project + "/plugins")) {
    const std::string folder = "plugins/" + plugin + "/skills";
    std::error_code error;
    if (!fs::is_directory(places_.project + "/" + folder, error)) continue;
    if (++plugins > Limits::skill_folders_max) break;
    roots_->push_back({places_.project + "/" + folder, folder, SkillOrigin::plugin});
  }
  const auto add_user = [&](const std::string& base, const std::string& shown, const char* folder) {
    if (!base.empty()) roots_->push_back({base + folder, shown + folder, SkillOrigin::user});
  };
  const bool usual = places_.config_home == places_.home + "/.config";
  const std::string config_shown = usual ? "~/.config" : places_.config_home;
  add_user(places_.config_home, config_shown, "/baton/skills");
  add_user(places_.home, "~", "/.claude/skills");
  add_user(places_.home, "~", "/.agents/skills");
  add_user(places_.config_home, config_shown, "/opencode/skills");
  for (const std::string& folder : places_.extra) roots_->push_back({folder, folder, SkillOrigin::configured});
  return *roots_;
}

void SkillRegistry::scan(const SkillRoot& root) {
  std::size_t looked_at = 0;
  for (const std::string& name : names_in(root.path)) {
    if (looked_at++ == Limits::skill_folders_max || all_->size() >= Limits::skills_max) {
      left_out_.push_back({"too-many-skills",
                           fmt::format("{} has more folders than are looked at; those from '{}' on were left out",
                                       root.shown, shorten(name, 80)),
                           fmt::format("a folder of skills may have {}, all together {} skills",
                                       Limits::skill_folders_max, Limits::skills_max),
                           {root.shown},
                           Severity::warning});
      return;
    }
    if (auto found = look_at(root, name)) all_->push_back(std::move(*found));
  }
}

const std::vector<FoundSkill>& SkillRegistry::all() {
  if (all_) return *all_;
  const std::vector<SkillRoot>& folders = roots();
  all_.emplace();
  for (const SkillRoot& root : folders) scan(root);
  for (const BuiltInSkill& skill : places_.built_in) all_->push_back(look_at(skill));
  mark_shadowed();
  return *all_;
}

const Faults& SkillRegistry::left_out() {
  (void)all();
  return left_out_;
}

void SkillRegistry::mark_shadowed() {
  std::unordered_map<std::string, std::size_t> by_folder;
  std::unordered_map<std::string, std::size_t> by_name;
  for (std::size_t i = 0; i < all_->size(); ++i) {
    const FoundSkill& found = (*all_)[i];
    if (found.broken) continue;
    by_folder.try_emplace(found.folder_name, i);
    by_name.try_emplace(found.skill.name, i);
  }
  for (std::size_t i = 0; i < all_->size(); ++i) {
    FoundSkill& found = (*all_)[i];
    if (found.broken) continue;
    const std::size_t first = by_folder.at(found.folder_name);
    if (first == i) continue;
    const auto by_folder_of_name = by_folder.find(found.skill.name);
    const std::size_t named =
        by_folder_of_name != by_folder.end() ? by_folder_of_name->second : by_name.at(found.skill.name);
    if (named != i) found.shadowed_by = first;
  }
}

const Expected<Skill>& SkillRegistry::Memory::read(std::string_view text, const SkillSource& source) {
  auto known = known_.find(source.file);
  if (known == known_.end() || known->second.text != text) {
    known = known_.insert_or_assign(source.file, Read{std::string{text}, how_(text, source)}).first;
  }
  return known->second.skill;
}

std::optional<FoundSkill> SkillRegistry::look_at(const SkillRoot& root, const std::string& name) {
  FoundSkill found;
  found.folder_name = name;
  found.folder = root.path + "/" + name;
  found.file = found.folder + "/SKILL.md";
  found.shown = root.shown + "/" + name;
  found.origin = root.origin;
  found.skill.name = name;
  const SkillSource source{found.shown + "/SKILL.md", name};
  auto beginning = read_beginning(found.file, Limits::skill_head_bytes_max);
  if (!beginning) {
    found.broken = beginning.error();
    found.broken->place.file = source.file;
  } else if (!*beginning) {
    return std::nullopt;
  } else if ((*beginning)->file_bytes > Limits::skill_bytes_max) {
    found.broken = too_large(source.file);
  } else if (const auto& head = heads_.read((*beginning)->text, source)) {
    found.skill = *head;
  } else {
    found.broken = head.error();
  }
  return found;
}

FoundSkill SkillRegistry::look_at(const BuiltInSkill& built_in) {
  FoundSkill found;
  found.folder_name = built_in.name;
  found.file = shown_file(built_in);
  found.shown = "built in";
  found.origin = SkillOrigin::built_in;
  found.skill.name = built_in.name;
  if (const auto& head = heads_.read(built_in.text, {found.file, built_in.name})) {
    found.skill = *head;
  } else {
    found.broken = head.error();
  }
  return found;
}

std::optional<FoundSkill> SkillRegistry::find(const std::string& name) {
  if (!is_id(name)) return std::nullopt;
  for (const SkillRoot& root : roots()) {
    if (auto found = look_at(root, name); found && !found->broken) return found;
  }
  for (const BuiltInSkill& skill : places_.built_in) {
    if (skill.name == name) return look_at(skill);
  }
  for (const FoundSkill& found : all()) {
    if (!found.broken && found.skill.name == name) return found;
  }
  return std::nullopt;
}

Expected<std::string> SkillRegistry::text_of(const FoundSkill& found) const {
  if (found.origin == SkillOrigin::built_in) {
    const auto skill = std::ranges::find(places_.built_in, found.folder_name, &BuiltInSkill::name);
    if (skill == places_.built_in.end()) return unreadable(found.file, "there is no such skill");
    return skill->text;
  }
  const std::string shown = found.shown + "/SKILL.md";
  auto text = read_beginning(found.file, Limits::skill_bytes_max + 1);
  if (!text) {
    text.error().place.file = shown;
    return std::unexpected(text.error());
  }
  if (!*text) return unreadable(shown, "it is gone");
  if ((*text)->file_bytes > Limits::skill_bytes_max) return std::unexpected(too_large(shown));
  return std::move((*text)->text);
}

Expected<Skill> SkillRegistry::load(const FoundSkill& found) {
  auto text = text_of(found);
  if (!text) return std::unexpected(text.error());
  return wholes_.read(*text, {found.folder.empty() ? found.file : found.shown + "/SKILL.md", found.folder_name});
}

std::vector<std::string> SkillRegistry::files_of(const FoundSkill& found) {
  std::vector<std::string> references;
  std::vector<std::string> others;
  if (found.folder.empty()) return references;
  std::size_t looked_at = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator it{found.folder, error}, end; !error && it != end; it.increment(error)) {
    if (++looked_at > Limits::skill_folders_max) break;
    const fs::path& path = it->path();
    const bool hidden = path.filename().string().starts_with('.');
    std::error_code ignored;
    const fs::file_type type = it->symlink_status(ignored).type();
    if (type == fs::file_type::directory && (hidden || it.depth() + 1 >= files_depth_max)) {
      it.disable_recursion_pending();
    }
    if (hidden || type != fs::file_type::regular) continue;
    std::string name = path.lexically_relative(found.folder).generic_string();
    if (name == "SKILL.md") continue;
    const bool is_reference = it.depth() == 1 && name.starts_with("references/") && name.ends_with(".md");
    (is_reference ? references : others).push_back(std::move(name));
  }
  std::ranges::sort(references);
  std::ranges::sort(others);
  references.insert(references.end(), others.begin(), others.end());
  if (references.size() > Limits::skill_files_max) references.resize(Limits::skill_files_max);
  return references;
}

}  // namespace baton
