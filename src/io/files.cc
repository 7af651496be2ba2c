#include "io/files.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include "base/number.h"
#include "base/text.h"

namespace baton {
namespace {

/// Of `NAME.PID.N.tmp`: the process.
std::optional<pid_t> writer_of(std::string_view name) {
  const std::vector<std::string_view> parts = split(name, '.');
  if (parts.size() < 4 || parts.back() != "tmp") return std::nullopt;
  const auto pid = parse_whole<pid_t>(parts[parts.size() - 3]);
  const bool fits = pid && *pid > 0 && parse_whole<int>(parts[parts.size() - 2]);
  return fits ? pid : std::nullopt;
}

/// 0, or an errno.
int fill(const Descriptor& file, std::string_view content, const Putting& how) {
  if (const int error = write_all(file.get(), content); error != 0) return error;
  if (how.exact_mode != 0 && ::fchmod(file.get(), how.exact_mode) != 0) return errno;
  return how.syncs && ::fsync(file.get()) != 0 ? errno : 0;
}

}  // namespace

int write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? errno : EIO;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return 0;
}

std::expected<std::string, int> read_all(int fd, std::size_t bytes_max, std::size_t expected) {
  std::string text;
  std::size_t got = 0;
  while (got < bytes_max) {
    if (got == text.size()) text.resize(std::min(bytes_max, std::max(expected, 2 * got)));
    const ssize_t n = ::pread(fd, text.data() + got, text.size() - got, static_cast<off_t>(got));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::unexpected(errno);
    if (n == 0) break;
    got += static_cast<std::size_t>(n);
  }
  text.resize(got);
  return text;
}

std::string file_text(const std::string& path, std::size_t bytes_max) {
  const Descriptor file = open_file(path, O_RDONLY);
  return file ? read_all(file.get(), bytes_max).value_or("") : std::string{};
}

Expected<std::string> read_regular(const Descriptor& file, std::string_view name, std::size_t bytes_max) {
  struct stat info{};
  if (::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return fault("file-unreadable", fmt::format("{} is not a regular file", name));
  }
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size > bytes_max) {
    return fault("file-too-large", fmt::format("{} has {} bytes; the limit is {}", name, size, bytes_max));
  }
  auto text = read_all(file.get(), size, size);
  if (!text) return fault("file-unreadable", fmt::format("cannot read {}: {}", name, strerrordesc_np(text.error())));
  return std::move(*text);
}

std::expected<Descriptor, int> put_file(int folder, const std::string& path, std::string_view content,
                                        const Putting& how) {
  const int flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | (how.over_leftover ? O_TRUNC : O_EXCL);
  Descriptor file{::openat(folder, how.beside.c_str(), flags, how.mode)};
  if (!file) return std::unexpected(errno);
  int error = fill(file, content, how);
  const auto named = [&](int failed) { return failed == 0 ? 0 : errno; };
  if (error == 0 && how.only_new) {
    error = named(::linkat(folder, how.beside.c_str(), folder, path.c_str(), 0));
  } else if (error == 0) {
    error = named(::renameat(folder, how.beside.c_str(), folder, path.c_str()));
    if (error == 0) return file;
  }
  ::unlinkat(folder, how.beside.c_str(), 0);
  if (error != 0) return std::unexpected(error);
  return file;
}

std::string name_beside(const std::string& path) {
  static std::atomic<unsigned> serial{0};
  return fmt::format("{}.{}.{}.tmp", path, ::getpid(), serial++);
}

bool is_left_beside(std::string_view name) {
  const auto writer = writer_of(name);
  return writer && ::kill(*writer, 0) != 0 && errno == ESRCH;
}

int move_file(const std::string& from, const std::string& to) {
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

}  // namespace baton
