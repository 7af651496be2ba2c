#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cli/agent_settings.h"
#include "cli/project_skills.h"
#include "cli/workspace/workspace_files.h"
#include "engine/seams.h"

namespace baton::cli {

/// Takes the turns of a workspace's tasks: who goes first, whether his task can still be carried out, and that nobody
/// else has it. A task whose turn comes is in progress from then on, in its file too.
class WorkspaceTurns final : public Turns {
 public:
  WorkspaceTurns(const Project& project, ProjectSkills& skills, const ProjectAgents& agents)
      : project_(project), skills_(skills), agents_(agents) {}

  [[nodiscard]] bool takes(const Run& run) const override { return run.plan().dialect == "workspace"; }
  void ask(const std::string& id, const Run& run, const command::TakeTurn& turn) override;
  void ended(const std::string& id, const Run& run, StepIndex step) override;
  TurnNews next(const std::string& id, const Run& run) override;
  TurnNews prepared(const std::string& id, const Run& run, const command::TakeTurn& turn) override;
  std::optional<LaidOutPrompt> prompt(const std::string& id, const Run& run, StepIndex step, int attempt) override;
  std::string mission(const std::string& id, const Run& run, StepIndex step, int attempt) override;
  std::vector<std::string> after(const std::string& id, const Run& run, StepIndex step) override;

 private:
  struct Asked {
    command::TakeTurn turn;
    int weight = 0;  ///< the smaller goes first
    std::optional<Time> locked_since;
  };
  void begin(const std::string& id, const WorkspaceFiles& files, const Run& run);
  std::optional<event::TurnTaken> take(const WorkspaceFiles& files, const Run& run, Asked& asked, Faults& warnings);
  static event::TurnTaken leave(const Run& run, const command::TakeTurn& turn, workspace::TaskStatus status,
                                Faults& warnings);
  std::optional<Fault> trouble_with(const WorkspaceFiles& files, const Run& run, StepIndex step,
                                    const workspace::Task& task);

  const Project& project_;
  ProjectSkills& skills_;
  const ProjectAgents& agents_;
  std::map<std::string, std::vector<Asked>> asked_;  ///< by run
  std::set<std::string> begun_;                      ///< runs whose tasks are all there
  std::map<std::string, Fault> broken_;              ///< runs whose tasks could not be written
};

}  // namespace baton::cli
