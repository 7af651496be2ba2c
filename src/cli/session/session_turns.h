#pragma once

#include <map>
#include <memory>
#include <string>

#include "cli/agent_settings.h"
#include "cli/session/session_agents.h"
#include "cli/session/session_files.h"
#include "engine/seams.h"

namespace baton::cli {

/// The turns of sessions (docs/decisions, 15): reads task files when `TurnLine` wants them looked at, and gives tasks
/// that may go their work.
class SessionTurns final : public Turns {
 public:
  SessionTurns(const Project& project, ProjectSkills& skills, SessionAgents& agents, const ProjectAgents& settings);
  ~SessionTurns() override;

  [[nodiscard]] bool takes(const Run& run) const override { return run.plan().dialect == "session"; }
  void ask(const std::string& id, const Run& run, const command::TakeTurn& turn) override;
  void ended(const std::string& id, const Run& run, StepIndex step) override;
  TurnNews next(const std::string& id, const Run& run) override;
  TurnNews prepared(const std::string& id, const Run& run, const command::TakeTurn& turn) override;
  std::string mission(const std::string& id, const Run& run, StepIndex step, int attempt) override;
  std::vector<std::string> after(const std::string& id, const Run& run, StepIndex step) override;

 private:
  struct Line;
  Line& line_of(const std::string& id, const Run& run);
  void go(Line& line, const Run& run, const command::TakeTurn& turn, const session::Task& task, TurnNews& news);
  void prepare(Line& line, const Run& run, const command::TakeTurn& turn, const session::Task& task, TurnNews& news);
  std::shared_ptr<const Work> work_for(Line& line, const Run& run, const session::Task& task, TurnNews& news);

  const Project& project_;
  ProjectSkills& skills_;
  SessionAgents& agents_;
  const ProjectAgents& settings_;
  std::map<std::string, std::unique_ptr<Line>> lines_;  ///< by run
};

}  // namespace baton::cli
