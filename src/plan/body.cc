#include "plan/body.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_set>

#include "plan/expression.h"

namespace baton {
namespace {

/// Where the steps of one copy of a sub-workflow keep their files.
std::string sandbox_of(const Step& composite, const CopyOf& copy) {
  const std::string generation = copy.generation > 1 ? fmt::format("r{}/", copy.generation) : "";
  return fmt::format("{}/{}/{}{}", composite.flow->sandbox, composite.id, generation, copy.number);
}

/// Names the steps of one copy: `ID:3`, of a sub-workflow's `ID:CHILD` `ID:3:CHILD`.
class Names {
 public:
  Names(const Step& composite, const CopyOf& copy) : id_{composite.id} {
    const std::string generation = copy.generation > 1 ? fmt::format("r{}:", copy.generation) : "";
    copy_id_ = fmt::format("{}:{}{}", id_, generation, copy.number);
    for (const Step& step : composite.flow->body) siblings_.insert(step.id);
  }

  [[nodiscard]] std::string of(const std::string& id) const { return copy_id_ + id.substr(id_.size()); }

  [[nodiscard]] bool is_sibling(const std::string& id) const { return siblings_.contains(id); }

  /// Siblings are spoken of by the names of this copy.
  [[nodiscard]] Rewrite rewrite() const {
    return [this](const Reference& reference) -> std::optional<std::string> {
      if (!siblings_.contains(reference.name)) return std::nullopt;
      Reference renamed = reference;
      renamed.name = of(reference.name);
      return to_source(renamed);
    };
  }

 private:
  const std::string& id_;
  std::string copy_id_;
  std::unordered_set<std::string> siblings_;
};

/// Checks that compare with a sibling's output compare with the one of this copy.
std::shared_ptr<const Work> with_own_checks(const std::shared_ptr<const Work>& work, const Names& names) {
  const auto of_sibling = [&](const Check& check) { return names.is_sibling(check.step); };
  if (work == nullptr || std::ranges::none_of(work->checks, of_sibling)) return work;
  auto own = std::make_shared<Work>(*work);
  for (Check& check : own->checks) {
    if (of_sibling(check)) check.step = names.of(check.step);
  }
  return own;
}

std::shared_ptr<const Work> renamed_work(const Work& work, const Rewrite& rewrite) {
  auto renamed = std::make_shared<Work>(work);
  renamed->mission = rewrite_text(work.mission, rewrite);
  renamed->output = rewrite_text(work.output, rewrite);
  for (std::string& text : renamed->command) text = rewrite_text(text, rewrite);
  for (std::string& text : renamed->env) text = rewrite_text(text, rewrite);
  for (std::string& text : renamed->inputs) text = rewrite_text(text, rewrite);
  for (Check& check : renamed->checks) {
    for (std::string& text : check.argv) text = rewrite_text(text, rewrite);
    for (std::string& text : check.env) text = rewrite_text(text, rewrite);
  }
  return renamed;
}

}  // namespace

std::vector<Step> copy_body(const Step& composite, const CopyOf& copy, std::size_t first) {
  const Flow& flow = *composite.flow;
  const Names names{composite, copy};
  const Rewrite rewrite = names.rewrite();
  // One step by itself stays in its sandbox; the steps of a sub-workflow must not meet those of another copy.
  const bool is_workflow = flow.body.front().id != composite.id;
  std::vector<Step> made;
  for (const Step& step : flow.body) {
    Flow own = step.flow == nullptr ? Flow{} : *step.flow;
    own.item = copy.item;
    own.index = copy.number;
    own.sandbox = is_workflow ? sandbox_of(composite, copy) : flow.sandbox;
    Step one{.id = names.of(step.id), .needs = {}, .work = step.work, .policy = step.policy, .final = false};
    for (const StepIndex need : step.needs) one.needs.push_back(step_index(first + at(need)));
    if (is_workflow) {
      own.when = rewrite_expression(own.when, rewrite);
      if (own.deferred) own.question = rewrite_text(own.question, rewrite);
      if (own.deferred && step.work != nullptr) one.work = renamed_work(*step.work, rewrite);
      one.work = with_own_checks(one.work, names);
    }
    one.flow = std::make_shared<const Flow>(std::move(own));
    made.push_back(std::move(one));
  }
  return made;
}

std::size_t final_of_body(const std::vector<Step>& body) {
  Plan plan;
  plan.steps = body;
  const auto final = final_step(plan);
  return final ? at(*final) : body.size() - 1;
}

}  // namespace baton
