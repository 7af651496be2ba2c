#include "dialect/markdown/joining.h"

#include <algorithm>
#include <iterator>

namespace baton::markdown {
namespace {

Flow flow_of(const Step& step) { return step.flow == nullptr ? Flow{} : *step.flow; }

/// A condition on the whole is one on every step: each says for itself that it was not wanted.
void guard(std::vector<Step>& steps, const std::string& when, const std::string& sandbox) {
  if (when.empty()) return;
  for (Step& step : steps) {
    Flow flow = flow_of(step);
    flow.when = flow.when.empty() ? when : "(" + when + ") && (" + flow.when + ")";
    if (flow.sandbox.empty()) flow.sandbox = sandbox;
    step.flow = std::make_shared<const Flow>(std::move(flow));
  }
}

/// A gate before all the steps.
void put_gate(std::vector<Step>& steps, const std::string& id, const Composed& question, const std::string& sandbox) {
  if (question.is_empty()) return;
  for (Step& step : steps) {
    for (StepIndex& need : step.needs) need = step_index(at(need) + 1);
    if (step.needs.empty()) step.needs.push_back(step_index(0));
  }
  Flow flow;
  flow.gate = true;
  flow.deferred = !question.is_known();
  flow.question = question.text(flow.deferred);
  flow.sandbox = sandbox;
  steps.insert(steps.begin(), {.id = id + ":gate",
                               .needs = {},
                               .work = std::make_shared<const Work>(),
                               .flow = std::make_shared<const Flow>(std::move(flow)),
                               .policy = {},
                               .final = false});
}

Step joining_step(const JoinedStep& joined, Flow flow, bool has_flow) {
  Step step{
      .id = joined.id, .needs = {}, .work = std::make_shared<const Work>(joined.work), .policy = {}, .final = false};
  if (has_flow) step.flow = std::make_shared<const Flow>(std::move(flow));
  return step;
}

void inline_workflow(const FlowParts& parts, std::vector<Step> steps, JoinedStep& joined) {
  put_gate(steps, joined.id, parts.question, parts.sandbox);
  guard(steps, parts.when, parts.sandbox);
  Flow flow;
  flow.when = parts.when;
  flow.deferred = joined.is_deferred;
  flow.sandbox = parts.sandbox;
  Step last = joining_step(joined, flow, !flow.when.empty() || flow.deferred);
  for (std::size_t i = 0; i < steps.size(); ++i) last.needs.push_back(step_index(i));
  joined.steps = std::move(steps);
  joined.steps.push_back(std::move(last));
}

}  // namespace

void join_workflow(const FlowParts& parts, std::optional<MadeSteps> made, JoinedStep& joined) {
  if (!made || made->steps.empty()) return joined.steps.push_back(joining_step(joined, {}, false));
  joined.composites = std::move(made->composites);
  joined.fixed = std::move(made->fixed);
  if (!parts.is_composite) return inline_workflow(parts, std::move(made->steps), joined);
  made->steps[made->final].final = true;
  put_gate(made->steps, joined.id, parts.item_question, "");
  guard(made->steps, parts.item_when, "");
  join_composite(parts, std::move(made->steps), joined);
}

void join_composite(const FlowParts& parts, std::vector<Step> body, JoinedStep& joined) {
  Flow flow;
  flow.when = parts.when;
  flow.for_each = parts.for_each;
  flow.until = parts.until;
  flow.loop_max = parts.loop_max;
  flow.gate = !parts.question.is_empty();
  flow.deferred = !parts.question.is_known();
  flow.question = parts.question.text(flow.deferred);
  flow.body = std::move(body);
  flow.sandbox = parts.sandbox;
  joined.steps.push_back(joining_step(joined, std::move(flow), true));
}

std::vector<std::size_t> put_in_order(std::vector<JoinedStep> joined, std::vector<Step>& steps) {
  std::vector<std::size_t> places;
  std::size_t size = 0;
  for (const JoinedStep& one : joined) {
    size += one.steps.size();
    places.push_back(size - 1);
  }
  steps.reserve(size);
  for (JoinedStep& one : joined) {
    const std::size_t first = steps.size();
    for (Step& step : one.steps) {
      const bool is_first = step.needs.empty();
      for (StepIndex& need : step.needs) need = step_index(first + at(need));
      if (is_first) {
        std::ranges::transform(one.needs, std::back_inserter(step.needs),
                               [&](StepIndex need) { return step_index(places[at(need)]); });
      }
      steps.push_back(std::move(step));
    }
  }
  return places;
}

}  // namespace baton::markdown
