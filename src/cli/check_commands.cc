#include "cli/check_commands.h"

#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <filesystem>

#include "engine/real_files.h"
#include "io/program.h"

extern char** environ;

namespace baton::cli {
namespace {

namespace fs = std::filesystem;

constexpr int command_ms_max = 60'000;
constexpr std::size_t printed_bytes_max = 64U << 20U;

/// A file for what a command prints; gone when this is.
class Scratch {
 public:
  Scratch() : path_((fs::temp_directory_path() / "baton-check-XXXXXX").string()) {
    const int fd = ::mkstemp(path_.data());
    if (fd >= 0) ::close(fd);
  }
  ~Scratch() { ::unlink(path_.c_str()); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Waits for the process to end; ends it, with all of its session that did not leave, when its time is up.
/// False: its time was up.
bool wait_in_time(pid_t pid, int& status) {
  const int fd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  pollfd watched{fd, POLLIN, 0};
  const bool in_time = fd < 0 || ::poll(&watched, 1, command_ms_max) > 0;
  if (fd >= 0) ::close(fd);
  if (!in_time) ::kill(-pid, SIGKILL);
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return in_time;
}

}  // namespace

CommandOutcome run_check_command(const Check& check, const std::string& root, const std::string& output) {
  const Scratch scratch;
  std::vector<std::string> env;
  for (char** entry = environ; *entry != nullptr; ++entry) env.emplace_back(*entry);
  std::vector<std::string> added = check.env;
  added.push_back("BATON_OUTPUT=" + output);
  const Program program{.argv = check.argv,
                        .env = merge_environment(env, {}, std::move(added)),
                        .cwd = root,
                        .stdout_path = scratch.path(),
                        .stderr_path = scratch.path()};
  const auto pid = start_program(program);
  if (!pid) return {false, "The command could not be started: " + pid.error()};
  int status = 0;
  if (!wait_in_time(*pid, status)) return {false, "The command took longer than 60 s"};
  const auto printed = RealFiles{}.read(scratch.path(), printed_bytes_max);
  const std::string text = printed && *printed ? **printed : "";
  if (WIFEXITED(status)) return command_outcome(WEXITSTATUS(status), 0, text);
  return command_outcome(std::nullopt, WTERMSIG(status), text);
}

}  // namespace baton::cli
