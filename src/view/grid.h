#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace baton {

/// How a cell looks. Colours are numbers of the 256 that terminals have; -1 is the terminal's own.
struct Style {
  enum Attribute : std::uint8_t { bold = 1, dim = 2, italic = 4, underline = 8, reverse = 16, strike = 32 };

  std::int16_t fg = -1;
  std::int16_t bg = -1;
  std::uint8_t attributes = 0;

  [[nodiscard]] Style with(Attribute a) const {
    Style s = *this;
    s.attributes = static_cast<std::uint8_t>(s.attributes | a);
    return s;
  }
  [[nodiscard]] Style on(std::int16_t color) const {
    Style s = *this;
    s.bg = color;
    return s;
  }
  bool operator==(const Style&) const = default;
};

/// One place of a screen. A wide character takes two: the second one has width 0 and no text.
struct Cell {
  std::string text = " ";
  std::uint8_t width = 1;
  Style style = {};

  bool operator==(const Cell&) const = default;
};
using CellLine = std::vector<Cell>;

struct Point {
  int x = 0, y = 0;
  bool operator==(const Point&) const = default;
};
struct Size {
  int width = 0, height = 0;
  bool operator==(const Size&) const = default;
};
struct Rect {
  int x = 0, y = 0, width = 0, height = 0;

  [[nodiscard]] bool holds(Point p) const { return p.x >= x && p.x < x + width && p.y >= y && p.y < y + height; }
  [[nodiscard]] bool is_empty() const { return width <= 0 || height <= 0; }
  /// Without a border of one cell.
  [[nodiscard]] Rect inner() const { return {x + 1, y + 1, width - 2, height - 2}; }
  bool operator==(const Rect&) const = default;
};

/// The clusters of the text as cells, two for a wide one. Control characters become signs, marks without a base stand
/// on a dotted circle, and a heap of marks is cut.
CellLine cells_of(std::string_view text, Style style = {});

/// A screen as it is to be: whatever is put, no wide character is ever cut in two and nothing leaves the screen.
class Grid {
 public:
  Grid() = default;
  explicit Grid(Size size);

  [[nodiscard]] Size size() const { return size_; }
  [[nodiscard]] const Cell& at(int x, int y) const { return cells_[index(x, y)]; }

  /// Puts as many of the cells as fit into `width` columns from (x, y); answers how many columns were taken.
  int put(int x, int y, int width, const CellLine& cells);
  int put(int x, int y, int width, std::string_view text, Style style = {});
  /// The same, cut with '…' where it does not fit and padded to exactly `width`.
  void fit(int x, int y, int width, std::string_view text, Style style = {});
  /// The text's end at the right edge of `width`.
  void right(int x, int y, int width, std::string_view text, Style style = {});
  void fill(const Rect& where, Style style, std::string_view text = " ");
  /// Changes the looks and leaves the text.
  void paint(const Rect& where, Style style);
  /// A frame with a title in its upper edge, and one in its lower.
  void box(const Rect& where, Style style, std::string_view title = {}, Style title_style = {},
           std::string_view foot = {});

  /// The characters alone, a line a row, each as wide as the screen.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string row_text(int y) const;

 private:
  [[nodiscard]] std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(size_.width) + static_cast<std::size_t>(x);
  }
  void set(int x, int y, const Cell& cell);
  void clear_half(int x, int y);

  Size size_;
  std::vector<Cell> cells_;
};

}  // namespace baton
