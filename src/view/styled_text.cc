#include "view/styled_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/utf8.h"

namespace baton {
namespace {

constexpr std::size_t sequence_bytes_max = 128;
constexpr int tab_columns = 8;

/// Drives a terminal, or hides or reorders what a reader sees.
bool needs_sign(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x61C || c == 0x200B || c == 0x200E || c == 0x200F ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF || (c >= 0xFFF9 && c <= 0xFFFB) ||
         (c >= 0xE0000 && c < 0xE0100);
}

std::string sign_of(char32_t c) {
  const auto code = static_cast<unsigned>(c);
  return code < 0x100 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code);
}

void add_text(CellLine& out, std::string_view text, Style style) {
  const CellLine cells = cells_of(text, style);
  out.insert(out.end(), cells.begin(), cells.end());
}

/// Up to the next character that is not plain text.
std::size_t plain_bytes(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size()) {
    const Utf8Character c = utf8_shown(text.substr(n));
    if (needs_sign(c.code) || (c.code == 0xFFFD && c.size == 1)) break;
    n += c.size;
  }
  return n;
}

}  // namespace

std::int16_t nearest_color(int red, int green, int blue) {
  constexpr std::array<int, 6> levels{0, 95, 135, 175, 215, 255};
  const auto nearest_level = [&](int v) {
    int best = 0;
    for (int i = 1; i < 6; ++i) {
      if (std::abs(levels.at(static_cast<std::size_t>(i)) - v) <
          std::abs(levels.at(static_cast<std::size_t>(best)) - v))
        best = i;
    }
    return best;
  };
  const int r = nearest_level(red);
  const int g = nearest_level(green);
  const int b = nearest_level(blue);
  const auto distance = [&](int x, int y, int z) {
    return (x - red) * (x - red) + (y - green) * (y - green) + (z - blue) * (z - blue);
  };
  const auto level = [&](int i) { return levels.at(static_cast<std::size_t>(i)); };
  const int gray = std::clamp(((red + green + blue) / 3 - 8 + 5) / 10, 0, 23);
  const int shade = 8 + 10 * gray;
  if (distance(shade, shade, shade) < distance(level(r), level(g), level(b)))
    return static_cast<std::int16_t>(232 + gray);
  return static_cast<std::int16_t>(16 + 36 * r + 6 * g + b);
}

/// 38;5;N, 38;2;R;G;B, and the same with ':'. Answers the place of the last number it took.
std::size_t StyledText::apply_color(const std::vector<int>& codes, std::size_t at, std::int16_t& color) {
  const auto code = [&](std::size_t i) { return i < codes.size() ? std::clamp(codes[i], 0, 255) : 0; };
  if (code(at + 1) == 5) {
    color = static_cast<std::int16_t>(code(at + 2));
    return at + 2;
  }
  if (code(at + 1) == 2) {
    color = nearest_color(code(at + 2), code(at + 3), code(at + 4));
    return at + 4;
  }
  return codes.size();
}

void StyledText::apply(const std::vector<int>& codes) {
  const auto set = [&](unsigned bit, bool on) {
    now_.attributes = static_cast<std::uint8_t>(on ? now_.attributes | bit : now_.attributes & ~bit);
  };
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const int c = codes[i];
    if (c == 0) now_ = base_;
    if (c == 1) set(Style::bold, true);
    if (c == 2) set(Style::dim, true);
    if (c == 3) set(Style::italic, true);
    if (c == 4) set(Style::underline, true);
    if (c == 7) set(Style::reverse, true);
    if (c == 9) set(Style::strike, true);
    if (c == 22) set(Style::bold | Style::dim, false);
    if (c == 23) set(Style::italic, false);
    if (c == 24) set(Style::underline, false);
    if (c == 27) set(Style::reverse, false);
    if (c == 29) set(Style::strike, false);
    if (c >= 30 && c <= 37) now_.fg = static_cast<std::int16_t>(c - 30);
    if (c >= 40 && c <= 47) now_.bg = static_cast<std::int16_t>(c - 40);
    if (c >= 90 && c <= 97) now_.fg = static_cast<std::int16_t>(c - 90 + 8);
    if (c >= 100 && c <= 107) now_.bg = static_cast<std::int16_t>(c - 100 + 8);
    if (c == 39) now_.fg = base_.fg;
    if (c == 49) now_.bg = base_.bg;
    if (c == 38) i = apply_color(codes, i, now_.fg);
    if (c == 48) i = apply_color(codes, i, now_.bg);
  }
}

bool StyledText::take_colors(std::string_view& text) {
  if (!text.starts_with("\x1b[")) return false;
  const std::size_t end = text.find_first_not_of("0123456789;:", 2);
  if (end == std::string_view::npos || text[end] != 'm' || end > sequence_bytes_max) return false;
  std::vector<int> codes;
  int number = 0;
  bool colons = false;  // the empty colour space of 38:2::R:G:B takes no place
  bool empty = true;
  for (const char c : text.substr(2, end - 2)) {
    if (c == ';' || c == ':') {
      if (c == ';' || !empty || !colons) codes.push_back(number);
      colons = c == ':';
      number = 0;
      empty = true;
    } else if (number < 1000) {
      number = number * 10 + (c - '0');
      empty = false;
    }
  }
  codes.push_back(number);
  apply(codes);
  text.remove_prefix(end + 1);
  return true;
}

CellLine StyledText::line(std::string_view text) {
  CellLine out;
  while (!text.empty()) {
    if (const std::size_t plain = plain_bytes(text); plain > 0) {
      add_text(out, text.substr(0, plain), now_);
      text.remove_prefix(plain);
      continue;
    }
    if (take_colors(text)) continue;
    const Utf8Character c = utf8_shown(text);
    if (c.code == '\t') {
      const auto columns = static_cast<int>(out.size());
      out.resize(out.size() + static_cast<std::size_t>(tab_columns - columns % tab_columns), Cell{" ", 1, now_});
    } else {
      const Style marked = now_.with(Style::dim);
      add_text(out, c.code == 0xFFFD ? "\xEF\xBF\xBD" : sign_of(c.code), marked);
    }
    text.remove_prefix(c.size);
  }
  return out;
}

std::string plain_text(std::string_view text) {
  std::string out;
  for (const Cell& c : StyledText{}.line(text)) out += c.text;
  return out;
}

std::vector<CellLine> wrapped(const CellLine& line, int width) {
  std::vector<CellLine> rows;
  if (width <= 0) return rows;
  const auto columns = static_cast<std::size_t>(width);
  std::size_t begin = 0;
  while (line.size() - begin > columns) {
    std::size_t end = begin + columns;
    if (line[end].width == 0) --end;
    std::size_t space = end;
    while (space > begin + columns / 2 && line[space].text != " ") --space;
    const bool at_space = space > begin + columns / 2;
    if (at_space) end = space;
    if (end == begin) {  // a wide character in one column: there is no room for it
      rows.push_back({Cell{" ", 1, line[begin].style}});
      begin += line[begin].width == 2 ? 2 : 1;
      continue;
    }
    rows.emplace_back(line.begin() + static_cast<std::ptrdiff_t>(begin),
                      line.begin() + static_cast<std::ptrdiff_t>(end));
    begin = at_space ? end + 1 : end;
  }
  rows.emplace_back(line.begin() + static_cast<std::ptrdiff_t>(begin), line.end());
  return rows;
}

}  // namespace baton
