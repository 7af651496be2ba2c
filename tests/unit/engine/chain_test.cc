// Chains as the engine drives them: working trees that are made ready and committed by held processes, conflicts,
// answers that change the plan.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "dialect/chain/extend.h"
#include "engine/working_tree.h"
#include "git/report.h"
#include "support/machine.h"
#include "support/story.h"

namespace baton::test {
namespace {

/// Agents for all, each in its own tree: "." for all but those of `trees`.
Plan chain_of(std::string_view graph, const std::map<std::string, std::string>& trees = {}) {
  Plan plan = plan_of(graph);
  for (Step& step : plan.steps) {
    const auto tree = trees.find(step.id);
    Work work;
    work.skill = step.id;
    work.mission = "Do it.";
    work.output_format = OutputFormat::text;
    work.answers = true;
    work.runtime = "agent";
    work.tree = tree == trees.end() ? "." : tree->second;
    if (step.id == "decompose") work.extends = Extends::decompose;
    if (step.id.starts_with("route")) work.extends = Extends::route;
    step.work = std::make_shared<const Work>(std::move(work));
    step.flow = std::make_shared<const Flow>(Flow{.tree = true});
  }
  return plan;
}

git::TreeReport conflict_with(const std::string& branch) {
  git::TreeReport report;
  report.outcome = "conflict";
  report.files = {"a.txt"};
  report.with = branch;
  return report;
}

git::TreeReport fault_of(const std::string& code) {
  git::TreeReport report;
  report.outcome = "fault";
  report.fault = {code, "it is so"};
  return report;
}

/// What a program would say that knows the built-in chains.
struct BuiltInChains final : DialectRun {
  chain::Library library{.workflows = chain::built_in_workflows(), .terms = {.policy_of = {}, .has_trees = true}};

  static Extension by_agents(const Run& run, StepIndex by, chain::Extension extension) {
    for (Step& step : extension.steps) {
      if (step.work->is_nothing()) continue;
      Work work = *step.work;
      work.runtime = "agent";
      step.work = std::make_shared<const Work>(std::move(work));
    }
    Extension out{{by, step_index(run.step_count()), std::move(extension.steps), extension.replaces_rest,
                   std::move(extension.joins)}};
    out.plan.workflow = std::move(extension.workflow);
    return out;
  }
  Judgement judge(const Run& run, const Finished& ended) override {
    Judgement out;
    if (!ended.answer) return out;
    out.results = chain::check_answer(run, ended.step, *ended.answer, library);
    if (ended.passed && all_passed(out.results)) {
      out.extension = by_agents(run, ended.step, chain::extend_after(run, ended.step, *ended.answer, library));
    }
    return out;
  }
  std::optional<Extension> resolve(const Run& run, StepIndex waiting, const Conflict& conflict) override {
    const bool tried = std::ranges::any_of(run.extensions(), [&](const auto& extension) {
      return extension.first == waiting && chain::resolves_merge_with(run, extension.second, conflict.with);
    });
    if (tried) return std::nullopt;
    return by_agents(run, waiting, chain::resolve(run, waiting, conflict.files, conflict.with, library));
  }
};

/// A machine with working trees. Their processes say that all is well unless a test has other reports for them.
struct Chained : Machine {
  explicit Chained(Plan plan) : Machine(std::move(plan)) {
    options = {{"worktree", "/t/r"}, {"branch", "b/r"}, {"base_commit", "0123"}, {"task", "Do it"}};
    dialect = &built_in;
    otherwise.output = "Done.";
    host.watch.started = [this](const AttemptKey& key) {
      begun += key.step + " ";
      specs[key.step] = host.processes().at(key).spec;
    };
    host.watch.ended = [this](const SpawnSpec& spec, bool by_itself) -> std::optional<std::string> {
      const std::string& name = spec.key.step;
      if (name.find('~') == std::string::npos) return std::nullopt;
      if (!by_itself || dies.contains(name)) return "";
      if (const auto found = reports.find(name); found != reports.end()) return git::to_json(found->second);
      git::TreeReport well;
      well.outcome = name.ends_with("~commit") ? "committed" : "ready";
      return git::to_json(well);
    };
  }

