#include "cli/project_dialects.h"

#include <utility>

#include "cli/chain_run.h"
#include "cli/session/session_run.h"
#include "cli/team/team_run.h"
#include "cli/workspace/workspace_run.h"
#include "engine/markdown_run.h"

namespace baton::cli {
namespace {

/// Its agents are told the skills of the project.
class SkilledMarkdownRun final : public MarkdownRun {
 public:
  SkilledMarkdownRun(std::string id, SkillsOfNow& told) : MarkdownRun(std::move(id)), told_(told) {}

  Briefing brief(const Run& run, StepIndex step, int /*attempt*/) override {
    return {.skill = told_.find(run.step(step).work->skill)};
  }

 private:
  SkillsOfNow& told_;
};

}  // namespace

std::unique_ptr<DialectRun> ProjectDialects::drive(const std::string& id, const Run& run) {
  const std::string& dialect = run.plan().dialect;
  if (dialect == "chain") return std::make_unique<ChainRun>(project_, skills_, told_);
  if (dialect == "session") return std::make_unique<SessionRun>(project_, skills_, told_, agents_);
  if (dialect == "team") return std::make_unique<TeamRun>(project_, told_, id);
  if (dialect == "workspace") return std::make_unique<WorkspaceRun>(project_, skills_, agents_);
  return std::make_unique<SkilledMarkdownRun>(id, told_);
}

}  // namespace baton::cli
