#include "git/git.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <unistd.h>

#include <fmt/core.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "io/descriptor.h"

extern char** environ;

namespace baton::git {
namespace {

/// For git's input: writing to a socket whose reader is gone is an error, where a pipe's would be a signal.
std::optional<Pipe> make_input() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return std::nullopt;
  return Pipe{Descriptor{ends[0]}, Descriptor{ends[1]}};
}

/// What this process ignores or blocks is no business of git's: one that ignores SIGCHLD cannot wait for its own.
class Attributes {
 public:
  Attributes() {
    ::posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigset_t usual;
    ::sigemptyset(&none);
    ::sigemptyset(&usual);
    for (const int signal : {SIGPIPE, SIGCHLD, SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&usual, signal);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &usual);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~Attributes() { ::posix_spawnattr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  [[nodiscard]] const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

/// Hooks are the user's for the user's own commits (and an agent's); they do not run for bookkeeping. A passphrase
/// nobody can type, a second process that keeps watching, a cache of resolutions in the user's repository: none of
/// them.
constexpr std::array calm_settings{"core.hooksPath=/dev/null", "core.fsmonitor=false",      "commit.gpgSign=false",
                                   "tag.gpgSign=false",        "advice.detachedHead=false", "gc.auto=0",
                                   "maintenance.auto=false",   "rerere.enabled=false",      "submodule.recurse=false"};

std::vector<std::string> environment(const std::vector<std::string>& further) {
  std::vector<std::string> env;
  for (char** e = environ; *e != nullptr; ++e) {
    const std::string_view entry{*e};
    // The user's identity, ssh and proxy settings stay; what names another repository, index or editor does not.
    const bool kept = !entry.starts_with("GIT_") || entry.starts_with("GIT_AUTHOR_") ||
                      entry.starts_with("GIT_COMMITTER_") || entry.starts_with("GIT_CONFIG_") ||
                      entry.starts_with("GIT_SSH") || entry.starts_with("GIT_CEILING");
    if (kept && !entry.starts_with("LC_") && !entry.starts_with("LANG")) env.emplace_back(entry);
  }
  env.insert(env.end(), {"LC_ALL=C.UTF-8", "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=true", "GIT_PAGER=cat",
                         "GIT_OPTIONAL_LOCKS=0", "GIT_ADVICE=0"});
  env.insert(env.end(), further.begin(), further.end());
  return env;
}

/// The word that says what a command does, past options such as `-c NAME=VALUE`.
std::string command(const std::vector<std::string>& args) {
  for (std::size_t n = 0; n < args.size(); ++n) {
    if (args[n] == "-c")
      ++n;
    else if (!args[n].starts_with('-'))
      return args[n];
  }
  return {};
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

/// Hands `input` over and collects both outputs, whichever is ready first, so that nobody waits for a full pipe.
void talk(Descriptor in, const Descriptor& out, const Descriptor& err, std::string_view input, Output& result) {
  ::fcntl(in.get(), F_SETFL, O_NONBLOCK);
  if (input.empty()) in.close();
  bool out_open = true;
  bool err_open = true;
  std::array<char, 65536> buffer{};
  while (out_open || err_open) {
    std::array<pollfd, 3> waits{{{out_open ? out.get() : -1, POLLIN, 0},
                                 {err_open ? err.get() : -1, POLLIN, 0},
                                 {in ? in.get() : -1, POLLOUT, 0}}};
    if (::poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) return;
    const auto drain = [&](const pollfd& ready, std::string& into, bool& open) {
      if (ready.revents == 0) return;
      const ssize_t n = ::read(ready.fd, buffer.data(), buffer.size());
      if (n > 0) into.append(buffer.data(), static_cast<std::size_t>(n));
      if (n == 0 || (n < 0 && errno != EINTR)) open = false;
    };
    drain(waits[0], result.out, out_open);
    drain(waits[1], result.err, err_open);
    if (waits[2].revents == 0) continue;
    const ssize_t n = ::send(in.get(), input.data(), input.size(), MSG_NOSIGNAL);
    if (n > 0) input.remove_prefix(static_cast<std::size_t>(n));
    if ((n < 0 && errno != EAGAIN && errno != EINTR) || input.empty()) in.close();
  }
}

/// The signal that ended git, or one that git had started; 0 if it ended by itself.
int ending_signal(int status) {
  if (WIFSIGNALED(status)) return WTERMSIG(status);
  // As a shell does it, git hands on that its child was killed. Its own codes end with 129, a wrong usage.
  constexpr int first = 128 + SIGINT;
  constexpr int last = 128 + SIGTERM;
  const int code = WEXITSTATUS(status);
  return code >= first && code <= last ? code - 128 : 0;
}

std::unexpected<Fault> killed(const std::vector<std::string>& args, int signal) {
  return fault("git-killed",
               fmt::format("git {} was ended by signal {} ({})", command(args), signal,
                           ::sigabbrev_np(signal) == nullptr ? "?" : ::sigabbrev_np(signal)),
               "do the same again: what was half done is finished then");
}

/// The lock that git could not take because it is there; "" if it was stopped by something else.
std::string lock_in_the_way(std::string_view said) {
  constexpr std::string_view before = "Unable to create '";
  constexpr std::string_view after = "': File exists";
  const auto end = said.find(after);
  if (end == std::string_view::npos) return {};
  const auto begin = said.rfind(before, end);
  return begin == std::string_view::npos ? std::string{}
                                         : std::string{said.substr(begin + before.size(), end - begin - before.size())};
}

}  // namespace

std::string Output::line() const { return std::string{trim(out.substr(0, out.find('\n')))}; }

Expected<Output> Git::run(const std::vector<std::string>& args) const { return run(args, {}, {}); }

Expected<Output> Git::run(const std::vector<std::string>& args, const std::string& input) const {
  return run(args, input, {});
}

Expected<Output> Git::run(const std::vector<std::string>& args, const std::string& input,
                          const std::vector<std::string>& env) const {
  std::vector<std::string> argv{"git", "-C", folder_};
  for (const char* setting : calm_settings) argv.insert(argv.end(), {"-c", setting});
  argv.insert(argv.end(), args.begin(), args.end());
  std::vector<std::string> further = env_;
  further.insert(further.end(), env.begin(), env.end());
  std::vector<std::string> all = environment(further);
  auto in = make_input();
  auto out = make_pipe();
  auto err = make_pipe();
  if (!in || !out || !err) {
    return fault("git-missing", fmt::format("git cannot be started: {}", std::strerror(errno)));
  }
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, in->read.get(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, out->write.get(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, err->write.get(), STDERR_FILENO);
  // Onto itself: it is not closed.
  for (const Held& held : held_) ::posix_spawn_file_actions_adddup2(&actions, held.fd, held.fd);
  pid_t pid = 0;
  const int failed =
      ::posix_spawnp(&pid, "git", &actions, Attributes{}.get(), pointers(argv).data(), pointers(all).data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    return fault("git-missing", fmt::format("git cannot be started: {}", std::strerror(failed)),
                 "install git, or run with --isolation none");
  }
  in->read.close();
  out->write.close();
  err->write.close();
  Output result;
  talk(std::move(in->write), out->read, err->read, input, result);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
    // Whoever ignores SIGCHLD is not told how a child ended: that must not pass for a good end.
    if (errno != EINTR) return fault("git-failed", fmt::format("git {}: how it ended is lost", command(args)));
  }
  const int signal = ending_signal(status);
  if (signal != 0) {
    for (const Held& held : held_) {
      if (held.killed) *held.killed = true;
    }
    return killed(args, signal);
  }
  result.exit = WEXITSTATUS(status);
  return result;
}

Expected<std::string> Git::must(const std::vector<std::string>& args) const {
  auto result = run(args);
  if (!result) return std::unexpected(result.error());
  if (!result->ok()) return std::unexpected(git_failed(args, *result));
  return std::move(result->out);
}

Expected<bool> Git::holds(const std::vector<std::string>& args) const {
  auto result = run(args);
  if (!result) return std::unexpected(result.error());
  if (result->exit > 1) return std::unexpected(git_failed(args, *result));
  return result->ok();
}

Expected<std::string> Git::commit_of(const std::string& revision) const {
  if (revision.empty() || revision.starts_with('-')) return std::string{};
  auto result = run({"rev-parse", "--verify", "--quiet", revision + "^{commit}"});
  if (!result) return std::unexpected(result.error());
  if (result->exit > 1) return std::unexpected(git_failed({"rev-parse"}, *result));
  return result->ok() ? result->line() : std::string{};
}

Git Git::in(const std::string& folder) const {
  Git other = *this;
  other.folder_ = folder;
  return other;
}

Git Git::with(const std::vector<std::string>& env) const {
  Git other = *this;
  other.env_.insert(other.env_.end(), env.begin(), env.end());
  return other;
}

Git Git::holding(int fd, std::shared_ptr<bool> killed) const {
  Git other = *this;
  other.held_.push_back({fd, std::move(killed)});
  return other;
}

std::vector<std::string> zero_separated(std::string_view text) {
  std::vector<std::string> parts;
  for (const std::string_view part : split(text, '\0')) parts.emplace_back(part);
  if (!parts.empty() && parts.back().empty()) parts.pop_back();
  return parts;
}

Fault git_failed(const std::vector<std::string>& args, const Output& output) {
  const std::string_view said = trim(output.err.empty() ? std::string_view{output.out} : std::string_view{output.err});
  if (const std::string lock = lock_in_the_way(said); !lock.empty()) {
    return {"git-locked",
            fmt::format("git {}: {} is there: another git is at work, or one that was killed left it", command(args),
                        printable(lock)),
            fmt::format("let the other one end; if none runs, 'rm {}', and try again", printable(lock))};
  }
  return {"git-failed", fmt::format("git {}: {}", command(args),
                                    said.empty() ? fmt::format("exit code {}", output.exit) : printable(said))};
}

}  // namespace baton::git
