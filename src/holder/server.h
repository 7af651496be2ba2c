#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "holder/keeper.h"

namespace baton {

/// The loop: clients on a socket, children that end, time that passes.
class Server {
 public:
  /// `listener` listens, and does not block.
  Server(int listener, std::string state_dir, int idle_ms);

  /// Until there has been nothing to do, and nobody to do it for, long enough.
  void serve();

 private:
  void watch(int fd, std::uint32_t events, int operation) const;
  void accept_clients();
  Connection& adopt(int fd);
  void hear(Connection& connection);
  void flush(Connection& connection);
  bool flush_all();  ///< true if any connection ended

  int listener_;
  int idle_ms_;
  int epoll_;
  int child_signals_;
  Keeper keeper_;
  std::map<int, std::unique_ptr<Connection>> connections_;
};

}  // namespace baton
