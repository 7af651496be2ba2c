#include "view/top/document.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "view/styled_text.h"
#include "view/top/palette.h"

namespace baton::top {
namespace {

constexpr int gutter = 2;
constexpr std::size_t entry_bytes_max = 256U << 10U;
constexpr std::size_t rows_max = 4000;  ///< of one entry

std::string lower(std::string_view text) {
  std::string out{text};
  std::ranges::transform(out, out.begin(),
                         [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
  return out;
}

Style style_of(Entry::Kind kind) {
  switch (kind) {
    case Entry::Kind::plain:
    case Entry::Kind::agent:
      return {};
    case Entry::Kind::helper:
    case Entry::Kind::note:
    case Entry::Kind::thinking:
    case Entry::Kind::answer:
      return palette::quiet;
    case Entry::Kind::tool:
      return palette::active;
    case Entry::Kind::trouble:
    case Entry::Kind::removed:
      return palette::bad;
    case Entry::Kind::result:
    case Entry::Kind::added:
      return palette::good;
    case Entry::Kind::head:
      return palette::strong;
    case Entry::Kind::hunk:
      return palette::active;
  }
  return {};
}

/// What an agent writes in Markdown's way to stand out in a line, as it is to look.
std::string emphasised(std::string_view line) {
  struct Mark {
    std::string_view sign, on, off;
  };
  constexpr std::array<Mark, 2> marks{{{"**", "\x1b[1m", "\x1b[22m"}, {"`", "\x1b[36m", "\x1b[39m"}}};
  std::string out;
  while (!line.empty()) {
    const auto* mark = std::ranges::find_if(marks, [&](const Mark& m) { return line.starts_with(m.sign); });
    const std::size_t begin = mark == marks.end() ? 0 : mark->sign.size();
    const std::size_t end = begin == 0 ? std::string_view::npos : line.find(mark->sign, begin);
    if (end == std::string_view::npos || end == begin || line[begin] == ' ') {
      out += line.front();
      line.remove_prefix(1);
      continue;
    }
    out += std::string{mark->on} + std::string{line.substr(begin, end - begin)} + std::string{mark->off};
    line.remove_prefix(end + begin);
  }
  return out;
}

}  // namespace

Entry::Kind kind_of(Voice voice) {
  switch (voice) {
    case Voice::program:
      return Entry::Kind::plain;
    case Voice::agent:
      return Entry::Kind::agent;
    case Voice::helper:
      return Entry::Kind::helper;
    case Voice::tool:
      return Entry::Kind::tool;
    case Voice::trouble:
      return Entry::Kind::trouble;
    case Voice::note:
      return Entry::Kind::note;
    case Voice::result:
      return Entry::Kind::result;
    case Voice::thinking:
      return Entry::Kind::thinking;
    case Voice::answer:
      return Entry::Kind::answer;
  }
  return Entry::Kind::plain;
}

void Document::clear(std::string new_about) {
  const bool followed = follow;
  std::string said = std::move(empty);
  *this = {};
  about = std::move(new_about);
  empty = std::move(said);
  follow = followed;
}

void Document::add(Entry entry) {
  if (entry.text.size() > entry_bytes_max) entry.text = shorten(entry.text, entry_bytes_max);
  entries.push_back(std::move(entry));
  if (entries.size() > entries_max) {
    entries.pop_front();
    ++first;
    turned.erase(first - 1);
  }
  if (top < first) top = first, top_line = 0;
  cursor = follow ? end() - 1 : std::max(cursor, first);
}

void Document::set(const std::string& new_about, std::vector<Entry> all) {
  if (new_about != about) clear(new_about);
  const std::size_t was_top = top;
  const std::size_t was_line = top_line;
  const std::size_t was_cursor = cursor;
  entries.clear();
  first = 0;
  for (Entry& e : all) add(std::move(e));
  if (follow) return;
  const std::size_t last = entries.empty() ? 0 : end() - 1;
  top = std::clamp(was_top, first, std::max(last, first));
  top_line = top == was_top ? was_line : 0;
  cursor = std::clamp(was_cursor, first, std::max(last, first));
}

std::vector<CellLine> Document::rows_of(std::size_t n, int width) const {
  const Entry& entry = at(n);
  const int room = std::max(width - gutter, 1);
  const Style base = style_of(entry.kind);
  StyledText reader{base};
  std::vector<CellLine> rows;
  const std::vector<std::string_view> lines = split(entry.text, '\n');
  const bool folded = is_folded(n);
  std::string mark = entry.folds() ? (folded ? "▸ " : "▾ ") : "  ";
  for (std::string_view line : lines) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    const bool spoken = entry.kind == Entry::Kind::agent;
    for (const CellLine& part : wrapped(reader.line(spoken ? emphasised(line) : std::string{line}), room)) {
      CellLine row = cells_of(rows.empty() ? mark : "  ", base.with(Style::dim));
      row.insert(row.end(), part.begin(), part.end());
      rows.push_back(std::move(row));
      if (rows.size() >= rows_max) return rows;
    }
  }
  if (folded && rows.size() > 1) {
    const CellLine more = cells_of(fmt::format(" … +{}", rows.size() - 1), palette::quiet);
    CellLine row = std::move(rows.front());
    const auto kept = static_cast<std::size_t>(std::max(width - static_cast<int>(more.size()), 1));
    if (row.size() > kept) row.resize(row[kept].width == 0 ? kept - 1 : kept);
    row.insert(row.end(), more.begin(), more.end());
    rows = {std::move(row)};
  }
  return rows;
}

std::pair<std::size_t, std::size_t> Document::place_of_end(Size size) const {
  int room = size.height;
  for (std::size_t n = end(); n-- > first;) {
    const auto rows = static_cast<int>(rows_of(n, size.width).size());
    if (rows >= room) return {n, static_cast<std::size_t>(rows - room)};
    room -= rows;
  }
  return {first, 0};
}

/// Nothing below the end is shown while there is something above the beginning.
void Document::settle(Size size) { std::tie(top, top_line) = std::min(std::pair{top, top_line}, place_of_end(size)); }

void Document::scroll(int by, Size size) {
  if (entries.empty()) return;
  if (std::exchange(follow, false)) std::tie(top, top_line) = place_of_end(size);  // from there on, as it is seen
  for (; by < 0; ++by) {
    if (top_line > 0) {
      --top_line;
    } else if (top > first) {
      --top;
      top_line = rows_of(top, size.width).size() - 1;
    } else {
      break;
    }
  }
  for (; by > 0; --by) {
    if (top_line + 1 < rows_of(top, size.width).size()) {
      ++top_line;
    } else if (top + 1 < end()) {
      ++top;
      top_line = 0;
    } else {
      break;
    }
  }
  settle(size);
  cursor = std::clamp(cursor, top, end() - 1);
}

void Document::move(int by, Size size) {
  if (entries.empty()) return;
  if (follow) scroll(0, size);
  const auto last = static_cast<long long>(end()) - 1;
  cursor =
      static_cast<std::size_t>(std::clamp(static_cast<long long>(cursor) + by, static_cast<long long>(first), last));
  show_cursor(size);
}

void Document::show_cursor(Size size) {
  if (cursor < top || (cursor == top && top_line > 0)) {
    top = cursor;
    top_line = 0;
    return;
  }
  // Rows from the top to the cursor's last: as many go as are too many.
  long long rows = -static_cast<long long>(top_line);
  if (cursor - top > static_cast<std::size_t>(size.height)) {
    top = cursor - static_cast<std::size_t>(size.height);
    top_line = 0;
    rows = 0;
  }
  for (std::size_t n = top; n <= cursor; ++n) rows += static_cast<long long>(rows_of(n, size.width).size());
  for (; rows > size.height && (top < cursor); --rows) {
    if (top_line + 1 < rows_of(top, size.width).size()) {
      ++top_line;
    } else {
      ++top;
      top_line = 0;
    }
  }
}

void Document::to_top() {
  follow = false;
  top = cursor = first;
  top_line = 0;
}

void Document::to_end() {
  follow = true;
  cursor = entries.empty() ? first : end() - 1;
}

void Document::turn() {
  if (entries.empty() || !at(cursor).folds()) return;
  if (!turned.erase(cursor)) turned.insert(cursor);
}

void Document::turn_all() {
  unfolded = !unfolded;
  turned.clear();
}

void Document::to_file(int direction, Size size) {
  for (std::size_t n = cursor; direction > 0 ? n + 1 < end() : n > first;) {
    direction > 0 ? ++n : --n;
    if (at(n).kind != Entry::Kind::head || !at(n).text.starts_with("diff ")) continue;
    cursor = top = n;
    top_line = 0;
    settle(size);
    return;
  }
}

bool Document::is_found(std::size_t n) const {
  return lower(plain_text(at(n).text)).find(lower(search)) != std::string::npos;
}

bool Document::find(int direction, Size size) {
  if (search.empty() || entries.empty()) return false;
  const std::size_t count = entries.size();
  const std::size_t from = cursor - first;
  for (std::size_t i = 1; i <= count; ++i) {
    const std::size_t n = first + (direction > 0 ? from + i : from + count - i % count) % count;
    if (!is_found(n)) continue;
    if (follow) scroll(0, size);
    follow = false;
    cursor = n;
    if (is_folded(n)) turn();
    show_cursor(size);
    return true;
  }
  return false;
}

namespace {

/// Marks where the searched text is, a character at a time as it is seen.
void mark_found(CellLine& row, const std::string& wanted) {
  if (wanted.empty()) return;
  std::string text;
  std::vector<std::size_t> cell_of;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::string part = lower(row[i].text);
    cell_of.insert(cell_of.end(), part.size(), i);
    text += part;
  }
  const std::string low = lower(wanted);
  for (std::size_t at = text.find(low); at != std::string::npos; at = text.find(low, at + low.size())) {
    for (std::size_t i = at; i < at + low.size(); ++i) row[cell_of[i]].style = palette::found;
  }
}

}  // namespace

std::pair<std::size_t, std::size_t> draw(Grid& grid, const Rect& where, const Document& d, bool focused) {
  grid.fill(where, {});
  if (where.is_empty()) return {d.first, d.first};
  if (d.entries.empty()) {
    int y = where.y;
    for (const CellLine& row : wrapped(cells_of(d.empty, palette::quiet), std::max(where.width - gutter, 1))) {
      if (y < where.y + where.height) grid.put(where.x + gutter, y++, where.width - gutter, row);
    }
    return {d.first, d.first};
  }
  auto [n, skip] = d.follow ? d.place_of_end({where.width, where.height}) : std::pair{d.top, d.top_line};
  const std::size_t seen_first = n;
  for (int y = 0; y < where.height && n < d.end(); ++n, skip = 0) {
    std::vector<CellLine> rows = d.rows_of(n, where.width);
    for (std::size_t i = skip; i < rows.size() && y < where.height; ++i, ++y) {
      mark_found(rows[i], d.search);
      grid.put(where.x, where.y + y, where.width, rows[i]);
      const bool here = focused && n == d.cursor && !d.follow;
      if (here && i == skip)
        grid.put(where.x, where.y + y, 1, d.at(n).folds() ? (d.is_folded(n) ? "▸" : "▾") : "›", palette::cursor);
      if (here) grid.paint({where.x, where.y + y, 1, 1}, palette::cursor);
    }
  }
  return {seen_first, n};
}

std::vector<Entry> text_entries(std::string_view text, Entry::Kind kind) {
  std::vector<Entry> entries;
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.empty()) return entries;
  for (const std::string_view line : split(text, '\n')) entries.push_back({kind, std::string{line}});
  return entries;
}

std::vector<Entry> diff_entries(std::string_view diff) {
  std::vector<Entry> entries = text_entries(diff);
  bool in_head = true;  // until the first hunk: below it "--- x" is a line "-- x" that was removed
  for (Entry& e : entries) {
    const std::string_view t = e.text;
    if (t.starts_with("diff ")) in_head = true;
    if (t.starts_with("@@")) in_head = false;
    if (t.starts_with("diff ") || (in_head && (t.starts_with("+++") || t.starts_with("---")))) {
      e.kind = Entry::Kind::head;
    } else if (t.starts_with("@@")) {
      e.kind = Entry::Kind::hunk;
    } else if (t.starts_with("+")) {
      e.kind = Entry::Kind::added;
    } else if (t.starts_with("-")) {
      e.kind = Entry::Kind::removed;
    }
  }
  return entries;
}

}  // namespace baton::top
