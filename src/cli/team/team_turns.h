#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "cli/context.h"
#include "cli/team/team_files.h"
#include "engine/seams.h"

namespace baton::cli {

/// The roles of a team as those who know only skills ask for them. For all else these are the skills there are.
class TeamRoles final : public Skills {
 public:
  explicit TeamRoles(Skills& skills) : skills_(skills) {}

  std::optional<SkillText> find(const std::string& name) override;
  /// The worker of this role is about to be told what to do.
  void serve(const std::string& name, std::string body) { served_ = {name, std::move(body)}; }

 private:
  Skills& skills_;
  std::pair<std::string, std::string> served_;
};

/// The turns of team sessions: who begins, what an inner loop did, what workers said (dialect/team decides). What is
/// kept of a run beyond its own record is which turns were asked for.
class TeamTurns final : public Turns {
 public:
  TeamTurns(const Project& project, TeamRoles& roles) : project_(project), roles_(roles) {}

  [[nodiscard]] bool takes(const Run& run) const override { return run.plan().dialect == "team"; }
  void ask(const std::string& id, const Run& run, const command::TakeTurn& turn) override;
  void ended(const std::string& id, const Run& run, StepIndex step) override;
  TurnNews next(const std::string& id, const Run& run) override;
  TurnNews prepared(const std::string& id, const Run& run, const command::TakeTurn& turn) override;
  std::string mission(const std::string& id, const Run& run, StepIndex step, int attempt) override;
  std::vector<std::string> after(const std::string& id, const Run& run, StepIndex step) override;
  TurnJudgement judge(const std::string& id, const Run& run, StepIndex step, int attempt) override;
  std::vector<std::string> environment(const std::string& id, const Run& run, StepIndex step, int attempt) override;
  [[nodiscard]] bool hears_workers(const Run& run) const override { return takes(run); }

 private:
  /// The session's files, read for one round.
  struct Round;

  const Project& project_;
  TeamRoles& roles_;
  std::map<std::string, std::map<StepIndex, command::TakeTurn>> asked_;  ///< by run
};

/// How a worker calls back: words for a shell, to which `--kind …` is added.
std::string callback_command(const Project& project, const std::string& session, const std::string& role,
                             const std::string& task, int attempt);

}  // namespace baton::cli
