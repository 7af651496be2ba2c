#pragma once

#include <optional>

#include "view/grid.h"
#include "view/top/layout.h"
#include "view/top/model.h"

namespace baton::top {

/// The screen as it is to be, and where the cursor stands if somebody types.
struct Screen {
  Grid grid;
  std::optional<Point> cursor;
};
Screen draw(const Model& m);

// --- Its parts --------------------------------------------------------------------------------------------------

void draw_runs(Grid& grid, const Model& m, const Layout& layout);
void draw_steps(Grid& grid, const Model& m, const Layout& layout);
void draw_reader(Grid& grid, const Model& m, const Layout& layout);
std::optional<Point> draw_dialog(Grid& grid, const Model& m, const Layout& layout);
/// Where a filter or search is typed, at the foot of its pane.
std::optional<Point> draw_typing(Grid& grid, const Model& m, const Layout& layout);

std::string_view spinner(unsigned tick);
/// In the right edge of a pane: which part of all there is can be seen, where it is not everything.
void draw_scroll_mark(Grid& grid, const Rect& room, std::size_t first, std::size_t seen, std::size_t count);
/// A word and what its key is, as they stand in hints.
struct Hint {
  std::string_view key, what;
  bool fits = true;  ///< it makes sense now
};
/// As many of the hints as fit; answers the columns taken.
int draw_hints(Grid& grid, Rect where, const std::vector<Hint>& hints);
/// The same in the lower edge of a frame.
void draw_edge_hints(Grid& grid, const Rect& frame, const std::vector<Hint>& hints);
/// The key of the action whose hint stands there, in the last line.
std::optional<char> action_at(const Model& m, Point p);
std::string short_money(const std::optional<Cost>& cost);
/// Where it is not known, the part that is: "≥$0.42"
std::string short_money(const std::optional<Cost>& cost, Cost known);
std::string short_time(Millis time);

}  // namespace baton::top
