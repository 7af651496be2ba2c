#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/command.h"

namespace baton {

/// What a run waits for, and its own clock: while the run is frozen no time passes for it. What changes the armed
/// timers adds the commands by which the world's timers follow.
class Timers {
 public:
  /// Replaces what was armed under this id. While frozen only what is left is noted.
  void arm(TimerId timer, Millis in, Time now, std::vector<Command>& out);
  void disarm(TimerId timer, std::vector<Command>& out);
  /// True if it was armed and is due; it is armed no longer then.
  [[nodiscard]] bool fires(TimerId timer, Time now);

  /// No time passes from now on. Frozen again it changes nothing.
  void freeze(Time now, std::vector<Command>& out);
  /// Time passes again, and each timer that stood still goes on with what it had left.
  void thaw(Time now, std::vector<Command>& out);

  /// The time budget, and the warning when its last fifth begins.
  void arm_budget(Millis left, Millis budget, Time now, std::vector<Command>& out);
  void disarm_budget(std::vector<Command>& out);
  /// Stands still until the next thaw, also where the run is not frozen.
  void stop_budget(Time now, std::vector<Command>& out);
  /// It fired. Thawed it fires again at once, unless it was raised meanwhile.
  void note_budget_used_up();
  /// Nothing is waited for any more and time passes again, but what is left of the budget is kept.
  void drop_all_but_budget(Time now, std::vector<Command>& out);

  [[nodiscard]] std::optional<Millis> left_of(TimerId timer, Time now) const;
  [[nodiscard]] bool has(TimerId timer) const { return armed_.contains(timer) || stopped_.contains(timer); }
  [[nodiscard]] bool has_none() const { return armed_.empty() && stopped_.empty(); }
  [[nodiscard]] const std::map<TimerId, Time>& armed() const { return armed_; }
  [[nodiscard]] const std::map<TimerId, Millis>& stopped() const { return stopped_; }
  [[nodiscard]] bool is_frozen() const { return !freezes_.empty() && freezes_.back().second == Time::max(); }
  [[nodiscard]] std::size_t times_frozen() const { return freezes_.size(); }
  /// How much time has passed for the run since then.
  [[nodiscard]] Millis passed_since(Time start, Time now) const;

 private:
  void stop(TimerId timer, Time now, std::vector<Command>& out);
  void end_freeze(Time now);

  std::map<TimerId, Time> armed_;
  std::map<TimerId, Millis> stopped_;           ///< what is left of those that stand still
  std::vector<std::pair<Time, Time>> freezes_;  ///< from when to when; the last one may still be open
};

}  // namespace baton
