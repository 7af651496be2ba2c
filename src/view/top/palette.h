#pragma once

#include "core/states.h"
#include "view/grid.h"

/// The colours of the dashboard: few, and of the sixteen that every theme sets to be read. What has a ground of its own
/// says its ink too, of the colours that no theme changes: so it is read on light and on dark.
namespace baton::top::palette {

constexpr Style quiet{-1, -1, Style::dim};
constexpr Style strong{-1, -1, Style::bold};
constexpr Style good{2};
constexpr Style bad{1};
constexpr Style active{6};
constexpr Style warning{3};
constexpr Style accent{5};
constexpr Style key{6, -1, Style::bold};
constexpr Style found{0, 3};
constexpr Style cursor{0, 6};
constexpr Style selected{15, 24, Style::bold};
constexpr Style chosen{15, 238};  ///< selected, in a pane without the focus
constexpr Style frame{-1, -1, Style::dim};
constexpr Style frame_focused{6};
constexpr Style bar{15, 236};

constexpr Style of(RunState s) {
  switch (s) {
    case RunState::running:
      return active;
    case RunState::completed:
    case RunState::accepted:
      return good;
    case RunState::failed:
      return bad;
    case RunState::paused:
    case RunState::parked:
    case RunState::reviewing:
      return warning;
    case RunState::queued:
    case RunState::cancelled:
    case RunState::rejected:
      return quiet;
  }
  return {};
}

constexpr Style of(StepState s) {
  switch (s) {
    case StepState::running:
    case StepState::checking:
      return active;
    case StepState::completed:
      return good;
    case StepState::failed:
    case StepState::blocked:
      return bad;
    case StepState::waiting:
      return warning;
    case StepState::pending:
    case StepState::ready:
    case StepState::skipped:
    case StepState::cancelled:
      return quiet;
  }
  return {};
}

}  // namespace baton::top::palette
