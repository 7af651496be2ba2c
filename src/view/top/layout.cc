#include "view/top/layout.h"

#include <algorithm>

#include "core/facts.h"
#include "view/cells.h"

namespace baton::top {
namespace {

constexpr Size least{20, 6};
constexpr int beside_from = 100;  ///< columns from which on what is read stands beside the rest

void lay_out_panes(const Model& m, Layout& out, const Rect& body) {
  const auto place = [&](Pane p) -> Rect& { return out.pane.at(at(p)); };
  const bool alone = m.zoomed || body.width < 60 || body.height < 14;
  if (alone) {
    place(m.focus) = body;
    return;
  }
  if (body.width >= beside_from && body.height >= 20) {
    const int list = std::clamp(body.width * 55 / 100, 58, 92);
    const int high = std::max(body.height * 9 / 20, 8);
    place(Pane::runs) = {body.x, body.y, list, high};
    place(Pane::steps) = {body.x, body.y + high, list, body.height - high};
    place(m.reader) = {body.x + list, body.y, body.width - list, body.height};
    return;
  }
  const int list = std::max(body.height * 2 / 5, 5);
  const int tree = std::clamp(body.width * 2 / 5, 24, 40);
  place(Pane::runs) = {body.x, body.y, body.width, list};
  place(Pane::steps) = {body.x, body.y + list, tree, body.height - list};
  place(m.reader) = {body.x + tree, body.y + list, body.width - tree, body.height - list};
}

Rect dialog_place(const Model& m) {
  const int wide = std::min(m.size.width - 2, std::clamp(m.size.width * 3 / 4, 78, 110));
  int high = 0;
  if (std::holds_alternative<Confirm>(m.dialog)) high = 7;
  if (std::holds_alternative<Ask>(m.dialog)) high = std::max(m.size.height / 2, 8);
  if (std::holds_alternative<NewRun>(m.dialog)) high = std::max(m.size.height * 3 / 4, 12);
  if (std::holds_alternative<Help>(m.dialog)) high = m.size.height - 2;
  if (high == 0) return {};
  high = std::min(high, m.size.height);
  return {(m.size.width - wide) / 2, (m.size.height - high) / 2, wide, high};
}

}  // namespace

Layout layout_of(const Model& m) {
  Layout out;
  const Size s = m.size;
  if (s.width < least.width || s.height < least.height) {
    out.too_small = true;
    return out;
  }
  const int head = s.height >= 8 ? 1 : 0;
  if (head > 0) out.head = {0, 0, s.width, 1};
  out.foot = {0, s.height - 1, s.width, 1};
  lay_out_panes(m, out, {0, head, s.width, s.height - head - 1});
  out.dialog = dialog_place(m);
  return out;
}

int steps_head_rows(const Model& m, const Rect& pane) {
  if (!m.run || m.run_id != m.selected) return 0;
  int rows = 1;
  const RunSettings& s = m.run->settings();
  rows += s.cost_budget ? 1 : 0;
  rows += s.token_budget > 0 ? 1 : 0;
  rows += s.turn_budget > 0 ? 1 : 0;
  rows += s.time_budget.count() > 0 ? 1 : 0;
  rows += m.run->parked_until() ? 1 : 0;
  rows += static_cast<int>(cooling(m).size());
  rows += error_of(*m.run) ? 1 : 0;
  return std::min(rows, std::max((pane.height - 2) / 2, 1));
}

int rows_per_run(const Model& m, const Rect& room) {
  constexpr int telling_from = 36;
  if (room.width < telling_from) return 1;
  constexpr int tokens_from = 50, all_in_one_from = 78;  // columns; in between they have room in a second row only
  constexpr int enough_from = 12;                        // rows: so many runs are in sight either way
  if (room.width >= tokens_from && room.width < all_in_one_from && room.height >= enough_from) return 2;
  return 2 * m.shown.size() <= static_cast<std::size_t>(std::max(room.height, 0)) ? 2 : 1;
}

Rect room_of(const Model& m, Pane p, const Layout& layout) {
  Rect r = layout.of(p);
  if (r.is_empty()) return {};
  r = r.inner();
  int above = 0;
  if (p == Pane::runs) above = r.height > 2 ? 1 : 0;
  if (p == Pane::steps) above = steps_head_rows(m, layout.of(p));
  above = std::min(above, std::max(r.height - 1, 0));
  return {r.x, r.y + above, r.width, r.height - above};
}

std::vector<Tab> tabs_of(const Rect& pane, Pane here) {
  constexpr int airy_from = 62;
  std::vector<Tab> tabs;
  int x = pane.x + 2;
  const int end = pane.x + pane.width - 2;
  for (std::size_t p = at(Pane::log); p < panes; ++p) {
    const auto which = static_cast<Pane>(p);
    const int wide =
        static_cast<int>(columns_of(name(which))) + (pane.width >= airy_from ? 4 : 2);  // " 3 log ", "3 log"
    if (x + wide > end) return {{here, pane.x + 2, std::max(end - pane.x - 2, 0)}};
    tabs.push_back({which, x, wide});
    x += wide + 1;
  }
  return tabs;
}

Hit hit(const Model& m, Point p) {
  Hit found;
  const Layout layout = layout_of(m);
  if (layout.too_small) return found;
  if (!layout.dialog.is_empty()) {
    found.in_dialog = layout.dialog.holds(p);
    if (found.in_dialog && layout.dialog.inner().holds(p)) found.row = p.y - layout.dialog.y - 1;
    return found;
  }
  for (std::size_t i = 0; i < panes; ++i) {
    const auto pane = static_cast<Pane>(i);
    const Rect& r = layout.of(pane);
    if (r.is_empty() || !r.holds(p)) continue;
    found.pane = pane;
    if (const Rect room = room_of(m, pane, layout); room.holds(p)) found.row = p.y - room.y;
    if (!is_read(pane) || p.y != r.y) continue;
    for (const Tab& tab : tabs_of(r, m.reader)) {
      if (p.x >= tab.x && p.x < tab.x + tab.width) found.tab = tab.pane;
    }
  }
  return found;
}

}  // namespace baton::top
