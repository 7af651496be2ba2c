#pragma once

#include <string>

#include "engine/dialect_run.h"

namespace baton {

/// A run of a Markdown workflow: its state stands in `sandbox/ID/validation.json`.
class MarkdownRun : public DialectRun {
 public:
  explicit MarkdownRun(std::string id) : id_(std::move(id)) {}

  [[nodiscard]] Traits traits(const Run& /*run*/) const override { return {.files = FilePace::now_and_then}; }
  [[nodiscard]] bool shows(const Run& run, StepIndex step) const override;
  Expected<Shown> files(const Run& run, const Read& read) override;

 private:
  std::string id_;
};

/// Where it stands, from the project root.
inline std::string validation_file(const std::string& sandbox) { return "sandbox/" + sandbox + "/validation.json"; }

}  // namespace baton
