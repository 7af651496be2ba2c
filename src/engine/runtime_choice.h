#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/runtimes.h"
#include "price/prices.h"
#include "runtime/api/api_runtime.h"
#include "runtime/claude.h"
#include "runtime/rehearsal_script.h"

namespace baton {

/// What agent programs are told beside their prompt. Whoever reads the configuration answers.
class AgentSettings {
 public:
  virtual ~AgentSettings() = default;
  [[nodiscard]] virtual ClaudeSettings claude(const Run& run, const Step& step) const = 0;
  /// How the API behind `runtime` (anthropic, openai) is called for this step.
  [[nodiscard]] virtual ApiSettings api(const Run& run, const Step& step, const std::string& runtime) const = 0;
  /// The model a runtime uses where nobody names one; may be empty.
  [[nodiscard]] virtual std::string model_of(const Run& run, const std::string& runtime) const = 0;
  /// Rules that every agent of this run is told.
  [[nodiscard]] virtual std::vector<std::string> constraints(const Run& run) const = 0;
  [[nodiscard]] virtual std::shared_ptr<const Prices> prices() const = 0;
};

/// The runtimes this build has, chosen by a run's recorded options.
class RuntimeChoice final : public Runtimes {
 public:
  explicit RuntimeChoice(const AgentSettings& agents) : agents_(agents) {}

  [[nodiscard]] std::string name_for(const Run& run, const Step& step) const override;
  [[nodiscard]] std::string model_for(const Run& run, const Step& step) const override;
  [[nodiscard]] std::unique_ptr<Runtime> make(const Run& run, const Step& step, const std::string& name) const override;
  [[nodiscard]] bool is_held(const std::string& name) const override;
  [[nodiscard]] bool has_provider(const std::string& name) const override;
  [[nodiscard]] std::string governed_by(const Run& run, const Step& step, const std::string& runtime,
                                        const std::string& model) const override;
  [[nodiscard]] bool knows_cost(const std::string& runtime, const std::string& model) const override;
  [[nodiscard]] bool is_told_all(const std::string& name) const override;
  [[nodiscard]] std::vector<std::string> constraints(const Run& run) const override { return agents_.constraints(run); }
  [[nodiscard]] bool acts(const Run& run, const Step& step, const std::string& name) const override;

 private:
  /// Read once; never null.
  std::shared_ptr<const RehearsalScript> script_of(const Run& run) const;

  const AgentSettings& agents_;
  std::shared_ptr<api::KnownAnswers> known_answers_ = std::make_shared<api::KnownAnswers>();
  mutable std::map<std::string, std::shared_ptr<const RehearsalScript>> scripts_;  ///< by their text
};

}  // namespace baton
