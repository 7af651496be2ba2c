#pragma once

#include <cstddef>
#include <expected>
#include <string>

#include "io/descriptor.h"

namespace baton::courier {

/// A file to append to, private to its owner; not open: errno says why.
Descriptor open_log(const std::string& path);

/// The content of a regular file of at most that size; an error says what cannot be read and why.
std::expected<std::string, std::string> read_file(const std::string& path, std::size_t bytes_max);

struct RegularFile {
  Descriptor file;
  std::size_t size = 0;
};
std::expected<RegularFile, std::string> open_regular(const std::string& path);

}  // namespace baton::courier
