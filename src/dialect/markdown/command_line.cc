#include "dialect/markdown/command_line.h"

#include <algorithm>
#include <array>

namespace baton::markdown {
namespace {

bool is_shell(std::string_view program) {
  constexpr std::array<std::string_view, 6> shells{"sh", "bash", "dash", "zsh", "ksh", "ash"};
  const std::string_view name = program.substr(program.rfind('/') + 1);
  return std::ranges::find(shells, name) != shells.end();
}

/// Where a given argv hands a line to a shell (`bash -ec LINE`): that item is a shell's language, not data.
std::size_t shell_line_index(const std::vector<Located>& command) {
  if (command.empty() || !is_shell(command.front().text)) return command.size();
  for (std::size_t i = 1; i + 1 < command.size(); ++i) {
    const std::string_view item = command[i].text;
    if (!item.starts_with('-')) break;
    if (!item.starts_with("--") && item.find('c') != std::string_view::npos) return i + 1;
  }
  return command.size();
}

}  // namespace

CommandLine make_command(const std::vector<Located>& items, bool is_line, const ResolveAt& resolve) {
  CommandLine command;
  if (items.empty()) return command;
  const std::size_t line_index = is_line ? 0 : shell_line_index(items);
  if (is_line) command.argv = {Composed{"/bin/sh"}, Composed{"-c"}};
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Located& item = items[i];
    const Resolve here = [&](const Expression& e) { return resolve(e, item.spot); };
    if (i != line_index) {
      command.argv.push_back(substitute(item.text, here));
      continue;
    }
    ShellLine shell = substitute_in_shell(item.text, here);
    command.argv.emplace_back(shell.line);
    command.env = std::move(shell.env);
  }
  return command;
}

bool CommandLine::is_known() const {
  return std::ranges::all_of(argv, &Composed::is_known) &&
         std::ranges::all_of(env, [](const auto& entry) { return entry.second.is_known(); });
}

}  // namespace baton::markdown
