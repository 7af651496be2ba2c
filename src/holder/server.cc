#include "holder/server.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

#include <algorithm>

#include "base/ensure.h"
#include "base/limits.h"

namespace baton {

Server::Server(int listener, std::string state_dir, int idle_ms)
    : listener_(listener),
      idle_ms_(idle_ms),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      keeper_(std::move(state_dir), [this](int fd) -> Connection& { return adopt(fd); }) {
  sigset_t child;
  ::sigemptyset(&child);
  ::sigaddset(&child, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &child, nullptr);
  child_signals_ = ::signalfd(-1, &child, SFD_NONBLOCK | SFD_CLOEXEC);
  BATON_ENSURE(epoll_ >= 0 && child_signals_ >= 0, "the holder needs epoll and signalfd", "");
  watch(listener_, EPOLLIN, EPOLL_CTL_ADD);
  watch(child_signals_, EPOLLIN, EPOLL_CTL_ADD);
}

void Server::watch(int fd, std::uint32_t events, int operation) const {
  epoll_event event{.events = events, .data = {.fd = fd}};
  ::epoll_ctl(epoll_, operation, fd, &event);
}

void Server::serve() {
  std::int64_t idle_since = monotonic_ms();
  for (;;) {
    std::int64_t due = keeper_.tick();
    if (flush_all()) continue;  // a run that lost its driver may want a wake
    const std::int64_t now = monotonic_ms();
    const bool idle = connections_.size() == (keeper_.has_courier() ? 1U : 0U) && keeper_.idle();
    if (!idle) idle_since = now;
    if (idle && now >= idle_since + idle_ms_) return;
    if (idle) due = std::min(due, idle_since + idle_ms_);
    for (const auto& [fd, connection] : connections_) {
      // Whoever does not listen now is told when it does: that is an event, not a time.
      if (!connection->watches_output) due = std::min(due, connection->send_at);
    }

    constexpr std::int64_t pause_max = 10'000;  // the wall clock may be set: look at it now and then
    const std::int64_t pause = due == never ? -1 : std::clamp<std::int64_t>(due - now, 0, pause_max);
    epoll_event events[32];
    const int count = ::epoll_wait(epoll_, events, std::size(events), static_cast<int>(pause));
    for (int i = 0; i < count; ++i) {
      const int fd = events[i].data.fd;
      if (fd == listener_) {
        accept_clients();
      } else if (fd == child_signals_) {
        signalfd_siginfo info[16];
        while (::read(child_signals_, info, sizeof info) == sizeof info) continue;
        keeper_.reap();
      } else if (const auto place = connections_.find(fd); place != connections_.end()) {
        if ((events[i].events & ~std::uint32_t{EPOLLOUT}) != 0) hear(*place->second);
      }
    }
  }
}

void Server::accept_clients() {
  for (int fd = 0; (fd = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0;) {
    adopt(fd);
  }
}

Connection& Server::adopt(int fd) {
  watch(fd, EPOLLIN, EPOLL_CTL_ADD);
  return *connections_.emplace(fd, std::make_unique<Connection>(Connection{.fd = fd})).first->second;
}

void Server::hear(Connection& connection) {
  char chunk[65536];
  const ssize_t size = ::recv(connection.fd, chunk, sizeof chunk, 0);
  if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) connection.broken = true;
  if (size <= 0) return;
  connection.in.append(chunk, static_cast<std::size_t>(size));
  std::size_t used = 0;
  while (!connection.broken) {
    const Decoded frame = decode_frame(std::string_view{connection.in}.substr(used));
    if (frame.kind == Decoded::Kind::partial) break;
    // What makes no sense ends this connection and nothing else.
    connection.broken = frame.kind == Decoded::Kind::garbage || !keeper_.obey(connection, frame.message);
    used += frame.size;
  }
  connection.in.erase(0, used);
  if (connection.in.empty()) connection.in.shrink_to_fit();
}

void Server::flush(Connection& connection) {
  if (connection.out.empty() || monotonic_ms() < connection.send_at) return;
  const ssize_t size = ::send(connection.fd, connection.out.data(), connection.out.size(), MSG_NOSIGNAL);
  if (size > 0) connection.out.erase(0, static_cast<std::size_t>(size));
  // A client that does not listen is let go before what it is not told fills the memory; nothing is lost by that, as
  // every end is on record until it is acknowledged.
  const bool deaf = connection.out.size() > 4 * Limits::frame_bytes_max;
  const bool nobody_there = size < 0 && errno != EAGAIN && errno != EINTR;
  if (deaf) connection.broken = true;
  // It is not broken yet: what it said before it went is still to be read, and then its end is.
  if (nobody_there) connection.out.clear();
  const bool more = !connection.out.empty();
  if (!more) connection.send_at = never;
  if (more != connection.watches_output) {
    connection.watches_output = more;
    watch(connection.fd, more ? EPOLLIN | EPOLLOUT : EPOLLIN, EPOLL_CTL_MOD);
  }
}

bool Server::flush_all() {
  bool any_ended = false;
  for (auto place = connections_.begin(); place != connections_.end();) {
    Connection& connection = *place->second;
    flush(connection);
    if (!connection.broken) {
      ++place;
      continue;
    }
    keeper_.forget(connection);
    ::close(connection.fd);
    place = connections_.erase(place);
    any_ended = true;
  }
  return any_ended;
}

}  // namespace baton
