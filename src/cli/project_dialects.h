#pragma once

#include <memory>
#include <string>

#include "cli/agent_settings.h"
#include "cli/project_skills.h"
#include "cli/skills_of_now.h"
#include "engine/dialect_run.h"

namespace baton::cli {

/// What the five dialects know of a project's runs.
class ProjectDialects final : public Dialects {
 public:
  ProjectDialects(const Project& project, ProjectSkills& skills, const ProjectAgents& agents)
      : project_(project), skills_(skills), agents_(agents), told_(project, skills) {}

  std::unique_ptr<DialectRun> drive(const std::string& id, const Run& run) override;
  void look_anew() override { told_.look_anew(); }

 private:
  const Project& project_;
  ProjectSkills& skills_;
  const ProjectAgents& agents_;
  SkillsOfNow told_;
};

}  // namespace baton::cli
