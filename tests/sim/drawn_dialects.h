#pragma once

#include <memory>
#include <string>

#include "sim/drawn_chain.h"
#include "sim/drawn_session.h"

namespace baton::test {

/// What an engine of the simulator knows of its runs: sessions take their own turns, the others have answers.
class DrawnDialects final : public Dialects {
 public:
  DrawnDialects(const Mix& mix, const DrawnSession& session) : mix_(mix), session_(session) {}

  std::unique_ptr<DialectRun> drive(const std::string& /*id*/, const Run& run) override {
    if (run.plan().dialect == "session") return std::make_unique<DrawnSessionRun>(session_);
    return std::make_unique<DrawnChainRun>(mix_);
  }

 private:
  const Mix& mix_;
  const DrawnSession& session_;
};

}  // namespace baton::test
