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
#include "io/write_all.h"

namespace baton {
namespace {

namespace fs = std::filesystem;

Descriptor open_beneath(int folder, const char* path, int flags, mode_t mode = 0) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags) | O_CLOEXEC;
  how.mode = mode;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  return Descriptor{static_cast<int>(::syscall(SYS_openat2, folder, path, &how, sizeof how))};
}

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

/// Of `NAME.PID.N.tmp`: the process.
std::optional<pid_t> writer_of(const std::string& name) {
  const std::vector<std::string_view> parts = split(name, '.');
  if (parts.size() < 4 || parts.back() != "tmp") return std::nullopt;
  int pid = 0;
  int serial = 0;
  const auto is_number = [](std::string_view text, int& n) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    return error == std::errc{} && end == text.data() + text.size();
  };
  const bool fits = is_number(parts[parts.size() - 3], pid) && is_number(parts[parts.size() - 2], serial) && pid > 0;
  return fits ? std::optional{pid} : std::nullopt;
}

std::string last_part_of(const std::string& file) { return fs::path{file}.filename().string(); }

}  // namespace

Expected<Folder> Folder::open(const std::string& path) {
  Descriptor folder = open_file(path, O_PATH | O_DIRECTORY);
  if (!folder) return fault("file-unreadable", fmt::format("cannot open {}: {}", path, strerrordesc_np(errno)));
  return Folder{path, std::move(folder)};
}

Expected<std::optional<std::string>> Folder::read(const std::string& file, std::size_t bytes_max) const {
  const Descriptor fd = open_beneath(folder_.get(), file.c_str(), O_RDONLY | O_NONBLOCK);
  if (!fd) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    if (errno == EXDEV) return leaves(file);
    return fault("file-unreadable", fmt::format("cannot read {}: {}", file, strerrordesc_np(errno)));
  }
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return fault("file-unreadable", fmt::format("{} is not a regular file", file));
  }
  if (static_cast<std::size_t>(info.st_size) > bytes_max) {
    return fault("file-too-large", fmt::format("{} has {} bytes; the limit is {}", file, info.st_size, bytes_max));
  }
  std::string text(static_cast<std::size_t>(info.st_size), '\0');
  std::size_t got = 0;
  while (got < text.size()) {
    const ssize_t n = ::read(fd.get(), text.data() + got, text.size() - got);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fault("file-unreadable", fmt::format("cannot read {}: {}", file, strerrordesc_np(errno)));
    if (n == 0) break;
    got += static_cast<std::size_t>(n);
  }
  text.resize(got);
  return text;
}

/// The folder that the file lies in, made where it is missing.
Expected<Descriptor> Folder::parent_of(const std::string& file) const {
  std::string so_far = ".";
  for (const fs::path& part : fs::path{file}.parent_path()) {
    if (part == "..") return leaves(file);
    so_far += "/" + part.string();
    const Descriptor there = open_beneath(folder_.get(), so_far.c_str(), O_PATH | O_DIRECTORY);
    if (there) continue;
    if (errno != ENOENT) return failed("write", file, errno);
    const fs::path parent = fs::path{so_far}.parent_path();
    const Descriptor above = open_beneath(folder_.get(), parent.c_str(), O_PATH | O_DIRECTORY);
    if (!above) return failed("write", file, errno);
    if (::mkdirat(above.get(), part.c_str(), 0755) != 0 && errno != EEXIST) return failed("write", file, errno);
  }
  Descriptor folder = open_beneath(folder_.get(), so_far.c_str(), O_PATH | O_DIRECTORY);
  if (!folder) return failed("write", file, errno);
  return folder;
}

Status Folder::put(const std::string& file, std::string_view content, bool anew) const {
  static std::atomic<unsigned> serial{0};
  const auto opened = parent_of(file);
  if (!opened) return std::unexpected(opened.error());
  const Descriptor& parent = *opened;
  const std::string name = last_part_of(file);
  const std::string beside = fmt::format("{}.{}.{}.tmp", name, ::getpid(), serial++);
  const Descriptor fd = open_beneath(parent.get(), beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0644);
  if (!fd) return failed("write", file, errno);
  const int error = write_all(fd.get(), content);
  Status done = error == 0 ? Status{} : Status{failed("write", file, error)};
  if (done && ::fsync(fd.get()) != 0) done = failed("write", file, errno);
  if (done && anew) {
    if (::linkat(parent.get(), beside.c_str(), parent.get(), name.c_str(), 0) != 0) done = failed("write", file, errno);
  } else if (done) {
    if (::renameat(parent.get(), beside.c_str(), parent.get(), name.c_str()) == 0) return {};
    done = failed("write", file, errno);
  }
  ::unlinkat(parent.get(), beside.c_str(), 0);
  return done;
}

Status Folder::may_write(const std::string& file) const {
  std::string so_far = ".";
  for (const fs::path& part : fs::path{file}) {
    if (part == "..") return leaves(file);
    const Descriptor above = open_beneath(folder_.get(), so_far.c_str(), O_PATH | O_DIRECTORY);
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
  const Descriptor parent = open_beneath(folder_.get(), folder.c_str(), O_PATH | O_DIRECTORY);
  if (!parent) return;
  for (const std::string& name : list(folder)) {
    if (const auto writer = writer_of(name); writer && ::kill(*writer, 0) != 0 && errno == ESRCH) {
      ::unlinkat(parent.get(), name.c_str(), 0);
    }
  }
}

}  // namespace baton
