#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fault.h"
#include "dialect/workspace/status.h"

namespace baton::workspace {

/// One step of a pipeline: a skill, several at once, or a review of what there is.
struct PipelineStep {
  enum class Kind : std::uint8_t { sequential, parallel, review };
  Kind kind = Kind::sequential;
  std::vector<std::string> skills = {};  ///< of a review: who reviews; `director` is a person

  bool operator==(const PipelineStep&) const = default;
};
constexpr const char* director = "director";

struct Pipeline {
  std::string name;
  std::string description = {};
  std::string trigger = {};  ///< as it is written; who starts pipelines by it is another matter
  Priority priority = Priority::p2;
  std::vector<PipelineStep> steps;
  std::string origin = {};  ///< the file it stands in; empty: it is built in

  [[nodiscard]] std::string id() const;
  /// `copywriting > (page-cro, seo-audit) > review: director`
  [[nodiscard]] std::string outline() const;
};

/// The pipelines of the first such workspaces.
const std::vector<Pipeline>& built_in_pipelines();

struct PipelinesRead {
  std::vector<Pipeline> pipelines;
  Faults faults;
};

/// Reads a `pipelines.yaml`. Faults: those of YAML, bad-pipeline (also one without steps), each with its place.
PipelinesRead read_pipelines(std::string_view text, const std::string& file);

/// By its name or id, whatever the case; null if there is none.
const Pipeline* find_pipeline(const std::vector<Pipeline>& all, std::string_view named);

}  // namespace baton::workspace
