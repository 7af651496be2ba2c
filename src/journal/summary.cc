#include "core/facts.h"
#include "journal/journal.h"

namespace baton {
RunSummary summarise(const std::string& id, const Run& run) {
  RunSummary s;
  s.id = id;
  s.workflow = run.workflow();
  s.dialect = run.plan().dialect;
  s.state = run.state();
  s.task = option_of(run, "task");
  s.error = error_of(run);
  s.done = run.count(StepState::completed);
  s.total = run.step_total();
  s.created = run.created();
  s.started = run.started();
  s.finished = run.finished();
  s.updated = run.last_event();
  s.cost = run.cost();
  s.known = run.known_cost();
  s.tokens = run.tokens();
  s.folder = option_of(run, "folder");
  s.sandbox = option_of(run, "sandbox");
  return s;
}

}  // namespace baton
