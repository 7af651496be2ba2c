#include "view/top/text_box.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "base/utf8.h"
#include "view/cells.h"
#include "view/char_width.h"
#include "view/styled_text.h"

namespace baton::top {
namespace {

constexpr std::size_t text_bytes_max = 1U << 20U;

/// What a paste may bring: text as it is meant. Line ends become '\n', other control characters go.
std::string typed(std::string_view text, bool many_lines) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const Utf8Character c = utf8_shown(text.substr(i));
    if (c.code == '\r' || c.code == '\n') {
      const bool pair = c.code == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
      out += many_lines ? '\n' : ' ';
      i += pair ? 1 : 0;
    } else if (c.code == '\t') {
      out += many_lines ? "\t" : " ";
    } else if (c.code >= 0x20 && (c.code < 0x7F || c.code >= 0xA0) && !(c.code == 0xFFFD && c.size == 1)) {
      out += text.substr(i, c.size);
    }
    i += c.size;
  }
  return out;
}

/// One row of the box as it is shown, and which part of the text it is.
struct Row {
  std::size_t begin, end;
};

/// The cluster that begins there. It looks a little ahead only: a line may be a megabyte long, a cluster is not.
Cluster cluster_at(std::string_view text, std::size_t at) {
  if (text[at] == '\t') return {text.substr(at, 1), 1, '\t'};
  constexpr std::size_t ahead = 256;
  const std::string_view near = whole_front(text.substr(at), ahead);
  return next_cluster(near.substr(0, near.find_first_of("\n\t")));
}

int columns_of(const Cluster& c) { return std::max(c.width, 1); }

/// Lines broken where the box ends.
std::vector<Row> rows_of(const std::string& text, int width) {
  std::vector<Row> rows;
  std::size_t begin = 0;
  int used = 0;
  std::size_t i = 0;
  while (i < text.size()) {
    if (text[i] == '\n') {
      rows.push_back({begin, i});
      begin = ++i;
      used = 0;
      continue;
    }
    const Cluster c = cluster_at(text, i);
    if (used + columns_of(c) > width && used > 0) {
      rows.push_back({begin, i});
      begin = i;
      used = 0;
    }
    used += columns_of(c);
    i += c.text.size();
  }
  rows.push_back({begin, text.size()});
  return rows;
}

}  // namespace

std::size_t TextBox::before(std::size_t at) const {
  // The cluster that ends there: found from the beginning of its line.
  std::size_t i = at > 0 && text[at - 1] == '\n' ? at - 1 : line_begin(at);
  std::size_t last = i;
  while (i < at) {
    last = i;
    i = after(i);
  }
  return last;
}

std::size_t TextBox::after(std::size_t at) const {
  if (at >= text.size()) return text.size();
  return text[at] == '\n' ? at + 1 : at + cluster_at(text, at).text.size();
}

std::size_t TextBox::line_begin(std::size_t at) const {
  const std::size_t newline = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
  return newline == std::string::npos ? 0 : newline + 1;
}

std::size_t TextBox::line_end(std::size_t at) const { return std::min(text.find('\n', at), text.size()); }

void TextBox::insert(std::string_view more) {
  const std::string safe = typed(more, many_lines);
  if (text.size() + safe.size() > text_bytes_max) return;
  text.insert(cursor, safe);
  cursor += safe.size();
}

void TextBox::erase_before() {
  const std::size_t from = before(cursor);
  text.erase(from, cursor - from);
  cursor = from;
}

void TextBox::erase_word() {
  std::size_t from = cursor;
  while (from > 0 && text[from - 1] == ' ') --from;
  while (from > 0 && text[from - 1] != ' ' && text[from - 1] != '\n') --from;
  text.erase(from, cursor - from);
  cursor = from;
}

void TextBox::move_line(int by) {
  const std::size_t begin = line_begin(cursor);
  int column = 0;
  for (std::size_t i = begin; i < cursor; i = after(i)) column += columns_of(cluster_at(text, i));
  std::size_t to = 0;
  if (by < 0) {
    if (begin == 0) return;
    to = line_begin(begin - 1);
  } else {
    if (line_end(cursor) == text.size()) return;
    to = line_end(cursor) + 1;
  }
  const std::size_t end = line_end(to);
  for (int passed = 0; to < end && passed < column; to = after(to)) passed += columns_of(cluster_at(text, to));
  cursor = to;
}

bool TextBox::take(const Key& key) {
  using enum Key::Kind;
  switch (key.kind) {
    case letter:
    case paste:
      insert(key.text);
      return true;
    case enter:
      if (many_lines) insert("\n");
      return many_lines;
    case backspace:
      erase_before();
      return true;
    case erase:
      text.erase(cursor, after(cursor) - cursor);
      return true;
    case left:
      cursor = before(cursor);
      return true;
    case right:
      cursor = after(cursor);
      return true;
    case home:
      cursor = line_begin(cursor);
      return true;
    case Key::Kind::end:
      cursor = line_end(cursor);
      return true;
    case up:
    case down:
      if (many_lines) move_line(key.kind == up ? -1 : 1);
      return many_lines;
    case control:
      if (key.text == "a") cursor = line_begin(cursor);
      if (key.text == "e" && !many_lines) cursor = line_end(cursor);
      if (key.text == "w") erase_word();
      if (key.text == "u") {
        const std::size_t begin = line_begin(cursor);
        text.erase(begin, cursor - begin);
        cursor = begin;
      }
      return key.text == "a" || (key.text == "e" && !many_lines) || key.text == "w" || key.text == "u";
    case tab:
    case back_tab:
    case escape:
    case page_up:
    case page_down:
    case click:
    case wheel_up:
    case wheel_down:
      break;
  }
  return false;
}

Point draw(Grid& grid, const Rect& where, const TextBox& box, Style style) {
  grid.fill(where, style);
  if (where.is_empty()) return {where.x, where.y};
  // The last column is for the cursor behind a full line.
  const std::vector<Row> rows = rows_of(box.text, std::max(where.width - 1, 1));
  std::size_t row = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (box.cursor >= rows[i].begin && box.cursor <= rows[i].end) row = i;
  }
  const auto height = static_cast<std::size_t>(where.height);
  const std::size_t top = row >= height ? row - height + 1 : 0;
  for (std::size_t i = top; i < rows.size() && i - top < height; ++i) {
    const std::string_view part = std::string_view{box.text}.substr(rows[i].begin, rows[i].end - rows[i].begin);
    grid.put(where.x, where.y + static_cast<int>(i - top), where.width, part, style);
  }
  const std::string_view left = std::string_view{box.text}.substr(rows[row].begin, box.cursor - rows[row].begin);
  const auto column = static_cast<int>(cells_of(left).size());
  return {where.x + std::min(column, where.width - 1), where.y + static_cast<int>(row - top)};
}

}  // namespace baton::top
