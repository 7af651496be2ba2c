#pragma once

#include <map>
#include <memory>
#include <string>

#include "engine/runtimes.h"
#include "runtime/rehearsal_script.h"

namespace baton {

/// The runtimes this build has, chosen by a run's recorded options.
class RuntimeChoice final : public Runtimes {
 public:
  [[nodiscard]] std::string name_for(const Run& run, const Step& step) const override;
  [[nodiscard]] std::unique_ptr<Runtime> make(const Run& run, const std::string& name) const override;
  [[nodiscard]] bool is_held(const std::string& name) const override;

 private:
  /// Read once a run; never null.
  const std::shared_ptr<const RehearsalScript>& script_of(const Run& run) const;
  mutable std::map<const Run*, std::shared_ptr<const RehearsalScript>> scripts_;
};

}  // namespace baton
