#include "dialect/session/flow_command.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/letters.h"
#include "base/number.h"
#include "base/text.h"
#include "dialect/session/todo_line.h"
#include "plan/path_rule.h"

namespace baton::session {
namespace {

/// Programs that a bare line may begin with. Text that begins with another word is more likely a sentence.
constexpr std::array<std::string_view, 45> programs{
    "awk",  "bash", "cargo", "cat",  "cd",     "cut",   "deno",    "diff", "du",    "echo", "egrep", "fd",
    "file", "find", "git",   "go",   "grep",   "head",  "jq",      "ls",   "make",  "mvn",  "node",  "npm",
    "npx",  "pip",  "pnpm",  "pwd",  "pytest", "rg",    "sed",     "sh",   "sort",  "stat", "tail",  "test",
    "tr",   "tree", "tsc",   "uniq", "wc",     "which", "python3", "yarn", "xargs",
};

/// Programs that are agents themselves: they cost money, and their work is the agent's own.
constexpr std::array<std::string_view, 7> agents{"gemini", "qwen", "codex", "claude", "ccw", "opencode", "aider"};

template <class List>
bool is_one_of(std::string_view word, const List& list) {
  return std::ranges::find(list, word) != list.end();
}

std::string_view first_word(std::string_view text) { return text.substr(0, text.find_first_of(" \t\n")); }

/// Without one pair of quotes around the whole, if it is one.
std::string_view unquoted(std::string_view text) {
  text = trim(text);
  if (text.size() < 2 || text.front() != text.back()) return text;
  const char quote = text.front();
  if (quote != '\'' && quote != '"' && quote != '`') return text;
  const std::string_view inside = text.substr(1, text.size() - 2);
  return inside.find(quote) == std::string_view::npos ? inside : text;
}

struct Call {
  std::string_view word;
  std::string_view argument;
};

/// A word, `(`, and the rest up to the last `)`.
std::optional<Call> call_of(std::string_view text) {
  const auto open = text.find('(');
  if (open == std::string_view::npos || open == 0 || !text.ends_with(')')) return std::nullopt;
  const std::string_view word = text.substr(0, open);
  const bool is_word = std::ranges::all_of(word, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
  if (!is_word) return std::nullopt;
  return Call{word, text.substr(open + 1, text.size() - open - 2)};
}

FlowCommand for_agent(std::string_view original, std::string why) {
  FlowCommand command;
  command.original = original;
  command.why = std::move(why);
  return command;
}

FlowCommand shell(std::string_view line, std::string_view original) {
  if (is_one_of(first_word(line), agents)) {
    return for_agent(original, "it starts another agent");
  }
  FlowCommand command;
  command.kind = FlowCommand::Kind::shell;
  command.text = line;
  command.original = original;
  return command;
}

/// `A-B` of `PATH 第 A-B 行`, `PATH lines A-B`, `PATH:A-B`; cuts it off.
void take_lines(std::string_view& path, FlowCommand& command) {
  std::string_view rest = path;
  for (const std::string_view end : {"行", "lines)", "line)", ")"}) {
    if (rest.ends_with(end)) rest.remove_suffix(end.size());
  }
  rest = trim(rest);
  const auto digits = rest.find_last_not_of("0123456789-") + 1;
  const std::string_view numbers = rest.substr(digits);
  std::string_view before = trim(rest.substr(0, digits));
  bool is_range = false;
  for (const std::string_view word : {"第", "(lines", "(line", "lines", "line", ":L", ":"}) {
    if (!before.ends_with(word) || numbers.empty()) continue;
    before.remove_suffix(word.size());
    is_range = true;
    break;
  }
  if (!is_range) return;
  const auto number_at = [&](std::size_t begin) {
    std::string_view text = numbers.substr(begin);
    return take_number<int>(text).value_or(0);
  };
  const int first = number_at(0);
  const auto dash = numbers.find('-');
  const int last = dash == std::string_view::npos ? first : number_at(dash + 1);
  if (first <= 0 || last < first) return;
  command.first_line = first;
  command.last_line = last;
  path = trim(before);
}

/// A session may have been moved since its plan was made: what lay in its folder is looked for where that is now.
std::string in_session(std::string_view path, const Roots& roots) {
  const std::string id = roots.session.substr(roots.session.rfind('/') + 1);
  const auto at = id.empty() || !path.starts_with(".workflow/") ? std::string_view::npos : path.find("/" + id + "/");
  return at == std::string_view::npos ? std::string{path}
                                      : roots.session + std::string{path.substr(at + 1 + id.size())};
}

/// From the project's folder; empty if it is none of the project's.
std::string in_project(std::string_view path, const Roots& roots) {
  const auto beneath = [&](const std::string& root) {
    return !root.empty() && path.size() > root.size() && path.starts_with(root) && path[root.size()] == '/';
  };
  if (path.starts_with("./")) path.remove_prefix(2);
  for (const std::string& root : {roots.project, roots.foreign}) {
    if (!beneath(root)) continue;
    path.remove_prefix(root.size() + 1);
    break;
  }
  if (leaves_folder(path, {}) || !is_good_path(path)) return {};
  return in_session(path, roots);
}

FlowCommand read_of(std::string_view argument, std::string_view original, const Roots& roots) {
  FlowCommand command;
  command.kind = FlowCommand::Kind::read;
  command.original = original;
  std::string_view path = unquoted(argument);
  if (path.find('|') != std::string_view::npos || path.find("{{") != std::string_view::npos ||
      path.find('*') != std::string_view::npos || path.find('[') != std::string_view::npos) {
    return for_agent(original, "it names no single file");
  }
  take_lines(path, command);
  if (path.empty() || path.find_first_of(" \t\n,") != std::string_view::npos) {
    return for_agent(original, "it names no single file");
  }
  command.text = in_project(path, roots);
  if (command.text.empty()) return for_agent(original, "it is not in the project");
  return command;
}

}  // namespace

std::string root_of_path(std::string_view path) {
  const auto at = path.find("/.workflow/");
  return at == std::string_view::npos || !path.starts_with('/') ? std::string{} : std::string{path.substr(0, at)};
}

std::string foreign_root(const Task& task) {
  if (std::string root = root_of_path(task.context_package_path); !root.empty()) return root;
  for (const PreStep& step : task.pre_analysis) {
    for (const std::string& command : step.commands) {
      const auto call = call_of(trim(command));
      if (!call) continue;
      if (std::string root = root_of_path(unquoted(call->argument)); !root.empty()) return root;
    }
  }
  return {};
}

FlowCommand classify(std::string_view command, const Roots& roots) {
  const std::string_view text = trim(command);
  if (const auto call = call_of(text)) {
    const std::string word = lower(call->word);
    if (word == "bash" || word == "shell" || word == "sh") return shell(unquoted(call->argument), text);
    if (word == "read") return read_of(call->argument, text, roots);
    return for_agent(text, "it is a tool of an agent");
  }
  if (is_one_of(first_word(text), programs)) return shell(text, text);
  if (is_one_of(first_word(text), agents)) return for_agent(text, "it starts another agent");
  return for_agent(text, "it is no command");
}

}  // namespace baton::session
