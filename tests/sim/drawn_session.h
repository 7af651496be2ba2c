#pragma once

#include <memory>
#include <string>

#include "dialect/session/turn_line.h"
#include "engine/dialect_run.h"
#include "sim/drawn_plan.h"
#include "sim/promise.h"

namespace baton::test {

/// Sessions whose task files are drawn from the seed: what a task needs is found only when its turn comes. Some are
/// done, some broken, some need what does not exist, some wait for each other, some have work for a process first.
class DrawnSession {
 public:
  explicit DrawnSession(std::uint64_t seed) : seed_(seed) {}

  [[nodiscard]] Plan draw(Draws& draws, const Mix& mix) const;
  [[nodiscard]] session::TodoList list(const Plan& plan) const;
  [[nodiscard]] session::PlanDoc doc() const;
  /// A task's file. It says the same whenever it is looked at.
  [[nodiscard]] session::TaskLook look(const Plan& plan, const std::string& id) const;
  /// Held against every attempt that is admitted. Throws Violation.
  void check_admission(const std::string& run_id, const Run& run, StepIndex step) const;

  static bool is_job(const AttemptKey& key) { return key.step.ends_with("~task"); }
  static std::string report(bool by_itself) { return by_itself ? "{\"outcome\":\"ready\"}\n" : std::string{}; }

 private:
  [[nodiscard]] Draws draws_for(const std::string& id) const;

  std::uint64_t seed_;
};

/// A run of such a session. As an engine's own it dies with it.
class DrawnSessionRun final : public DialectRun {
 public:
  explicit DrawnSessionRun(const DrawnSession& session) : session_(session) {}

  [[nodiscard]] Traits traits(const Run& /*run*/) const override { return {.own_turns = true}; }
  TurnNews take_turns(const Run& run, OpenTurns& open) override;
  TurnNews prepared(const Run& run, const command::TakeTurn& turn) override;
  void ended(const Run& run, StepIndex step) override { line_of(run).ended(run, step); }
  Briefing brief(const Run& /*run*/, StepIndex /*step*/, int /*attempt*/) override { return {.mission = "Do it."}; }

 private:
  session::TurnLine& line_of(const Run& run);
  [[nodiscard]] session::LookAt look_by(const Run& run) const;

  const DrawnSession& session_;
  std::unique_ptr<session::TurnLine> line_;
};

}  // namespace baton::test
