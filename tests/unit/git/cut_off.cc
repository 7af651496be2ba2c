#include "unit/git/cut_off.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <filesystem>
#include <iostream>
#include <set>
#include <string>

namespace baton::git::test {
namespace {

/// A process and all it starts, stopped at each system call.
class Watched {
 public:
  Watched(pid_t root, std::uint64_t at, Cut cut) : root_{root}, at_{at}, cut_{cut} { alive_.insert(root); }

  CutOff watch() {
    int status = 0;
    ::waitpid(root_, &status, 0);
    if (!WIFSTOPPED(status)) return seen_;
    seen_.can_be_watched = true;
    constexpr std::intptr_t options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                                      PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
    ::ptrace(PTRACE_SETOPTIONS, root_, nullptr, options);
    ::ptrace(PTRACE_SYSCALL, root_, nullptr, 0);
    while (!alive_.empty()) {
      const pid_t pid = ::waitpid(-1, &status, __WALL);
      if (pid < 0) break;
      if (WIFSTOPPED(status)) {
        stopped(pid, status);
      } else {
        ended(pid, status);
      }
    }
    return seen_;
  }

 private:
  void ended(pid_t pid, int status) {
    alive_.erase(pid);
    if (pid == root_) seen_.worked = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  void stopped(pid_t pid, int status) {
    alive_.insert(pid);
    int signal = WSTOPSIG(status);
    if (signal == (SIGTRAP | 0x80)) {
      if (is_change(pid) && (cut_ == Cut::everything || pid != root_) && ++seen_.changes == at_) return kill(pid);
      signal = 0;
    } else if ((status >> 16) != 0 || signal == SIGSTOP) {
      signal = 0;  // a program begins, a child is born
    }
    ::ptrace(PTRACE_SYSCALL, pid, nullptr, signal);
  }

  void kill(pid_t pid) {
    seen_.was_cut = true;
    if (cut_ == Cut::one_git) {
      ::kill(pid, SIGKILL);
      return;
    }
    for (const pid_t each : alive_) ::kill(each, SIGKILL);
  }

  /// True before a call that changes what is on the disk.
  static bool is_change(pid_t pid) {
    __ptrace_syscall_info call{};
    if (::ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof call, &call) <= 0) return false;
    if (call.op != PTRACE_SYSCALL_INFO_ENTRY) return false;
    switch (call.entry.nr) {
      case SYS_openat:
        return (call.entry.args[2] & (O_CREAT | O_TRUNC)) != 0;
      case SYS_write:
      case SYS_pwrite64:
      case SYS_ftruncate:
        return is_file(pid, call.entry.args[0]);
      case SYS_renameat:
      case SYS_renameat2:
      case SYS_unlinkat:
      case SYS_linkat:
      case SYS_symlinkat:
      case SYS_mkdirat:
      case SYS_fchmodat:
#ifdef SYS_open
      case SYS_rename:
      case SYS_unlink:
      case SYS_link:
      case SYS_symlink:
      case SYS_mkdir:
      case SYS_rmdir:
      case SYS_chmod:
#endif
        return true;
      default:
        return false;
    }
  }

  static bool is_file(pid_t pid, std::uint64_t fd) {
    std::error_code error;
    return std::filesystem::is_regular_file(fmt::format("/proc/{}/fd/{}", pid, fd), error);
  }

  pid_t root_;
  std::uint64_t at_;
  Cut cut_;
  std::set<pid_t> alive_;
  CutOff seen_;
};

std::uint64_t number_from(const char* name, std::uint64_t otherwise) {
  const char* text = ::getenv(name);
  return text == nullptr ? otherwise : std::stoull(text);
}

}  // namespace

CutOff cut_off(const std::function<bool()>& work, std::uint64_t at, Cut cut) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, 0) != 0) ::_exit(2);
    ::raise(SIGSTOP);
    ::_exit(work() ? 0 : 1);
  }
  return Watched{pid, at, cut}.watch();
}

void at_many_instants(const std::function<bool(std::uint64_t at)>& check) {
  const char* cuts = ::getenv("BATON_GIT_CUTS");
  const bool all = cuts != nullptr && std::string{cuts} == "all";
  constexpr std::uint64_t apart_usually = 29;
  const std::uint64_t apart = all ? 1 : apart_usually;
  const std::uint64_t first = all ? number_from("BATON_GIT_CUT", 1) : 1 + number_from("BATON_KILL_SEED", 1) % apart;
  std::uint64_t cut = 0;
  for (std::uint64_t at = first; !::testing::Test::HasFailure(); at += apart, ++cut) {
    SCOPED_TRACE(fmt::format("cut off at change {}; repeat with BATON_GIT_CUTS=all BATON_GIT_CUT={}", at, at));
    if (!check(at)) break;
  }
  EXPECT_GT(cut, 0U) << "nothing was cut off";
  std::cout << cut << " instants\n";
}

}  // namespace baton::git::test
