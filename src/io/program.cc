#include "io/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include <fmt/core.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>

#include "base/text.h"
#include "io/descriptor.h"

namespace baton {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

const char* or_nothing(const std::string& path) { return path.empty() ? "/dev/null" : path.c_str(); }

std::string search_path(const Program& program) {
  for (const std::string_view entry : program.env) {
    if (entry.starts_with("PATH=")) return std::string{entry.substr(5)};
  }
  return "/usr/local/bin:/usr/bin:/bin";
}

// The file to run, as the child itself would find it: its PATH, its working directory. Empty: errno says why.
std::string find_file(const Program& program) {
  const std::string& name = program.argv.front();
  if (name.find('/') != std::string::npos) return name;
  int why = ENOENT;
  const std::string path = search_path(program);
  for (const std::string_view directory : split(path, ':')) {
    std::string file = fmt::format("{}/{}", directory.empty() ? "." : directory, name);
    if (file.front() != '/' && !program.cwd.empty()) file.insert(0, program.cwd + '/');
    if (::access(file.c_str(), X_OK) == 0) return file;
    if (errno == EACCES) why = EACCES;
  }
  errno = why;
  return {};
}

// The child tells an errno but not of what; this looks for the culprit again.
std::string explain(int error, const Program& program) {
  const auto say = [](int why, const std::string& what) { return fmt::format("{}: {}", ::strerror(why), what); };
  if (!program.cwd.empty() && ::access(program.cwd.c_str(), X_OK) != 0) return say(errno, program.cwd);
  if (::access(or_nothing(program.stdin_path), R_OK) != 0) return say(errno, program.stdin_path);
  for (const auto& [given, path] :
       {std::pair{program.stdout_fd, program.stdout_path}, std::pair{program.stderr_fd, program.stderr_path}}) {
    if (given >= 0) continue;
    if (!open_file(or_nothing(path), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0600)) return say(errno, path);
  }
  return say(error, program.argv.front());
}

/// All that the child needs, made before there is one: it shares our memory, and may only make system calls.
struct Launch {
  const Program& program;
  const char* file;
  std::vector<char*> argv = pointers(program.argv);
  std::vector<char*> env = pointers(program.env);
  sigset_t altered = program.altered_signals ? *program.altered_signals : altered_signals();
  int error = 0;
};

std::optional<ProgramEnd> reap(pid_t pid, int flags) {
  int status = 0;
  pid_t ended = 0;
  while ((ended = ::waitpid(pid, &status, flags)) < 0 && errno == EINTR) continue;
  if (ended == 0) return std::nullopt;
  if (ended < 0) return ProgramEnd{};
  return WIFEXITED(status) ? ProgramEnd{.exit = WEXITSTATUS(status)} : ProgramEnd{.signal = WTERMSIG(status)};
}

bool put(int fd, int target) { return fd >= 0 && (fd == target ? ::fcntl(fd, F_SETFD, 0) : ::dup2(fd, target)) >= 0; }

bool open_as(int target, const std::string& path, int flags) {
  return put(::open(or_nothing(path), flags | O_CLOEXEC, 0600), target);
}

bool take_error_place(const Program& program, int flags) {
  if (program.stderr_fd >= 0) return put(program.stderr_fd, STDERR_FILENO);
  const bool in_one = program.stdout_fd < 0 && program.stderr_path == program.stdout_path;
  return in_one ? put(STDOUT_FILENO, STDERR_FILENO) : open_as(STDERR_FILENO, program.stderr_path, flags);
}

bool take_places(const Program& program) {
  constexpr int output = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW;
  const bool in =
      program.stdin_fd >= 0 ? put(program.stdin_fd, STDIN_FILENO) : open_as(STDIN_FILENO, program.stdin_path, O_RDONLY);
  if (!in) return false;
  const bool out = program.stdout_fd >= 0 ? put(program.stdout_fd, STDOUT_FILENO)
                                          : open_as(STDOUT_FILENO, program.stdout_path, output);
  return out && take_error_place(program, output) && (program.cwd.empty() || ::chdir(program.cwd.c_str()) == 0);
}

/// A descriptor that is put in its own place is not closed by the program's start.
bool keep_open(const std::vector<int>& fds) {
  return std::ranges::all_of(fds, [](int fd) { return put(fd, fd); });
}

/// The child, from its first moment to the program it becomes. No signal comes through until none is caught any more.
/// It never returns, so what a sanitizer notes of its frame would stay in the parent's.
[[gnu::no_sanitize_address]] int become(void* what) {
  Launch& launch = *static_cast<Launch*>(what);
  struct sigaction fresh{};
  fresh.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) {
    if (::sigismember(&launch.altered, signal) == 1) ::sigaction(signal, &fresh, nullptr);
  }
  if (!launch.program.in_our_session) ::setsid();
  sigset_t none;
  ::sigemptyset(&none);
  if (take_places(launch.program) && keep_open(launch.program.kept_fds)) {
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::execve(launch.file, launch.argv.data(), launch.env.data());
  }
  launch.error = errno;
  ::_exit(127);
}

/// As posix_spawn does it (docs/decisions/0021), without its sixty calls to set signals anew that are as they should
/// be, and on our stack: the parent stands still until the child has become another program.
int spawn(pid_t& pid, Launch& launch) {
  alignas(16) std::array<char, 32768> stack;
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  pid = ::clone(become, stack.data() + stack.size(), CLONE_VM | CLONE_VFORK | SIGCHLD, &launch);
  if (pid < 0) launch.error = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid > 0 && launch.error != 0) (void)wait_for_end(pid);
  return launch.error;
}

}  // namespace

std::expected<pid_t, std::string> start_program(const Program& program) {
  if (program.argv.empty() || program.argv.front().empty()) return std::unexpected("no program was named");
  const std::string file = find_file(program);
  pid_t pid = 0;
  if (file.empty()) return std::unexpected(explain(errno, program));
  Launch launch{.program = program, .file = file.c_str()};
  if (const int error = spawn(pid, launch); error != 0) return std::unexpected(explain(error, program));
  return pid;
}

pid_t start_copy(const std::function<int()>& work) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(work());
  return pid;
}

std::optional<ProgramEnd> end_if_over(pid_t pid) { return reap(pid, WNOHANG); }

ProgramEnd wait_for_end(pid_t pid) { return reap(pid, 0).value_or(ProgramEnd{}); }

Descriptor watch_process(pid_t pid) { return Descriptor{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))}; }

bool ends_within(pid_t pid, Millis lasts_max) {
  const Descriptor process = watch_process(pid);
  pollfd ended{process.get(), POLLIN, 0};
  const auto until = std::chrono::steady_clock::now() + lasts_max;
  for (;;) {
    const auto left = std::chrono::ceil<Millis>(until - std::chrono::steady_clock::now());
    const int n = ::poll(&ended, 1, static_cast<int>(std::max(left.count(), Millis::rep{0})));
    if (n > 0) return true;
    if (n == 0 || errno != EINTR) return false;
  }
}

sigset_t altered_signals() {
  sigset_t altered;
  ::sigemptyset(&altered);
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction now{};
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_DFL) ::sigaddset(&altered, signal);
  }
  return altered;
}

}  // namespace baton
