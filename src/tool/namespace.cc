#include "tool/namespace.h"

#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include <fmt/core.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "io/program.h"
#include "tool/capabilities.h"
#include "tool/work_folder.h"

namespace baton::tool {
namespace {

bool put(const char* path, const std::string& text) {
  const Descriptor file = open_file(path, O_WRONLY);
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
bool put_back(const Descriptor& from, const std::string& to) {
  std::error_code error;
  std::filesystem::create_directories(to, error);
  if (error) errno = error.value();
  return !error && mount_again(fmt::format("/proc/self/fd/{}", from.get()), to);
}

bool let_change(const std::string& path, int flags, bool lets) {
  mount_attr attributes{};
  (lets ? attributes.attr_clr : attributes.attr_set) = MOUNT_ATTR_RDONLY;
  return ::syscall(SYS_mount_setattr, AT_FDCWD, path.c_str(), flags, &attributes, sizeof attributes) == 0;
}

bool is_read_only(const std::string& path) {
  struct statvfs info{};
  return ::statvfs(path.c_str(), &info) == 0 && (info.f_flag & ST_RDONLY) != 0;
}

/// Why something failed, in errno's words.
std::string because(std::string_view what, int error) { return fmt::format("{}: {}", what, strerrordesc_np(error)); }

/// Where mounting is possible, this folder or file is what it fails with.
Confinement wrong_with(std::string_view what) { return {.wrong = because(what, errno)}; }

bool is_all_there(const Confinement& c) { return c.lacking.empty() && c.wrong.empty(); }

constexpr std::string_view own_namespace = "a mount namespace of its own";

bool is_zero(const char* path) {
  std::ifstream in{path};
  long value = -1;
  return in >> value && value == 0;
}

/// True if the system gives no namespaces; false if they have run out for now, which commands themselves can bring
/// about.
bool gives_none(int refusal) {
  if (refusal == ENOSPC) {
    return is_zero("/proc/sys/user/max_user_namespaces") || is_zero("/proc/sys/user/max_mnt_namespaces");
  }
  return refusal == EPERM || refusal == EACCES || refusal == ENOSYS || refusal == EINVAL;
}

Confinement without_namespace(int refusal) {
  Confinement c;
  (gives_none(refusal) ? c.lacking : c.wrong) = because(own_namespace, refusal);
  return c;
}

/// Whether enter() would succeed, in a child: a process that came half-way in would be nobody from then on.
Confinement try_to_enter() {
  const pid_t child = start_copy([] { return enter() ? 0 : errno; });
  if (child < 0) return wrong_with("a process that tries the namespace");
  const int refusal = wait_for_end(child).exit.value_or(EPERM);
  return refusal == 0 ? Confinement{} : without_namespace(refusal);
}

/// A repository's hooks and settings are commands that others run later, and without any of this. Settings say where
/// keys are sent.
Confinement keep(const std::string& folder) {
  for (const std::string_view name : {std::string_view{".git"}, settings_files[0], settings_files[1]}) {
    const std::string kept = fmt::format("{}/{}", folder, name);
    struct stat there{};
    if (::lstat(kept.c_str(), &there) != 0) continue;
    // Something mounted on a link is mounted on what it leads to: the link itself could be exchanged.
    if (S_ISLNK(there.st_mode)) return {.wrong = fmt::format("{} is a link, and no command is run beside it", kept)};
    if (!mount_again(kept, kept)) return wrong_with(kept);
  }
  return {};
}

/// The folder, the commands' own one, and nothing of the state folder.
Confinement arrange(const Enclosure& enclosure) {
  const auto& [folder, temporary, state] = enclosure;
  const Descriptor work = open_file(folder, O_PATH | O_DIRECTORY);
  if (!work) return wrong_with(folder);
  const Descriptor own = temporary.empty() ? Descriptor{} : open_file(temporary, O_PATH | O_DIRECTORY);
  if (!temporary.empty() && !own) return wrong_with(temporary);
  const bool is_inside = !state.empty() && is_beneath(folder, state);
  if (!is_inside && !put_back(work, folder)) return wrong_with(folder);
  struct stat there{};
  if (!state.empty() && ::stat(state.c_str(), &there) == 0) {
    if (::mount("none", state.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "size=64k,mode=755") != 0)
      return {.lacking = because(state, errno)};
    if (is_inside && !put_back(work, folder)) return wrong_with(folder);
  }
  if (!temporary.empty() && !put_back(own, temporary)) return wrong_with(temporary);
  return {};
}

/// Of what is read-only by itself nothing can be written anyway.
bool can_only_write_in(const Enclosure& enclosure) {
  const bool closed = is_read_only(enclosure.folder);
  return let_change("/", AT_RECURSIVE, false) && (closed || let_change(enclosure.folder, 0, true)) &&
         (enclosure.temporary.empty() || let_change(enclosure.temporary, 0, true)) &&
         ::chdir(enclosure.folder.c_str()) == 0;
}

}  // namespace

Confinement enter_namespace(const Enclosure& enclosure) {
  if (Confinement c = try_to_enter(); !is_all_there(c)) return c;
  if (!enter()) return without_namespace(errno);
  Confinement c = arrange(enclosure);
  if (is_all_there(c)) c = keep(enclosure.folder);
  if (is_all_there(c) && !can_only_write_in(enclosure)) c = without_namespace(errno);
  // Also where not all could be arranged: what could holds all the same.
  // What the mounts were arranged with would also undo them.
  if (!keep_only_capabilities(0) && is_all_there(c)) c = without_namespace(errno);
  return c;
}

}  // namespace baton::tool
