#include "view/run_facts.h"

namespace baton {

std::optional<std::string> artifact_of(const Run& run, const RunPlaces& places) {
  const auto last = final_step(run.plan());
  if (!last || run.of(*last).state != StepState::completed) return std::nullopt;
  const std::string& output = run.step(*last).work->output;
  if (output.empty()) return std::nullopt;
  return places.root + "/" + output;
}

Millis duration_of(const Run& run, Time now) {
  if (run.started() == Time{}) return Millis{0};
  const Time end = run.finished() != Time{} ? run.finished() : now;
  return std::max(end - run.started(), Millis{0});
}

std::vector<std::string> steps_at_work(const Run& run) {
  std::vector<std::string> ids;
  if (run.count(StepState::running) + run.count(StepState::checking) == 0) return ids;
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    const StepState s = shown_state(run, step_index(n));
    if (s == StepState::running || s == StepState::checking) ids.push_back(run.step(step_index(n)).id);
  }
  return ids;
}

}  // namespace baton
