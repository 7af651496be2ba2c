#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "dialect/markdown/reader.h"
#include "engine/dialect_run.h"
#include "skill/registry.h"

namespace baton::cli {

/// The skills of a project and its user, as the reader of a definition and the engine ask for them. Looks at nothing
/// before it is asked.
class ProjectSkills final : public SkillFinder {
 public:
  explicit ProjectSkills(const Project& project);

  std::optional<Facts> facts_of(const std::string& name) override;
  std::vector<std::string> names() override;
  /// As an agent is told it, read anew.
  std::optional<SkillText> find(const std::string& name);

  /// What is wrong with the skills that facts_of() was asked for and that are there: they cannot be read as a whole.
  /// Warnings, all of them `skill-unreadable`.
  Faults troubles();

  SkillRegistry& registry() { return registry_; }

 private:
  SkillRegistry registry_;
  std::map<std::string, std::optional<Facts>, std::less<>> facts_;  // a definition asks for the same few over and over
};

/// `name` is none of the skills that are found.
Fault unknown_skill(const std::string& name, const std::vector<std::string>& names);

}  // namespace baton::cli
