#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/context.h"
#include "core/event.h"
#include "core/run.h"
#include "dialect/markdown/reader.h"
#include "dialect/markdown/sandbox_state.h"

namespace baton::cli {

/// Letters, digits, '.', '_' and '-', not '.' first and no '..': nothing that could lead out of the folder of
/// sandboxes.
bool is_sandbox_id(std::string_view id);

/// The sandbox is there and beneath the project. Faults: bad-sandbox-id, sandbox-not-found.
Status find_sandbox(const Project& project, const std::string& id);

/// The newest run that works in this sandbox, if the journal knows one.
Expected<std::optional<std::string>> newest_run_in(const Project& project, const std::string& sandbox);

/// Its `validation.json`; nullopt if there is none. Faults: bad-validation-file and those of reading.
Expected<std::optional<SandboxRecord>> record_of(const Project& project, const std::string& sandbox);

/// Brings `validation.json` up to the run that is about to begin. Loud: nothing has been started yet.
Status write_first_record(const Project& project, const std::string& run, const event::RunCreated& created, Time now);

/// Where an input is in the sandbox, relative to the project root; nullopt if it is not there.
std::optional<std::string> input_in(const Project& project, const std::string& sandbox, const std::string& name);

/// The inputs that are in the sandbox already, by name.
std::map<std::string, std::string> inputs_in(const Project& project, const std::string& sandbox);

/// Steps that need not run: validated by record, their outputs there and passing, and all they need is so too.
std::vector<event::FoundStep> steps_found(const Project& project, const Plan& plan, const std::string& sandbox,
                                          const SandboxRecord& record);

/// What became of the outputs of completed steps since they were checked: gone ones, and those that a person called not
/// validated, are asked for again, different ones are checked again.
std::vector<EventBody> changed_outputs(const Project& project, const std::string& id, const Run& run);

/// Of those, the outputs that are gone or fail their checks: a run that is to go on makes them anew.
std::vector<EventBody> spoilt_outputs(const Project& project, const std::string& id, const Run& run);

/// Of those only the lists of items' and rounds' outputs: what they hold is known, so they are put together once more.
std::vector<EventBody> changed_lists(const Project& project, const Run& run);

/// The folder of a run's prompts and logs.
Status make_run_folders(const Project& project, const std::string& run);

/// True if both say the same work, whatever the limits around it were.
bool is_same_work(const Plan& recorded, const Plan& now, bool some_left_out);

}  // namespace baton::cli
