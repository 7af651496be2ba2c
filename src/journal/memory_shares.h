#pragma once

#include <map>

#include "journal/memory_journal.h"
#include "journal/row_shares.h"

namespace baton {

/// What runs share, as the journal's twin keeps it.
class MemoryJournal::MemoryShares final : public RowShares {
 public:
  explicit MemoryShares(MemoryJournal& journal) : journal_(journal) {}

 private:
  Status transact(const std::function<Status()>& body) override { return body(); }
  Status check_lease(const Lease& lease) override { return journal_.check_lease(lease); }

  Expected<std::vector<PlaceRow>> place_rows() override {
    std::vector<PlaceRow> rows;
    for (const auto& [id, lease] : journal_.leases_) {
      const auto run = journal_.runs_.find(id);
      if (run == journal_.runs_.end()) continue;
      const RunState state = run->second.summary.state;
      const bool driven = !lease.owner.empty() && (state == RunState::queued || state == RunState::running);
      const auto own = places_.find(id);
      if (!driven && own == places_.end()) continue;
      PlaceRow row{lease, static_cast<std::int64_t>(run->second.order), state};
      if (own != places_.end()) std::tie(row.place, row.call_ends) = own->second;
      rows.push_back(std::move(row));
    }
    return rows;
  }
  Status put_place(const std::string& run, Place place, Time call_ends) override {
    if (place == Place::none) {
      places_.erase(run);
    } else {
      places_[run] = {place, call_ends};
    }
    return {};
  }
  Expected<std::vector<SlotRow>> slot_rows() override {
    std::vector<SlotRow> rows;
    for (const auto& [run, entry] : slots_) {
      if (const auto lease = journal_.leases_.find(run); lease != journal_.leases_.end()) {
        rows.push_back({lease->second, entry});
      }
    }
    return rows;
  }
  Status put_slots(const SlotEntry& entry) override {
    if (entry.used == 0 && entry.ticket == 0) {
      slots_.erase(entry.run);
    } else {
      slots_[entry.run] = entry;
    }
    return {};
  }
  Expected<std::vector<CoolDown>> cool_down_rows() override {
    std::vector<CoolDown> rows;
    for (const auto& [runtime, cool_down] : cool_downs_) rows.push_back(cool_down);
    return rows;
  }
  Status put_cool_down(const CoolDown& cool_down) override {
    cool_downs_[cool_down.runtime] = cool_down;
    if (cool_down.until == Time{}) cool_downs_.erase(cool_down.runtime);
    return {};
  }

  /// By runs: that is as exact as its tests need.
  Expected<Cost> spent_since(Time since) override {
    Cost spent;
    for (const auto& [id, run] : journal_.runs_) {
      if (run.summary.started >= since) spent.nano_usd += run.summary.known.nano_usd;
    }
    return spent;
  }
  Expected<std::string> governor_row(const std::string& name) override {
    const auto found = governors_.find(name);
    return found == governors_.end() ? std::string{} : found->second;
  }
  Status put_governor(const std::string& name, const std::string& state) override {
    governors_[name] = state;
    return {};
  }

  MemoryJournal& journal_;
  std::map<std::string, std::pair<Place, Time>> places_;
  std::map<std::string, SlotEntry> slots_;
  std::map<std::string, CoolDown> cool_downs_;
  std::map<std::string, std::string> governors_;
};

}  // namespace baton
