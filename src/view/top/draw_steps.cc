#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "core/facts.h"
#include "view/cells.h"
#include "view/gauge.h"
#include "view/run_facts.h"
#include "view/top/draw.h"
#include "view/top/palette.h"
#include "view/used.h"
#include "view/words.h"

namespace baton::top {
namespace {

/// Red when it is almost used up.
Style style_of_share(double share) {
  if (share >= 0.95) return palette::bad;
  return share >= 0.8 ? palette::warning : palette::good;
}

int gauge_columns(int width) { return width < 40 ? 6 : std::clamp(width / 3, 6, 20); }

void draw_gauge(Grid& grid, const Rect& row, std::string_view what, double share, const std::string& text) {
  constexpr int name_columns = 7;
  grid.fit(row.x, row.y, name_columns, what, palette::quiet);
  const int bar_columns = gauge_columns(row.width);
  grid.put(row.x + name_columns, row.y, bar_columns, bar(share, bar_columns), style_of_share(share));
  const int x = row.x + name_columns + bar_columns + 1;
  grid.fit(x, row.y, row.x + row.width - x, text, {});
}

double share_of(double part, double whole) { return whole > 0 ? part / whole : 0; }

/// How much of the wait is over, where it is known since when.
void draw_quota(Grid& grid, const Rect& row, std::string_view who, Time since, Time until, Time now) {
  const double share =
      share_of(static_cast<double>((now - since).count()), static_cast<double>((until - since).count()));
  const Millis left = std::max(until - now, Millis{0});
  constexpr int name_columns = 7;
  grid.fit(row.x, row.y, name_columns, "quota", palette::quiet);
  const int bar_columns = gauge_columns(row.width);
  grid.put(row.x + name_columns, row.y, bar_columns, bar(share, bar_columns), palette::warning);
  const int x = row.x + name_columns + bar_columns + 1;
  grid.fit(x, row.y, row.x + row.width - x, fmt::format("{} resets in {}", who, short_time(left)), palette::warning);
}

/// The lines above the tree, as many as there is room for.
class Head {
 public:
  Head(Grid& grid, const Model& m, Rect room) : grid_(grid), m_(m), room_(room) {}

  void draw() {
    const Run& run = *m_.run;
    state_line(run);
    const RunSettings& s = run.settings();
    if (const auto error = error_of(run)) {
      if (const auto row = next()) grid_.fit(row->x, row->y, row->width, error->message, palette::bad);
    }
    if (s.cost_budget) {
      gauge("budget", share_of(run.known_cost().usd(), s.cost_budget->usd()),
            fmt::format("{} of {}", short_money(run.cost(), run.known_cost()), short_money(s.cost_budget)));
    }
    if (s.token_budget > 0) {
      gauge("tokens", share_of(static_cast<double>(run.tokens().total()), static_cast<double>(s.token_budget)),
            fmt::format("{} of {}", short_number(run.tokens().total()), short_number(s.token_budget)));
    }
    if (s.turn_budget > 0) {
      gauge("turns", share_of(static_cast<double>(run.turns()), static_cast<double>(s.turn_budget)),
            fmt::format("{} of {}", run.turns(), s.turn_budget));
    }
    if (s.time_budget.count() > 0) {
      const Millis took = duration_of(run, m_.now);
      gauge("time", share_of(static_cast<double>(took.count()), static_cast<double>(s.time_budget.count())),
            fmt::format("{} of {}", short_time(took), short_time(s.time_budget)));
    }
    if (const auto until = run.parked_until()) {
      if (const auto row = next()) draw_quota(grid_, *row, "limit", run.last_event(), *until, m_.now);
    }
    for (const Quota& q : cooling(m_)) {
      if (const auto row = next()) draw_quota(grid_, *row, q.who, q.since, q.until, m_.now);
    }
  }

 private:
  void state_line(const Run& run) {
    const auto row = next();
    if (!row) return;
    int x = row->x;
    const int end = row->x + row->width;
    x += grid_.put(x, row->y, end - x, fmt::format("{} {}", sign(run.state()), name(run.state())),
                   palette::of(run.state()));
    std::string rest = fmt::format("  {}/{}  {}", run.count(StepState::completed), run.step_total(),
                                   short_time(duration_of(run, m_.now)));
    if (run.tokens().total() > 0)
      rest +=
          fmt::format("  {} tokens  {}", short_number(run.tokens().total()), short_money(run.cost(), run.known_cost()));
    const RunItem* item = m_.selected_run();
    if (item != nullptr && item->is_orphan()) rest += "  no driver: r goes on";
    if (run.state() == RunState::reviewing) rest += "  a accepts, x rejects";
    grid_.fit(x, row->y, end - x, rest, {});
  }

  void gauge(std::string_view what, double share, const std::string& text) {
    if (const auto row = next()) draw_gauge(grid_, *row, what, share, text);
  }

  std::optional<Rect> next() {
    if (used_ >= room_.height) return std::nullopt;
    return Rect{room_.x, room_.y + used_++, room_.width, 1};
  }

