#include "view/top/waiting.h"

#include <algorithm>

#include "core/facts.h"

namespace baton::top {

Waiting waiting_of(const Model& m) {
  using Kind = Waiting::Kind;
  Waiting out;
  if (!m.run || m.run_id != m.selected) return out;
  const Run& run = *m.run;
  const bool is_chain = run.plan().dialect == "chain";
  out.kind = Kind::nothing;
  if (is_chain && (run.awaits_review() || run.state() == RunState::completed)) out.kind = Kind::change;
  const auto add = [&](StepIndex i) {
    out.kind = is_chain ? Kind::conflict : Kind::gate;
    if (out.steps.empty()) out.question = question_of(run, i);
    out.steps.push_back(run.step(i).id);
  };
  const auto waits = [&](StepIndex i) { return run.of(i).state.is_at_gate(); };
  if (const auto chosen = run.find(m.step); chosen && m.focus != Pane::runs && waits(*chosen)) {
    add(*chosen);
    out.step = m.step;
    return out;
  }
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    if (waits(step_index(n))) add(step_index(n));
  }
  return out;
}

}  // namespace baton::top
