#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fault.h"
#include "base/time.h"
#include "core/run.h"
#include "plan/plan.h"

namespace baton {

/// What a sandbox's `validation.json` says, in whichever of its shapes: with or without `status`, `version` being the
/// workflow's or the file's own, outputs as templates, as paths from the project or from the sandbox.
struct SandboxRecord {
  struct Entry {
    std::string output;  ///< relative to the sandbox; empty if it does not say
    bool validated = false;
    bool denied = false;  ///< it says that it is not, in so many words
    bool dated = false;   ///< it says since when
  };
  std::string workflow;  ///< empty if it does not say
  std::string status;    ///< the same
  std::string run;       ///< the same
  std::map<std::string, Entry> steps;
};

/// REQUIRES nothing of its input: what is no JSON object is a fault `bad-validation-file` that names `file`.
Expected<SandboxRecord> read_sandbox_record(std::string_view text, const std::string& sandbox, const std::string& file);

/// What `validation.json` has to say of a run.
struct SandboxState {
  struct Entry {
    std::string step;
    std::string output;             ///< relative to the sandbox
    std::optional<Time> validated;  ///< since when it counts; nullopt: it does not
  };
  std::string sandbox;  ///< its id
  std::string run;
  std::string workflow;
  std::string version;  ///< the workflow's; may be empty
  std::string status;   ///< pending, in_progress, completed, failed
  std::string final_step;
  Time created{};
  std::vector<Entry> steps;  ///< those that have an output; what was made of them as it went on comes last
};

/// REQUIRES: the run's option `sandbox` is set.
SandboxState sandbox_state(const std::string& run_id, const Run& run);

/// Of a run that is about to be created. `found` are steps that count as completed from the start.
SandboxState sandbox_state(const std::string& run_id, const event::RunCreated& created, Time at);

/// Completed steps that a person has called not validated in the record: they are to run again. What Baton writes of a
/// step that is not validated has no date, so an entry with one was changed by hand; one without may only be late,
/// unless the record is of the run's end.
std::vector<StepIndex> denied_by_hand(const SandboxRecord& record, const std::string& run_id, const Run& run);

/// The new text of `validation.json`: what stood there, with its order and everything we do not know, brought up to
/// `state`. What says the same already comes back byte for byte. Fault: bad-validation-file, where what stands there
/// cannot be read; it is not ours to throw away then.
Expected<std::string> reflect(const std::optional<std::string>& existing, const SandboxState& state,
                              const std::string& file);

}  // namespace baton
