#include "core/run.h"
#include "journal/journal.h"

namespace baton {
namespace {

std::string option(const Run& run, const std::string& key) {
  const auto found = run.settings().options.find(key);
  return found == run.settings().options.end() ? std::string{} : found->second;
}

/// The first failure in plan order says why the run failed.
std::string first_error(const Run& run) {
  if (run.state() == RunState::paused) return run.pause_reason();
  if (run.state() != RunState::failed) return {};
  for (std::size_t i = 0; i < run.step_count(); ++i) {
    const StepRun& s = run.of(step_index(i));
    if (s.state != StepState::failed || s.attempts.empty() || !s.attempts.back().detail) continue;
    const auto& failure = s.attempts.back().detail->failure;
    return "step '" + run.step(step_index(i)).id + "' failed" + (failure ? ": " + failure->message : "");
  }
  return {};
}

}  // namespace

RunSummary summarise(const std::string& id, const Run& run) {
  RunSummary s;
  s.id = id;
  s.workflow = run.plan().workflow;
  s.dialect = run.plan().dialect;
  s.state = run.state();
  s.task = option(run, "task");
  s.error = first_error(run);
  s.done = run.count(StepState::completed);
  s.total = run.step_count();
  s.created = run.created();
  s.started = run.started();
  s.finished = run.finished();
  s.updated = run.last_event();
  s.cost = run.cost();
  s.tokens = run.tokens();
  s.folder = option(run, "folder");
  s.sandbox = option(run, "sandbox");
  return s;
}

}  // namespace baton