  std::map<std::string, git::TreeReport> reports;  ///< by the name of the process
  std::set<std::string> dies;                      ///< processes that end without a word
  std::string begun;                               ///< all processes, in the order in which they started
  std::map<std::string, SpawnSpec> specs;
  BuiltInChains built_in;

  [[nodiscard]] RunState state() const { return engine->run("r")->state(); }
  [[nodiscard]] bool has_step(const std::string& id) const { return engine->run("r")->find(id).has_value(); }
  [[nodiscard]] std::string folder(const std::string& id) const {
    return working_tree(*engine->run("r"), engine->run("r")->find(id).value()).folder;
  }
  /// What a check said of the step's attempt.
  [[nodiscard]] std::string said(const std::string& id, int attempt = 1) const {
    const Run& run = *engine->run("r");
    const Attempt* a = run.attempt(run.find(id).value(), attempt);
    std::string text;
    for (const CheckResult& r : a->detail->checks) text += r.passed ? "" : r.name + ": " + r.message;
    return text;
  }
  /// Lets time pass until the engine breaks; its fault.
  Fault breaks(Millis within) {
    const Time until = clock.now() + within;
    for (;;) {
      if (auto done = settle(); !done) return done.error();
      std::optional<Time> next = host.next_event();
      if (const auto due = engine->next_due(); due && (!next || *due < *next)) next = due;
      if (!next || *next > until) return {};
      clock.set(*next);
      host.catch_up();
    }
  }
};

const std::map<std::string, std::string> two_parts = {{"p", "p"}, {"q", "q"}};

TEST(Trees, AreReadyBeforeAnAttemptAndCommittedBeforeTheNextStep) {
  Chained m{chain_of("spec; build: spec")};
  m.start_engine();
  m.pass(Millis{60'000});
  EXPECT_EQ(m.begun, "spec~tree spec spec~commit build~tree build build~commit ");
  EXPECT_EQ(m.state(), RunState::completed);
  EXPECT_EQ(m.specs["spec"].cwd, "/t/r");
}

TEST(Trees, OfASubTaskBeginFromTheRunsBranchAndAreMergedInTheOrderOfNeeds) {
  Chained m{chain_of("p; q; build: q p", two_parts)};
  m.start_engine();
  m.pass(Millis{60'000});
  const std::vector<std::string> of_part{"baton",   "tree",     "prepare", "--root",  "/p", "--tree",
                                         "/t/r--p", "--branch", "b/r--p",  "--start", "b/r"};
  EXPECT_EQ(m.specs["p~tree"].argv, of_part);
  const std::vector<std::string> of_whole{"baton",  "tree",    "prepare",  "--root",  "/p",
                                          "--tree", "/t/r",    "--branch", "b/r",     "--start",
                                          "0123",   "--merge", "b/r--q",   "--merge", "b/r--p"};
  EXPECT_EQ(m.specs["build~tree"].argv, of_whole);
  EXPECT_EQ(m.state(), RunState::completed);
}

TEST(Trees, AProcessThatDiesIsTriedAgainByAnotherName) {
  Chained m{chain_of("build")};
  m.dies = {"build~tree", "build~2~tree", "build~commit"};
  m.start_engine();
  m.pass(Millis{60'000});
  EXPECT_EQ(m.begun, "build~tree build~2~tree build~3~tree build build~commit build~2~commit ");
  EXPECT_EQ(m.state(), RunState::completed);
}

TEST(Trees, OneThatDiesAgainAndAgainStopsTheDriverAndIsTriedAgainByTheNext) {
  Chained m{chain_of("build")};
  m.dies = {"build~tree", "build~2~tree", "build~3~tree", "build~4~tree", "build~5~tree"};
  m.start_engine();
  EXPECT_EQ(m.breaks(Millis{60'000}).code, "tree-not-ready");
  EXPECT_EQ(m.begun, "build~tree build~2~tree build~3~tree build~4~tree build~5~tree ");
  m.kill_engine();
  m.start_engine();
  m.pass(Millis{60'000});
  EXPECT_EQ(m.state(), RunState::completed);
  EXPECT_EQ(m.starts("build"), 1);
}

TEST(Trees, AFaultStopsTheDriverAndTheAttemptIsNotPaidForTwice) {
  Chained m{chain_of("build")};
  m.reports["build~commit"] = fault_of("git-failed");
  m.start_engine();
  const Fault fault = m.breaks(Millis{60'000});
  EXPECT_EQ(fault.code, "git-failed");
  EXPECT_EQ(fault.help, "mend that, then 'baton resume r'");
  m.kill_engine();
  m.start_engine();
  m.pass(Millis{60'000});
  EXPECT_EQ(m.begun, "build~tree build build~commit build~2~commit ");
  EXPECT_EQ(m.state(), RunState::completed);
}

TEST(Trees, WhatCameOfALaterTryIsNoAnswerToTheNextDriverEither) {
  Chained m{chain_of("build")};
  m.outcomes["build~tree"] = {.lasts = Millis{5000}};
  m.reports["build~2~tree"] = fault_of("git-failed");
  m.start_engine();
  m.pass(Millis{500});
  m.host.holder_died();  // so nothing is on record of the first try
  EXPECT_EQ(m.breaks(Millis{60'000}).code, "git-failed");
  m.kill_engine();
  m.start_engine();
  m.pass(Millis{60'000});
  EXPECT_EQ(m.begun, "build~tree build~2~tree build~3~tree build build~commit ");
  EXPECT_EQ(m.state(), RunState::completed);
}

TEST(Trees, ALaterTryThatIsUnderWayIsFoundAgain) {
  Chained m{chain_of("build")};
  m.outcomes["build~tree"] = m.outcomes["build~2~tree"] = {.lasts = Millis{5000}};
  m.start_engine();
  m.pass(Millis{500});
  m.host.holder_died();
  m.pass(Millis{500});
  m.kill_engine();
  m.start_engine();
  m.pass(Millis{60'000});
  EXPECT_EQ(m.begun, "build~tree build~2~tree build build~commit ") << "two gits do not work in one tree";
  EXPECT_EQ(m.state(), RunState::completed);
}

TEST(Trees, WhatIsUnderWayIsFoundAgain) {
  Chained m{chain_of("build")};
  m.start_engine();
  m.pass(Millis{500});
  m.kill_engine();
  m.start_engine();
  m.pass(Millis{2000});
  m.kill_engine();
  m.pass(Millis{10'000});
  m.start_engine();
  m.pass(Millis{60'000});
  EXPECT_EQ(m.begun, "build~tree build build~commit ") << "each once";
  EXPECT_EQ(m.state(), RunState::completed);
}

TEST(Trees, WhatIsLeftOpenInATreeFailsTheStep) {
  Chained m{chain_of("build")};
  m.reports["build~commit"] = conflict_with("b");
  m.reports["build~commit"].outcome = "unresolved";
  m.start_engine();
  m.pass(Millis{60'000});
  EXPECT_EQ(m.state(), RunState::failed);
  EXPECT_EQ(m.said("build"), "working_tree: conflicts are left in a.txt");
}

TEST(Trees, ATreeThatIsGoneIsMadeAgainBeforeTheNextAttempt) {
  Plan plan = chain_of("build");
  plan.steps[0].policy.retries = 1;
  Chained m{std::move(plan)};
  m.reports["build~commit"] = fault_of("tree-gone");
  m.host.watch.started = [&m](const AttemptKey& key) {
    m.begun += key.step + " ";
    if (key.step == "build" && key.attempt == 2) m.reports.clear();
  };
  m.start_engine();
  m.pass(Millis{60'000});
  EXPECT_EQ(m.begun, "build~tree build build~commit build~tree build build~commit ");
  EXPECT_EQ(m.state(), RunState::completed);
}

TEST(Conflicts, AreResolvedByAnAgentAndThenByAPerson) {
  Chained m{chain_of("p; q; build: p q", two_parts)};
  m.reports["build~tree"] = conflict_with("b/r--q");
  m.start_engine();
  m.pass(Millis{60'000});
  EXPECT_TRUE(m.begun.find("build~tree resolve resolve~commit build~tree ") != std::string::npos) << m.begun;
  EXPECT_EQ(m.specs["resolve"].cwd, "/t/r");
  EXPECT_EQ(m.starts("build"), 0);
  ASSERT_EQ(m.state(), RunState::reviewing) << "a merge that was tried and stands still is not for another agent";
  m.reports.clear();
  m.engine->post("r", event::GateAnswered{{}, true, ""});
  m.pass(Millis{60'000});
  EXPECT_EQ(m.state(), RunState::completed);
}

TEST(Conflicts, OfAnotherMergeHaveAnAgentOfTheirOwn) {
  Chained m{chain_of("p; q; build: p q", two_parts)};
  m.reports["build~tree"] = conflict_with("b/r--p");
  m.host.watch.started = [&m](const AttemptKey& key) {
    m.begun += key.step + " ";
    if (key.step == "resolve") m.reports["build~tree"] = conflict_with("b/r--q");
    if (key.step == "resolve-2") m.reports.clear();
  };
  m.start_engine();
  m.pass(Millis{60'000});
  EXPECT_TRUE(m.has_step("resolve-2"));
  EXPECT_EQ(m.state(), RunState::completed);
}

TEST(Conflicts, OfTheSameMomentAreAllSeenTo) {
  Chained m{chain_of("a; b; p: a b; q: a b", {{"a", "a"}, {"b", "b"}, {"p", "p"}, {"q", "q"}})};
  m.reports["p~tree"] = conflict_with("b/r--a");
  m.reports["q~tree"] = conflict_with("b/r--a");
  m.host.watch.started = [&m](const AttemptKey& key) {
    m.begun += key.step + " ";
    m.specs[key.step] = m.host.processes().at(key).spec;
    if (key.step == "resolve-2") m.reports.clear();
  };
  m.start_engine();
  m.pass(Millis{60'000});
  EXPECT_EQ(m.specs["resolve"].cwd, "/t/r--p");
  EXPECT_EQ(m.specs["resolve-2"].cwd, "/t/r--q");
  EXPECT_EQ(m.state(), RunState::completed);
}

TEST(Conflicts, ThatNobodyWaitsForAddNothing) {
  Chained m{chain_of("p; q; build: p q", two_parts)};
  m.reports["build~tree"] = conflict_with("b/r--q");
  m.outcomes["build~tree"] = {.lasts = Millis{5000}};
  m.start_engine();
  m.pass(Millis{6000});
  ASSERT_TRUE(m.begun.ends_with("build~tree ")) << m.begun;
  m.engine->post("r", event::RetryAsked{m.engine->run("r")->find("q")});
  m.pass(Millis{1500});
  m.reports.clear();
  m.pass(Millis{60'000});
  EXPECT_FALSE(m.has_step("resolve")) << "what was found was found before q had run again";
  EXPECT_EQ(m.state(), RunState::completed);
}

TEST(Trees, NothingIsDoneToThemForACancelledRun) {
  Chained m{chain_of("build")};
  m.outcomes["build~tree"] = {.lasts = Millis{60'000}};
  m.start_engine();
  m.pass(Millis{500});
  m.ask("cancel", "me");
  m.pass(Millis{5100});
  EXPECT_EQ(m.state(), RunState::cancelled);
  EXPECT_EQ(m.host.alive("r"), 0U);
}

TEST(Trees, NothingIsDoneToThemForARunThatWasCancelledBeforeItWasTakenUp) {
  Chained m{chain_of("build")};
  m.outcomes["build~tree"] = {.lasts = Millis{60'000}};
  m.start_engine();
  m.pass(Millis{500});
  m.engine->post("r", event::CancelAsked{"me"});
  m.mortality.die_in(3);
  EXPECT_THROW((void)m.engine->tick(), Crash);
  m.kill_engine();
  ASSERT_EQ(m.replayed().state(), RunState::cancelled);
  ASSERT_EQ(m.host.alive("r"), 1U);
  m.start_engine();
  m.ask("retry");
  m.pass(Millis{90'000});
  EXPECT_EQ(m.state(), RunState::completed);
}

TEST(Trees, WhatWasDoneForAnEarlierTurnEndsBeforeTheNextBegins) {
  Chained m{chain_of("build")};
  m.outcomes["build~tree.1001"] = {.lasts = Millis{60'000}};
  m.start_engine();
  m.pass(Millis{500});
  m.engine->post("r", event::CancelAsked{"me"});
  m.engine->post("r", event::RetryAsked{step_index(0)});
  m.mortality.die_in(3);
  EXPECT_THROW((void)m.engine->tick(), Crash);
  m.kill_engine();
  const AttemptKey earlier{"r", "build~tree", 1001};
  ASSERT_TRUE(m.host.processes().contains(earlier));
  bool ends = false;
  m.host.watch.started = [&](const AttemptKey& key) {
    if (key.step == "build~tree") ends = m.host.processes().at(earlier).gone_at.has_value();
  };
  m.start_engine();
  m.pass(Millis{90'000});
  EXPECT_TRUE(ends);
  EXPECT_EQ(m.state(), RunState::completed);
}

TEST(Trees, AStepThatIsRunAgainWaitsUntilItsTreeIsFree) {
  Chained m{chain_of("spec; build: spec")};
  m.outcomes["build.1"] = {.lasts = Millis{30'000}, .output = "Done."};
  m.start_engine();
  m.pass(Millis{10'000});
  ASSERT_EQ(m.step("build").state, StepState::running);
  m.engine->post("r", event::RetryAsked{m.engine->run("r")->find("spec")});
  m.pass(Millis{10'000});
  EXPECT_EQ(m.begun, "spec~tree spec spec~commit build~tree build ") << "two agents do not work in one tree";
  m.pass(Millis{90'000});
  EXPECT_EQ(m.state(), RunState::completed);
  EXPECT_EQ(m.starts("spec", 2), 1);
}

TEST(Answers, AndWhatTheyDoToThePlanAreOneTransaction) {
  Chained m{chain_of("decompose; build: decompose")};
  m.outcomes["decompose"] = {.lasts = Millis{1000}, .output = R"([{"name":"x"},{"name":"y"}])"};
  std::size_t together = 0;
  m.journal.on_record = [&](const std::string& /*run*/, const std::vector<Event>& events) {
    for (std::size_t n = 0; n + 1 < events.size(); ++n) {
      const auto* checked = std::get_if<event::OutputChecked>(&events[n].body);
      if (checked == nullptr || checked->step != step_index(0)) continue;
      together += std::holds_alternative<event::PlanExtended>(events[n + 1].body) ? 1 : 0;
    }
  };
  m.start_engine();
  m.pass(Millis{60'000});
  EXPECT_EQ(together, 1U);
  EXPECT_EQ(m.folder("build:x"), "/t/r--x");
  EXPECT_TRUE(m.has_step("merge"));
  EXPECT_EQ(m.state(), RunState::completed);
}

TEST(Answers, OfTheSameMomentAllCount) {
  Chained m{chain_of("route-a; route-b", {{"route-a", "a"}, {"route-b", "b"}})};
  for (const char* step : {"route-a", "route-b"}) m.outcomes[step] = {.lasts = Millis{1000}, .output = "build"};
  m.start_engine();
  m.pass(Millis{60'000});
  EXPECT_EQ(m.step("route-a").state, StepState::completed);
  EXPECT_EQ(m.step("route-b").state, StepState::completed);
  EXPECT_EQ(m.state(), RunState::completed);
}

TEST(WorkingTree, IsTheProjectsFolderWhereThereIsNone) {
  Chained m{chain_of("build")};
  m.options = {};
  m.start_engine();
  m.pass(Millis{60'000});
  EXPECT_EQ(m.begun, "build ");
  EXPECT_EQ(m.specs["build"].cwd, "/p");
  EXPECT_EQ(m.state(), RunState::completed);
}

TEST(WorkingTree, AnAgentStartsInTheProjectsPartOfIt) {
  Chained m{chain_of("build")};
  m.options["prefix"] = "sub/project";
  m.start_engine();
  m.pass(Millis{60'000});
  EXPECT_EQ(m.specs["build"].cwd, "/t/r/sub/project");
}

TEST(WorkingTree, ACommitSaysWhatForAndByWhom) {
  Chained m{chain_of("build")};
  m.start_engine();
  m.pass(Millis{60'000});
  EXPECT_EQ(commit_message("r", *m.engine->run("r"), step_index(0)),
            "feat(build): Do it\n\nBaton-Run: r\nBaton-Step: build\n");
}

}  // namespace
}  // namespace baton::test
