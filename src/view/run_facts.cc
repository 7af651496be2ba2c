#include "view/run_facts.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>

namespace baton {

namespace {

/// A chain may have grown or been replaced: what was added last ends it now.
std::optional<StepIndex> last_of_chain(const Run& run) {
  for (std::size_t n = run.step_count(); n-- > 0;) {
    if (!run.of(step_index(n)).state.is_replaced() && run.step(step_index(n)).final) return step_index(n);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> output_of(const Run& run, StepIndex step, const RunPlaces& places) {
  const Work& work = *run.step(step).work;
  const StepRun& s = run.of(step);
  const bool was_done_before = s.state == StepState::completed && s.attempts.empty();
  if (work.answers && was_done_before) return std::nullopt;  // nobody answered
  const bool has_place = work.answers && !work.output.empty() && s.state == StepState::completed;
  if (has_place) return places.root + "/" + work.output;  // where its dialect wrote the answer
  if (work.answers) return places.folder + "/" + answer_file(run.step(step).id);
  return work.output.empty() ? std::nullopt : std::optional{places.root + "/" + work.output};
}

std::optional<std::string> artifact_of(const Run& run, const RunPlaces& places) {
  if (!option_of(run, "final").empty()) return std::nullopt;  // the final step is not one of those that were asked for
  if (run.plan().dialect == "session") return std::nullopt;   // its tasks leave what they made where it belongs
  const auto last = run.plan().dialect == "chain" ? last_of_chain(run) : final_step(run.plan());
  if (!last || run.of(*last).state != StepState::completed) return std::nullopt;
  return output_of(run, *last, places);
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

std::string attempts_at_work(const Run& run) {
  std::size_t count = 0;
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    if (shown_state(run, step_index(n)) == StepState::running) ++count;
  }
  return count == 1 ? "1 attempt is at work" : fmt::format("{} attempts are at work", count);
}

std::vector<std::string> steps_added(const Run& run, StepIndex by) {
  const auto& all = run.extensions();
  const auto last = std::find_if(all.rbegin(), all.rend(), [&](const auto& e) { return e.first == by; });
  std::vector<std::string> ids;
  if (last == all.rend()) return ids;
  const std::size_t end = last == all.rbegin() ? run.step_count() : at(std::prev(last)->second);
  for (std::size_t i = at(last->second); i < end; ++i) ids.push_back(run.step(step_index(i)).id);
  return ids;
}

std::vector<StepIndex> steps_in_reading_order(const Run& run) {
  const auto& all = run.extensions();
  std::multimap<StepIndex, std::size_t> extensions_of;
  for (std::size_t e = 0; e < all.size(); ++e) extensions_of.emplace(all[e].first, e);
  std::vector<StepIndex> order;
  const auto add = [&](const auto& self, StepIndex i) -> void {
    if (!run.never_existed(i)) order.push_back(i);
    const auto [first, last] = extensions_of.equal_range(i);
    for (auto it = first; it != last; ++it) {
      const std::size_t e = it->second;
      const std::size_t end = e + 1 < all.size() ? at(all[e + 1].second) : run.step_count();
      for (std::size_t n = at(all[e].second); n < end; ++n) self(self, step_index(n));
    }
  };
  for (std::size_t n = 0; n < run.plan().steps.size(); ++n) add(add, step_index(n));
  return order;
}

}  // namespace baton
