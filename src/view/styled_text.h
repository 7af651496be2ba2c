#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "view/grid.h"

namespace baton {

/// Reads what a program printed into cells. Colours and the like (SGR) become styles, and last into the next line as
/// on a terminal. Everything else that could drive one, and every byte that is no character, becomes a sign that can be
/// read.
class StyledText {
 public:
  explicit StyledText(Style base = {}) : base_(base), now_(base) {}

  /// One line, without its newline.
  CellLine line(std::string_view text);

 private:
  /// Takes an SGR sequence off the text's front; false if there is none.
  bool take_colors(std::string_view& text);
  void apply(const std::vector<int>& codes);
  std::size_t apply_color(const std::vector<int>& codes, std::size_t at, std::int16_t& color);

  Style base_;
  Style now_;
};

/// The text without its colours and with signs for all else: what a search looks at.
std::string plain_text(std::string_view text);

/// The cells cut into rows of at most `width` columns: at spaces where there are some, never through a character.
std::vector<CellLine> wrapped(const CellLine& line, int width);

/// The nearest of a terminal's 256 colours.
std::int16_t nearest_color(int red, int green, int blue);

}  // namespace baton
