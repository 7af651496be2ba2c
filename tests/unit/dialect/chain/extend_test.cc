// What answers and people's words make of a running chain.
#include "dialect/chain/extend.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "dialect/chain/mission.h"
#include "support/story.h"

namespace baton::chain {
namespace {

using test::Story;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// A chain that runs, with a library of workflows beside it.
class Chain {
 public:
  explicit Chain(const std::vector<std::string>& skills, bool trees = true) {
    library.workflows = built_in_workflows();
    library.terms.has_trees = trees;
    library.has_skill = [this](const std::string& skill) { return !missing.contains(skill); };
    story = std::make_unique<Story>(make_plan("w", skills, library.workflows, library.terms).plan);
    story->settings.options["task"] = "Add a login.";
    story->begin();
  }

  Library library;
  std::set<std::string> missing;
  std::unique_ptr<Story> story;

  [[nodiscard]] const Run& run() const { return story->run; }
  /// The newest that has this id and has not been replaced.
  [[nodiscard]] StepIndex step(std::string_view id) const {
    for (std::size_t n = run().step_count(); n-- > 0;) {
      if (run().step(step_index(n)).id == id && !run().of(step_index(n)).state.is_replaced()) return step_index(n);
    }
    ADD_FAILURE() << "no step " << id;
    return {};
  }
  [[nodiscard]] StepState state(std::string_view id) const { return run().of(step(id)).state; }

  /// Begins, and does not end.
  Chain& begin(StepIndex i) {
    const FlowRun* flow = run().flow_of(i);
    if (flow != nullptr && flow->is_asked()) {
      story->happens(event::TurnTaken{.step = i, .generation = flow->generation, .round = flow->round + 1});
    }
    story->happens(event::AttemptAdmitted{i, run().next_attempt(i), "rehearsal", "", "boot"});
    return *this;
  }
  Chain& end(StepIndex i) {
    event::AttemptEnded ended;
    ended.step = i;
    ended.attempt = static_cast<int>(run().of(i).attempts.size());
    ended.exit = 0;
    story->happens(ended);
    story->happens(event::OutputChecked{i, ended.attempt, {}, "d"});
    return *this;
  }
  /// Its answer changes nothing.
  void close(StepIndex i) {
    if (run().step(i).work->extends != Extends::nothing) add(i, {});
  }
  Chain& does(std::string_view id) {
    const StepIndex i = step(id);
    begin(i).end(i).close(i);
    return *this;
  }
  /// The step is done, and its answer becomes what it means.
  Extension answers(std::string_view id, const std::string& answer) {
    const StepIndex by = step(id);
    begin(by).end(by);
    for (const CheckResult& check : check_answer(run(), by, answer, library)) {
      EXPECT_TRUE(check.passed) << check.message;
    }
    Extension extension = extend_after(run(), by, answer, library);
    add(by, extension);
    return extension;
  }
  void add(StepIndex by, const Extension& e) {
    story->happens(
        event::PlanExtended{by, step_index(run().step_count()), e.steps, e.replaces_rest, e.joins, e.workflow, e.task});
  }
  /// Everything that can be done, in order; the ids.
  std::vector<std::string> goes_on() {
    std::vector<std::string> done;
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t n = 0; n < run().step_count() && !moved; ++n) {
        const StepIndex i = step_index(n);
        const FlowRun* flow = run().flow_of(i);
        const bool turn = run().of(i).state == StepState::pending && flow != nullptr && flow->is_asked();
        if (!turn && run().of(i).state != StepState::ready) continue;
        begin(i).end(i).close(i);
        done.push_back(run().step(i).id);
        moved = true;
      }
    }
    return done;
  }
  /// "build:a(decompose) build:b(decompose build:a)" of the steps that are to come.
  [[nodiscard]] std::string shown(const Extension& e) const {
    std::string text;
    const auto id_of = [&](StepIndex i) {
      return at(i) < run_count ? run().step(i).id : e.steps[at(i) - run_count].id;
    };
    for (const Step& s : e.steps) {
      text += (text.empty() ? "" : " ") + s.id + "(";
      for (std::size_t n = 0; n < s.needs.size(); ++n) text += (n > 0 ? " " : "") + id_of(s.needs[n]);
      text += ")";
    }
    return text;
  }
  std::size_t run_count = 0;  ///< steps there were before the extension that is shown

  std::string answered(std::string_view id, const std::string& answer) {
    run_count = run().step_count();
    last = answers(id, answer);
    return shown(last);
  }
  Extension last;
};

