#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/agent_settings.h"
#include "cli/session/session_agents.h"
#include "cli/session/session_files.h"
#include "cli/session/session_mirror.h"
#include "cli/skills_of_now.h"
#include "engine/dialect_run.h"

namespace baton::cli {

/// A run of a session (docs/decisions, 15): reads task files when `TurnLine` wants them looked at, gives tasks that may
/// go their work, and keeps the session's files true.
class SessionRun final : public DialectRun {
 public:
  SessionRun(const Project& project, ProjectSkills& skills, SkillsOfNow& told, const ProjectAgents& settings);
  ~SessionRun() override;

  [[nodiscard]] Traits traits(const Run& /*run*/) const override {
    return {.files = FilePace::now_and_then, .own_turns = true};
  }
  TurnNews take_turns(const Run& run, OpenTurns& open) override;
  TurnNews prepared(const Run& run, const command::TakeTurn& turn) override;
  void ended(const Run& run, StepIndex step) override;
  Briefing brief(const Run& run, StepIndex step, int attempt) override;
  std::vector<std::string> after(const Run& run, StepIndex step) override;
  [[nodiscard]] bool shows(const Run& run, StepIndex step) const override;
  Expected<Shown> files(const Run& run, const Read& read) override { return mirror_.files(run, read); }

 private:
  struct Line;
  Line& line_of(const Run& run);
  void go(Line& line, const Run& run, const command::TakeTurn& turn, const session::Task& task, TurnNews& news);
  void prepare(Line& line, const Run& run, const command::TakeTurn& turn, const session::Task& task, TurnNews& news);
  std::shared_ptr<const Work> work_for(Line& line, const Run& run, const session::Task& task, TurnNews& news);

  const Project& project_;
  ProjectSkills& skills_;
  SkillsOfNow& told_;
  const ProjectAgents& settings_;
  SessionAgents agents_;
  SessionMirror mirror_;
  std::unique_ptr<Line> line_;
};

}  // namespace baton::cli
