#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "core/failure.h"
#include "core/usage.h"

namespace baton {

/// What runs of one project share, whichever processes drive them. 0: no limit.
struct SharedLimits {
  int concurrent_runs = 0;
  int concurrent_steps = 0;
  Millis rate_limit_backoff{60'000};          ///< how long others leave a provider alone that did not say
  std::optional<Cost> day_budget = {};        ///< what all runs may spend on a day (UTC)
  std::optional<Cost> month_budget = {};      ///< and in a month
  std::optional<Cost> workspace_budget = {};  ///< in a month, looked at by tasks of workspaces
};

/// The day, or the month, of a moment: from when, and until when. By UTC, as spending is told.
struct Span {
  Time from{};
  Time until{};
};
Span day_of(Time at);
Span month_of(Time at);

/// A run that has a place or waits for one. Dead drivers' runs are not among these.
struct QueueEntry {
  std::string run;
  std::int64_t created = 0;  ///< the order of creation
  bool running = false;      ///< has a place
  bool driven = true;        ///< a living process drives it; else somebody has to wake it
};

/// What a run that asked for a place gets.
struct PlaceAnswer {
  bool taken = false;
  std::size_t before = 0;  ///< how many runs have to make room first
};

/// First come, first served: the places that are free are for those that were created first. `all` may hold the run
/// itself.
PlaceAnswer place_for(const std::string& run, std::int64_t created, const std::vector<QueueEntry>& all, int places);

/// Those that wait and may go now, in their order.
std::vector<QueueEntry> next_in_line(std::vector<QueueEntry> all, int places);

/// What a run has of the attempts that all runs together may have at work.
struct SlotEntry {
  std::string run;
  int used = 0;
  std::int64_t ticket = 0;  ///< since when it waits for one more, as a number that only rises; 0: it does not
};

/// `me` has `used` attempts in flight and wants `wanted` more. Whoever has waited longest gets the next slot, and then
/// stands behind all others: so runs take turns. Answers the entry as it is to be kept.
SlotEntry slots_for(SlotEntry me, int wanted, const std::vector<SlotEntry>& others, int slots);

/// A provider that is to be left alone until then.
struct CoolDown {
  std::string runtime;
  Time until{};
  Time guessed{};  ///< when it was; the epoch if the provider itself said how long
};

/// What an attempt that ended so means for all others that would use its provider; nullopt if nothing. Who was given no
/// time tries again by its own rule meanwhile, and if that goes well, the guess was too long (Shares::answered).
/// `floor`: how long to keep off a wall that says nothing of use (core/wall.h).
std::optional<CoolDown> cool_down_after(const Failure& failure, const std::string& runtime, Time now, Millis backoff,
                                        Millis floor);

/// An attempt at the runtime that began then went well: so a guess that was made before was too long.
bool ends_guess(const CoolDown& cool_down, const std::string& runtime, Time began);

/// The failure says that the provider has too much to do, and not for how long.
bool is_asked_for_time(const Failure& failure);

}  // namespace baton
