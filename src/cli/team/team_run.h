#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/context.h"
#include "cli/skills_of_now.h"
#include "cli/team/team_files.h"
#include "cli/team/team_mirror.h"
#include "engine/dialect_run.h"

namespace baton::cli {

/// A run of a team session: who begins, what an inner loop did, what workers said (dialect/team decides). Nothing of it
/// is kept beyond the run's own record.
class TeamRun final : public DialectRun {
 public:
  TeamRun(const Project& project, SkillsOfNow& told, std::string id)
      : project_(project), told_(told), mirror_(project, std::move(id)) {}

  /// Its files follow every commit: workers and people go by them.
  [[nodiscard]] Traits traits(const Run& /*run*/) const override {
    return {.files = FilePace::every_commit, .own_turns = true, .hears_workers = true};
  }
  TurnNews take_turns(const Run& run, OpenTurns& open) override;
  Briefing brief(const Run& run, StepIndex step, int attempt) override;
  std::vector<std::string> environment(const Run& run, StepIndex step, int attempt) override;
  Judgement judge(const Run& run, const Finished& attempt) override;
  [[nodiscard]] bool shows(const Run& /*run*/, StepIndex /*step*/) const override { return true; }
  Expected<Shown> files(const Run& run, const Read& read) override { return mirror_.files(run, read); }

 private:
  /// The session's files, read for one round.
  struct Round;

  const Project& project_;
  SkillsOfNow& told_;
  TeamMirror mirror_;
};

/// How a worker calls back: words for a shell, to which `--kind …` is added.
std::string callback_command(const Project& project, const std::string& session, const std::string& role,
                             const std::string& task, int attempt);

}  // namespace baton::cli
