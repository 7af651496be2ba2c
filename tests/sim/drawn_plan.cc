#include "sim/drawn_plan.h"

#include <fmt/core.h>

#include <algorithm>

#include "sim/drawn_chain.h"
#include "sim/fake_trees.h"

namespace baton::test {

Policy draw_policy(Draws& draws, const Mix& mix) {
  Policy policy;
  policy.retries = static_cast<std::int32_t>(draws.below(4));
  policy.on_unknown = static_cast<OnUnknown>(draws.below(3));
  if (draws.chance(0.4)) policy.timeout = Millis{draws.between(200, 20'000)};
  policy.retry_delay = draws.lasting(10, 2000);
  policy.stop_grace = Millis{draws.between(100, 5000)};
  if (mix.stalls && draws.chance(0.5)) policy.stall = Millis{draws.between(1000, 20'000)};
  if (mix.hurried) {
    policy.retries = 100;
    policy.retry_delay = Millis{1};
  }
  return policy;
}

namespace {

Work draw_work(Draws& draws, const Mix& mix, const std::string& output) {
  Work work;
  work.command = {"/bin/true"};
  if (draws.below(100) < static_cast<std::size_t>(mix.inner_percent)) work.runtime = "inner";
  work.output = output;
  if (!output.empty()) {
    work.checks.push_back({Check::Kind::required_field, "a", 0});
    for (std::size_t n = mix.command_checks && draws.chance(0.4) ? 1 + draws.below(2) : 0; n > 0; --n) {
      work.checks.push_back({.kind = Check::Kind::command, .argv = {"check"}});
    }
  }
  if (mix.budgets && draws.chance(0.1)) work.budget.tokens = draws.between(500, 5000);
  if (mix.budgets && draws.chance(0.1)) work.budget.turns = draws.between(3, 30);
  return work;
}

template <class T>
std::shared_ptr<const T> shared(T value) {
  return std::make_shared<const T>(std::move(value));
}

/// A condition on one of these outputs; mostly it holds.
std::string draw_condition(Draws& draws, const std::vector<std::string>& ids) {
  const std::string& id = draws.one_of(ids);
  if (draws.chance(0.2)) return fmt::format("steps.{}.state == 'completed'", id);
  return fmt::format("steps.{}.output.a {}", id, draws.one_of(std::vector<std::string>{"== 1", "!= 0", "< 2", ">= 0"}));
}

/// A sub-workflow: perhaps a gate, a step, one that may have a condition, and a step that brings them together.
std::vector<Step> draw_workflow(Draws& draws, const Mix& mix, const std::string& id) {
  std::vector<Step> body;
  std::vector<StepIndex> first;
  if (mix.gates && draws.chance(0.3)) {
    body.push_back({.id = id + ":gate", .needs = {}, .work = shared(Work{}), .flow = shared(Flow{.gate = true})});
    first.push_back(step_index(0));
  }
  const auto add = [&](const std::string& name, std::vector<StepIndex> needs, Flow flow) {
    flow.deferred = true;
    Step step{.id = id + ":" + name, .needs = std::move(needs), .policy = draw_policy(draws, mix)};
    step.work = shared(draw_work(draws, mix, "${{ sandbox }}/" + name + ".json"));
    step.flow = shared(std::move(flow));
    body.push_back(std::move(step));
    return step_index(body.size() - 1);
  };
  const StepIndex x = add("x", first, {});
  Flow maybe;
  if (mix.conditions && draws.chance(0.6)) maybe.when = draw_condition(draws, {id + ":x"});
  const StepIndex y = add("y", {x}, maybe);
  if (mix.joins && draws.chance(0.5)) {
    body.push_back({.id = id + ":all", .needs = {x, y}, .work = shared(Work{})});
  }
  body.back().final = draws.chance(0.5);
  return body;
}

/// One step, made anew for each item or round.
Step draw_single(Draws& draws, const Mix& mix, const std::string& id) {
  Flow flow{.deferred = true};
  flow.gate = mix.gates && draws.chance(0.1);
  if (mix.conditions && draws.chance(0.2)) flow.when = draws.chance(0.5) ? "index != 2" : "index < 3";
  Step step{.id = id, .needs = {}, .policy = draw_policy(draws, mix)};
  step.work = shared(draw_work(draws, mix, draws.chance(0.7) ? "out/" + id + "-${{ index }}.json" : ""));
  step.flow = shared(std::move(flow));
  return step;
}

/// Runs once for each item of a list, or again and again until something holds.
void make_composite(Draws& draws, const Mix& mix, Step& step, const std::vector<std::string>& outputs) {
  Flow flow{.sandbox = "sandbox"};
  flow.gate = mix.gates && draws.chance(0.2);
  if (mix.conditions && !outputs.empty() && draws.chance(0.2)) flow.when = draw_condition(draws, outputs);
  if (draws.chance(0.6)) {
    const bool fixed = outputs.empty() || draws.chance(0.4);
    flow.for_each = fixed ? draws.one_of(std::vector<std::string>{"[]", "[1]", "[1,2,3]", R"(["a",{"b":1}])"})
                          : "steps." + draws.one_of(outputs) + ".output.list";
  } else {
    flow.loop_max = static_cast<std::int32_t>(draws.between(1, 4));
    if (draws.chance(0.7)) flow.until = "output.a == 1";
  }
  flow.body = draws.chance(0.4) ? draw_workflow(draws, mix, step.id) : std::vector{draw_single(draws, mix, step.id)};
  Work work;
  if (draws.chance(0.6)) work.output = "out/" + step.id + ".whole.json";
  step.work = shared(std::move(work));
  step.flow = shared(std::move(flow));
}

/// What decides whether the step runs, if anything.
void draw_flow(Draws& draws, const Mix& mix, Step& step, const std::vector<std::string>& outputs) {
  if (mix.composites && draws.chance(0.2)) return make_composite(draws, mix, step, outputs);
  if (mix.joins && !step.needs.empty() && draws.chance(0.1)) {
    step.work = shared(Work{});
    if (draws.chance(0.3)) step.flow = shared(Flow{.deferred = true});
    return;
  }
  Flow flow;
  if (mix.conditions && !outputs.empty() && draws.chance(0.25)) flow.when = draw_condition(draws, outputs);
  flow.gate = mix.gates && draws.chance(0.1);
  flow.deferred = draws.chance(0.1);
  if (flow.gate && draws.chance(0.3)) step.work = shared(Work{});
  if (!flow.when.empty() || flow.gate || flow.deferred) step.flow = shared(std::move(flow));
}

}  // namespace

Mix draw_mix(Draws& draws) {
  Mix mix;
  for (bool* kind : {&mix.dies_between, &mix.dies_within,    &mix.append_fails, &mix.lost_replies, &mix.holder_dies,
                     &mix.machine_dies, &mix.late_notices,   &mix.twice_told,   &mix.forgetful,    &mix.stuck,
                     &mix.failures,     &mix.bad_outputs,    &mix.pauses,       &mix.cancels,      &mix.retries,
                     &mix.extensions,   &mix.budgets,        &mix.conditions,   &mix.gates,        &mix.composites,
                     &mix.joins,        &mix.command_checks, &mix.limits,       &mix.stalls,       &mix.found,
                     &mix.edits,        &mix.chains,         &mix.trees,        &mix.conflicts,    &mix.tree_faults,
                     &mix.reviews}) {
    *kind = draws.chance(0.5);
  }
  if (draws.chance(0.2)) {
    // Nothing dies: here timeouts are exact and are held against the real running time.
    mix.dies_between = mix.dies_within = mix.append_fails = mix.lost_replies = mix.holder_dies = mix.machine_dies =
        false;
  }
  mix.inner_percent = draws.one_of(std::vector{0, 0, 30, 100});
  return mix;
}

Step draw_step(Draws& draws, const Mix& mix, const std::string& id, std::vector<StepIndex> needs) {
  Step step;
  step.id = id;
  step.needs = std::move(needs);
  step.work = shared(draw_work(draws, mix, draws.chance(0.5) ? "out/" + id + ".json" : ""));
  step.policy = draw_policy(draws, mix);
  return step;
}

Plan draw_plan(Draws& draws, const Mix& mix) {
  Plan plan;
  plan.workflow = "drawn";
  plan.dialect = "markdown";
  const auto steps = static_cast<std::size_t>(draws.chance(0.7) ? draws.between(2, 10) : draws.between(11, 30));
  const double density = draws.one_of(std::vector{0.0, 0.15, 0.4, 1.0});
  for (std::size_t n = 0; n < steps; ++n) {
    std::vector<StepIndex> needs;
    std::vector<std::string> outputs;
    for (std::size_t tries = 0; n > 0 && tries < 4; ++tries) {
      const StepIndex need = step_index(draws.below(n));
      if (!draws.chance(density) || std::ranges::find(needs, need) != needs.end()) continue;
      needs.push_back(need);
      if (!plan.steps[at(need)].work->output.empty()) outputs.push_back(plan.steps[at(need)].id);
    }
    Step step = draw_step(draws, mix, fmt::format("s{}", n), std::move(needs));
    draw_flow(draws, mix, step, outputs);
    plan.steps.push_back(std::move(step));
  }
  return plan;
}

Step move_outputs(Step step, const std::string& folder) {
  if (!step.work->output.empty() && !step.work->output.starts_with("${{")) {
    Work work = *step.work;
    work.output = folder + work.output;
    step.work = shared(std::move(work));
  }
  if (step.flow == nullptr || !step.flow->is_composite()) return step;
  Flow flow = *step.flow;
  flow.sandbox = folder + "parts";
  for (Step& part : flow.body) part = move_outputs(std::move(part), folder);
  step.flow = shared(std::move(flow));
  return step;
}

void move_outputs(Plan& plan, const std::string& folder) {
  for (Step& step : plan.steps) step = move_outputs(std::move(step), folder);
}

std::string draw_output(Draws& draws) {
  return fmt::format(R"({{"a":{},"list":{}}})", draws.below(3),
                     draws.one_of(std::vector<std::string>{"[]", "[1]", "[1,2]", R"(["x",{"y":2},3])"}));
}

namespace {

/// Steps of chains have the names of their skills, others a number.
bool is_skill(const AttemptKey& key) {
  return !key.step.starts_with('s') || key.step.size() < 2 || key.step[1] < '0' || key.step[1] > '9';
}

}  // namespace

Outcome draw_outcome(std::uint64_t seed, const AttemptKey& key, const Mix& mix) {
  Draws draws{hash64(fmt::format("{}/{}/{}", key.run, key.step, key.attempt), seed)};
  if (FakeTrees::is_job(key) || key.step.ends_with("~task")) {
    // It has a deadline of half an hour.
    return {.lasts = draws.lasting(0, 20'000), .stuck = mix.tree_faults && mix.stuck && draws.chance(0.05)};
  }
  const bool is_check = key.step.find('~') != std::string::npos;
  Outcome outcome;
  outcome.lasts = draws.lasting(0, 20'000);
  outcome.stuck = mix.stuck && draws.chance(0.08);
  outcome.heeds_term = draws.chance(0.7);
  outcome.silent = mix.stalls && draws.chance(0.3);
  if ((mix.failures || is_check) && draws.chance(0.2)) outcome.exit = draws.chance(0.3) ? 99 : 1;
  outcome.output = is_skill(key) ? draw_answer(draws, mix, key.step) : draw_output(draws);
  if (mix.bad_outputs && draws.chance(0.3)) {
    const std::size_t kind = draws.below(3);
    if (kind == 0) outcome.output.reset();
    if (kind == 1) outcome.output = R"({"b":1})";
    if (kind == 2) outcome.output = "{";
  }
  if (mix.silent && !is_check && Draws{seed ^ hash64(key.step) ^ static_cast<std::uint64_t>(key.attempt)}.chance(0.3)) {
    outcome.output.reset();
  }
  if (mix.limits && draws.chance(0.15)) outcome.quota_back = draws.lasting(0, 4'000'000);
  if (mix.walls && draws.chance(0.85)) {
    constexpr std::int64_t seventy_years = 70LL * 365 * 86'400'000;
    const std::size_t lie = draws.below(5);
    outcome.quota_untold = lie == 0;
    outcome.quota_back = lie == 0   ? std::optional<Millis>{}
                         : lie == 1 ? Millis{seventy_years}
                         : lie == 2 ? Millis{0}
                         : lie == 3 ? Millis{-draws.between(1, 5000)}
                                    : Millis{draws.between(1, 3000)};
  }
  if (mix.hurried) {
    outcome.lasts = Millis{draws.between(0, 50)};
    outcome.stuck = false;
    if (draws.chance(0.9)) outcome.exit = 1;
  }
  if (mix.limits && draws.chance(0.15)) outcome.retry_after = Millis{draws.between(0, 120'000)};
  if (mix.limits && draws.chance(0.1)) outcome.rate_limited = true;
  if (mix.limits && draws.chance(0.1)) outcome.overloaded = true;
  outcome.usage.tokens = {draws.between(0, 2000), draws.between(0, 500), 0, 0};
  outcome.usage.turns = draws.between(0, 10);
  if (draws.chance(0.9)) outcome.usage.cost = Cost{draws.between(0, 5'000'000)};
  return outcome;
}

}  // namespace baton::test
