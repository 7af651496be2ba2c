#include "git/git.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <unistd.h>

#include <fmt/core.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/text.h"

extern char** environ;

namespace baton::git {
namespace {

/// A descriptor that closes itself.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_{fd} {}
  Descriptor(Descriptor&& other) noexcept : fd_{std::exchange(other.fd_, -1)} {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    close();
    fd_ = std::exchange(other.fd_, -1);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool is_open() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

struct Pipe {
  Descriptor read;
  Descriptor write;

  bool open() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read = Descriptor{ends[0]};
    write = Descriptor{ends[1]};
    return true;
  }
};

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
                                 {in.is_open() ? in.get() : -1, POLLOUT, 0}}};
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
    const ssize_t n = ::write(in.get(), input.data(), input.size());
    if (n > 0) input.remove_prefix(static_cast<std::size_t>(n));
    if ((n < 0 && errno != EAGAIN && errno != EINTR) || input.empty()) in.close();
  }
}

}  // namespace

std::string Output::line() const { return std::string{trim(out.substr(0, out.find('\n')))}; }

Expected<Output> Git::run(const std::vector<std::string>& args) const { return run(args, {}, {}); }

Expected<Output> Git::run(const std::vector<std::string>& args, const std::string& input) const {
  return run(args, input, {});
}

Expected<Output> Git::run(const std::vector<std::string>& args, const std::string& input,
                          const std::vector<std::string>& env) const {
  // Hooks are the user's for the user's own commits (and an agent's); they do not run for bookkeeping.
  std::vector<std::string> argv{"git",
                                "-C",
                                folder_,
                                "-c",
                                "core.hooksPath=/dev/null",
                                "-c",
                                "advice.detachedHead=false",
                                "-c",
                                "core.fsmonitor=false",
                                "-c",
                                "gc.auto=0"};
  argv.insert(argv.end(), args.begin(), args.end());
  std::vector<std::string> all = environment(env);
  Pipe in;
  Pipe out;
  Pipe err;
  if (!in.open() || !out.open() || !err.open()) {
    return fault("git-missing", fmt::format("git cannot be started: {}", std::strerror(errno)));
  }
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, in.read.get(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, out.write.get(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, err.write.get(), STDERR_FILENO);
  pid_t pid = 0;
  const int failed = ::posix_spawnp(&pid, "git", &actions, nullptr, pointers(argv).data(), pointers(all).data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    return fault("git-missing", fmt::format("git cannot be started: {}", std::strerror(failed)),
                 "install git, or run with --isolation none");
  }
  in.read.close();
  out.write.close();
  err.write.close();
  Output result;
  talk(std::move(in.write), out.read, err.read, input, result);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  result.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

Expected<std::string> Git::must(const std::vector<std::string>& args) const {
  auto result = run(args);
  if (!result) return std::unexpected(result.error());
  if (result->ok()) return std::move(result->out);
  const std::string_view said = trim(result->err);
  return fault("git-failed", fmt::format("git {}: {}", args.empty() ? "" : args.front(),
                                         said.empty() ? fmt::format("exit code {}", result->exit) : std::string{said}));
}

}  // namespace baton::git
