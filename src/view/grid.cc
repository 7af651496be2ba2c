#include "view/grid.h"

#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"
#include "view/cells.h"
#include "view/char_width.h"

namespace baton {
namespace {

constexpr std::size_t cluster_bytes_max = 40;

void add_cluster(CellLine& line, const Cluster& c, Style style) {
  std::string_view text = c.text;
  if (text.size() > cluster_bytes_max) {
    // A heap of marks: its first few say what it is.
    std::size_t kept = 0;
    while (kept < cluster_bytes_max) {
      const std::size_t bytes = utf8_shown(text.substr(kept)).size;
      if (kept + bytes > cluster_bytes_max) break;
      kept += bytes;
    }
    text = text.substr(0, kept);
  }
  if (c.width == 0) {
    line.push_back({"◌" + std::string{text}, 1, style});
    return;
  }
  line.push_back({std::string{text}, static_cast<std::uint8_t>(c.width), style});
  if (c.width == 2) line.push_back({"", 0, style});
}

}  // namespace

CellLine cells_of(std::string_view text, Style style) {
  std::string safe = printable(text);
  std::ranges::replace(safe, '\n', ' ');
  std::ranges::replace(safe, '\t', ' ');
  CellLine line;
  line.reserve(safe.size());
  for (std::string_view rest = safe; !rest.empty();) {
    const Cluster c = next_cluster(rest);
    add_cluster(line, c, style);
    rest.remove_prefix(c.text.size());
  }
  return line;
}

Grid::Grid(Size size) : size_{std::max(size.width, 0), std::max(size.height, 0)} {
  cells_.resize(static_cast<std::size_t>(size_.width) * static_cast<std::size_t>(size_.height));
}

/// Whatever is put over one half of a wide character leaves no other half behind.
void Grid::clear_half(int x, int y) {
  const Cell& here = cells_[index(x, y)];
  if (here.width == 0 && x > 0) {
    Cell& head = cells_[index(x - 1, y)];
    head = {" ", 1, head.style};
  }
  if (here.width == 2 && x + 1 < size_.width) {
    Cell& tail = cells_[index(x + 1, y)];
    tail = {" ", 1, tail.style};
  }
}

void Grid::set(int x, int y, const Cell& cell) {
  clear_half(x, y);
  cells_[index(x, y)] = cell;
}

int Grid::put(int x, int y, int width, const CellLine& cells) {
  if (y < 0 || y >= size_.height) return 0;
  const int end = std::min(x + width, size_.width);
  int at = x;
  for (std::size_t i = 0; i < cells.size() && at < end; ++i) {
    const Cell& c = cells[i];
    if (c.width == 0) continue;
    const bool fits = at >= 0 && at + c.width <= end;
    if (fits) {
      set(at, y, c);
      if (c.width == 2) set(at + 1, y, {"", 0, c.style});
      // The second half was cleared together with what it stood on: put the first one again.
      if (c.width == 2) cells_[index(at, y)] = c;
    } else if (at >= 0 && at < end) {
      set(at, y, {" ", 1, c.style});
    }
    at += c.width;
  }
  return std::min(at, end) - x;
}

int Grid::put(int x, int y, int width, std::string_view text, Style style) {
  return width <= 0 ? 0 : put(x, y, width, cells_of(text, style));
}

void Grid::fit(int x, int y, int width, std::string_view text, Style style) {
  if (width <= 0) return;
  fill({x, y, width, 1}, style);
  CellLine cells = cells_of(text, style);
  if (static_cast<int>(cells.size()) > width) {
    std::size_t kept = static_cast<std::size_t>(width) - 1;
    if (kept > 0 && cells[kept].width == 0) --kept;
    cells.resize(kept);
    cells.push_back({"…", 1, style});
  }
  put(x, y, width, cells);
}

void Grid::right(int x, int y, int width, std::string_view text, Style style) {
  const CellLine cells = cells_of(text, style);
  const int columns = std::min(static_cast<int>(cells.size()), width);
  if (columns > 0) put(x + width - columns, y, columns, cells);
}

void Grid::fill(const Rect& where, Style style, std::string_view text) {
  const Cell cell{std::string{text}, 1, style};
  for (int y = std::max(where.y, 0); y < std::min(where.y + where.height, size_.height); ++y) {
    for (int x = std::max(where.x, 0); x < std::min(where.x + where.width, size_.width); ++x) set(x, y, cell);
  }
}

void Grid::paint(const Rect& where, Style style) {
  for (int y = std::max(where.y, 0); y < std::min(where.y + where.height, size_.height); ++y) {
    for (int x = std::max(where.x, 0); x < std::min(where.x + where.width, size_.width); ++x) {
      Style& s = cells_[index(x, y)].style;
      if (style.fg >= 0) s.fg = style.fg;
      if (style.bg >= 0) s.bg = style.bg;
      if (style.fg >= 0) s.attributes = static_cast<std::uint8_t>(s.attributes & ~unsigned{Style::dim});
      s.attributes = static_cast<std::uint8_t>(s.attributes | style.attributes);
    }
  }
}

void Grid::box(const Rect& r, Style style, std::string_view title, Style title_style, std::string_view foot) {
  if (r.width < 2 || r.height < 2) return;
  fill({r.x + 1, r.y, r.width - 2, 1}, style, "─");
  fill({r.x + 1, r.y + r.height - 1, r.width - 2, 1}, style, "─");
  fill({r.x, r.y + 1, 1, r.height - 2}, style, "│");
  fill({r.x + r.width - 1, r.y + 1, 1, r.height - 2}, style, "│");
  put(r.x, r.y, 1, "╭", style);
  put(r.x + r.width - 1, r.y, 1, "╮", style);
  put(r.x, r.y + r.height - 1, 1, "╰", style);
  put(r.x + r.width - 1, r.y + r.height - 1, 1, "╯", style);
  const auto label = [&](int y, std::string_view text, Style s) {
    const int room = r.width - 4;
    if (text.empty() || room < 3) return;
    const std::string cut_text = cut(printable(text), static_cast<std::size_t>(room - 2));
    put(r.x + 2, y, room, " " + cut_text + " ", s);
  };
  label(r.y, title, title_style);
  label(r.y + r.height - 1, foot, style);
}

std::string Grid::row_text(int y) const {
  std::string out;
  for (int x = 0; x < size_.width; ++x) out += cells_[index(x, y)].text;
  return out;
}

std::string Grid::text() const {
  std::string out;
  for (int y = 0; y < size_.height; ++y) out += row_text(y) + "\n";
  return out;
}

}  // namespace baton
