#pragma once

#include <optional>

#include "cli/verbs.h"
#include "core/event.h"

namespace baton::cli {

/// A recorded option whose key begins so is a `--set` of the command line that made the run.
constexpr std::string_view set_prefix = "set.";

/// What --set said when the run was made, as KEY=VALUE.
std::vector<std::string> recorded_sets(const RunSettings& settings);

/// A new run's terms: from the configuration, then from the flags. Faults: bad-number, bad-duration.
RunSettings first_settings(const Config& config, const RunOptions& options, std::uint64_t seed, Faults& faults);

/// The same terms with what was given anew; nullopt if nothing was.
/// (--set on this command line counts; the files' settings held when the run was made.)
std::optional<RunSettings> changed_settings(const RunSettings& before, const Config& config, const RunOptions& anew,
                                            Faults& faults);

/// A small file that an option names, or standard input for `-`. `code`: of the fault if it is not there.
Expected<std::string> read_whole(const std::string& path, const char* code);

/// --rehearse and its script, recorded with the run. Faults: no-rehearsal-script and those of the script.
void add_rehearsal(const RunOptions& options, const Plan& plan, RunSettings& settings, Faults& faults);

}  // namespace baton::cli
