#include "core/timers.h"

#include <algorithm>

#include "base/ensure.h"

namespace baton {

void Timers::arm(TimerId timer, Millis in, Time now, std::vector<Command>& out) {
  BATON_ENSURE(in >= Millis{0}, "a timer is armed for the past", "");
  if (is_frozen()) {
    stopped_[timer] = in;
    return;
  }
  BATON_ENSURE(!stopped_.contains(timer), "a timer is armed that stands still", "");
  armed_[timer] = now + in;
  out.push_back(command::SetTimer{timer, now + in});
}

void Timers::disarm(TimerId timer, std::vector<Command>& out) {
  if (has_none()) return;
  stopped_.erase(timer);
  if (armed_.erase(timer) > 0) out.push_back(command::CancelTimer{timer});
}

bool Timers::fires(TimerId timer, Time now) {
  const auto armed = armed_.find(timer);
  if (armed == armed_.end() || armed->second > now) return false;
  armed_.erase(armed);
  return true;
}

void Timers::freeze(Time now, std::vector<Command>& out) {
  if (!is_frozen()) freezes_.emplace_back(now, Time::max());
  for (const auto& [timer, due] : std::exchange(armed_, {})) {
    stopped_[timer] = std::max(due - now, Millis{0});
    out.push_back(command::CancelTimer{timer});
  }
}

void Timers::thaw(Time now, std::vector<Command>& out) {
  end_freeze(now);
  for (const auto& [timer, left] : std::exchange(stopped_, {})) arm(timer, left, now, out);
}

void Timers::end_freeze(Time now) {
  if (is_frozen()) freezes_.back().second = now;
}

void Timers::arm_budget(Millis left, Millis budget, Time now, std::vector<Command>& out) {
  const Millis last_fifth = budget / 5;
  arm(time_budget_timer, left, now, out);
  if (left > last_fifth) arm(time_warning_timer, left - last_fifth, now, out);
}

void Timers::disarm_budget(std::vector<Command>& out) {
  disarm(time_budget_timer, out);
  disarm(time_warning_timer, out);
}

void Timers::stop_budget(Time now, std::vector<Command>& out) {
  stop(time_budget_timer, now, out);
  stop(time_warning_timer, now, out);
}

void Timers::stop(TimerId timer, Time now, std::vector<Command>& out) {
  const std::optional<Millis> left = left_of(timer, now);
  if (!left) return;
  disarm(timer, out);
  stopped_[timer] = *left;
}

void Timers::note_budget_used_up() {
  BATON_ENSURE(!armed_.contains(time_budget_timer), "a time budget that is armed is not used up", "");
  stopped_[time_budget_timer] = Millis{0};
}

void Timers::drop_all_but_budget(Time now, std::vector<Command>& out) {
  const std::optional<Millis> left = left_of(time_budget_timer, now);
  for (const auto& [timer, due] : std::exchange(armed_, {})) out.push_back(command::CancelTimer{timer});
  stopped_.clear();
  end_freeze(now);
  if (left) stopped_[time_budget_timer] = *left;
}

std::optional<Millis> Timers::left_of(TimerId timer, Time now) const {
  if (const auto armed = armed_.find(timer); armed != armed_.end()) return std::max(armed->second - now, Millis{0});
  if (const auto stopped = stopped_.find(timer); stopped != stopped_.end()) return stopped->second;
  return std::nullopt;
}

Millis Timers::passed_since(Time start, Time now) const {
  Millis passed = now - start;
  for (auto freeze = freezes_.rbegin(); freeze != freezes_.rend() && freeze->second > start; ++freeze) {
    passed -= std::min(freeze->second, now) - std::max(freeze->first, start);
  }
  return passed;
}

}  // namespace baton
