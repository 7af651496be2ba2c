#pragma once

#include <cstddef>
#include <string_view>

namespace baton {

/// Columns that a character takes on a terminal by the Unicode tables, whatever the locale: 0 for marks that stand on
/// another one, 2 for wide ones, else 1 (docs/decisions/0027). REQUIRES: not a control character.
int char_width(char32_t c);

/// What people see as one character: a base with its marks, an emoji with its modifiers and joined parts, a flag.
struct Cluster {
  std::string_view text;
  int width = 0;  ///< 0: only marks, with nothing to stand on
  char32_t base = 0;
};
/// The first one of the text. REQUIRES: text is not empty and has no control characters.
Cluster next_cluster(std::string_view text);

}  // namespace baton
