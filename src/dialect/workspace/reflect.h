#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/run.h"
#include "dialect/workspace/mark.h"
#include "dialect/workspace/review.h"
#include "dialect/workspace/task.h"

namespace baton::workspace {

/// How a task should stand in its file.
struct Standing {
  TaskStatus status = TaskStatus::in_progress;
  Time at{};
};

/// What a review's answer came to; nothing if it is not known.
using VerdictOf = std::function<std::optional<Verdict>(StepIndex review)>;

/// How the task stands by the last step that works on it; nothing: the run has not taken it in hand. A failure or a
/// cancellation shows only when the run has ended so: until then it may be tried again, and the task is the run's.
std::optional<Standing> standing_of(const Run& run, StepIndex last_step, const VerdictOf& verdict_of);

/// The last step of the run that works on the task; nothing if there is none.
std::optional<StepIndex> last_step_of(const Run& run, std::string_view task);

/// The tasks that a run works on, each once, with the last step that does.
std::vector<std::pair<std::string, StepIndex>> tasks_of(const Run& run);

/// The tasks whose work a review, or a person's look, is about: reviews that stand between are looked through.
std::vector<std::string> reviewed_tasks(const Run& run, StepIndex review);

/// What a person said when he was asked to look at the work; nothing if the step is no gate, or he has not said.
std::optional<Verdict> answer_of_gate(const Run& run, StepIndex gate);

/// The code of a turn that is put off because of the budget; `budget-exhausted` is one that nothing gets past.
constexpr const char* budget_deferred_code = "budget-deferred";

}  // namespace baton::workspace
