#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/run.h"

namespace baton {

/// The step's state as people are told it: an attempt that was admitted ahead and waits for a slot is `ready`,
/// one that waits for the step it needs is `pending`; one whose time was up and that a person has to decide about has
/// `failed`.
StepState shown_state(const Run& run, StepIndex step);

/// The step's attempts as people are told them: not one that may never be, since what it waits for may end badly.
std::span<const Attempt> shown_attempts(const Run& run, StepIndex step);

/// What an attempt has used, as far as anybody knows: a part that nobody told is not there, and never 0.
struct KnownUsage {
  std::optional<Tokens> tokens;
  std::optional<Cost> cost;
};
KnownUsage known_usage(const Run& run, const Attempt& attempt);

/// The model that answered an attempt; where nobody told, the one that was asked for; empty for a runtime's own.
const std::string& model_of(const Run& run, const Attempt& attempt);

/// A value of the run's recorded options; empty if it was not set.
std::string option_of(const Run& run, const std::string& key);

/// Where a step's answer is kept, in the run's folder.
std::string answer_file(const std::string& step);

/// Why the run is not well: the first failed step in plan order, or what it was paused for.
std::optional<Failure> error_of(const Run& run);

/// Why a step is as it is, also where it did not bring that about itself: "it needs 'build', which failed".
std::optional<Failure> error_of(const Run& run, StepIndex step);

/// What has to be said of a step that is completed all the same: its answer was cut off.
std::optional<Failure> warning_of(const Run& run, StepIndex step);

/// What a parked run waits for.
std::string why_parked(const Run& run);

/// Why a step was skipped without anything having failed: the condition that did not hold; else empty.
std::string why_skipped(const Run& run, StepIndex step);

/// What a person is asked at this gate, with its values filled in once its turn has come.
std::string question_of(const Run& run, StepIndex step);

}  // namespace baton
