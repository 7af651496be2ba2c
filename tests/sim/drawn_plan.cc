#include "sim/drawn_plan.h"

#include <fmt/core.h>

#include <algorithm>

namespace baton::test {

Mix draw_mix(Draws& draws) {
  Mix mix;
  for (bool* kind : {&mix.dies_between, &mix.dies_within, &mix.append_fails, &mix.lost_replies, &mix.holder_dies,
                     &mix.machine_dies, &mix.late_notices, &mix.twice_told, &mix.forgetful, &mix.stuck, &mix.failures,
                     &mix.bad_outputs, &mix.pauses, &mix.cancels, &mix.retries, &mix.extensions, &mix.budgets}) {
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
  Work work;
  work.command = {"/bin/true"};
  if (draws.below(100) < static_cast<std::size_t>(mix.inner_percent)) work.runtime = "inner";
  if (draws.chance(0.5)) {
    work.output = "out/" + id + ".json";
    work.checks.push_back({Check::Kind::required_field, "a", 0});
  }
  Step step;
  step.id = id;
  step.needs = std::move(needs);
  step.work = std::make_shared<const Work>(std::move(work));
  step.policy.retries = static_cast<std::int32_t>(draws.below(4));
  step.policy.on_unknown = static_cast<OnUnknown>(draws.below(3));
  if (draws.chance(0.4)) step.policy.timeout = Millis{draws.between(200, 20'000)};
  step.policy.retry_delay = draws.lasting(10, 2000);
  step.policy.stop_grace = Millis{draws.between(100, 5000)};
  return step;
}

Plan draw_plan(Draws& draws, const Mix& mix) {
  Plan plan;
  plan.workflow = "drawn";
  plan.dialect = "markdown";
  const auto steps = static_cast<std::size_t>(draws.chance(0.7) ? draws.between(2, 10) : draws.between(11, 40));
  const double density = draws.one_of(std::vector{0.0, 0.15, 0.4, 1.0});
  for (std::size_t n = 0; n < steps; ++n) {
    std::vector<StepIndex> needs;
    for (std::size_t tries = 0; n > 0 && tries < 4; ++tries) {
      const StepIndex need = step_index(draws.below(n));
      if (draws.chance(density) && std::ranges::find(needs, need) == needs.end()) needs.push_back(need);
    }
    plan.steps.push_back(draw_step(draws, mix, fmt::format("s{}", n), std::move(needs)));
  }
  return plan;
}

Outcome draw_outcome(std::uint64_t seed, const AttemptKey& key, const Mix& mix) {
  Draws draws{hash64(fmt::format("{}/{}/{}", key.run, key.step, key.attempt), seed)};
  Outcome outcome;
  outcome.lasts = draws.lasting(0, 20'000);
  outcome.stuck = mix.stuck && draws.chance(0.08);
  outcome.heeds_term = draws.chance(0.7);
  if (mix.failures && draws.chance(0.2)) outcome.exit = draws.chance(0.3) ? 99 : 1;
  outcome.output = R"({"a":1})";
  if (mix.bad_outputs && draws.chance(0.3)) {
    const std::size_t kind = draws.below(3);
    if (kind == 0) outcome.output.reset();
    if (kind == 1) outcome.output = R"({"b":1})";
    if (kind == 2) outcome.output = "{";
  }
  outcome.usage.tokens = {draws.between(0, 2000), draws.between(0, 500), 0, 0};
  if (draws.chance(0.9)) outcome.usage.cost = Cost{draws.between(0, 5'000'000)};
  return outcome;
}

}  // namespace baton::test
