#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/run.h"
#include "core/shares.h"

namespace baton {

/// Decides across runs which ready step may start: job slots, limits and cool-downs of providers, fairness.
/// Pure: it looks at runs and answers; the engine makes the answer an event.
class Dispatcher {
 public:
  struct Candidate {
    std::string id;
    Run* run = nullptr;
    int ahead = 0;                  ///< attempts that may be admitted beyond the job slots; the host keeps them waiting
    std::optional<int> slots = {};  ///< its share of the attempts that all processes' runs may have at work
  };
  struct Admission {
    Run* run = nullptr;
    std::size_t candidate = 0;
    StepIndex step{};
    std::optional<Time> not_before = {};  ///< set: it may not start, because its provider cools down until then
  };

  explicit Dispatcher(int total_max = 0) : total_max_(total_max) {}

  /// All providers that are to be left alone for a while.
  void set_cool_downs(const std::vector<CoolDown>& all);

  /// The one step that may start now, or nullopt. Runs take turns: after an admission the next run is asked first.
  /// A step whose provider cools down is answered with the time, so that it can be set aside for those behind it.
  /// `provider_of` names the runtime a step goes to.
  template <class ProviderOf>
  std::optional<Admission> next(const std::vector<Candidate>& runs, Time now, ProviderOf provider_of) {
    for (std::size_t tried = 0; tried < runs.size(); ++tried) {
      const std::size_t i = (turn_ + tried) % runs.size();
      const Candidate& c = runs[i];
      if (!has_slot(c, runs)) continue;
      const std::optional<StepIndex> step = c.run->next_ready();
      if (!step) continue;
      const std::string provider = provider_of(*c.run, *step);
      const Time until = cools_until(provider);
      if (until > now && !was_sent_away(*c.run, *step)) return Admission{c.run, i, *step, until};
      turn_ = (i + 1) % runs.size();
      return Admission{c.run, i, *step};
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] bool has_slot(const Candidate& c, const std::vector<Candidate>& all) const;
  [[nodiscard]] Time cools_until(const std::string& name) const;
  [[nodiscard]] static bool was_sent_away(const Run& run, StepIndex step);

  int total_max_;
  std::size_t turn_ = 0;
  std::map<std::string, Time> cool_until_;  ///< by provider: when its cool-down is over
};

}  // namespace baton
