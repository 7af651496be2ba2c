#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace baton::workspace {

// The names that a workspace gives its things. Time and chance are the caller's. -------------------------------------

/// `<skill>-<YYYYMMDD>-<6 hex>`; of `chance` the lowest 24 bits are used.
std::string new_task_id(std::string_view skill, Time now, std::uint64_t chance);
/// `run-<pipeline>-<milliseconds>`
std::string pipeline_run_id(std::string_view pipeline, Time now);
/// `review-<task>-<n>`
std::string review_id(std::string_view task, int n);
/// `reviews/<task>-review.md` for 0, else `reviews/<task>-review-<n>.md`.
std::string review_path(std::string_view task, int n);

/// A pipeline's id: its name in lower case, each run of blanks one `-`.
std::string pipeline_id(std::string_view name);

/// `tasks/<id>.md`
std::string task_path(std::string_view id);

}  // namespace baton::workspace
