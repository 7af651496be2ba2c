#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plan/expression.h"
#include "plan/plan.h"

namespace baton {

/// The how-manieth turn of a step with a flow this is.
struct Turn {
  int round = 1;       ///< of a composite: 1 when its needs are met, then each time its body has ended
  int generation = 1;  ///< how often its body was begun from the first round; counts up when it is run again
  std::vector<std::string> made = {};  ///< ids of the steps made in this generation so far, in order
};

enum class TurnVerdict : std::uint8_t { go, skip, done, fail, ask, block };

/// What a step's turn came to.
struct TurnResult {
  TurnVerdict verdict = TurnVerdict::go;
  std::string reason = {};                     ///< skip: the condition; fail, block: what went wrong
  std::string code = {};                       ///< fail, block: its error code
  std::shared_ptr<const Work> work = nullptr;  ///< go, not composite: the work with all values filled in
  std::vector<Step> made = {};                 ///< go, composite: steps to be added; needs count from the first of them
  std::optional<std::string> output = {};      ///< done, composite: what is to be written to its output, if anything
  std::string question = {};                   ///< go, of a gate: what a person is asked, with all values filled in
};

/// Decides what a step does now that its turn has come. Pure: the values are looked up by whoever calls.
///
/// - `when` is looked at in the first round only; false: skip.
/// - A plain step: go, with its work filled in.
/// - `for_each`: round 1 makes one copy of the body for each item (`ID:1`, `ID:2`, …; in a later generation
///   `ID:r2:1`); of a sub-workflow's body, whose steps are called `ID:CHILD`, it makes `ID:1:CHILD`. No items: done at
///   once. Round 2: done; the output is a JSON array of the items' outputs (of the final step of each copy, see
///   final_step()), null for one that has none.
/// - `loop`: each round makes one copy of the body; from the second on `until` is looked at first: true: done; false
///   after `loop_max` rounds: fail, `loop-exhausted`. Without `until` it is done after `loop_max` rounds. Where every
///   round has an output of its own, the last one's is the composite's.
TurnResult take_turn(const Step& step, const Turn& turn, const Values& values);

}  // namespace baton
