#include "view/top/document.h"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/letters.h"
#include "base/text.h"
#include "base/utf8.h"
#include "view/styled_text.h"
#include "view/top/entry_rows.h"
#include "view/top/palette.h"

namespace baton::top {
namespace {

constexpr std::size_t laid_cells_max = 600'000;

/// Bytes of the text's front that make a piece: up to a line's end if there is one, else not through a character or a
/// colour's sequence.
std::size_t piece_of(std::string_view text, std::size_t bytes_max) {
  const std::string_view room = text.substr(0, bytes_max);
  if (const std::size_t newline = room.rfind('\n'); newline != std::string_view::npos && newline >= bytes_max / 2)
    return newline + 1;
  const std::size_t end = whole_front(text, bytes_max).size();
  constexpr std::size_t sequence = 32;
  const std::size_t escape = room.rfind('\x1b', end - 1);
  return escape != std::string_view::npos && escape > 0 && end - escape < sequence ? escape : end;
}

std::string text_of(const CellLine& row) {
  std::string text;
  for (const Cell& c : row) text += c.text;
  return text;
}

/// What a search looks at; most lines are what they look like.
std::string searched(std::string_view text) {
  const bool is_plain = std::ranges::none_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte >= 0x7F;
  });
  return lower(is_plain ? std::string{text} : plain_text(text));
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
  std::string_view rest = entry.text;
  if (rest.size() <= entry_bytes_max) return add_piece(std::move(entry));
  if (entry.folds()) {
    const std::string cut = shorten(rest, entry_bytes_max);
    return add_piece({entry.kind, cut + fmt::format("\n… {} bytes in all: R shows them raw", rest.size())});
  }
  while (rest.size() > entry_bytes_max) {
    const std::size_t bytes = piece_of(rest, entry_bytes_max);
    const bool ends_line = rest[bytes - 1] == '\n';
    add_piece({entry.kind, std::string{rest.substr(0, bytes - (ends_line ? 1 : 0))}});
    rest.remove_prefix(bytes);
  }
  add_piece({entry.kind, std::string{rest}});
}

void Document::add_piece(Entry entry) {
  bytes_ += entry.text.size();
  entries.push_back(std::move(entry));
  while (entries.size() > entries_max || (bytes_ > bytes_max && entries.size() > 1)) {
    bytes_ -= entries.front().text.size();
    entries.pop_front();
    turned.erase(first);
    laid_.erase(first);
    ++first;
  }
  if (top < first) top = first, top_row = 0;
  if (follow) cursor = end() - 1, cursor_row = 0;
  if (cursor < first) cursor = first, cursor_row = 0;
}

void Document::set(const std::string& new_about, std::vector<Entry> all) {
  if (new_about != about) clear(new_about);
  const Place was_top{top, top_row};
  const Place was_cursor{cursor, cursor_row};
  entries.clear();
  laid_.clear();
  laid_cells_ = bytes_ = first = 0;
  for (Entry& e : all) add(std::move(e));
  if (follow) return;
  const std::size_t last = std::max(entries.empty() ? 0 : end() - 1, first);
  const auto kept = [&](Place was) {
    const std::size_t n = std::clamp(was.entry, first, last);
    return Place{n, n == was.entry ? was.row : 0};
  };
  std::tie(top, top_row) = std::pair{kept(was_top).entry, kept(was_top).row};
  std::tie(cursor, cursor_row) = std::pair{kept(was_cursor).entry, kept(was_cursor).row};
}

const std::vector<CellLine>& Document::rows_of(std::size_t n, int width) const {
  if (width != laid_width_ || laid_cells_ > laid_cells_max) {
    laid_.clear();
    laid_cells_ = 0;
    laid_width_ = width;
  }
  const bool folded = is_folded(n);
  const auto [found, is_new] = laid_.try_emplace(n);
  Laid& laid = found->second;
  if (is_new || laid.folded != folded) {
    laid = {folded, entry_rows(at(n), folded, width)};
    for (const CellLine& row : laid.rows) laid_cells_ += row.size() + 1;
  }
  return laid.rows;
}

Document::Place Document::walked(Place from, long long by, int width) const {
  const auto rows = [&](std::size_t n) { return static_cast<long long>(rows_of(n, width).size()); };
  auto row = std::min(static_cast<long long>(from.row), rows(from.entry) - 1);
  while (by < 0) {
    const long long up = std::min(-by, row);
    row -= up;
    by += up;
    if (by == 0 || from.entry == first) break;
    row = rows(--from.entry) - 1;
    ++by;
  }
  while (by > 0) {
    const long long down = std::min(by, rows(from.entry) - 1 - row);
    row += down;
    by -= down;
    if (by == 0 || from.entry + 1 == end()) break;
    ++from.entry;
    row = 0;
    --by;
  }
  return {from.entry, static_cast<std::size_t>(row)};
}

Document::Place Document::last_row(int width) const { return {end() - 1, rows_of(end() - 1, width).size() - 1}; }

Document::Place Document::place_of_end(Size size) const {
  return walked(last_row(size.width), 1 - std::max(size.height, 1), size.width);
}

Document::Place Document::first_seen(Size size) const {
  const Place bottom = place_of_end(size);
  return follow ? bottom : std::min(walked({top, top_row}, 0, size.width), bottom);
}

void Document::put_top(Place p) { std::tie(top, top_row) = std::pair{p.entry, p.row}; }
void Document::put_cursor(Place p) { std::tie(cursor, cursor_row) = std::pair{p.entry, p.row}; }

