#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/run.h"
#include "dialect/team/team.h"

namespace baton::team {

/// What a worker may say of a task.
inline constexpr std::string_view report_kinds[] = {"complete", "progress",       "error",
                                                    "blocker",  "capability_gap", "consensus_blocked"};
bool is_report_kind(std::string_view kind);
/// HIGH, MEDIUM or LOW, however written.
bool is_severity(std::string_view word);

/// The id of a report that names none: the same words of the same attempt are the same report.
std::string report_id(std::string_view task, int attempt, std::string_view kind, std::string_view text,
                      std::string_view data);

enum class Divergence : std::uint8_t { low, medium, high };

/// How far apart those are who looked at an artifact.
struct Consensus {
  Divergence divergence = Divergence::high;
  std::vector<std::string> divergences;
  std::vector<std::string> actions;
  std::string recommendation;
};
/// From the report's data, else from its words (`severity=HIGH`). One that names no severity is HIGH: nobody may pass
/// over it.
Consensus consensus_of(const event::WorkerReported& report);

/// Something that nobody in the team was made for.
struct Gap {
  std::string description;
  std::string role;       ///< who asks
  std::string suggested;  ///< what it takes
};
Gap gap_of(const event::WorkerReported& report);

/// A role that covers the gap, other than the one that asks; nullptr if none does. Roles are never made.
const Role* covering_role(const Gap& gap, const Team& team);

/// `X-R1` of `X`.
/// The task whose second HIGH a paused run waits for a person's word on; nullopt if it is not paused for that.
std::optional<std::string> disputed_task(const Run& run);

std::string revision_id(std::string_view task);
bool is_revision(std::string_view task);
/// The task that a revision is of; itself if it is none.
std::string_view original_of(std::string_view task);

/// What comes of an attempt that ended well, by what its worker said.
struct Judgement {
  std::vector<CheckResult> results;                  ///< empty if there is nothing to be said against it
  std::optional<event::PlanExtended> revision = {};  ///< on record before the task is completed
  std::string pause = {};                            ///< why the run has to stop for a person; empty: it does not
};

/// `task`: the step it is about; `attempt`: its own, or of the step that leads its inner loop. `missing`: declared
/// artifacts that are not there.
Judgement judge(const Run& run, StepIndex task, int attempt, const std::vector<std::string>& missing);

/// What was said of a task and is for those that need it: MEDIUM and LOW divergences, as lines.
std::vector<std::string> caveats_of(const Run& run, StepIndex task);

/// The lines that a MEDIUM divergence adds to wisdom/issues.md; each ends with a mark, so that it is there once.
struct WisdomNote {
  std::string mark;
  std::string text;
};
std::vector<WisdomNote> wisdom_notes(const Run& run);

}  // namespace baton::team
