#include "dialect/markdown/needs.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>

#include "base/text.h"

namespace baton::markdown {
namespace {

constexpr std::size_t cycles_reported_max = 10;
constexpr std::size_t cycle_ids_shown_max = 20;

void report_unknown_need(const StepDraft& draft, const Located& need, const std::vector<std::string>& ids,
                         FaultList& faults) {
  if (faults.is_full()) return;
  const std::string near = faults.deserves_hint() ? nearest(need.text, ids) : "";
  faults.error(
      "unknown-need", need.spot, fmt::format("Unknown dependency '{}' in {}", shorten(need.text, 80), draft.display),
      near.empty() ? fmt::format("steps: {}", shorten(join(ids, ", "), 400)) : fmt::format("did you mean '{}'?", near));
}

void connect_one(std::size_t number, const StepDraft& draft, const StepNumbers& numbers,
                 const std::vector<std::string>& ids, std::vector<std::size_t>& seen_by, std::vector<Step>& steps,
                 FaultList& faults) {
  for (const Located& need : draft.needs) {
    const auto found = numbers.find(need.text);
    if (found == numbers.end()) {
      report_unknown_need(draft, need, ids, faults);
    } else if (found->second == number) {
      faults.error("self-need", need.spot,
                   fmt::format("Circular dependency detected: {0} -> {0} (the step needs itself)", draft.id),
                   fmt::format("remove '{}' from its 'needs'", draft.id));
    } else if (seen_by[found->second] != number + 1) {  // named twice is needed once
      seen_by[found->second] = number + 1;
      steps[number].needs.push_back(step_index(found->second));
    }
  }
}

Spot spot_of_need(const StepDraft& draft, const std::string& id) {
  const auto found = std::ranges::find(draft.needs, id, &Located::text);
  return found == draft.needs.end() ? draft.spot : found->spot;
}

/// Reports one cycle and cuts it where it closes, so that others can be found.
bool report_cycle(const std::vector<StepDraft>& drafts, const StepNumbers& numbers, Plan& plan, FaultList& faults) {
  std::vector<std::string> cycle = find_cycle(plan);
  if (cycle.empty()) return false;
  // Tell it from the step that stands first in the file, wherever the search came upon it.
  cycle.pop_back();
  const auto first =
      std::ranges::min_element(cycle, {}, [&](const std::string& id) { return numbers.find(id)->second; });
  std::ranges::rotate(cycle, first);
  cycle.push_back(cycle.front());

  const std::size_t from = numbers.find(cycle[0])->second;
  const std::size_t to = numbers.find(cycle[1])->second;
  std::vector<std::string> shown = cycle;
  if (shown.size() > cycle_ids_shown_max) {
    shown.erase(shown.begin() + cycle_ids_shown_max / 2, shown.end() - cycle_ids_shown_max / 2);
    shown.insert(shown.begin() + cycle_ids_shown_max / 2, fmt::format("({} more)", cycle.size() - cycle_ids_shown_max));
  }
  faults.error("dependency-cycle", spot_of_need(drafts[from], cycle[1]),
               fmt::format("Circular dependency detected: {}", join(shown, " -> ")),
               "remove one of these needs: each step waits for the next");
  std::erase(plan.steps[from].needs, step_index(to));
  return true;
}

}  // namespace

std::vector<std::string> known_ids(const std::vector<StepDraft>& drafts) {
  constexpr std::size_t ids_compared_max = 1000;
  std::vector<std::string> ids;
  for (const StepDraft& draft : drafts) {
    if (ids.size() == ids_compared_max) break;
    if (!draft.id.empty()) ids.push_back(draft.id);
  }
  return ids;
}

StepNumbers number_steps(const std::vector<StepDraft>& drafts, FaultList& faults) {
  StepNumbers numbers;
  numbers.reserve(drafts.size());
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    if (drafts[i].id.empty()) continue;
    const auto [entry, is_new] = numbers.try_emplace(drafts[i].id, i);
    if (is_new) continue;
    faults.error("duplicate-step-id", drafts[i].spot, fmt::format("there is another step '{}'", drafts[i].id),
                 fmt::format("give it an id of its own; the other is on line {}", drafts[entry->second].spot.line));
  }
  return numbers;
}

