#include "tui/watcher.h"

#include <unistd.h>

#include <sys/inotify.h>

#include <array>
#include <cstdint>

namespace baton::tui {
namespace {

constexpr std::uint32_t writes = IN_MODIFY | IN_CREATE | IN_MOVED_TO;

}  // namespace

Watcher::Watcher(const std::string& state_dir) : state_dir_(state_dir) {
  fd_ = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  state_watch_ = ::inotify_add_watch(fd_, state_dir_.c_str(), writes);
}

Watcher::~Watcher() {
  if (fd_ >= 0) ::close(fd_);
}

void Watcher::watch_logs(const std::string& folder) {
  if (state_watch_ < 0) state_watch_ = ::inotify_add_watch(fd_, state_dir_.c_str(), writes);
  if (folder == logs_ && logs_watch_ >= 0) return;
  if (folder != logs_ && logs_watch_ >= 0) ::inotify_rm_watch(fd_, logs_watch_);
  logs_ = folder;
  logs_watch_ = folder.empty() ? -1 : ::inotify_add_watch(fd_, folder.c_str(), writes);
}

bool Watcher::look() {
  std::array<char, 16384> buffer{};
  bool news = false;
  while (::read(fd_, buffer.data(), buffer.size()) > 0) news = true;
  return news;
}

}  // namespace baton::tui
