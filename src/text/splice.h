#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace baton {

/// Part of a text, in bytes from its beginning.
struct Bytes {
  std::size_t begin = 0;
  std::size_t end = 0;

  [[nodiscard]] std::size_t size() const { return end - begin; }
  [[nodiscard]] std::string_view of(std::string_view text) const { return text.substr(begin, size()); }
  bool operator==(const Bytes&) const = default;
};

/// A change of a text: these bytes give way to that.
struct Splice {
  Bytes bytes;
  std::string with;
};

/// The text with all of them made. Those at the same place come in the order they are given.
/// REQUIRES: none overlaps another.
std::string spliced(std::string_view text, std::vector<Splice> splices);

}  // namespace baton
