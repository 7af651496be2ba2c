// A server that answers before it was asked. A class of its own, because no script says that: a script begins when a
// request was read.
#pragma once

#include <poll.h>
#include <unistd.h>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <stop_token>
#include <string>
#include <thread>
#include <utility>

namespace baton::test {

/// Says what it has to say as soon as a request begins, and reads nothing more of it.
class HastyServer {
 public:
  explicit HastyServer(std::string answer) : answer_{std::move(answer)} {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    const bool listens = ::bind(listener_, reinterpret_cast<const sockaddr*>(&address), size) == 0 &&
                         ::listen(listener_, 8) == 0 &&
                         ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0;
    EXPECT_TRUE(listens);
    url = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/";
    thread_ = std::jthread{[this](const std::stop_token& stop) { serve(stop); }};
  }
  ~HastyServer() { ::close(listener_); }

  std::string url;

 private:
  void serve(const std::stop_token& stop) const {
    const int fd = ::accept(listener_, nullptr, nullptr);
    char piece[64];
    EXPECT_GT(::recv(fd, piece, sizeof piece, 0), 0);
    EXPECT_EQ(::send(fd, answer_.data(), answer_.size(), MSG_NOSIGNAL), static_cast<ssize_t>(answer_.size()));
    while (!stop.stop_requested() && ::recv(fd, piece, sizeof piece, MSG_PEEK) > 0 && !is_over(fd)) {
      std::this_thread::yield();
    }
    ::close(fd);
  }
  /// The other side has closed, though not all it sent was read.
  static bool is_over(int fd) {
    pollfd seen{.fd = fd, .events = POLLRDHUP, .revents = 0};
    return ::poll(&seen, 1, 10) > 0 && (seen.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
  }

  std::string answer_;
  int listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::jthread thread_;
};

}  // namespace baton::test
