#include "view/top/entry_rows.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "view/styled_text.h"
#include "view/top/palette.h"

namespace baton::top {
namespace {

/// From so many bytes on a folded entry is not laid out only to count what is not shown.
constexpr std::size_t counted_bytes_max = 4096;

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

std::vector<CellLine> all_rows(const Entry& entry, std::string_view text, std::string_view mark, int width) {
  const Style base = style_of(entry.kind);
  StyledText reader{base};
  std::vector<CellLine> rows;
  for (std::string_view line : split(text, '\n')) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    const bool spoken = entry.kind == Entry::Kind::agent;
    const CellLine cells = reader.line(spoken ? emphasised(line) : std::string{line});
    for (const CellLine& part : wrapped(cells, std::max(width - gutter, 1))) {
      CellLine row = cells_of(rows.empty() ? mark : "  ", base.with(Style::dim));
      row.insert(row.end(), part.begin(), part.end());
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

CellLine with_more(CellLine row, const std::string& text, int width) {
  const CellLine more = cells_of(text, palette::quiet);
  const auto kept = static_cast<std::size_t>(std::max(width - static_cast<int>(more.size()), 1));
  if (row.size() > kept) row.resize(row[kept].width == 0 ? kept - 1 : kept);
  row.insert(row.end(), more.begin(), more.end());
  return row;
}

}  // namespace

std::vector<CellLine> entry_rows(const Entry& entry, bool folded, int width) {
  const std::string_view text = entry.text;
  if (!folded) return all_rows(entry, text, entry.folds() ? "▾ " : "  ", width);
  const bool is_long = text.size() > counted_bytes_max;
  std::vector<CellLine> rows = all_rows(entry, text.substr(0, counted_bytes_max), "▸ ", width);
  if (rows.size() == 1 && !is_long) return rows;
  const std::string more =
      is_long ? fmt::format(" … +{} KB", (text.size() + 1023) / 1024) : fmt::format(" … +{}", rows.size() - 1);
  return {with_more(std::move(rows.front()), more, width)};
}

}  // namespace baton::top
