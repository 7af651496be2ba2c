#pragma once

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <unistd.h>

#include <sys/wait.h>

#include <array>
#include <csignal>
#include <string>
#include <vector>

#include "support/programs.h"

namespace baton::test {

/// A program with a terminal of its own, and a person in front of it.
class Terminal {
 public:
  explicit Terminal(const Launch& launch) {
    const winsize size{.ws_row = 24, .ws_col = 100, .ws_xpixel = 0, .ws_ypixel = 0};
    std::vector<std::string> env;
    for (const auto& [name, value] : launch.env) env.push_back(name + "=" + value);
    std::vector<char*> argv = pointers(launch.argv);
    std::vector<char*> envp = pointers(env);
    pid_ = ::forkpty(&fd_, nullptr, nullptr, &size);
    if (pid_ != 0) return;
    if (::chdir(launch.cwd.c_str()) == 0) ::execve(argv[0], argv.data(), envp.data());
    ::_exit(127);
  }
  ~Terminal() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    ::close(fd_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  void types(const std::string& text) const {
    EXPECT_EQ(::write(fd_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  /// Waits until this stands on it, further on than what was waited for before.
  testing::AssertionResult shows(const std::string& text) {
    while (screen_.find(text, seen_) == std::string::npos) {
      if (!reads()) return testing::AssertionFailure() << "'" << text << "' never came; it said: " << screen_;
    }
    seen_ = screen_.find(text, seen_) + text.size();
    return testing::AssertionSuccess();
  }
  /// The program's exit code, once it has ended; kills it and fails the test where that takes too long.
  int wait() {
    while (reads()) {
    }
    if (!is_gone_) {
      ADD_FAILURE() << "the program has not ended; it said: " << screen_;
      ::kill(pid_, SIGKILL);
    }
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  [[nodiscard]] const std::string& screen() const { return screen_; }

 private:
  static std::vector<char*> pointers(const std::vector<std::string>& texts) {
    std::vector<char*> out;
    for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
    out.push_back(nullptr);
    return out;
  }
  /// False when nothing more comes: the program is gone, or says nothing for too long.
  bool reads() {
    pollfd p{fd_, POLLIN, 0};
    if (::poll(&p, 1, static_cast<int>(patience_max.count())) != 1) return false;
    std::array<char, 4096> buffer{};
    const ssize_t size = ::read(fd_, buffer.data(), buffer.size());
    is_gone_ = size <= 0;  // nobody has the other end any more
    if (is_gone_) return false;
    screen_.append(buffer.data(), static_cast<std::size_t>(size));
    return true;
  }

  int fd_ = -1;
  pid_t pid_ = 0;
  bool is_gone_ = false;
  std::string screen_;
  std::size_t seen_ = 0;
};

}  // namespace baton::test
