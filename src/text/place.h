#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/fault.h"

namespace baton {

/// The line of a byte.
struct LineAt {
  int number = 1;             ///< from 1
  std::string_view before{};  ///< what stands before the byte on that line
};
LineAt line_at(std::string_view text, std::size_t offset);

/// Line and column of a byte, both from 1; columns count characters.
Place place_at(std::string_view text, std::size_t offset, const std::string& file);

/// `line 3, column 7` of a byte; columns count bytes.
std::string place_in_words(std::string_view text, std::size_t offset);

}  // namespace baton
