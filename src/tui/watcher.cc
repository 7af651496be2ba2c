#include "tui/watcher.h"

#include <unistd.h>

#include <sys/inotify.h>

#include <array>
#include <cstdint>

namespace baton::tui {
namespace {

constexpr std::uint32_t writes = IN_MODIFY | IN_CREATE | IN_MOVED_TO;
constexpr std::uint32_t ends = IN_MOVE_SELF | IN_DELETE_SELF;

}  // namespace

Watcher::Watcher(const std::string& state_dir)
    : state_dir_(state_dir), inotify_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
  watch_state();
}

void Watcher::watch_state() { state_watch_ = ::inotify_add_watch(inotify_.get(), state_dir_.c_str(), writes | ends); }

void Watcher::watch_logs(const std::string& folder) {
  if (state_watch_ < 0) watch_state();
  if (folder == logs_ && logs_watch_ >= 0) return;
  if (folder != logs_ && logs_watch_ >= 0) ::inotify_rm_watch(inotify_.get(), logs_watch_);
  logs_ = folder;
  logs_watch_ = folder.empty() ? -1 : ::inotify_add_watch(inotify_.get(), folder.c_str(), writes);
}

bool Watcher::look() {
  alignas(inotify_event) std::array<char, 16384> buffer{};
  bool news = false;
  for (;;) {
    const ssize_t n = ::read(inotify_.get(), buffer.data(), buffer.size());
    if (n <= 0) return news;
    news = true;
    for (ssize_t at = 0; at < n;) {
      const auto* event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
      if ((event->mask & (ends | IN_IGNORED)) != 0) forget(event->wd);
      at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
    }
  }
}

/// What was watched is elsewhere or gone: what has its name now is to be watched instead.
void Watcher::forget(int watch) {
  if (watch == state_watch_) {
    ::inotify_rm_watch(inotify_.get(), state_watch_);
    state_watch_ = -1;
    if (logs_watch_ >= 0) ::inotify_rm_watch(inotify_.get(), logs_watch_);
    logs_watch_ = -1;
  }
  if (watch == logs_watch_) logs_watch_ = -1;
}

}  // namespace baton::tui
