#pragma once

#include <string>
#include <vector>

#include "engine/seams.h"

namespace baton::cli {

/// The turns of those dialects that take their own: each run's are taken by the one that knows it.
class DialectTurns final : public Turns {
 public:
  explicit DialectTurns(std::vector<Turns*> all) : all_(std::move(all)) {}

  [[nodiscard]] bool takes(const Run& run) const override { return of(run) != nullptr; }
  void ask(const std::string& id, const Run& run, const command::TakeTurn& turn) override {
    of(run)->ask(id, run, turn);
  }
  void ended(const std::string& id, const Run& run, StepIndex step) override { of(run)->ended(id, run, step); }
  TurnNews next(const std::string& id, const Run& run) override { return of(run)->next(id, run); }
  TurnNews prepared(const std::string& id, const Run& run, const command::TakeTurn& turn) override {
    return of(run)->prepared(id, run, turn);
  }
  std::optional<LaidOutPrompt> prompt(const std::string& id, const Run& run, StepIndex step, int attempt) override {
    return of(run)->prompt(id, run, step, attempt);
  }
  std::string mission(const std::string& id, const Run& run, StepIndex step, int attempt) override {
    return of(run)->mission(id, run, step, attempt);
  }
  std::vector<std::string> after(const std::string& id, const Run& run, StepIndex step) override {
    return of(run)->after(id, run, step);
  }
  TurnJudgement judge(const std::string& id, const Run& run, StepIndex step, int attempt) override {
    return of(run)->judge(id, run, step, attempt);
  }
  std::vector<std::string> environment(const std::string& id, const Run& run, StepIndex step, int attempt) override {
    return of(run)->environment(id, run, step, attempt);
  }
  [[nodiscard]] bool hears_workers(const Run& run) const override {
    const Turns* turns = of(run);
    return turns != nullptr && turns->hears_workers(run);
  }

 private:
  /// Null if nobody takes turns of such a run.
  [[nodiscard]] Turns* of(const Run& run) const {
    for (Turns* turns : all_) {
      if (turns->takes(run)) return turns;
    }
    return nullptr;
  }

  std::vector<Turns*> all_;
};

}  // namespace baton::cli
