#pragma once

#include <string>
#include <vector>

#include "core/governor.h"
#include "core/shares.h"
#include "journal/journal.h"

namespace baton {

/// A run that may go now and has to be told.
struct Call {
  std::string run;
  bool driven = true;  ///< false: nobody drives it, so it has to be woken
};

/// What the runs of a project share: places, attempts at work, cool-downs. Who may have what is decided by
/// core/shares.h inside one transaction. What a dead or silent driver's run has counts for nothing, as with its lease;
/// whoever has the same owner as the asker is alive. Faults: lease-lost where a lease is named, and the journal's own.
class Shares {
 public:
  virtual ~Shares() = default;

  /// Who asks, by when, under which limits.
  struct Asker {
    const Lease& lease;
    Time now{};
    const SharedLimits& limits;
    bool (*is_dead)(const Lease&);
  };

  /// Gives the run a place or says how many are before it. Runs on record as running have one, whoever let them run.
  /// REQUIRES: the run is on record, as queued.
  virtual Expected<PlaceAnswer> take_place(const Asker& asker) = 0;
  /// The run goes on no more, and waits for no place either.
  virtual Status give_place(const Asker& asker) = 0;
  /// The run stays in the queue though its driver leaves: whoever makes room wakes it.
  virtual Status keep_in_queue(const Asker& asker) = 0;
  /// Who may go now. A run that nobody drives is named once: from then on it has a few seconds to come, and is passed
  /// over after that until it does.
  virtual Expected<std::vector<Call>> calls(const Asker& asker) = 0;

  /// The run has `used` attempts in flight and wants `wanted` more: how many it may have in all.
  virtual Expected<int> take_slots(const Asker& asker, int used, int wanted) = 0;
  /// The run has only so many attempts in flight now. If it waits for a slot, it goes on waiting where it was.
  virtual Status set_slots(const Asker& asker, int used) = 0;
  /// Who waits for a slot that is free.
  virtual Expected<std::vector<Call>> slot_calls(const Asker& asker) = 0;

  /// Never shortens one that is known.
  virtual Status cool_down(const CoolDown& cool_down) = 0;
  /// An attempt that began then went well: a cool-down that was only guessed, before that, is over.
  virtual Status answered(const std::string& runtime, Time began) = 0;
  virtual Expected<std::vector<CoolDown>> cool_downs(Time now) = 0;

  /// What attempts that began since then have cost, as far as it is known; rehearsals cost nothing.
  virtual Expected<Cost> spent_since(Time since) = 0;

  /// When a request to the provider and model that `name` stands for may be made.
  virtual Expected<governor::Permit> take_permit(const std::string& name, const governor::Load& load, Time now) = 0;
  /// The same for one that has a moment kept for it, which is now: the provider may have asked for time since.
  virtual Expected<governor::Permit> keep_permit(const std::string& name, const governor::Load& load, Time now) = 0;
  virtual Status learned(const std::string& name, const governor::Outcome& outcome) = 0;
};

/// How long a run that nobody drives has to come once it was called.
constexpr Millis comes_within{10'000};

}  // namespace baton
