#pragma once

#include <functional>
#include <string>
#include <vector>

#include "journal/memory_journal.h"
#include "support/mortality.h"

namespace baton::test {

/// A journal that fails when it is told to. What it keeps outlives the engines.
class FaultyJournal final : public Journal {
 public:
  enum class Fate { well, fails, lost_reply };

  explicit FaultyJournal(Mortality& mortality) : mortality_(mortality) {}

  /// Asked before every append.
  std::function<Fate()> fate_of_append = [] { return Fate::well; };
  /// Told of every append that is on record, whatever the engine was told.
  std::function<void(const std::string& run, const std::vector<Event>&)> on_record = [](const auto&, const auto&) {};

  Status append_all(std::span<const Addition> additions) override {
    mortality_.pass();
    const Fate fate = fate_of_append();
    if (fate == Fate::fails) return fault("disk-full", "injected: the disk is full");
    auto stored = kept.append_all(additions);
    if (!stored) return stored;
    for (const Addition& addition : additions) on_record(addition.lease.run, addition.events);
    mortality_.pass();
    if (fate == Fate::lost_reply) return fault("journal-unknown", "injected: the reply was lost");
    return {};
  }
  Expected<std::vector<Event>> load(const std::string& run) override { return kept.load(run); }
  Expected<std::vector<RunSummary>> list() override { return kept.list(); }
  Expected<RunSummary> summary(const std::string& run) override { return kept.summary(run); }
  Expected<Lease> acquire(const Lease& wanted, Time now, Millis lasts, bool (*is_dead)(const Lease&)) override {
    mortality_.pass();
    return kept.acquire(wanted, now, lasts, is_dead);
  }
  Status renew(Lease& lease, Time now, Millis lasts) override { return kept.renew(lease, now, lasts); }
  Status release(const Lease& lease) override { return kept.release(lease); }
  Expected<std::optional<Lease>> holder_of(const std::string& run) override { return kept.holder_of(run); }
  Expected<std::int64_t> request(const ControlRequest& request) override { return kept.request(request); }
  Expected<std::vector<ControlRequest>> requests(const std::string& run) override { return kept.requests(run); }
  Expected<bool> withdraw(std::int64_t request) override { return kept.withdraw(request); }
  Shares& shares() override { return kept.shares(); }

  MemoryJournal kept;

 private:
  Mortality& mortality_;
};

}  // namespace baton::test
