#include "engine/comparisons.h"

namespace baton {
namespace {

/// Others write its output: a workflow's steps, or those of a round.
bool has_output_of_others(const Step& step) {
  return step.work->is_nothing() || (step.flow != nullptr && step.flow->is_composite());
}

void append(const std::vector<Check>& more, std::vector<Check>& checks) {
  checks.insert(checks.end(), more.begin(), more.end());
}

}  // namespace

// Bodies nest no deeper than workflows do.
void Comparisons::add(const Run& run, const Step& step) {
  for (const std::string& id : compared_steps(step.work->checks)) {
    const std::vector<Check> asked = checks_by_comparison(step.work->checks, id);
    append(asked, asked_[id]);
    const auto other = run.find(id);
    if (other && has_output_of_others(run.step(*other))) append(asked, asked_[run.step(*other).work->output]);
  }
  if (step.flow == nullptr) return;
  for (const Step& inner : step.flow->body) add(run, inner);
}

std::vector<Check> Comparisons::with(const Run& run, const Step& step) {
  for (; seen_ < run.step_count(); ++seen_) add(run, run.step(step_index(seen_)));
  std::vector<Check> all;
  for (const std::string* key : {&step.id, &step.work->output}) {
    if (const auto asked = asked_.find(*key); asked != asked_.end()) append(asked->second, all);
  }
  return all;
}

}  // namespace baton
