#pragma once

#include <string>

#include "view/grid.h"
#include "view/top/key.h"

namespace baton::top {

/// A box that takes every letter as text.
struct TextBox {
  std::string text = {};
  std::size_t cursor = 0;  ///< a byte, always between two characters
  bool many_lines = false;

  void set(std::string new_text) {
    text = std::move(new_text);
    cursor = text.size();
  }
  /// True if the key was for the box; Enter is only where it has many lines.
  bool take(const Key& key);

 private:
  void insert(std::string_view more);
  void erase_before();
  void erase_word();
  void move_line(int by);
  [[nodiscard]] std::size_t before(std::size_t at) const;
  [[nodiscard]] std::size_t after(std::size_t at) const;
  [[nodiscard]] std::size_t line_begin(std::size_t at) const;
  [[nodiscard]] std::size_t line_end(std::size_t at) const;
};

/// Draws it into `where`, scrolled so that its cursor is seen. Answers where the cursor stands.
Point draw(Grid& grid, const Rect& where, const TextBox& box, Style style);

}  // namespace baton::top
