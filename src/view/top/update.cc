// What keys and clicks do, where no dialog is open.
#include <fmt/core.h>

#include <algorithm>

#include "core/facts.h"
#include "view/top/dialogs.h"
#include "view/top/draw.h"
#include "view/top/layout.h"
#include "view/top/model.h"

namespace baton::top {
namespace {

using Kind = Key::Kind;

Size room_for_text(const Model& m, Pane p) {
  const Rect r = room_of(m, p, layout_of(m));
  return {std::max(r.width, 1), std::max(r.height, 1)};
}

void show(Model& m, Pane p) {
  m.focus = p;
  if (is_read(p)) m.reader = p;
}

/// Keeps `place` within `height` rows from `top`.
void keep_in_sight(int& top, std::size_t place, int height, std::size_t count) {
  const auto at = static_cast<int>(place);
  top = std::clamp(top, at - std::max(height, 1) + 1, at);
  top = std::clamp(top, 0, std::max(static_cast<int>(count) - std::max(height, 1), 0));
}

void move_in_runs(Model& m, long long by) {
  if (m.shown.empty()) return;
  const auto last = static_cast<long long>(m.shown.size()) - 1;
  const long long from = m.selected_place() ? static_cast<long long>(*m.selected_place()) : -1;
  const long long to = std::clamp(from < 0 ? 0LL : from + by, 0LL, last);
  m.chosen = true;
  select_run(m, m.runs[m.shown[static_cast<std::size_t>(to)]].row.id);
  const Rect room = room_of(m, Pane::runs, layout_of(m));
  keep_in_sight(m.runs_top, static_cast<std::size_t>(to), room.height / rows_per_run(m, room), m.shown.size());
}

void choose_step(Model& m, std::size_t place) {
  const std::string& id = m.run->step(m.tree[place].step).id;
  if (id != m.step) m.attempt = 0;
  m.step = id;
  m.step_chosen = true;
}

void move_in_steps(Model& m, long long by) {
  if (!m.run || m.tree.empty()) return;
  const auto last = static_cast<long long>(m.tree.size()) - 1;
  const auto from = static_cast<long long>(m.step_place().value_or(0));
  choose_step(m, static_cast<std::size_t>(std::clamp(from + by, 0LL, last)));
  keep_in_sight(m.tree_top, *m.step_place(), room_for_text(m, Pane::steps).height, m.tree.size());
}

void move(Model& m, Pane p, long long by) {
  if (p == Pane::runs) return move_in_runs(m, by);
  if (p == Pane::steps) return move_in_steps(m, by);
  m.document(p).move(by, room_for_text(m, p));
}

void page(Model& m, double pages) {
  const Size room = room_for_text(m, m.focus);
  const auto rows = static_cast<int>(pages * room.height);
  if (is_read(m.focus)) return m.document(m.focus).scroll(rows, room);
  move(m, m.focus, rows);
}

void to_end(Model& m, bool last) {
  constexpr long long far = 1LL << 40U;
  if (!is_read(m.focus)) return move(m, m.focus, last ? far : -far);
  Document& d = m.document(m.focus);
  if (!last) return d.to_top();
  if (m.focus == Pane::log) return d.to_end();
  d.to_last(room_for_text(m, m.focus));
}

/// The panes in turn, as they stand.
void next_pane(Model& m, int by) {
  const std::array<Pane, 3> ring{Pane::runs, Pane::steps, m.reader};
  const auto here = std::ranges::find(ring, is_read(m.focus) ? m.reader : m.focus) - ring.begin();
  show(m, ring.at(static_cast<std::size_t>((here + by + 3) % 3)));
}

void go_back(Model& m) {
  if (is_read(m.focus) && !m.document(m.focus).search.empty()) return m.document(m.focus).search.clear();
  if (m.focus == Pane::runs && !m.filter.empty()) {
    m.filter.clear();
    return reorder(m);
  }
  if (m.zoomed) {
    m.zoomed = false;
    return;
  }
  if (m.focus != Pane::runs) show(m, is_read(m.focus) ? Pane::steps : Pane::runs);
}

void open(Model& m) {
  if (m.focus == Pane::runs) return show(m, Pane::steps);
  if (m.focus == Pane::steps) return show(m, Pane::log);
  Document& d = m.document(m.focus);
  if (!d.entries.empty() && d.at(d.cursor).folds() && !d.follow) return d.turn();
  m.zoomed = !m.zoomed;
}

/// Another attempt of the step, or, where a diff is read, another file of it.
void choose_attempt(Model& m, int by) {
  if (m.focus == Pane::diff) return m.document(Pane::diff).to_file(by, room_for_text(m, Pane::diff));
  const auto step = m.run ? m.run->find(m.step) : std::nullopt;
  if (!step) return;
  const auto count = static_cast<int>(shown_attempts(*m.run, *step).size());
  if (count == 0) return;
  const int now = m.attempt == 0 ? count : m.attempt;
  m.attempt = std::clamp(now + by, 1, count);
  m.step_chosen = true;
}

void search_on(Model& m, int direction) {
  if (!m.document(m.focus).find(direction, room_for_text(m, m.focus))) {
    told(m, false, fmt::format("'{}' is not there", m.document(m.focus).search));
  }
}

/// Keys that look or move. False: it was none.
bool look(Model& m, char key) {
  const bool reading = is_read(m.focus);
  switch (key) {
    case 'j':
      return move(m, m.focus, 1), true;
    case 'k':
      return move(m, m.focus, -1), true;
    case 'g':
      return to_end(m, false), true;
    case 'G':
      return to_end(m, true), true;
    case 'h':
      return next_pane(m, -1), true;
    case 'l':
      return show(m, Pane::log), true;
    case 'd':
      return show(m, Pane::diff), true;
    case 'z':
      return m.zoomed = !m.zoomed, true;
    case ' ':
      if (reading) m.document(m.focus).turn();
      return true;
    case 'F':
      return m.document(m.reader).turn_all(), true;
    case 'f':
      if (m.document(Pane::log).follow) {
        m.document(Pane::log).stay(room_for_text(m, Pane::log));
      } else {
        m.document(Pane::log).to_end();
      }
      return true;
    case 'R':
      m.raw = !m.raw;
      return show(m, Pane::log), true;
    case '[':
      return choose_attempt(m, -1), true;
    case ']':
      return choose_attempt(m, 1), true;
    case 's':
      m.sort = static_cast<Sort>((static_cast<int>(m.sort) + 1) % sorts);
      return reorder(m), true;
    case 'S':
      m.reversed = !m.reversed;
      return reorder(m), true;
    case '/':
      if (m.focus == Pane::steps) show(m, Pane::runs);
      m.dialog = Typing{m.focus, {}, m.focus == Pane::runs ? m.filter : m.document(m.focus).search};
      if (m.focus == Pane::runs) std::get<Typing>(m.dialog).box.set(m.filter);
      return true;
    case '?':
    case '8':
      return m.dialog = Help{}, true;
    case 'b':
      m.notify = static_cast<Notify>((static_cast<int>(m.notify) + 1) % 3);
      return told(m, true, fmt::format("when a run ends: {}", name(m.notify))), true;
    default:
      break;
  }
  if (key >= '1' && key <= '7') return show(m, static_cast<Pane>(key - '1')), true;
  if (key == '9') return told(m, false, "there is no pane 9: 1 to 7 are panes, 8 is help"), true;
  if (reading && !m.document(m.focus).search.empty() && (key == 'n' || key == 'N')) {
    return search_on(m, key == 'n' ? 1 : -1), true;
  }
  return false;
}

void click_run(Model& m, int row, bool was_here) {
  const int place = m.runs_top + row / rows_per_run(m, room_of(m, Pane::runs, layout_of(m)));
  if (place >= static_cast<int>(m.shown.size())) return;
  const std::string& id = m.runs[m.shown[static_cast<std::size_t>(place)]].row.id;
  if (was_here && id == m.selected) return open(m);
  m.chosen = true;
  select_run(m, id);
}

Acts on_letter(Model& m, char key) {
  if (key == 'q') return {{Act::Kind::quit}};
  if (look(m, key)) return {};
  return begin_action(m, key);
}

Acts on_click(Model& m, const Key& key) {
  if (const auto action = action_at(m, key.at)) return on_letter(m, *action);
  const Hit found = hit(m, key.at);
  if (found.tab) return show(m, *found.tab), Acts{};
  if (!found.pane) return {};
  const Pane p = *found.pane;
  const bool was_here = m.focus == p;
  show(m, p);
  if (!found.row) return {};
  const auto row = static_cast<std::size_t>(*found.row);
  if (p == Pane::runs) return click_run(m, *found.row, was_here), Acts{};
  if (p == Pane::steps && row + static_cast<std::size_t>(m.tree_top) < m.tree.size()) {
    choose_step(m, row + static_cast<std::size_t>(m.tree_top));
  }
  if (is_read(p)) m.document(p).click(*found.row, room_for_text(m, p));
  return {};
}

void wheel(Model& m, const Key& key) {
  constexpr int rows = 3;
  const Hit found = hit(m, key.at);
  if (!found.pane) return;
  const int by = key.kind == Kind::wheel_up ? -rows : rows;
  if (is_read(*found.pane)) return m.document(*found.pane).scroll(by, room_for_text(m, *found.pane));
  move(m, *found.pane, by < 0 ? -1 : 1);
}

Acts with_control(Model& m, const std::string& key) {
  if (key == "c") return {{Act::Kind::quit}};
  if (key == "z") return {{Act::Kind::suspend}};
  if (key == "l") return {{Act::Kind::redraw}};
  if (key == "d") page(m, 0.5);
  if (key == "u") page(m, -0.5);
  if (key == "f") page(m, 1);
  if (key == "b") page(m, -1);
  return {};
}

}  // namespace

Acts update(Model& m, const Key& key) {
  if (!std::holds_alternative<std::monostate>(m.dialog)) return update_dialog(m, key);
  switch (key.kind) {
    case Kind::letter:
      return key.text.size() == 1 ? on_letter(m, key.text[0]) : Acts{};
    case Kind::control:
      return with_control(m, key.text);
    case Kind::enter:
      return open(m), Acts{};
    case Kind::tab:
    case Kind::right:
      return next_pane(m, 1), Acts{};
    case Kind::back_tab:
    case Kind::left:
      return next_pane(m, -1), Acts{};
    case Kind::escape:
      return go_back(m), Acts{};
    case Kind::up:
      return move(m, m.focus, -1), Acts{};
    case Kind::down:
      return move(m, m.focus, 1), Acts{};
    case Kind::page_up:
      return page(m, -1), Acts{};
    case Kind::page_down:
      return page(m, 1), Acts{};
    case Kind::home:
      return to_end(m, false), Acts{};
    case Kind::end:
      return to_end(m, true), Acts{};
    case Kind::click:
      return on_click(m, key);
    case Kind::wheel_up:
    case Kind::wheel_down:
      return wheel(m, key), Acts{};
    case Kind::paste:
    case Kind::backspace:
    case Kind::erase:
      break;
  }
  return {};
}

}  // namespace baton::top