std::vector<std::string> trees(const Extension& e) {
  std::vector<std::string> all;
  for (const Step& step : e.steps) all.push_back(step.work->tree);
  return all;
}

// route -------------------------------------------------------------------------------------------------------------

TEST(ChainRoute, TheChosenWorkflowTakesThePlaceOfWhatIsLeft) {
  Chain chain({"route", "build", "test"});
  EXPECT_EQ(chain.answered("route", "plan-build"), "spec(route) build(spec) review(build)");
  EXPECT_TRUE(chain.last.replaces_rest);
  EXPECT_EQ(chain.last.workflow, "plan-build");
  EXPECT_THAT(chain.last.warnings, IsEmpty());
  EXPECT_TRUE(chain.last.steps[2].work->reviews && chain.last.steps[2].final);
  EXPECT_THAT(chain.goes_on(), ElementsAre("spec", "build", "review"));
}

TEST(ChainRoute, OfAutoChoosesEverything) {
  Chain chain({"route"});
  EXPECT_EQ(chain.answered("route", R"({"workflow":"quick-fix"})"), "build(route) test(build)");
  EXPECT_THAT(chain.goes_on(), ElementsAre("build", "test"));
  EXPECT_EQ(chain.run().state(), RunState::completed);
}

TEST(ChainRoute, IdsOfWhatWasAtWorkAreNumberedOnAndThoseOfWhatIsReplacedAreFree) {
  Chain chain({"build", "route", "build", "review"});
  chain.does("build");
  EXPECT_EQ(chain.answered("route", "plan-build"), "spec(route) build-2(spec) review(build-2)");
}

TEST(ChainRoute, TheIdOfOneWhoseTreeWasMadeReadyIsNotAnothers) {
  Chain chain({"route"});
  EXPECT_EQ(chain.answered("route", "quick-fix"), "build(route) test(build)");
  chain.story->happens(event::RetryAsked{chain.step("route")});  // while the tree is made ready for `build`
  EXPECT_EQ(chain.answered("route", "quick-fix"), "build-2(route) test(build-2)");
}

TEST(ChainRoute, AnUnknownAnswerKeepsWhatIsLeftWithAWarning) {
  Chain chain({"route", "build"});
  EXPECT_EQ(chain.answered("route", "I would do it by hand."), "");
  EXPECT_FALSE(chain.last.replaces_rest);
  EXPECT_EQ(chain.last.workflow, "");
  EXPECT_THAT(chain.last.warnings,
              ElementsAre(HasSubstr("route answered 'I would do it by hand.', which names no workflow")));
  EXPECT_THAT(chain.goes_on(), ElementsAre("build"));
}

