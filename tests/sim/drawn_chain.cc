#include "sim/drawn_chain.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/hash.h"
#include "base/text.h"
#include "core/facts.h"
#include "dialect/chain/workflows.h"

namespace baton::test {
namespace {

const chain::Workflows& workflows() {
  static const chain::Workflows all = {
      {"auto", {"route"}},
      {"build", {"build"}},
      {"plan-build", {"spec", "build", "review"}},
      {"sdlc", {"spec", "decompose", "build", "review", "document"}},
      {"parts", {"decompose", "build"}},
      {"twice", {"decompose", "build", "decompose", "build", "review"}},
      {"late", {"spec", "route", "build"}},
      {"broken", {"build", "lost"}},
  };
  return all;
}

/// The same step has the same terms in every simulation of the seed.
Draws draws_for(std::uint64_t seed, const std::string& step) { return Draws{hash64(step, seed ^ 0xA6E7)}; }

std::string runtime_for(Draws& draws, const Mix& mix) {
  const bool inner = draws.below(100) < static_cast<std::size_t>(mix.inner_percent);
  return inner ? "inner" : "agent";
}

Policy agent_policy(Draws& draws, const Mix& mix) {
  Policy policy = draw_policy(draws, mix);
  policy.check_retries = static_cast<std::int32_t>(draws.below(3));
  policy.limit_retries = static_cast<std::int32_t>(draws.below(4));
  return policy;
}

/// What the configuration would say of them.
void apply_terms(std::vector<Step>& steps, const Mix& mix, std::uint64_t seed) {
  for (Step& step : steps) {
    if (step.work->is_nothing() || !step.work->runtime.empty()) continue;
    Draws draws = draws_for(seed, step.id);
    Work work = *step.work;
    work.runtime = runtime_for(draws, mix);
    step.work = std::make_shared<const Work>(std::move(work));
    const std::int32_t check_retries = step.policy.check_retries;
    step.policy = agent_policy(draws, mix);
    step.policy.check_retries = std::max(step.policy.check_retries, check_retries);
  }
}

chain::Library library_of(bool has_trees) {
  chain::Library library;
  library.workflows = workflows();
  library.terms.has_trees = has_trees;
  library.has_skill = [](const std::string& skill) { return skill != "lost"; };
  return library;
}

bool has_trees(const Run& run) { return !option_of(run, "worktree").empty() || !option_of(run, "rehearse").empty(); }

/// A step of a drawn plan that answers, in a tree of its own if there are any.
Step answering_step(Draws& draws, const Mix& mix, const std::string& id, std::vector<StepIndex> needs,
                    bool may_extend) {
  Step step{.id = id, .needs = std::move(needs), .policy = agent_policy(draws, mix)};
  Work work;
  work.mission = "Answer.";
  work.output_format = OutputFormat::text;
  work.answers = true;
  work.runtime = runtime_for(draws, mix);
  if (may_extend && draws.chance(0.4)) work.extends = draws.chance(0.5) ? Extends::route : Extends::decompose;
  if (mix.trees && draws.chance(0.7)) {
    work.tree = id;
    step.flow = std::make_shared<const Flow>(Flow{.tree = true});
  }
  work.reviews = draws.chance(0.1);
  step.work = std::make_shared<const Work>(std::move(work));
  return step;
}

/// Some steps after `by`; they take the place of the rest, or those that wait for `by` wait for them too.
chain::Extension drawn_extension(const Run& run, StepIndex by, const Mix& mix) {
  Draws draws = draws_for(run.settings().seed, fmt::format("{}+{}", run.step(by).id, run.next_attempt(by)));
  chain::Extension extension;
  const std::size_t first = run.step_count();
  const std::size_t added = first > 60 ? 0 : draws.below(4);
  for (std::size_t n = 0; n < added; ++n) {
    std::vector<StepIndex> needs{by};
    if (n > 0 && draws.chance(0.5)) needs.push_back(step_index(first + n - 1));
    extension.steps.push_back(
        answering_step(draws, mix, fmt::format("s{}", first + n), std::move(needs), draws.chance(0.2)));
  }
  extension.replaces_rest = added > 0 && draws.chance(0.3);
  if (extension.replaces_rest || added == 0 || draws.chance(0.3)) return extension;
  for (std::size_t n = 0; n < first; ++n) {
    const std::vector<StepIndex>& needs = run.step(step_index(n)).needs;
    if (run.of(step_index(n)).state != StepState::pending) continue;
    if (std::ranges::find(needs, by) != needs.end()) extension.joins.emplace_back(step_index(n), step_index(first));
  }
  return extension;
}

std::string drawn_sub_tasks(Draws& draws) {
  const std::size_t count = draws.below(4);
  std::vector<std::string> tasks;
  for (std::size_t n = 0; n < count; ++n) {
    std::string needs;
    if (n > 0 && draws.chance(0.5)) needs = fmt::format(R"("part {}")", draws.below(n));
    tasks.push_back(fmt::format(R"({{"name":"part {}","description":"d","depends_on":[{}]}})", n, needs));
  }
  return "[" + join(tasks, ",") + "]";
}

DialectRun::Extension as_event(const Run& run, StepIndex by, chain::Extension extension) {
  DialectRun::Extension out{{by, step_index(run.step_count()), std::move(extension.steps), extension.replaces_rest,
                             std::move(extension.joins)}};
  out.plan.workflow = std::move(extension.workflow);
  return out;
}

}  // namespace

Plan draw_chain(Draws& draws, const Mix& mix) {
  std::vector<std::string> names;
  for (const auto& [name, skills] : workflows()) {
    if (name != "broken") names.push_back(name);
  }
  const std::string workflow = draws.one_of(names);
  const chain::Library library = library_of(mix.trees);
  Plan plan = chain::make_plan(workflow, workflows().at(workflow), library.workflows, library.terms).plan;
  apply_terms(plan.steps, mix, draws.next());
  return plan;
}

Plan draw_answering_plan(Draws& draws, const Mix& mix) {
  Plan plan;
  plan.workflow = "answering";
  plan.dialect = "markdown";
  const std::size_t steps = 2 + draws.below(8);
  for (std::size_t n = 0; n < steps; ++n) {
    std::vector<StepIndex> needs;
    for (std::size_t tries = 0; n > 0 && tries < 3; ++tries) {
      const StepIndex need = step_index(draws.below(n));
      if (draws.chance(0.4) && std::ranges::find(needs, need) == needs.end()) needs.push_back(need);
    }
    const std::string id = fmt::format("s{}", n);
    plan.steps.push_back(draws.chance(0.8) ? answering_step(draws, mix, id, std::move(needs), true)
                                           : draw_step(draws, mix, id, std::move(needs)));
  }
  return plan;
}

std::string draw_answer(Draws& draws, const Mix& mix, const std::string& step) {
  const bool bad = mix.bad_outputs && draws.chance(0.2);
  if (step.starts_with("route")) {
    const std::vector<std::string> right{"build", "plan-build", "sdlc", "parts", "twice", "late"};
    const std::vector<std::string> wrong{"I do not know.", "broken", "auto", ""};
    return draws.one_of(bad ? wrong : right);
  }
  if (step.starts_with("decompose")) return bad ? "There are many." : drawn_sub_tasks(draws);
  return fmt::format("Did it, in {} ways.", draws.below(5));
}

DialectRun::Judgement DrawnChainRun::judge(const Run& run, const Finished& attempt) {
  Judgement judgement;
  if (!attempt.answer) return judgement;
  const bool is_chain = run.plan().dialect == "chain";
  const chain::Library library = library_of(has_trees(run));
  if (is_chain) judgement.results = chain::check_answer(run, attempt.step, *attempt.answer, library);
  const bool extends = run.step(attempt.step).work->extends != Extends::nothing;
  if (!extends || !attempt.passed || !all_passed(judgement.results)) return judgement;
  judgement.extension =
      as_event(run, attempt.step,
               is_chain ? with_terms(chain::extend_after(run, attempt.step, *attempt.answer, library), run)
                        : drawn_extension(run, attempt.step, mix_));
  return judgement;
}

std::optional<DialectRun::Extension> DrawnChainRun::resolve(const Run& run, StepIndex waiting,
                                                            const Conflict& conflict) {
  const bool tried = std::ranges::any_of(run.extensions(), [&](const auto& extension) {
    return extension.first == waiting && chain::resolves_merge_with(run, extension.second, conflict.with);
  });
  if (tried) return std::nullopt;
  const chain::Library library = library_of(has_trees(run));
  return as_event(run, waiting, with_terms(chain::resolve(run, waiting, conflict.files, conflict.with, library), run));
}

event::PlanExtended DrawnChainRun::revision(const Run& run, bool follows_up) const {
  const chain::Library library = library_of(has_trees(run));
  chain::Extension extension = with_terms(
      follows_up ? chain::follow_up(run, "more", library) : chain::revise(run, "make it blue", library), run);
  event::PlanExtended e{step_index(run.step_count() - 1), step_index(run.step_count()), std::move(extension.steps)};
  e.task = extension.task;
  return e;
}

chain::Extension DrawnChainRun::with_terms(chain::Extension extension, const Run& run) const {
  apply_terms(extension.steps, mix_, run.settings().seed);
  return extension;
}

}  // namespace baton::test
