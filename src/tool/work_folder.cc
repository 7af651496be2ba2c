#include "tool/work_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <memory>
#include <vector>

#include "base/letters.h"
#include "base/text.h"
#include "io/files.h"
#include "io/folder.h"

namespace baton::tool {
namespace {

constexpr int depth_max = 32;

std::unexpected<Fault> failed(std::string_view what, std::string_view path, int error) {
  if (error == EXDEV || error == ELOOP) {
    return fault("path-leaves-folder", fmt::format("'{}' leads out of the working folder", path));
  }
  return fault("file-unreadable", fmt::format("cannot {} '{}': {}", what, path, strerrordesc_np(error)));
}

std::unexpected<Fault> closed(std::string_view path) {
  return fault("path-is-closed", fmt::format("'{}' is closed to tools: it belongs to Git or to Baton", path));
}

std::unexpected<Fault> kept(std::string_view path) {
  return fault("path-is-closed", fmt::format("'{}' holds settings of Baton's: tools may read it, not write it", path));
}

/// As the kernel names it; empty if it cannot be told.
std::string real_path(const Descriptor& handle) {
  std::string path(4096, '\0');
  const ssize_t n = ::readlink(fmt::format("/proc/self/fd/{}", handle.get()).c_str(), path.data(), path.size());
  path.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return path;
}

/// The names in a folder, sorted; without those that begin with a dot.
std::vector<std::string> names_in(Descriptor folder) {
  std::vector<std::string> names;
  DIR* stream = ::fdopendir(::fcntl(folder.get(), F_DUPFD_CLOEXEC, 0));
  if (stream == nullptr) return names;
  while (const dirent* entry = ::readdir(stream)) {
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  ::closedir(stream);
  std::ranges::sort(names);
  return names;
}

}  // namespace

bool is_beneath(std::string_view path, std::string_view folder) {
  return path == folder || (path.starts_with(folder) && path[folder.size()] == '/');
}

bool is_settings_file(std::string_view name) {
  // Also as a file system would take it that does not tell capitals apart.
  return std::ranges::find(settings_files, lower(name)) != std::end(settings_files);
}

Expected<WorkFolder> WorkFolder::open(const std::string& path, const std::string& state) {
  Descriptor folder = open_file(path, O_RDONLY | O_DIRECTORY);
  if (!folder) return failed("open", path, errno);
  std::string real = real_path(folder);
  const Descriptor own = state.empty() ? Descriptor{} : open_file(state, O_PATH | O_DIRECTORY);
  return WorkFolder{path, std::move(folder), std::move(real), own ? real_path(own) : std::string{}};
}

bool WorkFolder::is_closed(const Descriptor& handle, std::string_view name) const {
  std::string real = real_path(handle);
  if (real.empty() || !is_beneath(real, real_)) return true;
  if (!name.empty()) real += "/" + std::string{name};
  // A run's own tree may lie in the state folder: then what is beneath the tree is not Baton's.
  if (!state_.empty() && !is_beneath(real_, state_) && is_beneath(real, state_)) return true;
  const std::vector<std::string_view> parts = split(std::string_view{real}.substr(real_.size()), '/');
  return std::ranges::find(parts, ".git") != parts.end();
}

std::string WorkFolder::beneath(std::string_view path) const {
  if (path == path_) return ".";
  if (path.starts_with(path_) && path.size() > path_.size() && path[path_.size()] == '/') {
    path.remove_prefix(path_.size() + 1);
  }
  return path.empty() ? "." : std::string{path};
}

Descriptor WorkFolder::open_beneath(const std::string& path, int flags) const {
  return baton::open_beneath(folder_, path,
                             (flags & O_PATH) == 0 ? flags | O_NONBLOCK : flags);  // no pipe makes us wait
}

Expected<std::string> WorkFolder::read(std::string_view path, std::size_t bytes_max) const {
  const Descriptor file = open_beneath(beneath(path), O_RDONLY);
  struct stat s{};
  if (!file || ::fstat(file.get(), &s) != 0) return failed("read", path, errno);
  if (is_closed(file)) return closed(path);
  if (!S_ISREG(s.st_mode)) return fault("file-unreadable", fmt::format("'{}' is no file", path));
  return read_regular(file, fmt::format("'{}'", path), bytes_max);
}

Expected<Descriptor> WorkFolder::folder_of(std::string_view path, const std::vector<std::string_view>& parts) const {
  std::string folder;
  Descriptor at = open_beneath(".", O_PATH | O_DIRECTORY);
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    if (parts[i].empty() && i > 0) continue;
    // A path that begins with '/' is refused by the kernel here.
    folder += (folder.empty() && i == 0 ? "" : "/") + std::string{parts[i]};
    Descriptor next = open_beneath(folder.empty() ? "/" : folder, O_PATH | O_DIRECTORY);
    if (!next && errno == ENOENT) {
      if (is_closed(at, parts[i])) return closed(path);
      if (::mkdirat(at.get(), std::string{parts[i]}.c_str(), 0777) != 0 && errno != EEXIST) {
        return failed("make the folder of", path, errno);
      }
      next = open_beneath(folder, O_PATH | O_DIRECTORY);
    }
    if (!next) return failed("write", path, errno);
    at = std::move(next);
  }
  return at;
}

Status WorkFolder::write(std::string_view path, std::string_view content) const {
  const std::string target = beneath(path);
  const std::vector<std::string_view> parts = split(target, '/');
  if (parts.back().empty() || parts.back() == "." || parts.back() == "..") {
    return fault("path-leaves-folder", fmt::format("'{}' is no file's path", path));
  }
  if (std::ranges::any_of(parts, is_settings_file)) return kept(path);
  const auto found = folder_of(path, parts);
  if (!found) return std::unexpected(found.error());
  const Descriptor& at = *found;
  if (is_closed(at, parts.back())) return closed(path);
  const std::string name{parts.back()};
  struct stat there{};
  if (::fstatat(at.get(), name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(there.st_mode)) {
    return fault("path-leaves-folder", fmt::format("'{}' is no file", path));
  }
  const std::string beside = fmt::format(".baton-{}.{}", ::getpid(), name.substr(0, 200));
  const auto done = put_file(
      at.get(), name, content,
      {.beside = beside, .mode = 0666, .exact_mode = there.st_mode & 0777U, .over_leftover = true, .syncs = false});
  return done ? Status{} : Status{failed("write", path, done.error())};
}

Status WorkFolder::walk(std::string_view path, const std::function<bool(const Entry&)>& visit) const {
  struct Open {
    std::string path;
    int depth = 0;
  };
  std::vector<Open> open{{beneath(path), 0}};
  bool is_first = true;
  while (!open.empty()) {
    const Open here = std::move(open.back());
    open.pop_back();
    Descriptor handle = open_beneath(here.path, O_RDONLY);
    struct stat s{};
    if (!handle || ::fstat(handle.get(), &s) != 0) {
      if (is_first) return failed("open", path, errno);
      continue;
    }
    if (is_closed(handle)) {
      if (is_first) return closed(path);
      continue;
    }
    is_first = false;
    if (S_ISREG(s.st_mode)) {
      if (!visit({here.path, static_cast<std::uint64_t>(s.st_size)})) return {};
      continue;
    }
    if (!S_ISDIR(s.st_mode) || here.depth > depth_max) continue;
    std::vector<std::string> names = names_in(std::move(handle));
    for (auto name = names.rbegin(); name != names.rend(); ++name) {
      std::string below = here.path == "." ? *name : here.path + "/" + *name;
      struct stat at{};
      if (::fstatat(folder_.get(), below.c_str(), &at, AT_SYMLINK_NOFOLLOW) != 0 || S_ISLNK(at.st_mode)) continue;
      open.push_back({std::move(below), here.depth + 1});
    }
  }
  return {};
}

}  // namespace baton::tool
