#pragma once

#include <string>

#include "io/descriptor.h"

namespace baton::tui {

/// Notices when files in a few folders are written to.
class Watcher {
 public:
  explicit Watcher(const std::string& state_dir);

  [[nodiscard]] int descriptor() const { return inotify_.get(); }
  /// This folder too, in place of the one before; it need not be there yet.
  void watch_logs(const std::string& folder);
  /// True if something was written since the last time.
  bool look();

 private:
  void watch_state();
  void forget(int watch);

  std::string state_dir_;
  std::string logs_;
  Descriptor inotify_;
  int state_watch_ = -1;
  int logs_watch_ = -1;
};

}  // namespace baton::tui
