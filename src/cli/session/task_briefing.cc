#include "cli/session/task_briefing.h"

#include <fmt/core.h>

#include "core/facts.h"
#include "dialect/session/briefing.h"
#include "dialect/session/context_package.h"
#include "dialect/session/session_plan.h"
#include "engine/real_files.h"

namespace baton::cli {
namespace {

std::vector<session::DependencySummary> summaries_of(const SessionFiles& files, const session::TodoList& list,
                                                     const session::Needs& needs) {
  std::vector<session::DependencySummary> summaries;
  for (const std::size_t need : needs.known) {
    const session::TodoTask& task = list.tasks[need];
    session::DependencySummary summary{task.id, task.title, {}, {}};
    const std::string path = session::summary_path(files.folder(), task.id);
    if (auto text = files.project_text(path)) {
      summary.path = path;
      summary.text = std::move(*text);
    }
    summaries.push_back(std::move(summary));
  }
  return summaries;
}

/// The artifacts that a task only promises are in the session's package of context.
std::vector<session::Artifact> artifacts_of(const SessionFiles& files, const session::Task& task) {
  std::string path = task.context_package_path;
  if (path.empty() || path.find("{{") != std::string::npos) path = files.path(".process/context-package.json");
  const auto package = files.project_text(path);
  return session::resolved(task.artifacts,
                           package ? session::artifacts_of_package(*package) : std::vector<session::Artifact>{});
}

/// Why the attempt before this one was not the last.
std::string what_failed(const Run& run, StepIndex step, int attempt) {
  const Attempt* before = run.attempt(step, attempt - 1);
  if (before == nullptr || !before->detail || !before->detail->failure) return {};
  const Failure& failure = *before->detail->failure;
  return fmt::format(
      "Attempt {} at this task failed: {} ({}). See what it left behind before you go on, and do not make the same "
      "mistake again.\n\n",
      before->n, failure.message, failure.code);
}

}  // namespace

std::string task_briefing(const SessionFiles& files, const session::PlanDoc& plan, const session::TodoList& list,
                          const session::TaskIndex& index, const Run& run, StepIndex step, int attempt) {
  const std::string& id = run.step(step).id;
  session::TaskRead read = files.task(id);
  if (!read.task) {
    // It was there when its turn came. Whoever broke it since will be told by the task's agent.
    const std::string why = read.faults.empty() ? std::string{} : session::on_one_line(read.faults.front());
    return fmt::format("Carry out the task {}. Its file cannot be read any more: {}. Say so, and stop.", id, why);
  }
  session::ContextPackage package;
  package.plan = plan;
  package.session = option_of(run, "session");
  package.folder = files.folder();
  package.dependencies = summaries_of(files, list, session::needs_of(*read.task, list.tasks[at(step)], index));
  package.task = std::move(*read.task);
  package.task.artifacts = artifacts_of(files, package.task);
  const std::string folder = option_of(run, "folder");
  if (auto flow = kept_flow(folder, id)) package.prepared = std::move(flow->outcomes);
  package.variables = session::variables_after(package.task, plan, package.prepared);
  const auto text = files.project_text(session::task_path(files.folder(), id));
  // For people and tools that know the form; nobody waits for it.
  (void)RealFiles{}.write(kept_path(folder, id, "context.json"), session::context_json(package, text.value_or("{}")));
  return what_failed(run, step, attempt) + session::briefing(package);
}

}  // namespace baton::cli
