#pragma once

#include <poll.h>

#include <functional>
#include <string>
#include <vector>

#include "io/command.h"

namespace baton::tui {

/// Programs that do something for the dashboard, each in a session of its own so that no key of this terminal reaches
/// it. What they say is collected while they run; one that is still at work when the dashboard ends goes on.
class Children {
 public:
  struct Ended {
    int code = -1;
    std::string out;
    std::string err;
  };
  using Then = std::function<void(const Ended&)>;

  /// False if it could not be started: `then` is not called.
  bool start(const std::vector<std::string>& argv, const std::string& input, Then then);

  /// The descriptors to be waited for.
  void add_to(std::vector<pollfd>& fds) const;
  /// Reads what there is, and tells of those that ended. True if any did.
  bool look();

 private:
  struct Child {
    RunningCommand command;
    Then then;
  };
  std::vector<Child> children_;
};

}  // namespace baton::tui
