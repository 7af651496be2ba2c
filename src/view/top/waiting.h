#pragma once

#include <string>
#include <vector>

#include "view/top/model.h"

namespace baton::top {

/// What the selected run wants a person's word on, and so what `accept` and `reject` mean for it.
struct Waiting {
  enum class Kind : std::uint8_t {
    unknown,   ///< the run is not read yet
    nothing,   ///< it waits for nobody
    change,    ///< a chain's work is done: taken, revised or thrown away
    conflict,  ///< a chain stopped at a merge: tried again, or the run given up with its work
    gate,      ///< steps that have to be approved before they begin
  };
  Kind kind = Kind::unknown;
  std::vector<std::string> steps = {};  ///< that wait; just the selected one where its pane has the focus
  std::string step = {};                ///< the one that is answered; empty: all
  std::string question = {};            ///< of the first
};
Waiting waiting_of(const Model& m);

}  // namespace baton::top
