#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "view/cells.h"
#include "view/gauge.h"
#include "view/top/draw.h"
#include "view/top/palette.h"
#include "view/words.h"

namespace baton::top {
namespace {

/// Which columns there is room for, and how wide the two are that take what is left.
struct Columns {
  bool steps = false, time = false, state = false, bar = false, tokens = false, cost = false, spark = false;
  int workflow = 12;
  int task = 0;
};

constexpr int id_columns = 9, state_columns = 10, steps_columns = 6, bar_columns = 7, time_columns = 7,
              tokens_columns = 7, cost_columns = 8, spark_columns = 9;

Columns columns_for(int width, bool with_task) {
  Columns c;
  c.workflow = std::clamp(width - 2 - id_columns - 1, 0, c.workflow);
  int left = width - 2 - id_columns - c.workflow - 1;
  const auto take = [&](bool& which, int columns) {
    which = left >= columns;
    if (which) left -= columns;
  };
  take(c.steps, steps_columns);
  take(c.time, time_columns);
  take(c.state, state_columns);
  take(c.cost, cost_columns);
  take(c.bar, bar_columns);
  take(c.tokens, tokens_columns);
  take(c.spark, spark_columns);
  left = std::max(left, 0);
  const int more = std::min(left, 14);
  c.workflow += more;
  left -= more;
  if (with_task && left >= 12) c.task = left;
  if (c.task == 0) c.workflow += left;
  return c;
}

void draw_titles(Grid& grid, const Rect& where, const Columns& c) {
  int x = where.x + 2;
  const int end = where.x + where.width;
  const auto title = [&](std::string_view text, int columns, bool right = false) {
    const int wide = std::min(columns, end - x);
    if (right) {
      grid.right(x, where.y, wide - 1, text, palette::quiet);
    } else {
      grid.put(x, where.y, wide, text, palette::quiet);
    }
    x += wide;
  };
  title("RUN", id_columns);
  title("WORKFLOW", c.workflow + 1);
  if (c.state) title("STATE", state_columns);
  if (c.steps) title("STEPS", steps_columns, true);
  if (c.bar) title("", bar_columns);
  if (c.time) title("TIME", time_columns, true);
  if (c.tokens) title("TOKENS", tokens_columns, true);
  if (c.cost) title("COST", cost_columns, true);
  if (c.spark) title("ACTIVITY", spark_columns);
  if (c.task > 0) title("TASK", c.task);
}

void draw_row(Grid& grid, const Rect& where, const Model& m, const RunItem& item, const Columns& c) {
  const RunRow& r = item.row;
  const Style state = palette::of(r.state);
  const bool over = is_over(r.state);
  const Style base = over ? palette::quiet : Style{};
  const bool orphan = item.is_orphan();
  int x = where.x;
  const bool turns = r.state == RunState::running && !orphan;
  grid.put(x, where.y, 2, turns ? spinner(m.tick) : sign(r.state), state);
  x += 2;
  grid.fit(x, where.y, std::min(id_columns - 1, where.width - 2), r.id, base);
  x += id_columns;
  grid.fit(x, where.y, c.workflow, r.workflow, over ? base : palette::strong);
  x += c.workflow + 1;
  if (c.state) grid.fit(x, where.y, state_columns - 1, orphan ? "no driver" : name(r.state), state), x += state_columns;
  if (c.steps) {
    grid.right(x, where.y, steps_columns - 1, fmt::format("{}/{}", r.done, r.total), base);
    x += steps_columns;
  }
  if (c.bar) {
    const double share = r.total > 0 ? static_cast<double>(r.done) / static_cast<double>(r.total) : 0;
    grid.put(x, where.y, bar_columns - 1, bar(share, bar_columns - 1), state);
    x += bar_columns;
  }
  if (c.time) {
    grid.right(x, where.y, time_columns - 1, short_time(elapsed(r, m.now)), base);
    x += time_columns;
  }
  if (c.tokens) grid.right(x, where.y, tokens_columns - 1, short_number(r.tokens.total()), base), x += tokens_columns;
  if (c.cost) grid.right(x, where.y, cost_columns - 1, short_money(r.cost, r.known), base), x += cost_columns;
  if (c.spark) grid.put(x, where.y, spark_columns - 1, sparkline(item.activity), state), x += spark_columns;
  if (c.task > 0) grid.fit(x, where.y, c.task, r.task, palette::quiet);
}

/// What the first row had no room for: what it is at, or why it failed, or what it is about; tokens and activity.
void draw_more(Grid& grid, const Rect& where, const RunItem& item, const Columns& c) {
  const RunRow& r = item.row;
  int end = where.x + where.width - 1;
  if (!c.spark) {
    end -= spark_columns;
    grid.put(end + 1, where.y, spark_columns - 1, sparkline(item.activity), palette::of(r.state));
  }
  if (!c.tokens && where.width >= 50) {
    end -= tokens_columns;
    if (r.tokens.total() > 0) grid.right(end, where.y, tokens_columns, short_number(r.tokens.total()), palette::quiet);
  }
  int x = where.x + 2;
  if (r.error && !r.error->message.empty())
    return grid.fit(x, where.y, end - x - 1, r.error->message, palette::of(r.state));
  if (!is_over(r.state) && !r.current.empty()) {
    x += grid.put(x, where.y, (end - x) / 2,
                  cut(printable(join(r.current, ", ")), static_cast<std::size_t>((end - x) / 2)), palette::of(r.state));
    x += 2;
  }
  grid.fit(x, where.y, std::max(end - x - 1, 0), r.task, palette::quiet);
}

}  // namespace

void draw_runs(Grid& grid, const Model& m, const Layout& layout) {
  const Rect& r = layout.of(Pane::runs);
  if (r.is_empty()) return;
  const bool focused = m.focus == Pane::runs;
  std::string title = fmt::format("1 runs {}", m.runs.size());
  if (!m.complete) title += "…";
  if (!m.filter.empty()) title = fmt::format("1 runs {} of {} with '{}'", m.shown.size(), m.runs.size(), m.filter);
  if (m.sort != Sort::newest || m.reversed)
    title += fmt::format(" by {}{}", name(m.sort), m.reversed ? ", reversed" : "");
  grid.box(r, focused ? palette::frame_focused : palette::frame, title, focused ? palette::selected : palette::strong);
  if (focused) {
    draw_edge_hints(grid, r, {{"/", "filter"}, {"s", "sort"}, {"S", "reverse"}, {"Enter", "open"}});
  }
  const Rect room = room_of(m, Pane::runs, layout);
  const int high = rows_per_run(m, room);
  const Columns columns = columns_for(room.width, high == 1);
  if (room.y > r.y + 1) draw_titles(grid, {room.x, room.y - 1, room.width, 1}, columns);
  grid.fill(room, {});
  if (m.shown.empty()) {
    grid.fit(room.x, room.y, room.width, m.runs.empty() ? "  no runs yet: n starts one" : "  none fits the filter",
             palette::quiet);
    return;
  }
  const int seen = std::max(room.height / high, 1);
  const int count = static_cast<int>(m.shown.size());
  int top = std::clamp(m.runs_top, 0, std::max(count - seen, 0));
  if (const auto place = m.selected_place()) {
    top = std::clamp(top, static_cast<int>(*place) - seen + 1, static_cast<int>(*place));
  }
  for (int i = 0; i < seen && top + i < count; ++i) {
    const RunItem& item = m.runs[m.shown[static_cast<std::size_t>(top) + static_cast<std::size_t>(i)]];
    const Rect row{room.x, room.y + i * high, room.width, 1};
    draw_row(grid, row, m, item, columns);
    if (high > 1) draw_more(grid, {row.x, row.y + 1, row.width, 1}, item, columns);
    if (item.row.id == m.selected)
      grid.paint({row.x, row.y, row.width, high}, focused ? palette::selected : palette::chosen);
  }
  draw_scroll_mark(grid, room, static_cast<std::size_t>(top), static_cast<std::size_t>(seen), m.shown.size());
}

}  // namespace baton::top
