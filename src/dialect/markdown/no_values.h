#pragma once

#include "plan/expression.h"

namespace baton::markdown {

/// Of a text that speaks of nothing that only a run knows.
class NoValues : public Values {
 public:
  [[nodiscard]] std::optional<std::string> output_of(const std::string& /*step*/) const override { return {}; }
  [[nodiscard]] std::string state_of(const std::string& /*step*/) const override { return {}; }
  [[nodiscard]] std::string path_of(const std::string& /*step*/) const override { return {}; }
  [[nodiscard]] std::optional<std::string> input(const std::string& /*name*/) const override { return {}; }
  [[nodiscard]] std::string path_of_input(const std::string& /*name*/) const override { return {}; }
};

}  // namespace baton::markdown
