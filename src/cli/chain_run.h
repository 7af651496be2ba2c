#pragma once

#include "cli/chain_library.h"
#include "cli/skills_of_now.h"
#include "engine/dialect_run.h"

namespace baton::cli {

/// A run of a chain of skills: some of its steps' answers change the plan, and conflicts get a step that resolves them.
class ChainRun final : public DialectRun {
 public:
  ChainRun(const Project& project, ProjectSkills& skills, SkillsOfNow& told) : chains_(project, skills), told_(told) {}

  Briefing brief(const Run& run, StepIndex step, int attempt) override;
  Judgement judge(const Run& run, const Finished& attempt) override;
  std::optional<Extension> resolve(const Run& run, StepIndex waiting, const Conflict& conflict) override;

 private:
  ProjectChains chains_;
  SkillsOfNow& told_;
};

}  // namespace baton::cli
