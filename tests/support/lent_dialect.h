#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/dialect_run.h"

namespace baton::test {

/// Passes everything on to an object of a test, which outlives engines.
class LentDialect final : public DialectRun {
 public:
  explicit LentDialect(DialectRun& lent) : lent_(lent) {}

  [[nodiscard]] Traits traits(const baton::Run& run) const override { return lent_.traits(run); }
  TurnNews take_turns(const baton::Run& run, OpenTurns& open) override { return lent_.take_turns(run, open); }
  TurnNews prepared(const baton::Run& run, const command::TakeTurn& turn) override { return lent_.prepared(run, turn); }
  void ended(const baton::Run& run, StepIndex step) override { lent_.ended(run, step); }
  Briefing brief(const baton::Run& run, StepIndex step, int attempt) override {
    return lent_.brief(run, step, attempt);
  }
  std::vector<std::string> environment(const baton::Run& run, StepIndex step, int attempt) override {
    return lent_.environment(run, step, attempt);
  }
  std::vector<std::string> after(const baton::Run& run, StepIndex step) override { return lent_.after(run, step); }
  Judgement judge(const baton::Run& run, const Finished& attempt) override { return lent_.judge(run, attempt); }
  std::optional<Extension> resolve(const baton::Run& run, StepIndex waiting, const Conflict& conflict) override {
    return lent_.resolve(run, waiting, conflict);
  }
  [[nodiscard]] bool shows(const baton::Run& run, StepIndex step) const override { return lent_.shows(run, step); }
  Expected<Shown> files(const baton::Run& run, const Read& read) override { return lent_.files(run, read); }

 private:
  DialectRun& lent_;
};

class LentDialects final : public Dialects {
 public:
  explicit LentDialects(DialectRun& lent) : lent_(lent) {}
  std::unique_ptr<DialectRun> drive(const std::string& /*id*/, const baton::Run& /*run*/) override {
    return std::make_unique<LentDialect>(lent_);
  }

 private:
  DialectRun& lent_;
};

}  // namespace baton::test
