#include "courier/files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <fmt/core.h>
#include <sys/stat.h>

namespace baton::courier {
namespace {

std::unexpected<std::string> trouble(const std::string& path, const char* why) {
  return std::unexpected(fmt::format("{}: {}", path, why));
}

}  // namespace

int open_log(const std::string& path) {
  return ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
}

std::expected<OpenFile, std::string> open_file(const std::string& path) {
  // A pipe must not keep everybody waiting.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat about{};
  if (fd < 0 || ::fstat(fd, &about) != 0) return trouble(path, ::strerror(errno));
  if (S_ISREG(about.st_mode)) return OpenFile{fd, about.st_size};
  ::close(fd);
  return trouble(path, "not a regular file");
}

std::expected<std::string, std::string> read_file(const std::string& path, std::size_t bytes_max) {
  const auto file = open_file(path);
  if (!file) return std::unexpected(file.error());
  std::string bytes(std::min(static_cast<std::size_t>(file->size), bytes_max) + 1, '\0');
  std::size_t got = 0;
  ssize_t size = 0;
  while (got < bytes.size() && (size = ::read(file->fd, bytes.data() + got, bytes.size() - got)) > 0) {
    got += static_cast<std::size_t>(size);
  }
  const int error = errno;
  ::close(file->fd);
  if (size < 0) return trouble(path, ::strerror(error));
  if (got > bytes_max) return trouble(path, "too large");
  bytes.resize(got);
  return bytes;
}

}  // namespace baton::courier
