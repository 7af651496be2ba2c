#include "view/top/draw.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "core/facts.h"
#include "view/cells.h"
#include "view/styled_text.h"
#include "view/top/palette.h"
#include "view/top/waiting.h"
#include "view/words.h"

namespace baton::top {
namespace {

void draw_too_small(Grid& grid) {
  const Size s = grid.size();
  if (s.height == 0) return;
  const int y = s.height / 2;
  constexpr std::string_view text = "too small for baton top: 80x24 is good";
  const auto wide = static_cast<int>(text.size());
  grid.fit(std::max((s.width - wide) / 2, 0), y, std::min(wide, s.width), text, palette::warning);
}

/// How many runs are in which state, and what all of them used.
struct Sums {
  struct Count {
    RunState state;
    std::string_view word;
    std::size_t runs = 0;
  };
  std::array<Count, 7> counts{{{RunState::running, "running"},
                               {RunState::queued, "queued"},
                               {RunState::paused, "paused"},
                               {RunState::parked, "parked"},
                               {RunState::reviewing, "to review"},
                               {RunState::failed, "failed"},
                               {RunState::completed, "done"}}};
  std::int64_t tokens = 0;
  Cost known;
  bool unknown = false;

  explicit Sums(const Model& m) {
    for (const RunItem& r : m.runs) {
      const RunState state = r.row.state == RunState::accepted ? RunState::completed : r.row.state;
      if (auto* const c = std::ranges::find(counts, state, &Count::state); c != counts.end()) ++c->runs;
      tokens += r.row.tokens.total();
      known.nano_usd += r.row.known.nano_usd;
      unknown = unknown || !r.row.cost;
    }
  }
  /// " ▶ 1 running ✗ 2 failed", or " ▶1 ✗2"
  [[nodiscard]] std::string text(bool in_words) const {
    std::string out;
    for (const Count& c : counts) {
      if (c.runs == 0) continue;
      out += in_words ? fmt::format(" {} {} {}", sign(c.state), c.runs, c.word)
                      : fmt::format(" {}{}", sign(c.state), c.runs);
    }
    return out;
  }
  [[nodiscard]] std::string cost() const { return (unknown ? "≥" : "") + short_money(known); }
};

/// The head in as many words as there is room for. What is left out is left out whole, the counts last of all.
void draw_head(Grid& grid, const Model& m, const Rect& where) {
  grid.fill(where, palette::bar);
  const Sums sums{m};
  const std::string who = " " + cut(printable(m.project), 24) + " ";
  const std::string used = fmt::format("{} tokens  {} ", short_number(sums.tokens), sums.cost());
  const std::string keys = "  ? help  q quit ";
  struct Words {
    std::string left, counts, right;
  };
  const std::string in_words = sums.text(true);
  const std::string in_signs = sums.text(false);
  // Where the last line has no room for it, the way to help and out is worth more than words.
  constexpr int told_below_from = 100;
  const bool is_told_below = where.width >= told_below_from;
  const std::array<Words, 8> all{{{who, in_words, used + keys},
                                  is_told_below ? Words{who, in_words, used} : Words{who, in_signs, used + keys},
                                  is_told_below ? Words{who, in_signs, used + keys} : Words{who, in_words, used},
                                  {who, in_signs, used},
                                  {who, in_signs, ""},
                                  {"", in_signs, sums.cost() + " "},
                                  {"", in_signs, ""},
                                  {"", "", ""}}};
  constexpr std::string_view name = " baton top ";
  const auto columns = [&](const Words& w) {
    return static_cast<int>(columns_of(name) + columns_of(w.left) + columns_of(w.counts) + columns_of(w.right)) + 1;
  };
  const auto* fitting = std::ranges::find_if(all, [&](const Words& w) { return columns(w) <= where.width; });
  const Words& words = fitting == all.end() ? all.back() : *fitting;
  int x = where.x + grid.put(where.x, where.y, where.width, name, palette::selected);
  const int end = where.x + where.width;
  x += grid.put(x, where.y, end - x, words.left, palette::bar.with(Style::bold));
  grid.put(x, where.y, end - x, words.counts, palette::bar);
  grid.right(where.x, where.y, where.width, words.right, palette::bar);
}

int width_of(const Hint& h) { return static_cast<int>(columns_of(h.key) + columns_of(h.what)) + 1; }

/// Every action with its key; those that the selected run would refuse are faint.
std::vector<Hint> action_hints(const Model& m) {
  const RunItem* run = m.selected_run();
  const auto is = [&](std::initializer_list<RunState> states) {
    return run != nullptr && std::ranges::find(states, run->row.state) != states.end();
  };
  const bool orphan = run != nullptr && run->is_orphan();
  const bool open = run != nullptr && !is_over(run->row.state) && run->row.state != RunState::failed;
  const bool done = is({RunState::reviewing, RunState::completed});
  const Waiting::Kind waits = waiting_of(m).kind;
  const bool judged = waits == Waiting::Kind::unknown ? done : waits != Waiting::Kind::nothing;
  return {{"n", "new"},
          {"p", "pause", is({RunState::running, RunState::queued, RunState::parked})},
          {"r", "resume", orphan || is({RunState::paused, RunState::parked, RunState::failed})},
          {"c", "cancel", open},
          {"t", "retry", run != nullptr && !is({RunState::queued, RunState::accepted, RunState::rejected})},
          {"a", "accept", judged},
          {"x", "reject", judged},
          {"u", "follow", done || is({RunState::accepted})},
          {"o", "open", run != nullptr},
          {"y", "copy", run != nullptr},
          {"b", "bell"},
          {"l", "log"},
          {"?", "help"},
          {"q", "quit"}};
}

void draw_foot(Grid& grid, const Model& m, const Rect& where) {
  grid.fill(where, {});
  if (!m.flash.text.empty()) {
    const Style style = m.flash.kind == Flash::Kind::bad    ? palette::bad
                        : m.flash.kind == Flash::Kind::good ? palette::good
                                                            : Style{};
    const std::string_view mark = m.flash.kind == Flash::Kind::bad ? "✗" : "●";
    std::vector<CellLine> rows =
        wrapped(cells_of(fmt::format(" {} {}", mark, m.flash.text), style), std::max(where.width, 1));
    // What has no room in the last line may stand over what is above it for as long as it is told.
    const int high = std::clamp(std::min(static_cast<int>(rows.size()), 4), 1, std::max(where.y / 2, 1));
    for (int i = 0; i < high; ++i) {
      const int y = where.y - high + 1 + i;
      grid.fill({where.x, y, where.width, 1}, {});
      grid.put(where.x, y, where.width, rows[static_cast<std::size_t>(i)]);
    }
    return;
  }
  draw_hints(grid, where, action_hints(m));
}

std::vector<Hint> reader_hints(const Model& m) {
  if (!m.document(m.reader).search.empty()) return {{"n", "next"}, {"N", "last"}, {"Esc", "all"}};
  if (m.reader == Pane::log)
    return {{"/", "search"}, {"f", "follow"}, {"Space", "unfold"}, {"R", "raw"}, {"[ ]", "attempts"}, {"z", "zoom"}};
  if (m.reader == Pane::diff) return {{"/", "search"}, {"[ ]", "files"}, {"z", "zoom"}};
  return {{"/", "search"}, {"z", "zoom"}};
}

}  // namespace

std::string_view spinner(unsigned tick) {
  constexpr std::array<std::string_view, 10> frames = {"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"};
  return frames.at(tick % frames.size());
}

std::optional<char> action_at(const Model& m, Point p) {
  const Layout layout = layout_of(m);
  if (layout.too_small || !m.flash.text.empty() || !layout.foot.holds(p)) return std::nullopt;
  int x = layout.foot.x;
  for (const Hint& h : action_hints(m)) {
    const int end = x + width_of(h);
    if (end > layout.foot.x + layout.foot.width) break;
    if (p.x >= x && p.x < end) return h.key.front();
    x = end + 1;
  }
  return std::nullopt;
}

int draw_hints(Grid& grid, Rect where, const std::vector<Hint>& hints) {
  int x = where.x;
  const int end = where.x + where.width;
  for (const Hint& h : hints) {
    const int wide = width_of(h);
    if (x + wide + (x > where.x ? 1 : 0) > end) break;
    if (x > where.x) x += grid.put(x, where.y, end - x, " ", {});
    x += grid.put(x, where.y, end - x, h.key, h.fits ? palette::key : palette::quiet);
    x += grid.put(x, where.y, end - x, " ", {});
    x += grid.put(x, where.y, end - x, h.what, h.fits ? Style{} : palette::quiet);
  }
  return x - where.x;
}

void draw_scroll_mark(Grid& grid, const Rect& room, std::size_t first, std::size_t seen, std::size_t count) {
  if (room.height < 2 || seen >= count) return;
  const auto rows = static_cast<std::size_t>(room.height);
  const std::size_t length = std::clamp<std::size_t>(rows * seen / count, 1, rows - 1);
  const std::size_t from = first + seen >= count ? rows - length : first * (rows - length) / (count - seen);
  grid.fill(
      {room.x + room.width, room.y + static_cast<int>(std::min(from, rows - length)), 1, static_cast<int>(length)},
      palette::active, "┃");
}

void draw_edge_hints(Grid& grid, const Rect& r, const std::vector<Hint>& hints) {
  if (r.width < 12) return;
  const int y = r.y + r.height - 1;
  const int used = draw_hints(grid, {r.x + 3, y, r.width - 6, 1}, hints);
  if (used == 0) return;
  grid.put(r.x + 2, y, 1, " ", {});
  grid.put(r.x + 3 + used, y, 1, " ", {});
}

std::string short_money(const std::optional<Cost>& cost) {
  if (!cost) return "unknown";
  const double usd = cost->usd();
  if (cost->nano_usd == 0) return "$0";
  if (usd >= 100) return fmt::format("${:.0f}", usd);
  if (usd >= 0.01) return fmt::format("${:.2f}", usd);
  if (usd < 0.0001) return "~$0";
  return fmt::format("${:.4f}", usd);
}

std::string short_money(const std::optional<Cost>& cost, Cost known) {
  return !cost && known.nano_usd > 0 ? "≥" + short_money(known) : short_money(cost);
}

std::string short_time(Millis time) {
  const auto s = time.count() / 1000;
  if (s < 60) return fmt::format("{}s", s);
  if (s < 3600) return fmt::format("{}m{:02}s", s / 60, s % 60);
  if (s < 86'400) return fmt::format("{}h{:02}m", s / 3600, s / 60 % 60);
  return fmt::format("{}d{:02}h", s / 86'400, s / 3600 % 24);
}

void draw_reader(Grid& grid, const Model& m, const Layout& layout) {
  const Rect& r = layout.of(m.reader);
  if (r.is_empty()) return;
  const bool focused = m.focus == m.reader;
  const Style frame = focused ? palette::frame_focused : palette::frame;
  grid.box(r, frame);
  const std::vector<Tab> tabs = tabs_of(r, m.reader);
  for (const Tab& tab : tabs) {
    const bool here = tab.pane == m.reader;
    const std::string text = fmt::format("{} {}", at(tab.pane) + 1, name(tab.pane));
    const bool airy = tab.width > static_cast<int>(columns_of(text));
    grid.put(tab.x, r.y, tab.width, airy ? " " + text + " " : text,
             here ? (focused ? palette::selected : palette::chosen) : palette::quiet);
  }
  const Wanted w = wanted(m);
  std::string about = w.step.empty() ? std::string{} : printable(w.step);
  const auto step = m.run ? m.run->find(w.step) : std::nullopt;
  if (m.reader == Pane::log && step && shown_attempts(*m.run, *step).size() > 1)
    about += fmt::format(" #{}", w.attempt);
  if (m.reader == Pane::log && m.raw) about += " raw";
  if (m.reader == Pane::log && m.document(Pane::log).follow) about += " ⇣";
  if (m.reader == Pane::diff || m.reader == Pane::cost) about.clear();
  const int used = tabs.empty() ? r.x + 2 : tabs.back().x + tabs.back().width + 1;
  const int left = r.x + r.width - 2 - used;
  if (!about.empty() && left > 6) {
    about = " " + cut(about, static_cast<std::size_t>(left - 2)) + " ";
    grid.right(used, r.y, left, about, palette::strong);
  }
  if (focused) draw_edge_hints(grid, r, reader_hints(m));
  const Rect room = room_of(m, m.reader, layout);
  const Seen seen = draw(grid, room, m.document(m.reader), focused);
  draw_scroll_mark(grid, room, seen.from, seen.to - seen.from, seen.all);
}

Screen draw(const Model& m) {
  Screen screen{Grid{m.size}, {}};
  const Layout layout = layout_of(m);
  if (layout.too_small) {
    draw_too_small(screen.grid);
    return screen;
  }
  if (!layout.head.is_empty()) draw_head(screen.grid, m, layout.head);
  draw_runs(screen.grid, m, layout);
  draw_steps(screen.grid, m, layout);
  draw_reader(screen.grid, m, layout);
  draw_foot(screen.grid, m, layout.foot);
  screen.cursor = draw_typing(screen.grid, m, layout);
  if (!layout.dialog.is_empty()) screen.cursor = draw_dialog(screen.grid, m, layout);
  return screen;
}

}  // namespace baton::top
