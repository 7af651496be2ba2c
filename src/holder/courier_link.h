#pragma once

#include <sys/types.h>

#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <string>

#include "holder/connection.h"

namespace baton {

/// The holder's end of `baton-courier`, the program that makes the HTTP calls of attempts. It is started when the first
/// call is asked for, let go when there was none for a while, and does not outlive the holder.
class CourierLink {
 public:
  using Adopt = std::function<Connection&(int fd)>;

  CourierLink(std::string state_dir, Adopt adopt) : state_dir_(std::move(state_dir)), adopt_(std::move(adopt)) {}

  /// The process of the courier that is there, or of a new one; an error says why there is none.
  std::expected<pid_t, std::string> reach();
  void say(const Message& message);

  bool is_connected() const { return connection_ != nullptr; }
  bool is(const Connection& connection) const { return connection_ == &connection; }
  pid_t pid() const { return pid_; }
  /// A child of ours that is, or was, the courier.
  bool owns(pid_t pid) const { return children_.contains(pid); }

  struct Gone {
    pid_t pid = 0;           ///< 0: nobody (yet)
    bool was_ready = false;  ///< it may have made calls
  };
  // A courier is gone when its process was waited for and all that it said was heard, whichever comes first.
  Gone reaped(pid_t pid);
  Gone closed(bool at_work);
  void is_ready() { children_.at(pid_).ready = true; }

  static void kill(pid_t pid);
  /// Lets it go after it was idle long enough. When (monotonic) to look again.
  std::int64_t rest(bool idle, std::int64_t now);

 private:
  std::string state_dir_;
  Adopt adopt_;
  Connection* connection_ = nullptr;
  struct Child {
    bool ready = false;
    bool reaped = false;
  };
  pid_t pid_ = 0;  // of the one that is connected
  std::map<pid_t, Child> children_;
  std::int64_t idle_since_ = never;
};

}  // namespace baton
