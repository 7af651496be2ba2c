#pragma once

#include <functional>

#include "journal/shares.h"

namespace baton {

/// The rules of what is shared, over rows that a journal keeps in its own way.
class RowShares : public Shares {
 public:
  Expected<PlaceAnswer> take_place(const Asker& asker) final;
  Status give_place(const Asker& asker) final;
  Status keep_in_queue(const Asker& asker) final;
  Expected<std::vector<Call>> calls(const Asker& asker) final;
  Expected<int> take_slots(const Asker& asker, int used, int wanted) final;
  Status set_slots(const Asker& asker, int used) final;
  Expected<std::vector<Call>> slot_calls(const Asker& asker) final;
  Status cool_down(const CoolDown& cool_down) final;
  Status answered(const std::string& runtime, Time began) final;
  Expected<std::vector<CoolDown>> cool_downs(Time now) final;
  Expected<governor::Permit> take_permit(const std::string& name, const governor::Load& load, Time now) final;
  Expected<governor::Permit> keep_permit(const std::string& name, const governor::Load& load, Time now) final;
  Status learned(const std::string& name, const governor::Outcome& outcome) final;

 protected:
  enum class Place { none, taken, waits };
  struct PlaceRow {
    Lease lease;  ///< of the run; without an owner if nobody drives it
    std::int64_t created = 0;
    RunState state = RunState::queued;
    Place place = Place::none;
    Time call_ends{};  ///< it was called and has until then to come
  };
  struct SlotRow {
    Lease lease;
    SlotEntry entry;
  };

  virtual Status transact(const std::function<Status()>& body) = 0;
  /// The same for what has to be there after a power cut.
  virtual Status transact_lastingly(const std::function<Status()>& body) { return transact(body); }
  virtual Status check_lease(const Lease& lease) = 0;
  /// Every run that somebody drives and that is queued or running, and every run with a row of its own.
  virtual Expected<std::vector<PlaceRow>> place_rows() = 0;
  /// `none` takes the row away.
  virtual Status put_place(const std::string& run, Place place, Time call_ends) = 0;
  virtual Expected<std::vector<SlotRow>> slot_rows() = 0;
  /// One that has nothing and wants nothing has no row.
  virtual Status put_slots(const SlotEntry& entry) = 0;
  virtual Expected<std::vector<CoolDown>> cool_down_rows() = 0;
  /// One that is over at the epoch has no row.
  virtual Status put_cool_down(const CoolDown& cool_down) = 0;
  /// Empty if there is none.
  virtual Expected<std::string> governor_row(const std::string& name) = 0;
  virtual Status put_governor(const std::string& name, const std::string& state) = 0;

 private:
  static std::vector<QueueEntry> queue_of(const std::vector<PlaceRow>& rows, const Asker& asker);
  Expected<std::vector<SlotEntry>> living_slots(const Asker& asker, SlotEntry& own, bool clears);
};

}  // namespace baton
