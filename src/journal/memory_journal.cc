#include "journal/memory_journal.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/facts.h"
#include "journal/event_codec.h"
#include "journal/lease_fault.h"
#include "journal/memory_shares.h"

namespace baton {

MemoryJournal::MemoryJournal() : shares_(std::make_unique<MemoryShares>(*this)) {}
MemoryJournal::~MemoryJournal() = default;

Shares& MemoryJournal::shares() { return *shares_; }

Status MemoryJournal::check_lease(const Lease& lease) const {
  const auto held = leases_.find(lease.run);
  if (held != leases_.end() && held->second.owner == lease.owner && held->second.epoch == lease.epoch) return {};
  return fault("lease-lost", fmt::format("run {} is driven by another process now", lease.run));
}

Status MemoryJournal::append_all(std::span<const Addition> additions) {
  for (const Addition& addition : additions) {
    if (auto may = may_add(addition); !may) return may;
  }
  for (const Addition& addition : additions) add(addition);
  return {};
}

Status MemoryJournal::may_add(const Addition& addition) const {
  if (auto held = check_lease(addition.lease); !held) return held;
  const std::string& id = addition.lease.run;
  const auto found = runs_.find(id);
  const std::size_t present = found == runs_.end() ? 0 : found->second.events.size();
  const auto expected = static_cast<std::size_t>(addition.expected);
  if (present == expected) return {};
  return fault("journal-conflict", fmt::format("run {} has {} events, not {}", id, present, expected));
}

void MemoryJournal::add(const Addition& addition) {
  Run& run = addition.run;
  Kept& kept = runs_[addition.lease.run];
  if (kept.events.empty()) kept.order = runs_.size();
  for (const Event& e : addition.events) kept.events.push_back({e.at, std::string{kind_of(e.body)}, encode(e.body)});
  for (const std::int64_t id : addition.consumed) control_.erase(id);
  kept.summary = summarise(addition.lease.run, run);
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    const StepState s = shown_state(run, step_index(n));
    const bool at_work = s == StepState::running || s == StepState::checking;
    if (at_work) kept.summary.current.push_back(run.step(step_index(n)).id);
  }
  (void)run.take_touched();
}

Expected<std::vector<Event>> MemoryJournal::load(const std::string& run) {
  const auto found = runs_.find(run);
  if (found == runs_.end()) return fault("unknown-run", fmt::format("there is no run '{}'", run));
  std::vector<Event> events;
  for (const Written& w : found->second.events) {
    auto body = decode(w.kind, w.body);
    if (!body) return std::unexpected(body.error());
    events.push_back({w.at, std::move(*body)});
  }
  return events;
}

Expected<std::vector<RunSummary>> MemoryJournal::list() {
  std::vector<const Kept*> kept;
  for (const auto& [id, k] : runs_) kept.push_back(&k);
  std::ranges::sort(kept, std::greater{}, &Kept::order);
  std::vector<RunSummary> runs;
  for (const Kept* k : kept) runs.push_back(k->summary);
  return runs;
}

Expected<RunSummary> MemoryJournal::summary(const std::string& run) {
  const auto found = runs_.find(run);
  if (found == runs_.end()) return fault("unknown-run", fmt::format("there is no run '{}'", run));
  return found->second.summary;
}

Expected<Lease> MemoryJournal::acquire(const Lease& wanted, Time now, Millis lasts, bool (*is_dead)(const Lease&)) {
  Lease lease = wanted;
  lease.epoch = 1;
  lease.expires = now + lasts;
  if (const auto held = leases_.find(wanted.run); held != leases_.end()) {
    const Lease& other = held->second;
    const bool free = other.owner.empty() || other.owner == wanted.owner || other.expires <= now || is_dead(other);
    if (!free) return std::unexpected(driven_by(other));
    lease.epoch = other.epoch + 1;
  }
  leases_[lease.run] = lease;
  return lease;
}

Status MemoryJournal::renew(Lease& lease, Time now, Millis lasts) {
  if (auto held = check_lease(lease); !held) return held;
  lease.expires = now + lasts;
  leases_[lease.run].expires = lease.expires;
  return {};
}

Status MemoryJournal::release(const Lease& lease) {
  if (!check_lease(lease)) return {};
  Lease& held = leases_[lease.run];
  held.owner.clear();
  held.pid = 0;
  held.expires = {};
  return {};
}

Expected<std::optional<Lease>> MemoryJournal::holder_of(const std::string& run) {
  const auto held = leases_.find(run);
  return held == leases_.end() ? std::nullopt : std::optional{held->second};
}

Expected<std::int64_t> MemoryJournal::request(const ControlRequest& request) {
  ControlRequest kept = request;
  kept.id = ++last_request_;
  control_[kept.id] = kept;
  return kept.id;
}

Expected<std::vector<ControlRequest>> MemoryJournal::requests(const std::string& run) {
  std::vector<ControlRequest> found;
  for (const auto& [id, r] : control_) {
    if (r.run == run) found.push_back(r);
  }
  return found;
}

Expected<bool> MemoryJournal::withdraw(std::int64_t request) { return control_.erase(request) > 0; }

std::string MemoryJournal::text(const std::string& run) const {
  std::string out;
  const auto found = runs_.find(run);
  if (found == runs_.end()) return out;
  for (const Written& w : found->second.events) out += fmt::format("{} {} {}\n", to_ms(w.at), w.kind, w.body);
  return out;
}

}  // namespace baton
