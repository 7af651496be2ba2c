#pragma once

#include <string>

#include "engine/mirror.h"

namespace baton {

/// Keeps `sandbox/ID/validation.json` of Markdown runs.
class SandboxMirror final : public Mirror {
 public:
  [[nodiscard]] bool shows(const Run& run, StepIndex step) const override;
  [[nodiscard]] Expected<std::vector<FileEdit>> edits(const std::string& id, const Run& run,
                                                      const Read& read) const override;
};

/// Where it stands, from the project root.
inline std::string validation_file(const std::string& sandbox) { return "sandbox/" + sandbox + "/validation.json"; }

}  // namespace baton
