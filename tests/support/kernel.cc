#include "support/kernel.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <fmt/core.h>
#include <linux/landlock.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cstdlib>
#include <string>

namespace baton::test {
namespace {

bool put_line(const char* path, const std::string& text) {
  const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
  const bool wrote = fd >= 0 && ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(fd);
  return wrote;
}

bool mount_in_a_namespace() {
  const std::string user = fmt::format("{0} {0} 1", ::geteuid());
  const std::string group = fmt::format("{0} {0} 1", ::getegid());
  return ::unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && put_line("/proc/self/setgroups", "deny") &&
         put_line("/proc/self/uid_map", user) && put_line("/proc/self/gid_map", group) &&
         ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("none", "/tmp", "tmpfs", 0, "size=64k") == 0;
}

bool try_it() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(mount_in_a_namespace() ? 0 : 1);
  int status = -1;
  return child > 0 && ::waitpid(child, &status, 0) == child && status == 0;
}

}  // namespace

bool has_landlock() { return ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) > 0; }

bool can_confine_commands() {
  static const bool can = try_it() && has_landlock();
  return can;
}

std::string may_mount() {
  for (const std::string words : {"unshare -m", "unshare -Urm"}) {
    if (std::system((words + " mount -t tmpfs none /tmp 2>/dev/null").c_str()) == 0) return words;
  }
  return {};
}

std::optional<std::vector<std::string>> without_user_namespaces() {
  if (!can_confine_commands()) return std::vector<std::string>{};
  const std::string none = "echo 0 > /proc/sys/user/max_user_namespaces";
  if (std::system(("unshare -Ur sh -c '" + none + "' 2>/dev/null").c_str()) != 0) return std::nullopt;
  return std::vector<std::string>{"unshare", "-Ur", "sh", "-c", none + " && exec \"$0\" \"$@\""};
}

}  // namespace baton::test
