#pragma once

#include <string>

namespace baton::tui {

/// Notices when files in a few folders are written to.
class Watcher {
 public:
  explicit Watcher(const std::string& state_dir);
  ~Watcher();
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  [[nodiscard]] int descriptor() const { return fd_; }
  /// This folder too, in place of the one before; it need not be there yet.
  void watch_logs(const std::string& folder);
  /// True if something was written since the last time.
  bool look();

 private:
  void watch_state();
  void forget(int watch);

  std::string state_dir_;
  std::string logs_;
  int fd_ = -1;
  int state_watch_ = -1;
  int logs_watch_ = -1;
};

}  // namespace baton::tui
