#pragma once

#include <map>
#include <optional>
#include <string>

#include "cli/agent_settings.h"
#include "cli/project_skills.h"
#include "cli/workspace/workspace_answer.h"
#include "cli/workspace/workspace_files.h"
#include "cli/workspace/workspace_mirror.h"
#include "engine/dialect_run.h"

namespace baton::cli {

/// A run of a workspace's tasks: which of them goes first, whether it can still be carried out, and that no other run
/// has it. A task whose turn comes is in progress from then on, in its file too.
class WorkspaceRun final : public DialectRun {
 public:
  WorkspaceRun(const Project& project, ProjectSkills& skills, const ProjectAgents& agents)
      : project_(project), skills_(skills), agents_(agents), answer_(project.root()) {}

  [[nodiscard]] Traits traits(const Run& run) const override;
  TurnNews take_turns(const Run& run, OpenTurns& open) override;
  Briefing brief(const Run& run, StepIndex step, int attempt) override;
  Judgement judge(const Run& run, const Finished& attempt) override;
  [[nodiscard]] bool shows(const Run& run, StepIndex step) const override;
  Expected<Shown> files(const Run& run, const Read& read) override { return mirror_.files(run, read); }

 private:
  /// What is known of an open turn beside the turn itself.
  struct Waiting {
    command::TakeTurn turn;
    int weight = 0;  ///< the smaller goes first
    std::optional<Time> locked_since = {};
  };
  void meet(const Run& run, OpenTurns& open);
  void begin(const WorkspaceFiles& files, const Run& run);
  std::optional<event::TurnTaken> take(const WorkspaceFiles& files, const Run& run, Waiting& waiting, Faults& warnings);
  static event::TurnTaken leave(const Run& run, const command::TakeTurn& turn, workspace::TaskStatus status,
                                Faults& warnings);
  std::optional<Fault> trouble_with(const WorkspaceFiles& files, const Run& run, StepIndex step,
                                    const workspace::Task& task);

  const Project& project_;
  ProjectSkills& skills_;
  const ProjectAgents& agents_;
  WorkspaceAnswer answer_;
  WorkspaceMirror mirror_;
  std::map<StepIndex, Waiting> waiting_;
  bool begun_ = false;           ///< its tasks are all there
  std::optional<Fault> broken_;  ///< why its tasks could not be written
};

}  // namespace baton::cli
