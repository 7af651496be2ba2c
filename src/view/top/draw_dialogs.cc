#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "view/cells.h"
#include "view/styled_text.h"
#include "view/top/dialogs.h"
#include "view/top/draw.h"
#include "view/top/palette.h"

namespace baton::top {
namespace {

constexpr Style box_style{6};
constexpr Style field_style{15, 236};

void draw_frame(Grid& grid, const Rect& r, std::string_view title) {
  grid.fill(r, {});
  grid.box(r, box_style, title, palette::selected);
}

void draw_confirm(Grid& grid, const Rect& r, const Confirm& d) {
  draw_frame(grid, r, "Sure?");
  const Rect in = r.inner();
  std::vector<CellLine> rows = wrapped(cells_of(d.question, palette::strong), std::max(in.width - 4, 1));
  for (CellLine& row : wrapped(cells_of(d.more, palette::quiet), std::max(in.width - 4, 1)))
    rows.push_back(std::move(row));
  for (int i = 0; i < confirm_row && i < static_cast<int>(rows.size()); ++i)
    grid.put(in.x + 2, in.y + i, in.width - 4, rows[static_cast<std::size_t>(i)]);
  grid.put(in.x + confirm_yes_x, in.y + confirm_row, confirm_yes_width, " y yes ", palette::selected);
  grid.put(in.x + confirm_no_x, in.y + confirm_row, confirm_no_width, " n no ", palette::chosen);
}

/// What was sent is under way, or was refused: in so many rows from `y` on; answers how many were taken.
int draw_fate(Grid& grid, const Rect& in, int y, int rows_max, bool is_sent, const std::string& trouble) {
  const std::string text = is_sent ? "sending …" : trouble;
  if (text.empty()) return 0;
  int rows = 0;
  for (const CellLine& row : wrapped(cells_of(text, is_sent ? palette::quiet : palette::bad), in.width - 2)) {
    if (rows < rows_max) grid.put(in.x + 1, y + rows++, in.width - 2, row);
  }
  return rows;
}

Point draw_ask(Grid& grid, const Rect& r, const Ask& d) {
  draw_frame(grid, r, d.title);
  const Rect in = r.inner();
  grid.fit(in.x + 1, in.y, in.width - 2, d.hint, palette::quiet);
  const std::vector<Hint> hints = d.box.many_lines
                                      ? std::vector<Hint>{{"Ctrl-S", "send"}, {"Ctrl-E", "editor"}, {"Esc", "leave it"}}
                                      : std::vector<Hint>{{"Enter", "send"}, {"Ctrl-E", "editor"}, {"Esc", "leave it"}};
  draw_edge_hints(grid, r, hints);
  const int above = 1 + draw_fate(grid, in, in.y + 1, std::clamp(in.height - 2, 0, 3), d.sent.has_value(), d.trouble);
  return draw(grid, {in.x + 1, in.y + above, in.width - 2, std::max(in.height - above, 1)}, d.box, field_style);
}

Point draw_pick(Grid& grid, const Rect& r, const NewRun& d) {
  draw_frame(grid, r, "New run: which workflow?");
  draw_edge_hints(grid, r, {{"↑↓", "choose"}, {"Enter", "take it"}, {"letters", "narrow"}, {"Esc", "leave it"}});
  const Rect in = r.inner();
  const Point cursor = draw(grid, {in.x + 1, in.y, in.width - 2, 1}, d.wanted, field_style);
  const std::vector<std::size_t> fitting = d.fitting();
  const int rows = in.height - new_run_list_row;
  if (fitting.empty()) {
    grid.fit(in.x + 1, in.y + new_run_list_row, in.width - 2, d.loading ? "looking …" : "none", palette::quiet);
  }
  std::size_t place = first_workflow_seen(d, r.height);
  for (int y = 0; y < rows && place < fitting.size(); ++y, ++place) {
    const WorkflowChoice& w = d.all[fitting[place]];
    const Rect row{in.x + 1, in.y + new_run_list_row + y, in.width - 2, 1};
    grid.fit(row.x, row.y, row.width, fmt::format(" {}  {}", fit(printable(w.name), 20), w.about), {});
    if (place == d.chosen) grid.paint(row, palette::selected);
  }
  return cursor;
}

std::optional<Point> draw_form(Grid& grid, const Rect& r, const NewRun& d) {
  const std::vector<std::size_t> fitting = d.fitting();
  const std::string name = d.chosen < fitting.size() ? d.all[fitting[d.chosen]].name : "";
  draw_frame(grid, r, "New run of " + name);
  draw_edge_hints(grid, r, {{"Ctrl-S", "start"}, {"Tab", "next"}, {"Ctrl-E", "editor"}, {"Esc", "back"}});
  const Rect in = r.inner();
  draw_fate(grid, in, in.y, new_run_list_row, d.sent.has_value(), d.trouble);
  std::optional<Point> cursor;
  int y = in.y + new_run_list_row;
  const std::size_t first = first_field_seen(d, r.height);
  for (std::size_t i = first; i < d.fields.size(); ++i) {
    const NewRun::Field& f = d.fields[i];
    const int left = in.y + in.height - y;
    const int rows = i == first ? std::min(field_rows(f, r.height), left) : field_rows(f, r.height);
    if (rows > left || rows <= 0) break;
    const bool here = i == d.field;
    const std::string label = f.is_switch ? fmt::format("[{}] {}", f.on ? "x" : " ", f.label)
                                          : fmt::format("{}{}", f.label, f.required ? " *" : "");
    const int x = in.x + 1 + grid.put(in.x + 1, y, in.width - 2, label, here ? palette::selected : palette::strong);
    grid.fit(x + 2, y, in.x + in.width - x - 3, f.hint, palette::quiet);
    if (!f.is_switch && rows > 1) {
      const Point p = draw(grid, {in.x + 1, y + 1, in.width - 2, rows - 1}, f.box, field_style);
      if (here) cursor = p;
    }
    y += rows;
  }
  return cursor;
}

constexpr std::string_view help_text =
    "Moving\n"
    "  Tab ← →     next pane              1-7         the pane of that number\n"
    "  ↑ ↓ j k     up, down               PgUp PgDn   a page\n"
    "  g G         first, last            Ctrl-U -D   half a page\n"
    "  Enter       open; unfold           Esc         back\n"
    "  z           the whole screen       l d         log, diff\n"
    "\n"
    "Looking\n"
    "  /           filter runs, search    n N         next, last one found\n"
    "  s S         order of runs          f           follow the log\n"
    "  Space F     unfold this, all       R           raw output\n"
    "  [ ]         attempt before, after; in the diff: file before, after\n"
    "\n"
    "Doing, to the selected run\n"
    "  n           new run                p           pause\n"
    "  r           resume                 c           cancel (asks)\n"
    "  a           accept (asks)          x           reject (asks, or say why)\n"
    "  u           follow up              t           retry (asks)\n"
    "  o           open its folder        y           copy its id\n"
    "  b           bell or notice when a run ends\n"
    "\n"
    "  Ctrl-L      draw anew              Ctrl-Z      suspend; fg comes back\n"
    "  ? 8         this help              q           quit: runs go on\n"
    "\n"
    "Retry runs the selected step again, or, from the list of runs, all\n"
    "that failed. In text boxes every letter is text; Ctrl-E opens your\n"
    "$EDITOR, Ctrl-S sends. The mouse works: click a run, a step, a tab,\n"
    "a folded line, a key in the last line; the wheel scrolls.\n"
    "\n"
    "Signs  · queued, pending   ○ ready    ▶ running   ? review, checking\n"
    "       ‖ paused, parked    ↻ waiting  ✓ done      ✗ failed\n"
    "       – skipped           ⊘ blocked  ■ cancelled, rejected\n";

void draw_help(Grid& grid, const Rect& r, const Help& d) {
  draw_frame(grid, r, "Help");
  const Rect in = r.inner();
  std::vector<CellLine> rows;
  for (const std::string_view line : split(help_text, '\n')) {
    const bool head = line == "Moving" || line == "Looking" || line.starts_with("Doing");
    for (CellLine& row : wrapped(cells_of(line, head ? palette::strong : Style{}), in.width - 2))
      rows.push_back(std::move(row));
  }
  const int unseen = std::max(static_cast<int>(rows.size()) - in.height, 0);
  std::vector<Hint> hints{{"any key", "back"}, {"q", "quit"}};
  if (unseen > 0) hints.insert(hints.begin(), {"↑↓", "more"});
  draw_edge_hints(grid, r, hints);
  const int top = std::clamp(d.top, 0, unseen);
  for (int y = 0; y < in.height && top + y < static_cast<int>(rows.size()); ++y) {
    grid.put(in.x + 1, in.y + y, in.width - 2, rows[static_cast<std::size_t>(top) + static_cast<std::size_t>(y)]);
  }
}

}  // namespace

std::optional<Point> draw_dialog(Grid& grid, const Model& m, const Layout& layout) {
  const Rect& r = layout.dialog;
  if (const auto* d = std::get_if<Confirm>(&m.dialog)) draw_confirm(grid, r, *d);
  if (const auto* d = std::get_if<Ask>(&m.dialog)) return draw_ask(grid, r, *d);
  if (const auto* d = std::get_if<NewRun>(&m.dialog))
    return d->picked ? draw_form(grid, r, *d) : draw_pick(grid, r, *d);
  if (const auto* d = std::get_if<Help>(&m.dialog)) draw_help(grid, r, *d);
  return std::nullopt;
}

std::optional<Point> draw_typing(Grid& grid, const Model& m, const Layout& layout) {
  const auto* d = std::get_if<Typing>(&m.dialog);
  if (d == nullptr) return std::nullopt;
  const Rect& r = layout.of(d->pane);
  if (r.is_empty()) return std::nullopt;
  const int y = r.y + r.height - 1;
  grid.put(r.x + 1, y, r.width - 2, d->pane == Pane::runs ? " filter: " : " search: ", palette::selected);
  constexpr int label = 10;
  return draw(grid, {r.x + label, y, std::max(r.width - label - 1, 1), 1}, d->box, field_style);
}

}  // namespace baton::top
