#include "cli/check_commands.h"

#include <utility>

#include "io/command.h"
#include "io/environment.h"

namespace baton::cli {

CommandOutcome run_check_command(const Check& check, const std::string& root, const std::string& output) {
  constexpr Millis lasts_max{60'000};
  constexpr std::size_t printed_bytes_max = 64U << 20U;
  std::vector<std::string> added = check.env;
  added.push_back("BATON_OUTPUT=" + output);
  const auto end =
      run_command({.argv = check.argv, .env = merge_environment(own_environment(), {}, std::move(added)), .cwd = root},
                  {.lasts_max = lasts_max, .bytes_max = printed_bytes_max, .in_one = true});
  if (!end) return {false, "The command could not be started: " + end.error()};
  if (!end->in_time) return {false, "The command took longer than 60 s"};
  return command_outcome(end->exit, end->signal, end->out);
}

}  // namespace baton::cli
