#include "core/dispatcher.h"

#include <algorithm>

namespace baton {

bool Dispatcher::has_slot(const Candidate& c, const std::vector<Candidate>& all) const {
  const std::size_t room = static_cast<std::size_t>(c.run->settings().jobs) + static_cast<std::size_t>(c.ahead);
  if (c.run->in_flight() >= room) return false;
  if (c.slots && c.run->in_flight() >= static_cast<std::size_t>(*c.slots)) return false;
  if (total_max_ == 0) return true;
  std::size_t total = 0;
  for (const Candidate& other : all) total += other.run->in_flight();
  return total < static_cast<std::size_t>(total_max_);
}

void Dispatcher::set_cool_downs(const std::vector<CoolDown>& all) {
  cool_until_.clear();
  for (const CoolDown& c : all) {
    Time& until = cool_until_[c.runtime];
    until = std::max(until, c.until);
  }
}

/// Its last attempt was, without a time: it has waited as its own rule says, and is the one to find out. So is one that
/// found the provider failing.
bool Dispatcher::was_sent_away(const Run& run, StepIndex step) {
  const std::vector<Attempt>& attempts = run.of(step).attempts;
  if (attempts.empty()) return false;
  const auto& detail = attempts.back().detail;
  if (!detail || !detail->failure || detail->failure->retry_after || detail->failure->parked_until) return false;
  return is_asked_for_time(*detail->failure) || detail->failure->kind() == FailureKind::overloaded;
}

Time Dispatcher::cools_until(const std::string& name) const {
  const auto known = cool_until_.find(name);
  return known == cool_until_.end() ? Time{} : known->second;
}

}  // namespace baton
