#include "engine/dialect_run.h"

#include <utility>

namespace baton {

void OpenTurns::ask(const command::TakeTurn& turn) {
  turns_.insert_or_assign(turn.step, turn);
  fresh_.push_back(turn.step);
}

std::vector<command::TakeTurn> OpenTurns::all(const Run& run) {
  fresh_.clear();
  std::erase_if(turns_, [&](const auto& entry) { return !run.is_asked(entry.second); });
  std::vector<command::TakeTurn> all;
  all.reserve(turns_.size());
  for (const auto& [step, turn] : turns_) all.push_back(turn);
  return all;
}

std::vector<command::TakeTurn> OpenTurns::fresh(const Run& run) {
  std::vector<command::TakeTurn> fresh;
  for (const StepIndex step : std::exchange(fresh_, {})) {
    const auto turn = turns_.find(step);
    if (turn != turns_.end() && run.is_asked(turn->second)) fresh.push_back(turn->second);
  }
  return fresh;
}

}  // namespace baton
