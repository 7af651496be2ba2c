#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/fault.h"

namespace baton {

/// What ends a line: LF, after a CR or not; or a lone CR as well, which YAML says.
enum class LineEnds : std::uint8_t { lf, lf_and_cr };

/// The line of a byte.
struct LineAt {
  int number = 1;             ///< from 1
  std::string_view before{};  ///< what stands before the byte on that line

  [[nodiscard]] int column() const;  ///< of the byte, from 1; counts characters
};
LineAt line_at(std::string_view text, std::size_t offset, LineEnds ends = LineEnds::lf);

/// Line and column of a byte, both from 1; columns count characters.
Place place_at(std::string_view text, std::size_t offset, const std::string& file);

/// `line 3, column 7` of a byte; columns count bytes.
std::string place_in_words(std::string_view text, std::size_t offset);

}  // namespace baton
