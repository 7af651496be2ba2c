#include "engine/real_files.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "base/hash.h"
#include "engine/shown_file.h"
#include "io/files.h"
#include "io/path_lock.h"

namespace baton {
namespace {

Status failed(const std::string& what, const std::string& path, int error) {
  if (error == ENOSPC || error == EDQUOT) {
    return fault("disk-full", fmt::format("the disk is full: cannot {} {}", what, path),
                 "make room and go on with 'baton resume'; what was recorded before is safe");
  }
  return fault("file-failed", fmt::format("cannot {} {}: {}", what, path, strerrordesc_np(error)));
}

void make_parent(const std::string& path) {
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path{path}.parent_path(), ignored);
}

/// Makes the file's folder where that is what is missing.
Descriptor open_to_write(const std::string& path, int flags, mode_t mode) {
  const int all = flags | O_WRONLY | O_CREAT | O_NOFOLLOW;
  Descriptor file = open_file(path, all, mode);
  if (file || errno != ENOENT) return file;
  make_parent(path);
  return open_file(path, all, mode);
}

/// Whole or not at all: written beside and renamed.
Expected<Descriptor> put(const std::string& path, std::string_view content, bool syncs) {
  const Putting how{.beside = name_beside(path), .syncs = syncs};
  auto file = put_file(AT_FDCWD, path, content, how);
  if (!file && file.error() == ENOENT) {
    make_parent(path);
    file = put_file(AT_FDCWD, path, content, how);
  }
  if (!file) return std::unexpected(failed("write", path, file.error()).error());
  return std::move(*file);
}

}  // namespace

Expected<std::optional<std::string>> RealFiles::read(const std::string& path, std::size_t bytes_max) {
  const Descriptor file = open_file(path, O_RDONLY | O_NONBLOCK);
  if (!file) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    return fault("file-unreadable", fmt::format("cannot read {}: {}", path, strerrordesc_np(errno)));
  }
  auto text = read_regular(file, path, bytes_max);
  if (!text) return std::unexpected(text.error());
  return std::move(*text);
}

std::string RealFiles::read_from(const std::string& path, std::uint64_t offset, std::size_t bytes_max) {
  // Most steps print nothing: one look at the size is cheaper than opening the file.
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0 || static_cast<std::uint64_t>(info.st_size) <= offset) return {};
  const Descriptor file = open_file(path, O_RDONLY | O_NONBLOCK);
  if (!file) return {};
  std::string text(std::min(bytes_max, static_cast<std::size_t>(info.st_size) - offset), '\0');
  const ssize_t n = ::pread(file.get(), text.data(), text.size(), static_cast<off_t>(offset));
  text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return text;
}

Status RealFiles::write(const std::string& path, std::string_view content) {
  const auto file = put(path, content, true);
  return file ? Status{} : std::unexpected(file.error());
}

Status RealFiles::write_brief(const std::string& path, std::string_view content) {
  // Nobody knows of it yet: it need not come into being all at once.
  const Descriptor file = open_to_write(path, O_TRUNC, 0644);
  const int error = file ? write_all(file.get(), content) : errno;
  return error == 0 ? Status{} : failed("write", path, error);
}

Status RealFiles::write_soon(const std::string& path, std::string_view content) {
  constexpr std::size_t open_max = 128;
  auto file = put(path, content, false);
  if (!file) return std::unexpected(file.error());
  unsynced_.emplace_back(std::move(*file), path);
  return unsynced_.size() < open_max ? Status{} : sync();
}

Status RealFiles::sync() {
  // All of them are on their way before the first is waited for: then one commit of the file system's is for all.
  for (const auto& [file, path] : unsynced_) ::sync_file_range(file.get(), 0, 0, SYNC_FILE_RANGE_WRITE);
  Status done;
  for (const auto& [file, path] : std::exchange(unsynced_, {})) {
    if (::fsync(file.get()) != 0 && done) done = failed("write", path, errno);
  }
  return done;
}

void RealFiles::make_folder_for(const std::string& path) { make_parent(path); }

Status RealFiles::append(const std::string& path, std::string_view content) {
  const Descriptor file = open_to_write(path, O_APPEND, 0600);
  if (!file) return failed("write", path, errno);
  const int error = write_all(file.get(), content);
  return error == 0 ? Status{} : failed("write", path, error);
}

// Rehearsed steps say the same, again and again. One more name of a file takes 5 us, a new file 13, and up to 140 where
// many were deleted before (docs/decisions/0023).
Status RealFiles::append_last(const std::string& path, std::string_view content) {
  if (last_.content == content && ::link(last_.path.c_str(), path.c_str()) == 0) return {};
  const bool is_new = ::access(path.c_str(), F_OK) != 0;
  Status done = append(path, content);
  if (done && is_new) last_ = {path, std::string{content}};
  return done;
}

std::shared_ptr<void> RealFiles::guard(const std::string& path) {
  // Whoever has it writes one small file: if that takes long, we come again later.
  auto lock = PathLock::take(path, {.wait = Millis{200}, .look_every = Millis{5}});
  return lock ? std::make_shared<PathLock>(std::move(*lock)) : nullptr;
}

Status RealFiles::move(const std::string& from, const std::string& to) {
  if (move_file(from, to) == 0) return {};
  make_parent(to);
  const int error = move_file(from, to);
  return error == 0 ? Status{} : failed("move a file to", to, error);
}

std::uint64_t RealFiles::stamp(const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return 0;
  const auto nanoseconds = [](const timespec& t) {
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(t.tv_nsec);
  };
  std::uint64_t stamp = mix(nanoseconds(info.st_mtim) ^ static_cast<std::uint64_t>(info.st_size));
  stamp = mix(stamp ^ nanoseconds(info.st_ctim));
  return mix(stamp ^ info.st_ino ^ mix(info.st_dev));
}

bool RealFiles::is_there(const std::string& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0;
}

bool RealFiles::is_link(const std::string& path) {
  struct stat info{};
  return ::lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode);
}

bool RealFiles::leads_out(const std::string& path, const std::vector<std::string>& folders) {
  std::error_code error;
  const std::string real = std::filesystem::weakly_canonical(std::filesystem::path{path}.parent_path(), error).string();
  return !error && lies_outside(real, folders);
}

Time RealClock::now() { return std::chrono::floor<Millis>(std::chrono::system_clock::now()); }

}  // namespace baton
