#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace baton::courier {

/// A file to append to, private to its owner; -1: errno says why not.
int open_log(const std::string& path);

/// The content of a regular file of at most that size; an error says what cannot be read and why.
std::expected<std::string, std::string> read_file(const std::string& path, std::size_t bytes_max);

struct OpenFile {
  int fd = -1;
  std::int64_t size = 0;
};
std::expected<OpenFile, std::string> open_file(const std::string& path);

}  // namespace baton::courier
