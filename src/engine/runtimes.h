#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/run.h"
#include "runtime/runtime.h"

namespace baton {

/// Which runtime a step goes to, and one state machine for each attempt.
class Runtimes {
 public:
  virtual ~Runtimes() = default;
  /// The runtime's name for this step of this run. REQUIRES: the run was checked when it was created.
  [[nodiscard]] virtual std::string name_for(const Run& run, const Step& step) const = 0;
  /// The model for this step, as far as it is chosen here and not by the runtime's program; may be empty.
  [[nodiscard]] virtual std::string model_for(const Run& run, const Step& step) const = 0;
  [[nodiscard]] virtual std::unique_ptr<Runtime> make(const Run& run, const Step& step,
                                                      const std::string& name) const = 0;
  /// True if attempts of it are processes that outlive the engine.
  [[nodiscard]] virtual bool is_held(const std::string& name) const = 0;
  /// True if there is somebody behind it whom all runs use: when that one asks for time, all leave it alone.
  [[nodiscard]] virtual bool has_provider(const std::string& name) const = 0;
  /// By what all who use the same model of the same provider know each other; empty: nobody minds how often it is
  /// asked.
  [[nodiscard]] virtual std::string governed_by(const Run& /*run*/, const Step& /*step*/,
                                                const std::string& /*runtime*/, const std::string& /*model*/) const {
    return {};
  }
  /// False if nobody can say what an attempt of it costs: it does not tell, and its model has no price.
  [[nodiscard]] virtual bool knows_cost(const std::string& /*runtime*/, const std::string& /*model*/) const {
    return true;
  }
  /// True if its models can read no files: inputs and references are in the prompt then.
  [[nodiscard]] virtual bool is_told_all(const std::string& /*name*/) const { return false; }
  /// Rules that every agent of this run is told.
  [[nodiscard]] virtual std::vector<std::string> constraints(const Run& /*run*/) const { return {}; }
  /// True if it can do something in the world; one that only answers needs no rules about that.
  [[nodiscard]] virtual bool acts(const Run& /*run*/, const Step& /*step*/, const std::string& /*name*/) const {
    return true;
  }
};

}  // namespace baton
