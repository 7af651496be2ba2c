#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace baton {

struct Process {
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t session = 0;
  std::uint64_t start = 0;  ///< ticks since boot: with the pid, who it is even after the number was given anew
  char state = 0;           ///< as ps shows it: R, S, D, T, Z ...
  std::uint64_t cpu = 0;    ///< processor time used, in ticks
  std::string mark = {};    ///< whose it is by its environment; empty: nobody's of this state folder
};
using ProcessTable = std::map<pid_t, Process>;

/// What Process::mark is for the processes of that attempt.
std::string mark_of(std::string_view run, std::string_view step, int attempt);

/// One look at /proc.
ProcessTable look_at_processes(const std::string& state_dir);

/// Children of this process, from one read; empty also where the kernel does not tell.
std::vector<pid_t> own_children();

/// Ends all children of this process, and what those leave to it (PR_SET_CHILD_SUBREAPER), to the last one. One that
/// another process holds as its debugger counts as gone after a while. REQUIRES: one thread.
void end_own_children();

/// Everything that came from one attempt, however it forked away: descendants, processes carrying its mark, members of
/// sessions it made, and whatever was once seen to be one of these.
class ProcessTree {
 public:
  /// `root` is 0 where there is none: only the mark tells then.
  ProcessTree(pid_t root, std::string mark) : root_(root), mark_(std::move(mark)) {
    if (root != 0) leaders_.insert(root);
  }

  void root_is_gone() { root_ = 0; }
  void adopt(const Process& process) { known_[process.pid] = process.start; }
  std::vector<Process> members(const ProcessTable& table);

 private:
  bool belongs(const Process& process, const ProcessTable& table, const std::set<pid_t>& found) const;

  pid_t root_;  // 0 once it was waited for: the number may then be anybody's
  std::string mark_;
  std::map<pid_t, std::uint64_t> known_;
  std::set<pid_t> leaders_;
};

/// Signals each, unless its number is somebody else's by now.
void signal_all(const std::vector<Process>& processes, int signal);

/// Stops (SIGSTOP) whole trees and tells what they are: looks again until all stand still and nothing new turns up, so
/// that nothing can fork away.
std::vector<Process> freeze_trees(const std::vector<ProcessTree*>& trees, const std::string& state_dir);

}  // namespace baton
