#pragma once

#include <map>
#include <memory>
#include <string>

#include "dialect/session/turn_line.h"
#include "engine/seams.h"
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

/// Takes the turns of such sessions. As an engine's own it dies with it.
class DrawnTurns final : public Turns {
 public:
  explicit DrawnTurns(const DrawnSession& session) : session_(session) {}

  [[nodiscard]] bool takes(const Run& run) const override { return run.plan().dialect == "session"; }
  void ask(const std::string& id, const Run& run, const command::TakeTurn& turn) override;
  void ended(const std::string& id, const Run& run, StepIndex step) override;
  TurnNews next(const std::string& id, const Run& run) override;
  TurnNews prepared(const std::string& id, const Run& run, const command::TakeTurn& turn) override;
  std::string mission(const std::string&, const Run&, StepIndex, int) override { return "Do it."; }
  std::vector<std::string> after(const std::string&, const Run&, StepIndex) override { return {}; }

 private:
  session::TurnLine& line_of(const std::string& id, const Run& run);
  [[nodiscard]] session::LookAt look_by(const Run& run) const;

  const DrawnSession& session_;
  std::map<std::string, std::unique_ptr<session::TurnLine>> lines_;
};

}  // namespace baton::test