NeedsOrder connect(const std::vector<StepDraft>& drafts, const StepNumbers& numbers, std::vector<Step>& steps,
                   FaultList& faults) {
  const std::vector<std::string> ids = known_ids(drafts);
  std::vector<std::size_t> seen_by(drafts.size(), 0);
  for (std::size_t i = 0; i < drafts.size(); ++i) connect_one(i, drafts[i], numbers, ids, seen_by, steps, faults);

  Plan plan;  // cycles are cut in this one only
  for (const Step& step : steps)
    plan.steps.push_back({.id = step.id, .needs = step.needs, .work = {}, .policy = {}, .final = false});
  std::size_t cycles = 0;
  while (cycles < cycles_reported_max && report_cycle(drafts, numbers, plan, faults)) ++cycles;
  NeedsOrder result{execution_order(plan), cycles + 1};
  if (result.order.size() < steps.size()) result.rounds = 0;
  return result;
}

namespace {

/// Answers what a look at the step's own needs can answer; the places of the others among `asked`.
std::vector<std::size_t> answer_direct(const std::vector<NeedQuestion>& asked, const std::vector<Step>& steps,
                                       std::vector<bool>& answers) {
  std::vector<std::size_t> open;
  std::vector<std::size_t> needed_by(steps.size(), steps.size());
  std::size_t from_before = steps.size();
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (asked[i].from != from_before) {
      for (const StepIndex need : steps[asked[i].from].needs) needed_by[at(need)] = asked[i].from;
      from_before = asked[i].from;
    }
    answers[i] = needed_by[asked[i].to] == asked[i].from;
    if (!answers[i]) open.push_back(i);
  }
  return open;
}

}  // namespace

std::vector<bool> are_needed(const std::vector<NeedQuestion>& asked, const std::vector<Step>& steps,
                             const NeedsOrder& order) {
  std::vector<bool> answers(asked.size());
  std::vector<std::size_t> open = answer_direct(asked, steps, answers);
  if (open.empty()) return answers;
  std::ranges::sort(open, {}, [&](std::size_t i) { return asked[i].to; });
  // One bit for each of 64 steps that are asked for: a single walk in execution order answers for all of them, so a
  // chain of 100,000 steps costs no more than its length times 100,000 / 64.
  std::vector<std::uint64_t> own(steps.size(), 0);
  std::vector<std::uint64_t> reached(steps.size(), 0);
  for (std::size_t begin = 0; begin < open.size();) {
    std::ranges::fill(own, 0);
    std::ranges::fill(reached, 0);
    std::size_t end = begin;
    for (std::uint64_t bit = 1; end < open.size() && bit != 0; bit <<= 1U) {
      const std::size_t target = asked[open[end]].to;
      own[target] = bit;
      while (end < open.size() && asked[open[end]].to == target) ++end;
    }
    for (std::size_t round = 0; round < order.rounds; ++round) {
      for (const StepIndex step : order.order) {
        for (const StepIndex need : steps[at(step)].needs) reached[at(step)] |= reached[at(need)] | own[at(need)];
      }
    }
    for (; begin < end; ++begin) {
      const NeedQuestion& question = asked[open[begin]];
      answers[open[begin]] = (reached[question.from] & own[question.to]) != 0;
    }
  }
  return answers;
}

void check_references(const std::vector<Mention>& references, const std::vector<StepDraft>& drafts,
                      const std::vector<Step>& steps, const NeedsOrder& order, FaultList& faults) {
  if (references.empty() || order.rounds == 0) return;
  std::vector<NeedQuestion> asked;
  asked.reserve(references.size());
  for (const Mention& reference : references) asked.push_back({reference.from, reference.to});
  const std::vector<bool> is_needed = are_needed(asked, steps, order);
  for (std::size_t i = 0; i < references.size(); ++i) {
    if (is_needed[i]) continue;
    const auto& [from, to, spot] = references[i];
    faults.error(
        "reference-not-needed", spot,
        fmt::format("{} uses the output of '{}' but does not need that step", drafts[from].display, drafts[to].id),
        fmt::format("add '{}' to its 'needs'", drafts[to].id));
  }
}

}  // namespace baton::markdown
