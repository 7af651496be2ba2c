#pragma once

#include <map>
#include <memory>

#include "journal/journal.h"

namespace baton {

/// The journal's twin for tests and the simulator. Keeps events in their written form, so that what comes out has been
/// through the codec, as in the real one.
class MemoryJournal final : public Journal {
 public:
  MemoryJournal();
  ~MemoryJournal() override;
  Status append_all(std::span<const Addition> additions) override;
  Expected<std::vector<Event>> load(const std::string& run) override;
  Expected<std::vector<RunSummary>> list() override;
  Expected<RunSummary> summary(const std::string& run) override;
  Expected<Lease> acquire(const Lease& wanted, Time now, Millis lasts, bool (*is_dead)(const Lease&)) override;
  Status renew(Lease& lease, Time now, Millis lasts) override;
  Status release(const Lease& lease) override;
  Expected<std::optional<Lease>> holder_of(const std::string& run) override;
  Expected<std::int64_t> request(const ControlRequest& request) override;
  Expected<std::vector<ControlRequest>> requests(const std::string& run) override;
  Expected<bool> withdraw(std::int64_t request) override;
  Shares& shares() override;

  /// Every event in its written form, a line each: two runs with the same seed have the same text.
  [[nodiscard]] std::string text(const std::string& run) const;

 private:
  struct Written {
    Time at;
    std::string kind;
    std::string body;
  };
  struct Kept {
    std::vector<Written> events;
    RunSummary summary;
    std::size_t order = 0;
  };

  class MemoryShares;

  Status check_lease(const Lease& lease) const;
  Status may_add(const Addition& addition) const;
  void add(const Addition& addition);

  std::map<std::string, Kept> runs_;
  std::map<std::string, Lease> leases_;
  std::map<std::int64_t, ControlRequest> control_;
  std::int64_t last_request_ = 0;
  std::unique_ptr<MemoryShares> shares_;
};

}  // namespace baton
