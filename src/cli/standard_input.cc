#include "cli/standard_input.h"

#include <errno.h>
#include <unistd.h>

#include <fmt/core.h>

#include <array>
#include <cstring>

namespace baton::cli {

Expected<std::string> read_standard_input(std::size_t bytes_max) {
  std::string text;
  std::array<char, 65536> piece;
  for (;;) {
    const ssize_t n = ::read(STDIN_FILENO, piece.data(), piece.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fault("file-unreadable", fmt::format("cannot read standard input: {}", std::strerror(errno)));
    if (n == 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(n));
    if (text.size() <= bytes_max) continue;
    return fault("file-too-large", fmt::format("more than {} MiB came on standard input", bytes_max >> 20U));
  }
}

}  // namespace baton::cli
