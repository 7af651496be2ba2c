#include "dialect/session/variables.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>

#include "base/text.h"

namespace baton::session {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// The name in the brackets that `text` begins with; empty if that is no variable.
std::string_view name_at(std::string_view text) {
  if (text.size() < 3 || text.front() != '[' || !is_letter(text[1])) return {};
  const auto close = text.find(']');
  if (close == std::string_view::npos) return {};
  const std::string_view name = text.substr(1, close - 1);
  const bool is_name = std::ranges::all_of(name, [](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
  if (!is_name || name == "x" || name == "X" || text.substr(close + 1).starts_with('(')) return {};
  return name;
}

/// Calls `replace` for every variable; what it returns false for stays as it is.
using Replace = std::function<bool(std::string_view name, std::string& out)>;
using Pass = std::function<void(char c)>;

std::string replaced(std::string_view text, const Replace& replace, const Pass& pass) {
  std::string out;
  while (!text.empty()) {
    const std::string_view name = name_at(text);
    if (!name.empty() && replace(name, out)) {
      text.remove_prefix(name.size() + 2);
      continue;
    }
    pass(text.front());
    out += text.front();
    text.remove_prefix(1);
  }
  return out;
}

void note_unknown(std::string_view name, Filled& filled) {
  if (std::ranges::find(filled.unknown, name) == filled.unknown.end()) filled.unknown.emplace_back(name);
}

/// Where in a shell line we are, as far as quotes go. A guess that is wrong costs a word, never safety: the value is
/// expanded by the shell and not read by it.
class Quotes {
 public:
  void pass(char c) {
    if (escaped_) {
      escaped_ = false;
    } else if (c == '\\' && open_ != '\'') {
      escaped_ = true;
    } else if (open_ == 0 && (c == '\'' || c == '"')) {
      open_ = c;
    } else if (c == open_) {
      open_ = 0;
    }
  }
  [[nodiscard]] char open() const { return open_; }

 private:
  char open_ = 0;
  bool escaped_ = false;
};

class CommandFiller {
 public:
  explicit CommandFiller(const Variables& variables) : variables_{variables} {}

  Filled fill(std::string_view line) {
    filled_.text = replaced(
        line, [&](std::string_view name, std::string& out) { return put(name, out); },
        [&](char c) { quotes_.pass(c); });
    return std::move(filled_);
  }

 private:
  bool put(std::string_view name, std::string& out) {
    const auto found = variables_.find(name);
    if (found == variables_.end()) {
      note_unknown(name, filled_);
      return false;
    }
    const std::vector<std::string>& values = found->second;
    if (quotes_.open() == 0 && values.size() != 1) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        out += fmt::format("{}\"${{{}}}\"", i > 0 ? " " : "", keep(fmt::format("{}_{}", name, i + 1), values[i]));
      }
      return true;
    }
    const std::string reference = fmt::format("${{{}}}", keep(std::string{name}, join(values, " ")));
    if (quotes_.open() == '"') {
      out += reference;
    } else if (quotes_.open() == '\'') {
      out += "'\"" + reference + "\"'";
    } else {
      out += "\"" + reference + "\"";
    }
    return true;
  }

  /// The value goes into the environment, under a name that no program looks for. A NUL would end it.
  std::string keep(const std::string& name, std::string value) {
    std::erase(value, '\0');
    const std::string variable = "BATON_VALUE_" + name;
    const std::string entry = variable + "=" + value;
    if (std::ranges::find(filled_.env, entry) == filled_.env.end()) filled_.env.push_back(entry);
    return variable;
  }

  const Variables& variables_;
  Quotes quotes_;
  Filled filled_;
};

}  // namespace

Variables variables_of(const Task& task, const PlanDoc& plan) {
  Variables v;
  const auto put = [&](const char* name, std::vector<std::string> values) {
    if (!values.empty()) v[name] = std::move(values);
  };
  const auto put_text = [&](const char* name, const std::string& value) {
    if (!value.empty()) v[name] = {value};
  };
  put_text("id", task.id);
  put_text("task_id", task.id);
  put_text("title", task.title);
  put_text("description", task.description);
  put_text("type", task.type);
  put_text("parent", task.parent);
  put_text("shared", task.shared_context);
  put_text("shared_context", task.shared_context);
  put_text("context_package_path", task.context_package_path);
  put("focus_paths", task.focus_paths);
  put("requirements", task.requirements);
  put("acceptance", task.acceptance);
  put("acceptance_criteria", task.acceptance);
  put("depends_on", task.depends_on.value_or(std::vector<std::string>{}));
  put("inherited", task.inherited);
  put("tech_guidelines", plan.tech_stack);
  put("tech_stack", plan.tech_stack);
  put("conventions", plan.conventions);
  std::vector<std::string> targets;
  for (const TargetFile& file : task.target_files) targets.push_back(file.path);
  put("target_files", std::move(targets));
  return v;
}

Filled fill_text(std::string_view text, const Variables& variables) {
  Filled filled;
  filled.text = replaced(
      text,
      [&](std::string_view name, std::string& out) {
        const auto found = variables.find(name);
        if (found == variables.end()) {
          note_unknown(name, filled);
          return false;
        }
        out += join(found->second, "\n");
        return true;
      },
      [](char) {});
  return filled;
}

Filled fill_command(std::string_view line, const Variables& variables) { return CommandFiller{variables}.fill(line); }

bool has_variable(std::string_view text, const Variables& variables) {
  bool has = false;
  replaced(
      text, [&](std::string_view name, std::string&) { return (has = has || variables.contains(name)); }, [](char) {});
  return has;
}

}  // namespace baton::session
