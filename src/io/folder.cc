#include "io/folder.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <fmt/core.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <utility>

#include "base/text.h"
#include "io/files.h"

namespace baton {
namespace {

namespace fs = std::filesystem;

std::unexpected<Fault> leaves(const std::string& file) {
  return fault("path-leaves-folder", fmt::format("'{}' leads out of its folder", printable(file)));
}

std::unexpected<Fault> failed(const char* what, const std::string& file, int error) {
  if (error == EXDEV) return leaves(file);
  if (error == ENOSPC || error == EDQUOT) {
    return fault("disk-full", fmt::format("the disk is full: cannot {} {}", what, file), "make room and try again");
  }
  if (error == EEXIST) return fault("file-exists", fmt::format("{} is there already", file));
  return fault("file-failed", fmt::format("cannot {} {}: {}", what, file, strerrordesc_np(error)));
}

std::string last_part_of(const std::string& file) { return fs::path{file}.filename().string(); }

}  // namespace

Descriptor open_beneath(const Descriptor& folder, const std::string& path, int flags, std::uint64_t further_rules) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags) | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | further_rules;
  return Descriptor{static_cast<int>(::syscall(SYS_openat2, folder.get(), path.c_str(), &how, sizeof how))};
}

std::optional<std::string> path_beneath(const std::string& folder, const fs::path& path) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(path, error);
  if (error) return std::nullopt;
  const fs::path inside = real.lexically_relative(fs::weakly_canonical(folder, error));
  if (error || inside.empty() || *inside.begin() == "..") return std::nullopt;
  return inside.string();
}

Expected<Folder> Folder::open(const std::string& path) {
  Descriptor folder = open_file(path, O_PATH | O_DIRECTORY);
  if (!folder) return fault("file-unreadable", fmt::format("cannot open {}: {}", path, strerrordesc_np(errno)));
  return Folder{path, std::move(folder)};
}

Expected<std::optional<std::string>> Folder::read(const std::string& file, std::size_t bytes_max) const {
  const Descriptor fd = open_beneath(folder_, file, O_RDONLY | O_NONBLOCK);
  if (!fd) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    if (errno == EXDEV) return leaves(file);
    return fault("file-unreadable", fmt::format("cannot read {}: {}", file, strerrordesc_np(errno)));
  }
  auto text = read_regular(fd, file, bytes_max);
  if (!text) return std::unexpected(text.error());
  return std::move(*text);
}

/// The folder that the file lies in, made where it is missing.
Expected<Descriptor> Folder::parent_of(const std::string& file) const {
  std::string so_far = ".";
  for (const fs::path& part : fs::path{file}.parent_path()) {
    if (part == "..") return leaves(file);
    so_far += "/" + part.string();
    const Descriptor there = open_beneath(folder_, so_far, O_PATH | O_DIRECTORY);
    if (there) continue;
    if (errno != ENOENT) return failed("write", file, errno);
    const fs::path parent = fs::path{so_far}.parent_path();
    const Descriptor above = open_beneath(folder_, parent, O_PATH | O_DIRECTORY);
    if (!above) return failed("write", file, errno);
    if (::mkdirat(above.get(), part.c_str(), 0755) != 0 && errno != EEXIST) return failed("write", file, errno);
  }
  Descriptor folder = open_beneath(folder_, so_far, O_PATH | O_DIRECTORY);
  if (!folder) return failed("write", file, errno);
  return folder;
}

Status Folder::put(const std::string& file, std::string_view content, bool anew) const {
  const auto parent = parent_of(file);
  if (!parent) return std::unexpected(parent.error());
  const std::string name = last_part_of(file);
  const auto done = put_file(parent->get(), name, content, {.beside = name_beside(name), .only_new = anew});
  return done ? Status{} : Status{failed("write", file, done.error())};
}

Status Folder::may_write(const std::string& file) const {
  std::string so_far = ".";
  for (const fs::path& part : fs::path{file}) {
    if (part == "..") return leaves(file);
    const Descriptor above = open_beneath(folder_, so_far, O_PATH | O_DIRECTORY);
    if (!above) return failed("write", file, errno);
    struct stat info{};
    if (::fstatat(above.get(), part.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno != ENOENT) return failed("write", file, errno);
      return ::faccessat(above.get(), ".", W_OK, AT_EACCESS) == 0 ? Status{} : failed("write", file, errno);
    }
    so_far += "/" + part.string();
    const bool is_last = so_far.size() == file.size() + 2;
    if (is_last && S_ISDIR(info.st_mode)) return failed("write", file, EISDIR);
    if (is_last) break;
  }
  return {};
}

Status Folder::write(const std::string& file, std::string_view content) const { return put(file, content, false); }
Status Folder::create(const std::string& file, std::string_view content) const { return put(file, content, true); }

std::vector<std::string> Folder::list(const std::string& folder, bool folders) const {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it{fs::path{path_} / folder, error}, end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    if (folders ? it->is_directory(ignored) : it->is_regular_file(ignored)) names.push_back(it->path().filename());
  }
  std::ranges::sort(names);
  return names;
}

void Folder::sweep(const std::string& folder) const {
  const Descriptor parent = open_beneath(folder_, folder, O_PATH | O_DIRECTORY);
  if (!parent) return;
  for (const std::string& name : list(folder)) {
    if (is_left_beside(name)) ::unlinkat(parent.get(), name.c_str(), 0);
  }
}

}  // namespace baton
