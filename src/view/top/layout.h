#pragma once

#include <array>
#include <optional>

#include "view/top/model.h"

namespace baton::top {

/// Where things stand on the screen. What is not seen has an empty place.
struct Layout {
  bool too_small = false;
  Rect head, foot;
  std::array<Rect, panes> pane{};
  Rect dialog;

  [[nodiscard]] const Rect& of(Pane p) const { return pane.at(at(p)); }
};
Layout layout_of(const Model& m);

/// The lines above the tree that tell of the run as a whole.
int steps_head_rows(const Model& m, const Rect& pane);
/// Rows that a run takes in the list: two where there is room for them and one does not tell everything.
int rows_per_run(const Model& m, const Rect& room);
/// The room for rows inside the pane.
Rect room_of(const Model& m, Pane p, const Layout& layout);

/// The tabs of the panes that are to be read, as columns of that pane's upper edge; where they have no room, the one
/// that is seen.
struct Tab {
  Pane pane{};
  int x = 0, width = 0;
};
std::vector<Tab> tabs_of(const Rect& pane, Pane here);

/// What is under the mouse.
struct Hit {
  std::optional<Pane> pane;
  std::optional<int> row;  ///< of the pane's room, from 0
  std::optional<Pane> tab;
  bool in_dialog = false;
};
Hit hit(const Model& m, Point p);

}  // namespace baton::top