void Document::stay(Size size) {
  if (entries.empty()) return;
  put_top(first_seen(size));
  const Place here = follow ? last_row(size.width) : walked({cursor, cursor_row}, 0, size.width);
  follow = false;
  put_cursor(std::clamp(here, {top, top_row}, walked({top, top_row}, size.height - 1, size.width)));
}

void Document::scroll(long long by, Size size) {
  if (entries.empty()) return;
  stay(size);
  const Place before{top, top_row};
  put_top(std::min(walked(before, by, size.width), place_of_end(size)));
  const Place last = walked({top, top_row}, size.height - 1, size.width);
  const bool stands = by != 0 && before == Place{top, top_row};  // there is no more: then the cursor goes
  if (stands) return put_cursor(by < 0 ? before : last);
  put_cursor(std::clamp(Place{cursor, cursor_row}, {top, top_row}, last));
}

void Document::move(long long by, Size size) {
  if (entries.empty()) return;
  stay(size);
  put_cursor(walked({cursor, cursor_row}, by, size.width));
  show_cursor(size);
}

void Document::show_cursor(Size size) {
  const Place here = walked({cursor, cursor_row}, 0, size.width);
  const Place least = walked(here, 1 - std::max(size.height, 1), size.width);
  put_cursor(here);
  put_top(std::clamp(Place{top, top_row}, least, here));
}

void Document::to_top() {
  follow = false;
  put_top({first, 0});
  put_cursor({first, 0});
}

void Document::to_end() {
  follow = true;
  put_cursor({entries.empty() ? first : end() - 1, 0});
}

void Document::to_last(Size size) {
  if (entries.empty()) return;
  follow = false;
  put_top(place_of_end(size));
  put_cursor(last_row(size.width));
}

void Document::click(int row, Size size) {
  if (entries.empty()) return;
  stay(size);
  put_cursor(walked({top, top_row}, row, size.width));
  turn();
}

void Document::turn() {
  if (entries.empty() || !at(cursor).folds()) return;
  if (!turned.erase(cursor)) turned.insert(cursor);
  cursor_row = 0;
  if (top == cursor) top_row = 0;
}

void Document::turn_all() {
  unfolded = !unfolded;
  turned.clear();
}

void Document::to_file(int direction, Size size) {
  for (std::size_t n = cursor; direction > 0 ? n + 1 < end() : n > first;) {
    direction > 0 ? ++n : --n;
    if (at(n).kind != Entry::Kind::head || !at(n).text.starts_with("diff ")) continue;
    put_cursor({n, 0});
    put_top(std::min(Place{n, 0}, place_of_end(size)));
    return;
  }
}

bool Document::is_found(std::size_t n) const { return searched(at(n).text).find(lower(search)) != std::string::npos; }

std::vector<std::size_t> Document::rows_found(std::size_t n, int width) const {
  std::vector<std::size_t> found;
  const std::string wanted = lower(search);
  const std::vector<CellLine>& rows = rows_of(n, width);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (lower(text_of(rows[i])).find(wanted) != std::string::npos) found.push_back(i);
  }
  if (found.empty()) found.push_back(0);  // a row ends in the midst of it
  return found;
}

bool Document::find(int direction, Size size) {
  if (search.empty() || entries.empty()) return false;
  stay(size);
  if (is_found(cursor) && !is_folded(cursor)) {
    std::vector<std::size_t> rows = rows_found(cursor, size.width);
    if (direction < 0) std::ranges::reverse(rows);
    const auto next = std::ranges::find_if(
        rows, [&](std::size_t row) { return direction > 0 ? row > cursor_row : row < cursor_row; });
    if (next != rows.end()) return cursor_row = *next, show_cursor(size), true;
  }
  const std::size_t count = entries.size();
  const std::size_t from = cursor - first;
  for (std::size_t i = 1; i <= count; ++i) {
    const std::size_t n = first + (direction > 0 ? from + i : from + count - i % count) % count;
    if (!is_found(n)) continue;
    cursor = n;
    if (is_folded(n)) turn();
    const std::vector<std::size_t> rows = rows_found(n, size.width);
    cursor_row = direction > 0 ? rows.front() : rows.back();
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

Seen draw(Grid& grid, const Rect& where, const Document& d, bool focused) {
  grid.fill(where, {});
  if (where.is_empty()) return {};
  if (d.entries.empty()) {
    int y = where.y;
    for (const CellLine& row : wrapped(cells_of(d.empty, palette::quiet), std::max(where.width - gutter, 1))) {
      if (y < where.y + where.height) grid.put(where.x + gutter, y++, where.width - gutter, row);
    }
    return {};
  }
  constexpr std::size_t whole = 1000;
  auto [n, row] = d.first_seen({where.width, where.height});
  Seen seen{0, 0, d.entries.size() * whole};
  seen.from = (n - d.first) * whole + row * whole / d.rows_of(n, where.width).size();
  for (int y = 0; y < where.height && n < d.end(); ++n, row = 0) {
    const std::vector<CellLine>& rows = d.rows_of(n, where.width);
    for (; row < rows.size() && y < where.height; ++row, ++y) {
      CellLine line = rows[row];
      mark_found(line, d.search);
      grid.put(where.x, where.y + y, where.width, line);
      if (!focused || d.follow || n != d.cursor || row != std::min(d.cursor_row, rows.size() - 1)) continue;
      const bool folds = d.at(n).folds() && row == 0;
      grid.put(where.x, where.y + y, 1, folds ? (d.is_folded(n) ? "▸" : "▾") : "›", palette::cursor);
    }
    seen.to = (n - d.first) * whole + row * whole / rows.size();
  }
  return seen;
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
