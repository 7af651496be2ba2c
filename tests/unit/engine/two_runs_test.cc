// Two runs in one engine: what belongs to one of them is not told to the other.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "engine/run_folder.h"
#include "engine/runtime_choice.h"
#include "support/machine.h"
#include "support/story.h"

namespace baton::test {
namespace {

/// Its agents know a skill `writer`, which is this run's own.
class OwnSkill final : public DialectRun {
 public:
  explicit OwnSkill(std::string run) : run_(std::move(run)) {}
  Briefing brief(const baton::Run&, StepIndex, int) override {
    return {.skill = SkillText{"The writer of " + run_ + ".", {}, {}}};
  }

 private:
  std::string run_;
};

struct OwnSkills final : Dialects {
  std::unique_ptr<DialectRun> drive(const std::string& id, const baton::Run&) override {
    return std::make_unique<OwnSkill>(id);
  }
};

TEST(TwoRuns, OfLikeNamedSkillsAreEachToldTheirOwn) {
  Plan plan = plan_of("a");
  plan.steps[0].work = std::make_shared<const Work>(Work{.skill = "writer", .mission = "Write.", .runtime = "inner"});
  OwnSkills dialects;
  Machine machine{plan};
  machine.dialects = &dialects;
  machine.start_engine();
  ASSERT_TRUE(machine.engine->create("s", {std::make_shared<const Plan>(plan), RunSettings{.jobs = 4}}));
  machine.pass(Millis{5000});
  for (const std::string run : {"r", "s"}) {
    const std::string prompt = machine.files.files[run_folder("/p/.baton", run).prompt("a", 1)];
    EXPECT_NE(prompt.find("The writer of " + run + "."), std::string::npos) << prompt;
  }
}

struct NoSettings final : AgentSettings {
  [[nodiscard]] ClaudeSettings claude(const baton::Run&, const Step&) const override { return {}; }
  [[nodiscard]] ApiSettings api(const baton::Run&, const Step&, const std::string&) const override { return {}; }
  [[nodiscard]] std::string model_of(const baton::Run&, const std::string&) const override { return {}; }
  [[nodiscard]] std::vector<std::string> constraints(const baton::Run&) const override { return {}; }
  [[nodiscard]] std::shared_ptr<const Prices> prices() const override {
    return std::make_shared<const Prices>(Prices::built_in());
  }
};

/// Where a run was given up, the next one may lie at the same address.
TEST(TwoRuns, OfOneAddressAreRehearsedByTheirOwnScripts) {
  const NoSettings settings;
  const RuntimeChoice runtimes{settings};
  std::optional<baton::Run> run;
  const auto begin = [&](const std::string& script) {
    RunSettings its;
    its.options = {{"rehearse", "yes"}, {"rehearsal_script", script}};
    (void)run.emplace().apply({Time{}, event::RunCreated{std::make_shared<const Plan>(plan_of("a")), its}});
  };
  begin("");
  EXPECT_EQ(runtimes.name_for(*run, run->step(step_index(0))), "rehearsal");
  begin("steps:\n  a: {real: true}\n");
  EXPECT_EQ(runtimes.name_for(*run, run->step(step_index(0))), "command");
}

}  // namespace
}  // namespace baton::test
