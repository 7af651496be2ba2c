#include "cli/chain_run.h"

#include <algorithm>
#include <utility>

namespace baton::cli {
namespace {

DialectRun::Extension as_event(const Run& run, StepIndex by, chain::Extension extension) {
  DialectRun::Extension out;
  for (std::string& warning : extension.warnings) {
    out.notes.push_back({"chain-note", std::move(warning), {}, {}, Severity::warning});
  }
  out.plan = {by, step_index(run.step_count()), std::move(extension.steps), extension.replaces_rest,
              std::move(extension.joins)};
  out.plan.workflow = std::move(extension.workflow);
  return out;
}

}  // namespace

DialectRun::Briefing ChainRun::brief(const Run& run, StepIndex step, int /*attempt*/) {
  return {.skill = told_.find(run.step(step).work->skill)};
}

DialectRun::Judgement ChainRun::judge(const Run& run, const Finished& attempt) {
  Judgement judgement;
  if (!attempt.answer) return judgement;
  judgement.results = chains_.check(run, attempt.step, *attempt.answer);
  const bool extends = run.step(attempt.step).work->extends != Extends::nothing;
  if (extends && attempt.passed && all_passed(judgement.results)) {
    judgement.extension = as_event(run, attempt.step, chains_.extend(run, attempt.step, *attempt.answer));
  }
  return judgement;
}

std::optional<DialectRun::Extension> ChainRun::resolve(const Run& run, StepIndex waiting, const Conflict& conflict) {
  // Each merge may stop once; one that is tried and stands still is not for another agent.
  const bool tried = std::ranges::any_of(run.extensions(), [&](const auto& by_and_first) {
    const auto& [by, first] = by_and_first;
    return by == waiting && chain::resolves_merge_with(run, first, conflict.with);
  });
  if (tried) return std::nullopt;
  return as_event(run, waiting, chains_.resolve(run, waiting, conflict.files, conflict.with));
}

}  // namespace baton::cli