TEST(ChainRoute, AnUnknownAnswerFailsWhereNothingIsLeftAndNamesTheChoices) {
  Chain chain({"route"});
  const StepIndex route = chain.step("route");
  chain.begin(route);
  const auto check = [&](const std::string& answer) { return check_answer(chain.run(), route, answer, chain.library); };
  ASSERT_THAT(check("deploy"), SizeIs(1));
  EXPECT_FALSE(check("deploy")[0].passed);
  EXPECT_EQ(check("deploy")[0].message,
            "route answered 'deploy', which names no workflow; choices: build, plan-build, quick-fix, sdlc");
  EXPECT_THAT(check("")[0].message, HasSubstr("route answered nothing"));
  EXPECT_LT(check(std::string(10'000, 'x'))[0].message.size(), 400U);
  EXPECT_THAT(check("auto")[0].message, HasSubstr("'auto', a workflow that has no skills to run"));
  EXPECT_FALSE(check("auto")[0].passed) << "it would choose and choose";
  EXPECT_TRUE(check("build")[0].passed);
  EXPECT_THAT(extend_after(chain.run(), route, "deploy", chain.library).steps, IsEmpty());
}

TEST(ChainRoute, TheChosenWorkflowsSkillsAreValidatedWhenItIsChosen) {
  Chain chain({"route"});
  const StepIndex route = chain.step("route");
  chain.begin(route);
  chain.missing = {"spec", "review"};
  const auto results = check_answer(chain.run(), route, "plan-build", chain.library);
  ASSERT_THAT(results, SizeIs(1));
  EXPECT_FALSE(results[0].passed);
  EXPECT_THAT(results[0].message, HasSubstr("there is no skill 'spec', 'review'"));
  EXPECT_TRUE(check_answer(chain.run(), route, "quick-fix", chain.library)[0].passed);

  Chain more({"route", "build"});
  more.missing = {"spec"};
  EXPECT_EQ(more.answered("route", "plan-build"), "") << "what is left goes on";
  EXPECT_THAT(more.last.warnings, ElementsAre(HasSubstr("there is no skill 'spec'")));
  EXPECT_THAT(more.goes_on(), ElementsAre("build"));
}

TEST(ChainRoute, ASecondRouteIsSkippedWithAWarning) {
  Chain chain({"route"});
  chain.library.workflows["again"] = {"route", "build", "route"};
  EXPECT_EQ(chain.answered("route", "again"), "build(route)");
  EXPECT_THAT(chain.last.warnings, ElementsAre(HasSubstr("workflow \"again\" has a 'route' of its own")));
}

// decompose ---------------------------------------------------------------------------------------------------------

constexpr const char* two =
    R"({"tasks":[{"name":"api","description":"Add it."},{"name":"The UI","dependencies":["api"]}]})";

TEST(ChainDecompose, RunsTheSkillThatFollowsForEachSubTaskAndNotAgain) {
  Chain chain({"spec", "decompose", "build", "review", "document"});
  chain.does("spec");
  EXPECT_EQ(chain.answered("decompose", two),
            "build:api(decompose) build:the-ui(decompose build:api) review(build:api build:the-ui) document(review)");
  EXPECT_TRUE(chain.last.replaces_rest);
  EXPECT_THAT(trees(chain.last), ElementsAre("api", "the-ui", ".", "."));
  const Step& api = chain.last.steps[0];
  EXPECT_EQ(api.work->skill, "build");
  EXPECT_EQ(api.work->sub_task, "api");
  EXPECT_EQ(api.work->mission, sub_task_mission("build", "api", "Add it."));
  EXPECT_TRUE(api.work->answers && api.flow != nullptr && api.flow->tree);
  EXPECT_EQ(chain.last.steps[1].work->title, "The UI");
  EXPECT_TRUE(chain.last.steps[2].work->reviews);
  EXPECT_TRUE(chain.last.steps[3].final);
  EXPECT_THAT(chain.goes_on(), ElementsAre("build:api", "build:the-ui", "review", "document"));
  EXPECT_EQ(chain.run().state(), RunState::reviewing);
}

TEST(ChainDecompose, SubTasksWithoutDependenciesAreReadyTogether) {
  Chain chain({"decompose", "build", "review"}, false);
  chain.library.terms.has_trees = true;
  chain.answers("decompose", R"([{"name":"a"},{"name":"b"},{"name":"c"}])");
  EXPECT_EQ(chain.run().count(StepState::ready), 3U);
  EXPECT_EQ(chain.state("review"), StepState::pending);
}

TEST(ChainDecompose, WithoutASkillAfterItBuilds) {
  Chain chain({"decompose"});
  EXPECT_EQ(chain.answered("decompose", two),
            "build:api(decompose) build:the-ui(decompose build:api) merge(build:api build:the-ui)")
      << "somebody has to bring their work together";
  EXPECT_THAT(trees(chain.last), ElementsAre("api", "the-ui", "."));
  EXPECT_TRUE(chain.last.steps[2].work->is_nothing());
  EXPECT_FALSE(chain.last.steps[0].final || chain.last.steps[1].final);
}

TEST(ChainDecompose, OneTaskRunsPlainlyInTheRunsOwnTree) {
  Chain chain({"decompose", "build", "review"});
  EXPECT_EQ(chain.answered("decompose", R"([{"name":"api"}])"), "build:api(decompose) review(build:api)");
  EXPECT_THAT(trees(chain.last), ElementsAre(".", "."));
}

TEST(ChainDecompose, AnEmptyListGoesOn) {
  Chain chain({"decompose", "build", "review"});
  EXPECT_EQ(chain.answered("decompose", R"({"tasks":[]})"), "");
  EXPECT_TRUE(chain.last.steps.empty() && !chain.last.replaces_rest);
  EXPECT_THAT(chain.goes_on(), ElementsAre("build", "review"));
}

TEST(ChainDecompose, AnUnreadableAnswerIsAFailedCheck) {
  Chain chain({"decompose", "build"});
  const StepIndex decompose = chain.step("decompose");
  chain.begin(decompose);
  const auto results = check_answer(chain.run(), decompose, R"({"tasks":[{"name":)", chain.library);
  ASSERT_THAT(results, SizeIs(1));
  EXPECT_FALSE(results[0].passed);
  EXPECT_THAT(results[0].message, HasSubstr("the JSON cannot be read"));
  EXPECT_TRUE(check_answer(chain.run(), decompose, "[]", chain.library)[0].passed);
  EXPECT_THAT(check_answer(chain.run(), chain.step("build"), "anything", chain.library), IsEmpty());
  const Extension none = extend_after(chain.run(), chain.step("build"), "plan-build", chain.library);
  EXPECT_TRUE(none.steps.empty() && !none.replaces_rest);
}

TEST(ChainDecompose, InPlaceOnlyOneWorksAtATime) {
  Chain chain({"decompose", "build", "review"}, false);
  EXPECT_EQ(chain.answered("decompose", R"([{"name":"a","dependencies":["c"]},{"name":"b"},{"name":"c"}])"),
            "build:a(decompose build:c) build:b(decompose) build:c(decompose build:b) review(build:a build:b build:c)");
  EXPECT_THAT(trees(chain.last), ElementsAre("", "", "", ""));
  EXPECT_THAT(chain.last.warnings, ElementsAre(HasSubstr("one after the other")));
  EXPECT_EQ(chain.run().count(StepState::ready), 1U);
  EXPECT_THAT(chain.goes_on(), ElementsAre("build:b", "build:c", "build:a", "review"));
}

TEST(ChainDecompose, PassesWarningsOn) {
  Chain chain({"decompose", "build"});
  chain.answered("decompose", R"([{"name":"a","dependencies":["z"]},{"name":"a"}])");
  EXPECT_THAT(chain.last.warnings, Contains(HasSubstr("which is no task")));
  EXPECT_THAT(chain.last.warnings, Contains(HasSubstr("another task 'a'")));
}

TEST(ChainDecompose, EveryStepHasAnIdAndEveryTreeANameOfItsOwn) {
  Chain chain({"decompose", "build", "decompose", "build", "review"});
  EXPECT_EQ(chain.answered("decompose", R"([{"name":"a b"},{"name":"a-b"},{"name":"日本"}])"),
            "build:a-b(decompose) build:a-b-2(decompose) build:task-3(decompose) "
            "decompose-2(build:a-b build:a-b-2 build:task-3) build-2(decompose-2) review(build-2)");
  EXPECT_THAT(trees(chain.last), ElementsAre("a-b", "a-b-2", "task-3", ".", ".", "."));
  for (const char* id : {"build:a-b", "build:a-b-2", "build:task-3"}) chain.does(id);
  EXPECT_EQ(chain.answered("decompose-2", R"([{"name":"a b"},{"name":"c"}])"),
            "build:a-b-3(decompose-2) build:c(decompose-2) review(build:a-b-3 build:c)");
  EXPECT_THAT(trees(chain.last), ElementsAre("a-b-3", "c", "."));
}

TEST(ChainDecompose, APartIsNotDividedAgain) {
  Chain chain({"decompose", "decompose", "build"});
  chain.answered("decompose", two);
  EXPECT_EQ(chain.last.steps[0].work->skill, "decompose");
  EXPECT_EQ(chain.last.steps[0].work->extends, Extends::nothing);
}

TEST(ChainDecompose, AfterARouteDividesTheChosenWorkflow) {
  Chain chain({"route"});
  chain.answers("route", "sdlc");
  chain.does("spec");
  EXPECT_EQ(chain.answered("decompose", two),
            "build:api(decompose) build:the-ui(decompose build:api) review(build:api build:the-ui) document(review)");
  EXPECT_THAT(chain.goes_on(), ElementsAre("build:api", "build:the-ui", "review", "document"));
}

// people ------------------------------------------------------------------------------------------------------------

TEST(ChainRevision, BuildsOnAndReviewsAgain) {
  Chain chain({"spec", "build", "review", "document"});
  chain.goes_on();
  chain.run_count = chain.run().step_count();
  const Extension e = revise(chain.run(), "Use a map.", chain.library);
  EXPECT_EQ(chain.shown(e), "build-2(document) review-2(build-2)");
  EXPECT_EQ(e.task, "Use a map.");
  EXPECT_FALSE(e.replaces_rest);
  EXPECT_EQ(e.steps[0].work->mission, revision_mission("Use a map."));
  EXPECT_EQ(e.steps[0].work->tree, ".");
  EXPECT_EQ(e.steps[1].work->mission, mission_of("review"));
  EXPECT_TRUE(e.steps[1].final && e.steps[1].work->reviews);
}

TEST(ChainRevision, UsesTheSkillThatMadeTheChange) {
  Chain chain({"spec", "implement", "test", "review"});
  chain.goes_on();
  EXPECT_EQ(revise(chain.run(), "x", chain.library).steps[0].id, "implement-2");
  chain.missing = {"implement"};
  EXPECT_EQ(revise(chain.run(), "x", chain.library).steps[0].id, "build");
  Chain quick({"build", "test"});
  quick.goes_on();
  EXPECT_THAT(revise(quick.run(), "x", quick.library).steps, SizeIs(1)) << "never reviewed";
  EXPECT_EQ(revise(quick.run(), "x", quick.library).steps[0].id, "build-2");
}

TEST(ChainRevision, OfSubTasksBuildsOnTheirMergedWork) {
  Chain chain({"decompose"});
  chain.answers("decompose", R"([{"name":"a"},{"name":"b"}])");
  chain.goes_on();
  chain.run_count = chain.run().step_count();
  EXPECT_EQ(chain.shown(revise(chain.run(), "x", chain.library)), "build(merge)");
}

TEST(ChainFollowUp, IsToldWhatWasAskedAndDone) {
  Chain chain({"spec", "build", "review"});
  chain.goes_on();
  chain.run_count = chain.run().step_count();
  const Extension first = follow_up(chain.run(), "Log it\ntoo.", chain.library);
  EXPECT_EQ(chain.shown(first), "build-2(review)");
  EXPECT_EQ(first.task, "Log it\ntoo.");
  EXPECT_EQ(first.steps[0].work->mission, follow_up_mission("Log it\ntoo."));
  EXPECT_THAT(first.steps[0].work->notes,
              ElementsAre("Original task: Add a login.", "Workflow: w", "Skills done: spec, build, review"));
}

TEST(ChainFollowUp, KnowsEarlierOnesButNotItself) {
  Chain chain({"build", "review"}, false);
  chain.does("build");
  const Extension first = follow_up(chain.run(), "Log it\ntoo.", chain.library);
  chain.add(chain.step("build"), first);
  chain.goes_on();
  chain.run_count = chain.run().step_count();
  const Extension second = follow_up(chain.run(), "And count.", chain.library);
  EXPECT_EQ(chain.shown(second), "build-3(review build-2)");
  EXPECT_THAT(second.steps[0].work->notes, ElementsAre("Original task: Add a login.", "Workflow: w",
                                                       "Skills done: build, review", "Earlier follow-up: Log it too."));
}

TEST(ChainConflict, GoesToAStepThatTheWaitingOneNeedsToo) {
  Chain chain({"decompose", "build", "review"}, false);
  chain.library.terms.has_trees = true;
  chain.answers("decompose", R"([{"name":"a"},{"name":"b"}])");
  chain.does("build:a").does("build:b");
  const StepIndex review = chain.step("review");
  chain.run_count = chain.run().step_count();
  const Extension e = resolve(chain.run(), review, {"x.cc"}, "baton/r--b", chain.library);
  EXPECT_EQ(chain.shown(e), "resolve(build:a build:b)");
  EXPECT_THAT(e.joins, ElementsAre(std::pair{review, step_index(chain.run_count)}));
  EXPECT_FALSE(e.replaces_rest);
  EXPECT_EQ(e.steps[0].work->skill, "resolve");
  EXPECT_EQ(e.steps[0].work->tree, chain.run().step(review).work->tree);
  EXPECT_EQ(e.steps[0].flow, nullptr) << "its tree is in the middle of a merge";
  EXPECT_EQ(e.steps[0].work->mission, resolve_mission({"x.cc"}, "baton/r--b"));
  chain.add(review, e);
  EXPECT_TRUE(resolves_merge_with(chain.run(), step_index(chain.run_count), "baton/r--b"));
  EXPECT_FALSE(resolves_merge_with(chain.run(), step_index(chain.run_count), "baton/r--a"));
  EXPECT_FALSE(resolves_merge_with(chain.run(), review, "baton/r--b")) << "it waits for that, it is none itself";
  EXPECT_EQ(chain.state("review"), StepState::pending);
  EXPECT_THAT(chain.goes_on(), ElementsAre("resolve", "review"));
  EXPECT_THAT(revise(chain.run(), "x", chain.library).steps[0].needs, ElementsAre(review)) << "resolving is no end";
}

}  // namespace
}  // namespace baton::chain
