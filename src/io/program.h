#pragma once

#include <signal.h>

#include <sys/types.h>

#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "io/descriptor.h"

namespace baton {

struct Program {
  std::vector<std::string> argv = {};
  std::vector<std::string> env = {};  ///< all of it
  std::string cwd = {};               ///< empty: where this process is
  std::string stdin_path = {};        ///< empty: nothing to read
  std::string stdout_path = {};
  std::string stderr_path = {};
  int stdin_fd = -1;                             ///< instead of a path, where it is one
  int stdout_fd = -1;                            ///< likewise
  int stderr_fd = -1;                            ///< likewise
  std::vector<int> kept_fds = {};                ///< further ones that it finds open, under the same numbers
  bool in_our_session = false;                   ///< keys of this process's terminal reach it, too
  std::optional<sigset_t> altered_signals = {};  ///< known already; none: they are looked for
};

/// Those that this process catches or ignores.
sigset_t altered_signals();

/// Starts it in a session of its own, with signals as a fresh process has them and no descriptors but its three.
/// An error says what could not be done with what.
std::expected<pid_t, std::string> start_program(const Program& program);

/// Starts a copy of this process, which does that and ends with the answer as its exit code. -1: errno says why.
/// REQUIRES: one thread.
pid_t start_copy(const std::function<int()>& work);

/// How a program ended.
struct ProgramEnd {
  std::optional<int> exit = {};  ///< of one that ended by itself
  int signal = 0;                ///< what ended it otherwise; neither: it is lost, as where SIGCHLD is ignored
};

/// Waits until a child of this process has ended.
ProgramEnd wait_for_end(pid_t pid);
/// The same without waiting: nullopt if it is at work.
std::optional<ProgramEnd> end_if_over(pid_t pid);
/// Is readable once that process has ended. Not open where the system has no such descriptors.
Descriptor watch_process(pid_t pid);
/// True if it ends in that time. It is not waited for: until that is done its number is nobody else's.
bool ends_within(pid_t pid, Millis lasts_max);

}  // namespace baton
