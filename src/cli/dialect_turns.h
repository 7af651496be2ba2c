#pragma once

#include <string>
#include <vector>

#include "engine/seams.h"

namespace baton::cli {

/// The turns of those dialects that take their own: each run's are taken by the one that knows it.
class DialectTurns final : public Turns {
 public:
  DialectTurns(Turns& one, Turns& other) : one_(one), other_(other) {}

  [[nodiscard]] bool takes(const Run& run) const override { return one_.takes(run) || other_.takes(run); }
  void ask(const std::string& id, const Run& run, const command::TakeTurn& turn) override {
    of(run).ask(id, run, turn);
  }
  void ended(const std::string& id, const Run& run, StepIndex step) override { of(run).ended(id, run, step); }
  TurnNews next(const std::string& id, const Run& run) override { return of(run).next(id, run); }
  TurnNews prepared(const std::string& id, const Run& run, const command::TakeTurn& turn) override {
    return of(run).prepared(id, run, turn);
  }
  std::string mission(const std::string& id, const Run& run, StepIndex step, int attempt) override {
    return of(run).mission(id, run, step, attempt);
  }
  std::vector<std::string> after(const std::string& id, const Run& run, StepIndex step) override {
    return of(run).after(id, run, step);
  }
  TurnJudgement judge(const std::string& id, const Run& run, StepIndex step, int attempt) override {
    return of(run).judge(id, run, step, attempt);
  }
  std::vector<std::string> environment(const std::string& id, const Run& run, StepIndex step, int attempt) override {
    return of(run).environment(id, run, step, attempt);
  }
  [[nodiscard]] bool hears_workers(const Run& run) const override {
    return takes(run) && (one_.takes(run) ? one_ : other_).hears_workers(run);
  }

 private:
  [[nodiscard]] Turns& of(const Run& run) const { return one_.takes(run) ? one_ : other_; }

  Turns& one_;
  Turns& other_;
};

}  // namespace baton::cli
