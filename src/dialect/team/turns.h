#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/run.h"
#include "dialect/team/team.h"

namespace baton::team {

/// Somebody who is not ours was at work on a task when the run began.
struct Claim {
  std::string task;
  std::optional<int> pid = {};
  std::optional<Time> since = {};

  bool operator==(const Claim&) const = default;
};

/// Claims on record whose tasks nobody else has begun.
std::vector<Claim> open_claims(const Run& run);

/// How long a claim of somebody whose process is not known is respected.
constexpr Millis claim_lasts{300'000};

/// As a run's record keeps them.
std::string to_json(const std::vector<Claim>& claims);
std::vector<Claim> claims_from_json(std::string_view text);

/// What is true of a task in the world, when its turn comes.
struct TurnFacts {
  Time now{};
  bool role_is_there = true;                    ///< its role's file
  std::vector<std::string> unknown_needs = {};  ///< ids that are no task
  bool declares = false;                        ///< it has declared artifacts
  bool artifacts_exist = false;                 ///< all of them
  const Claim* claim = nullptr;                 ///< of somebody who is not ours
  bool claimer_lives = false;
};

/// What a task's turn comes to.
struct TurnWord {
  enum class Kind : std::uint8_t {
    go,     ///< a worker is started
    done,   ///< it was done: by the worker of its inner loop, or by whoever had claimed it
    hold,   ///< not now
    block,  ///< never
    ask,    ///< a person has to see to it, and the run stops
  };
  Kind kind = Kind::go;
  std::string code = {};
  std::string reason = {};
  std::vector<std::string> also = {};   ///< go: further tasks of the worker's inner loop
  std::optional<Time> look_again = {};  ///< hold: when to ask anew, where nothing else would
  std::optional<StepIndex> lead = {};   ///< done: the step whose worker did it
};

/// Which tasks have an inner loop; by the run's own steps, so that it holds for tasks that were added since.
using LoopTask = std::function<bool(const std::string& task)>;

/// Decides what the turn of `step` comes to. `begun`: roles whose loop has begun in this very round of turns and shows
/// in no state yet.
TurnWord decide_turn(const Run& run, StepIndex step, const LoopTask& has_loop, const std::set<std::string>& begun,
                     const TurnFacts& facts);

/// The further tasks that the worker of `step` sees to: those of its role with an inner loop that wait for nothing but
/// what is done or in the loop itself, in the order of the plan.
std::vector<std::string> loop_of(const Run& run, StepIndex step, const LoopTask& has_loop);

}  // namespace baton::team
