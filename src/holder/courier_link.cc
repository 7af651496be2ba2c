#include "holder/courier_link.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <fmt/core.h>
#include <sys/socket.h>

#include <utility>

#include "base/frame.h"
#include "holder/clock.h"
#include "io/program.h"

namespace baton {
namespace {

constexpr const char* protocol = "1";

/// Beside this very program.
std::string courier_path() {
  char self[PATH_MAX];
  const ssize_t size = ::readlink("/proc/self/exe", self, sizeof self);
  const std::string path{self, size > 0 ? static_cast<std::size_t>(size) : 0};
  return path.substr(0, path.rfind('/') + 1) + "baton-courier";
}

}  // namespace

std::expected<pid_t, std::string> CourierLink::reach() {
  if (is_connected()) return pid_;
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0) {
    return std::unexpected(fmt::format("no socket for the courier: {}", ::strerror(errno)));
  }
  Descriptor ours{ends[0]};
  const Descriptor theirs{ends[1]};
  const std::string log = state_dir_ + "/courier.log";
  // Nothing of anybody's environment: keys come by the socket, so none can be seen in a list of processes.
  const auto started = start_program({.argv = {courier_path(), protocol},
                                      .env = {std::string{attempt_marks[3]} + state_dir_},
                                      .cwd = "/",
                                      .stdout_path = log,
                                      .stderr_path = log,
                                      .stdin_fd = theirs.get()});
  if (!started) return std::unexpected(started.error());
  pid_ = *started;
  children_.emplace(pid_, Child{});
  connection_ = &adopt_(ours.release());
  return pid_;
}

void CourierLink::say(const Message& message) {
  if (is_connected()) connection_->say(message);
}

CourierLink::Gone CourierLink::reaped(pid_t pid) {
  const auto child = children_.find(pid);
  child->second.reaped = true;
  if (pid == pid_) return {};
  const Gone gone{pid, child->second.ready};
  children_.erase(child);
  return gone;
}

CourierLink::Gone CourierLink::closed(bool at_work) {
  const pid_t pid = std::exchange(pid_, 0);
  connection_ = nullptr;
  idle_since_ = never;
  if (children_.at(pid).reaped) return reaped(pid);
  if (at_work) kill(pid);  // one without calls leaves by itself
  return {};
}

void CourierLink::kill(pid_t pid) { ::kill(pid, SIGKILL); }

std::int64_t CourierLink::rest(bool idle, std::int64_t now) {
  if (!is_connected() || !idle) {
    idle_since_ = never;
    return never;
  }
  if (idle_since_ == never) idle_since_ = now;
  static const std::int64_t patience = patience_ms("BATON_COURIER_IDLE_MS", 30'000);
  if (now < idle_since_ + patience) return idle_since_ + patience;
  connection_->broken = true;
  return now;
}

}  // namespace baton
