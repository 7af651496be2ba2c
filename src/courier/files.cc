#include "courier/files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include <fmt/core.h>
#include <sys/stat.h>

#include <utility>

#include "io/files.h"

namespace baton::courier {
namespace {

std::unexpected<std::string> trouble(const std::string& path, const char* why) {
  return std::unexpected(fmt::format("{}: {}", path, why));
}

}  // namespace

Descriptor open_log(const std::string& path) {
  return open_file(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0600);
}

std::expected<RegularFile, std::string> open_regular(const std::string& path) {
  Descriptor file = open_file(path, O_RDONLY | O_NONBLOCK);  // a pipe must not keep everybody waiting
  struct stat about{};
  if (!file || ::fstat(file.get(), &about) != 0) return trouble(path, ::strerror(errno));
  if (!S_ISREG(about.st_mode)) return trouble(path, "not a regular file");
  return RegularFile{std::move(file), static_cast<std::size_t>(about.st_size)};
}

std::expected<std::string, std::string> read_file(const std::string& path, std::size_t bytes_max) {
  const auto opened = open_regular(path);
  if (!opened) return std::unexpected(opened.error());
  auto bytes = read_all(opened->file.get(), bytes_max + 1, opened->size + 1);
  if (!bytes) return trouble(path, ::strerror(bytes.error()));
  if (bytes->size() > bytes_max) return trouble(path, "too large");
  return std::move(*bytes);
}

}  // namespace baton::courier
