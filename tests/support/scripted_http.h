#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/places.h"
#include "support/scratch.h"

extern char** environ;

namespace baton::test {

/// A model's API on loopback that does what the test tells it (scripted_http.py; HACKING.md has the words).
class ScriptedHttp {
 public:
  struct Launch {
    std::string program = "scripted_http.py";  ///< of tests/support
    std::string script = "[]";
    bool tls = false;
    int port = 0;  ///< 0: any that is free
  };
  explicit ScriptedHttp(const std::string& script = "[]", bool tls = false)
      : ScriptedHttp(Launch{.script = script, .tls = tls}) {}
  explicit ScriptedHttp(const Launch& launch) {
    int to[2];
    int from[2];
    if (::pipe2(to, O_CLOEXEC) != 0 || ::pipe2(from, O_CLOEXEC) != 0) return;
    posix_spawn_file_actions_t files;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_adddup2(&files, to[0], 0);
    ::posix_spawn_file_actions_adddup2(&files, from[1], 1);
    std::vector<std::string> words = {"python3",
                                      "-B",
                                      source_folder() + "/tests/support/" + launch.program,
                                      "--script",
                                      launch.script,
                                      "--port",
                                      std::to_string(launch.port)};
    if (launch.tls) words.insert(words.end(), {"--tls", scratch_.path()});
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const int error = ::posix_spawnp(&pid_, "python3", &files, nullptr, argv.data(), environ);
    ::posix_spawn_file_actions_destroy(&files);
    ::close(to[0]);
    ::close(from[1]);
    to_ = to[1];
    from_ = from[0];
    EXPECT_EQ(error, 0) << "python3 is needed";
    about_ = line();
    EXPECT_NE(about_.find("\"port\""), std::string::npos) << "the scripted server did not start";
  }
  ~ScriptedHttp() {
    ::close(to_);
    ::close(from_);
    int status = 0;
    if (pid_ > 0) ::waitpid(pid_, &status, 0);
  }
  ScriptedHttp(const ScriptedHttp&) = delete;
  ScriptedHttp& operator=(const ScriptedHttp&) = delete;

  [[nodiscard]] int port() const { return number("\"port\": "); }
  [[nodiscard]] std::string url(const std::string& path = "/v1/messages") const {
    return "http://127.0.0.1:" + std::to_string(port()) + path;
  }
  [[nodiscard]] std::string tls_url(const std::string& path = "/v1/messages") const {
    return "https://localhost:" + std::to_string(number("\"tls_port\": ")) + path;
  }
  [[nodiscard]] std::string ca_file() const { return scratch_.file("ca.pem"); }

  void script(const std::string& rules) { ask("{\"script\":" + rules + "}"); }
  void go(const std::string& name) { ask("{\"go\":\"" + name + "\"}"); }
  std::string stats() { return ask("{\"stats\":true}"); }
  /// {"seen": [{"method", "path", "headers": [[name, value]...], "body", "bytes", "connection", "in_flight"}...]}
  std::string seen() { return ask("{\"seen\":true}"); }
  /// Answers when so many requests came, so many clients went away in the middle.
  std::string until_requests(int count) { return ask("{\"until\":{\"requests\":" + std::to_string(count) + "}}"); }
  std::string until_abandoned(int count) { return ask("{\"until\":{\"abandoned\":" + std::to_string(count) + "}}"); }
  std::string until_idle() { return ask("{\"until\":{\"idle\":true}}"); }

  std::string ask(const std::string& command) {
    std::string text = command;
    std::ranges::replace(text, '\n', ' ');  // a command is a line; no string of JSON has a real line end in it
    text += "\n";
    std::size_t sent = 0;
    for (ssize_t size = 0; sent < text.size() && (size = ::write(to_, text.data() + sent, text.size() - sent)) > 0;) {
      sent += static_cast<std::size_t>(size);
    }
    return line();
  }

 private:
  std::string line() {
    for (;;) {
      if (const auto end = read_.find('\n'); end != std::string::npos) {
        std::string text = read_.substr(0, end);
        read_.erase(0, end + 1);
        return text;
      }
      pollfd ready{.fd = from_, .events = POLLIN, .revents = 0};
      char chunk[65536];
      const ssize_t size = ::poll(&ready, 1, 30'000) > 0 ? ::read(from_, chunk, sizeof chunk) : 0;
      if (size <= 0) {
        ADD_FAILURE() << "the scripted server does not answer";
        return {};
      }
      read_.append(chunk, static_cast<std::size_t>(size));
    }
  }
  [[nodiscard]] int number(const std::string& name) const {
    const auto at = about_.find(name);
    return at == std::string::npos ? 0 : std::atoi(about_.c_str() + at + name.size());
  }

  Scratch scratch_;
  pid_t pid_ = 0;
  int to_ = -1;
  int from_ = -1;
  std::string read_;
  std::string about_;
};

}  // namespace baton::test
