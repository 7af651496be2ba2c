#pragma once

#include <memory>

#include "runtime/rehearsal_script.h"
#include "runtime/runtime.h"

namespace baton {

/// Stands in for any step, agent or command, at no cost: after a plausible time it writes an output that meets the
/// step's own checks, or does what a script says. Everything follows from the run's seed, the step, the attempt and
/// when it began, so an attempt that is taken up again goes on as if nothing had happened.
class Rehearsal final : public Runtime {
 public:
  /// Without a script everything is made up.
  explicit Rehearsal(std::shared_ptr<const RehearsalScript> script = nullptr);

  Actions begin(const Assignment& assignment) override;
  Actions next(const Observation& observation) override;

 private:
  struct Moment {
    Time when;
    Actions actions;
  };

  Actions until(Time now);

  std::shared_ptr<const RehearsalScript> script_;
  std::vector<Moment> moments_;
  std::size_t moments_past_ = 0;
};

}  // namespace baton
