#include "tool/namespace.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <fmt/core.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "tool/folder.h"

namespace baton::tool {
namespace {

bool put(const char* path, const std::string& text) {
  const Handle file{::open(path, O_WRONLY | O_CLOEXEC)};
  return file && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

/// Whoever we are, we stay it; we are somebody to mount things here, and nobody more outside.
bool enter() {
  const auto user = ::geteuid();
  const auto group = ::getegid();
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  return put("/proc/self/setgroups", "deny") && put("/proc/self/uid_map", fmt::format("{} {} 1", user, user)) &&
         put("/proc/self/gid_map", fmt::format("{} {} 1", group, group)) &&
         ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

bool mount_again(const std::string& from, const std::string& to) {
  return ::mount(from.c_str(), to.c_str(), nullptr, MS_BIND | MS_REC, nullptr) == 0;
}

/// What was there before something was put over it.
bool put_back(const Handle& from, const std::string& to) {
  std::error_code error;
  std::filesystem::create_directories(to, error);
  return !error && mount_again(fmt::format("/proc/self/fd/{}", from.get()), to);
}

bool let_change(const std::string& path, int flags, bool lets) {
  mount_attr attributes{};
  (lets ? attributes.attr_clr : attributes.attr_set) = MOUNT_ATTR_RDONLY;
  return ::syscall(SYS_mount_setattr, AT_FDCWD, path.c_str(), flags, &attributes, sizeof attributes) == 0;
}

}  // namespace

bool enter_namespace(const Enclosure& enclosure) {
  if (!enter()) return false;
  const auto& [folder, temporary, state] = enclosure;
  const Handle work{::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
  const Handle own{temporary.empty() ? -1 : ::open(temporary.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
  const bool is_inside = !state.empty() && is_beneath(folder, state);
  if (!is_inside && !put_back(work, folder)) return false;
  struct stat there{};
  if (!state.empty() && ::stat(state.c_str(), &there) == 0) {
    if (::mount("none", state.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "size=64k,mode=755") != 0) return false;
    if (is_inside && !put_back(work, folder)) return false;
  }
  if (!temporary.empty() && !put_back(own, temporary)) return false;
  // A repository's hooks and settings are commands that others run later, and without any of this.
  // Settings say where keys are sent.
  for (const std::string_view name : {std::string_view{".git"}, settings_files[0], settings_files[1]}) {
    const std::string kept = fmt::format("{}/{}", folder, name);
    if (::lstat(kept.c_str(), &there) != 0) continue;
    // Something mounted on a link is mounted on what it leads to: the link itself could be exchanged.
    if (S_ISLNK(there.st_mode) || !mount_again(kept, kept)) return false;
  }
  return let_change("/", AT_RECURSIVE, false) && let_change(folder, 0, true) &&
         (temporary.empty() || let_change(temporary, 0, true)) && ::chdir(folder.c_str()) == 0;
}

}  // namespace baton::tool
