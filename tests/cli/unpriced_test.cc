// Caps in dollars where nobody knows what a model costs; and runs whose last step passed its budget.
#include <gmock/gmock.h>

#include "cli/api_place.h"

namespace baton::test {
namespace {

class Unpriced : public WithApi {
 protected:
  /// A step whose model has no price, and one that costs nothing.
  Unpriced() {
    place.workflow("w", {step("free", "true"), step_of_model("local-7b")});
    server.script(R"([{"times":0,"answer":{"text":"Said."}}])");
  }
  static std::string step_of_model(const std::string& model, const std::string& more = "") {
    return "  - id: a\n    skill: writer\n    input: in.md\n    mission: 'Do it.'\n    output: out/a.md\n    model: " +
           model + "\n" + more;
  }
  Outcome run(std::vector<std::string> more, const std::string& target = "w") {
    more.insert(more.begin(), {"run", target, "--runtime", "openai"});
    return place.baton(more);
  }
  void expect_refused(const Outcome& ran, const std::string& cap) {
    EXPECT_EQ(ran.code, 2) << ran;
    EXPECT_TRUE(says_error(ran, "unpriced-model") && has(ran.err, cap) && has(ran.err, "--allow-unpriced")) << ran;
  }
};

TEST_F(Unpriced, IsRefusedBeforeTheFirstCallWhereverDollarsAreCapped) {
  expect_refused(run({"--budget", "5"}), "the run's budget of $5.00");
  expect_refused(run({"--set", "limits.budget_usd=4"}), "the run's budget of $4.00");
  expect_refused(run({"--set", "limits.budget_day_usd=3"}), "limits.budget_day_usd ($3.00)");
  expect_refused(run({"--set", "limits.budget_month_usd=2"}), "limits.budget_month_usd ($2.00)");
  place.workflow("own", {step_of_model("local-7b", "    budget: 1.5\n")});
  expect_refused(run({}, "own"), "the step's budget of $1.50");
  EXPECT_EQ(requests(), 0);
  EXPECT_EQ(place.baton({"list", "--json"}).out, "[]\n") << "nothing was recorded";
}

TEST_F(Unpriced, OfATaskOfAWorkspaceIsRefusedByTheWorkspacesBudget) {
  task({.id = "copywriting-20261115-a1b2c3"});
  const std::vector<std::string> terms = {"--runtime", "openai", "--model",
                                          "local-7b",  "--set",  "workspace.budget_usd=9"};
  expect_refused(run_task("copywriting-20261115-a1b2c3", terms), "workspace.budget_usd ($9.00)");
  EXPECT_EQ(status("copywriting-20261115-a1b2c3"), "pending");
  EXPECT_EQ(requests(), 0);
}

TEST_F(Unpriced, IsNoFaultWithoutACapOrWithAPriceOrInARehearsal) {
  EXPECT_EQ(run({"--token-budget", "100000"}).code, 0);
  EXPECT_EQ(run({"--budget", "5", "--rehearse"}).code, 0);
  EXPECT_EQ(run({"--budget", "5", "--only", "free"}).code, 0);
  EXPECT_EQ(requests(), 1);
  write_text(place.env.at("HOME") + "/.config/baton/prices.json",
             R"({"date":"2030-01-02","models":{"local-7b":{"input":0,"output":0}}})");
  EXPECT_EQ(run({"--budget", "5"}).code, 0) << "nothing is a price";
}

TEST_F(Unpriced, IsAllowedByTheOptionOrTheSettingAndThatIsRecorded) {
  EXPECT_EQ(run({"--budget", "5", "--set", "limits.allow_unpriced=true"}).code, 0);
  server.script(R"([{"status":400,"error":{"message":"no"}},{"times":0,"answer":{"text":"Said."}}])");
  EXPECT_EQ(run({"--budget", "5", "--allow-unpriced"}).code, 1);
  const Outcome resumed = place.baton({"resume", "last"});
  EXPECT_EQ(resumed.code, 0) << resumed;
}

TEST_F(Unpriced, IsRefusedAndAllowedWhenARunGoesOnToo) {
  server.script(R"([{"status":400,"error":{"message":"no"}},{"times":0,"answer":{"text":"Said."}}])");
  EXPECT_EQ(run({}).code, 1);
  EXPECT_EQ(requests(), 1);
  expect_refused(place.baton({"resume", "last", "--budget", "5"}), "the run's budget of $5.00");
  expect_refused(place.baton({"retry", "last", "a", "--budget", "5"}), "the run's budget of $5.00");
  EXPECT_EQ(requests(), 1);
  EXPECT_EQ(place.baton({"resume", "last", "--budget", "5", "--allow-unpriced"}).code, 0);
  EXPECT_EQ(requests(), 2);
  EXPECT_EQ(place.baton({"retry", "last", "a"}).code, 0) << "what was given is recorded";
}

TEST_F(Unpriced, ThatIsKnownOnlyAtAStepsTurnFailsTheAttemptBeforeItStarts) {
  place.workflow("w", {"  - id: ask\n    gate: approve\n", step_of_model("local-7b", "    needs: [ask]\n")});
  EXPECT_EQ(run({}).code, 3);
  place.write("baton.toml", "[limits]\nbudget_day_usd = 5.0\n");
  EXPECT_EQ(place.baton({"accept", "last"}).code, 0);
  ASSERT_TRUE(eventually([&] { return place.run_state() == "failed"; }));
  EXPECT_EQ(code_of(1), "unpriced-model");
  EXPECT_EQ(attempts(), 1U) << "trying again would not help";
  EXPECT_EQ(requests(), 0);
  EXPECT_EQ(place.show().at("cost_usd"), 0) << "nothing was spent, and that is known";
  EXPECT_EQ(place.baton({"resume", "last"}).code, 2);
  EXPECT_EQ(place.baton({"resume", "last", "--allow-unpriced"}).code, 0);
}

// --- Runs whose last step passed the budget -----------------------------------------------------------------------

TEST_F(Unpriced, ARunWhoseLastStepPassedItsBudgetIsCompletedWithAWarning) {
  const std::string usage = R"("usage":{"prompt_tokens":100000,"input_tokens":100000,"completion_tokens":10000}}}])";
  for (const char* runtime : {"openai", "anthropic"}) {
    workflow();
    server.script(R"([{"times":0,"answer":{"text":"Said.",)" + usage);
    const Outcome ran = run_api(runtime, {"--budget", "0.01"});
    EXPECT_EQ(ran.code, 0) << ran;
    EXPECT_TRUE(has(ran.err, "warning[budget-passed]") && has(ran.err, " of $0.01")) << ran;
    EXPECT_EQ(place.run_state(), "completed");
  }
  claude.does("default", "begin; put '# Said'; result 100000 20 0.4");
  workflow();
  const Outcome ran = place.baton({"run", "w", "--runtime", "claude", "--budget", "0.01"});
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_TRUE(has(ran.err, "warning[budget-passed]") && has(ran.err, "$0.40 of $0.01")) << ran;
}

TEST_F(Unpriced, ACallThatIsUnderWayAsTheLastOneIsNotPaused) {
  workflow();
  server.script(R"([{"answer":{"text":"A long answer.","usage":{"input_tokens":100000}},"middle":"go"}])");
  Process run = place.start(args_of("anthropic", {"--budget", "0.01", "--json"}));
  EXPECT_TRUE(eventually([&] { return has(run.out(), "step.usage"); })) << "what it read has passed the budget";
  server.go("go");
  const Outcome ran = run.wait();
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_FALSE(has(ran.out, "run.paused")) << ran;
  EXPECT_TRUE(has(ran.err, "budget-passed")) << ran;
  EXPECT_EQ(place.read("out/a.md"), "A long answer.");
}

}  // namespace
}  // namespace baton::test