  Grid& grid_;
  const Model& m_;
  Rect room_;
  int used_ = 0;
};

std::string right_part(const Model& m, StepIndex i, int width) {
  const std::span<const Attempt> attempts = shown_attempts(*m.run, i);
  if (attempts.empty()) return {};
  const Attempt& last = attempts.back();
  const StepState state = shown_state(*m.run, i);
  std::string out;
  if (attempts.size() > 1) out += fmt::format("×{}", attempts.size());
  const Used used = used_by(*m.run, i);
  if (width >= 40 && used.tokens.total() > 0) out += fmt::format(" {:>6}", short_number(used.tokens.total()));
  const bool is_silent = used.unknown && state != StepState::running;
  if (width >= 50 && (used.tokens.total() > 0 || used.known.nano_usd > 0 || is_silent))
    out += fmt::format(" {:>7}", short_money(used.cost(), used.known));
  if (last.started != Time{}) {
    const bool open = state == StepState::running || last.finished < last.started;
    out += fmt::format(" {:>6}", short_time(std::max((open ? m.now : last.finished) - last.started, Millis{0})));
  }
  return out;
}

void draw_step(Grid& grid, const Rect& row, const Model& m, const TreeRow& tree) {
  const Run& run = *m.run;
  const StepState state = shown_state(run, tree.step);
  const bool busy = state == StepState::running || state == StepState::checking;
  const std::string right = right_part(m, tree.step, row.width);
  const int right_columns = static_cast<int>(columns_of(right));
  int x = row.x;
  const int end = row.x + row.width - (right_columns > 0 ? right_columns + 1 : 0);
  x += grid.put(x, row.y, std::max(end - x - 8, 0), tree.lead, palette::quiet);
  const bool frozen = busy && run.state() == RunState::paused;
  const std::string_view mark = frozen ? sign(RunState::paused) : busy ? spinner(m.tick) : sign(state);
  x += grid.put(x, row.y, 2, mark, frozen ? palette::warning : palette::of(state));
  x += grid.put(x, row.y, 1, " ", {});
  const Step& step = run.step(tree.step);
  std::string text = step.id;
  const std::string& title = step.work->title;
  if (!title.empty() && title != step.id) text += "  " + title;
  if (state == StepState::failed || state == StepState::waiting) {
    if (const auto error = error_of(run, tree.step)) text = step.id + "  " + error->message;
  }
  if (run.of(tree.step).state.is_at_gate()) text = step.id + "  waits for you: " + question_of(run, tree.step);
  const Style style = busy ? palette::strong : is_settled(state) ? Style{} : palette::quiet;
  grid.fit(x, row.y, std::max(end - x, 0), text, state == StepState::failed ? palette::bad : style);
  if (right_columns > 0) grid.right(row.x, row.y, row.width, right, palette::quiet);
}

}  // namespace

void draw_steps(Grid& grid, const Model& m, const Layout& layout) {
  const Rect& r = layout.of(Pane::steps);
  if (r.is_empty()) return;
  const bool focused = m.focus == Pane::steps;
  const bool here = m.run && m.run_id == m.selected;
  const std::string title = here                 ? fmt::format("2 steps  {} {}", m.run->workflow(), m.selected)
                            : m.selected.empty() ? "2 steps"
                                                 : fmt::format("2 steps  {}", m.selected);
  grid.box(r, focused ? palette::frame_focused : palette::frame, title, focused ? palette::selected : palette::strong);
  if (focused) draw_edge_hints(grid, r, {{"Enter", "log"}, {"t", "retry"}, {"[ ]", "attempts"}});
  grid.fill(r.inner(), {});
  if (!here) {
    const std::string why = m.run_id == m.selected ? m.trouble : std::string{};
    grid.fit(r.x + 1, r.y + 1, r.width - 2, "  " + why, palette::bad);
    return;
  }
  const int head = steps_head_rows(m, r);
  Head{grid, m, {r.x + 1, r.y + 1, r.width - 2, head}}.draw();
  const Rect room = room_of(m, Pane::steps, layout);
  int top = std::clamp(m.tree_top, 0, std::max(static_cast<int>(m.tree.size()) - room.height, 0));
  if (const auto place = m.step_place()) {
    top = std::clamp(top, static_cast<int>(*place) - room.height + 1, static_cast<int>(*place));
  }
  for (int y = 0; y < room.height && top + y < static_cast<int>(m.tree.size()); ++y) {
    const TreeRow& tree = m.tree[static_cast<std::size_t>(top) + static_cast<std::size_t>(y)];
    const Rect row{room.x, room.y + y, room.width, 1};
    draw_step(grid, row, m, tree);
    if (m.run->step(tree.step).id == m.step) grid.paint(row, focused ? palette::selected : palette::chosen);
  }
  draw_scroll_mark(grid, room, static_cast<std::size_t>(top), static_cast<std::size_t>(std::max(room.height, 0)),
                   m.tree.size());
}

}  // namespace baton::top
