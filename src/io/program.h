#pragma once

#include <signal.h>

#include <sys/types.h>

#include <expected>
#include <optional>
#include <string>
#include <vector>

namespace baton {

struct Program {
  std::vector<std::string> argv = {};
  std::vector<std::string> env = {};  ///< all of it
  std::string cwd = {};
  std::string stdin_path = {};  ///< empty: nothing to read
  std::string stdout_path = {};
  std::string stderr_path = {};
  int stdin_fd = -1;                             ///< instead of a path, where it is one
  int stdout_fd = -1;                            ///< likewise
  int stderr_fd = -1;                            ///< likewise
  std::optional<sigset_t> altered_signals = {};  ///< known already; none: they are looked for
};

/// Those that this process catches or ignores.
sigset_t altered_signals();

/// `base` without the names in `unset` and without those that `added` sets, then `added`.
std::vector<std::string> merge_environment(const std::vector<std::string>& base, const std::vector<std::string>& unset,
                                           std::vector<std::string> added);

/// Starts it in a session of its own, with signals as a fresh process has them and no descriptors but its three.
/// An error says what could not be done with what.
std::expected<pid_t, std::string> start_program(const Program& program);

}  // namespace baton
