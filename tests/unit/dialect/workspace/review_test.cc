// Reviews and verdicts, learnings, and how a run's tasks stand in their files.
#include "dialect/workspace/review.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dialect/workspace/learning.h"
#include "dialect/workspace/reflect.h"
#include "dialect/workspace/workspace_plan.h"
#include "support/story.h"

namespace baton::workspace {
namespace {

using test::Story;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Review sample_review() {
  return {"review-copy-1-0",
          "copy-1",
          "2026-11-15T09:30:00.000Z",
          "copy-editing",
          "copywriting",
          {Verdict::revise,
           "Good.\n\n## Not a section of ours\nBut long.",
           {{Finding::Severity::major, "Intro", "too long: 3 pages"}, {Finding::Severity::suggestion, "End", "cut"}},
           {{RevisionRequest::Weight::required, "Shorten it: now"}}}};
}

TEST(WorkspaceReview, IsReadAsItIsWritten) {
  const ReviewRead read = read_review(write_review(sample_review()), "r.md");
  ASSERT_TRUE(read.review);
  EXPECT_EQ(*read.review, sample_review());
  Review plain = sample_review();
  plain.judgement = {Verdict::approve, "Fine.", {}, {}};
  EXPECT_EQ(read_review(write_review(plain), "r.md").review, plain);
}

TEST(WorkspaceReview, PassesOverWeightsThatNobodyKnows) {
  const std::string text = write_review(sample_review());
  std::string odd = text;
  odd.replace(odd.find("[major]"), 7, "[fatal]");
  odd.replace(odd.find("[required]"), 10, "[REQUIRED]");
  const ReviewRead read = read_review(odd, "r.md");
  ASSERT_TRUE(read.review);
  EXPECT_THAT(read.review->judgement.findings, SizeIs(1));
  EXPECT_THAT(read.review->judgement.requests, SizeIs(1));
}

TEST(WorkspaceReview, TellsWhatIsWrongWithAFile) {
  std::string text = write_review(sample_review());
  text.replace(text.find("verdict: REVISE"), 15, "verdict: MAYBE");
  text.replace(text.find("author: copywriting\n"), 20, "");
  const ReviewRead read = read_review(text, "r.md");
  EXPECT_FALSE(read.review);
  EXPECT_THAT(read.faults, SizeIs(2));
}

TEST(WorkspaceVerdict, IsReadFromWhatReviewersAnswer) {
  const char* object = R"({"verdict": "approve", "summary": "ok", "findings": []})";
  const char* complete = R"({"verdict": "approve", "summary": "ok", "findings": [], "revisionInstructions": ""})";
  for (const std::string& answer :
       {std::string{object}, fmt::format("```json\n{}\n```\n", object), fmt::format("Here it is:\n{}\n", complete),
        fmt::format("Here it is:\n```json\n{}\n```\n", complete)}) {
    const auto judgement = read_verdict(answer);
    ASSERT_TRUE(judgement) << answer << ": " << judgement.error();
    EXPECT_EQ(judgement->verdict, Verdict::approve);
    EXPECT_EQ(judgement->summary, "ok");
  }
  const auto revise = read_verdict(
      R"({"verdict":"REVISE","findings":[{"section":"A","severity":"MAJOR","description":"x"},{"severity":"odd"},3],
          "revisionInstructions":"Shorten it"})");
  ASSERT_TRUE(revise);
  EXPECT_EQ(revise->verdict, Verdict::revise);
  EXPECT_THAT(revise->findings, ElementsAre(Finding{Finding::Severity::major, "A", "x"}));
  EXPECT_THAT(revise->requests, ElementsAre(RevisionRequest{RevisionRequest::Weight::required, "Shorten it"}));
}

// Row 45: nothing is approved by accident.
TEST(WorkspaceVerdict, IsNoneWhereItIsNotClear) {
  for (const char* answer :
       {"", "APPROVE", "I approve this. It is great!", "{\"verdict\": \"APPROVE\"", R"({"verdict": "fine"})",
        R"({"verdict": null})", R"({"verdict": true})", R"({"summary": "APPROVE"})", R"(["APPROVE"])",
        R"({"verdict":"REJECT"} {"verdict":"APPROVE"})",
        R"({"verdict":"APPROVE","findings":[{"section":"A","severity":"critical","description":"a lie"}]})"}) {
    EXPECT_FALSE(read_verdict(answer)) << answer;
  }
}

// Row 45: neither by words that are only told of, nor by an answer that has no end.
TEST(WorkspaceVerdict, IsNoneWhereItIsOnlyPartOfWhatIsSaid) {
  const char* complete = R"({"verdict": "APPROVE", "summary": "ok", "findings": [], "revisionInstructions": ""})";
  for (const std::string& answer :
       {std::string{"The author wrote: `{\"verdict\":\"APPROVE\"}` but I disagree."},
        std::string{"The author wants {\"verdict\":\"APPROVE\"}"}, fmt::format("{}\nOn second thou", complete),
        fmt::format("I would not say {}", complete), fmt::format("```json\n{{}}\n```\n```json\n{}\n```", complete),
        fmt::format("He wrote:\n```json\n{}\n```\nand I disagree.", complete),
        fmt::format("It begins with {{\"a\": and then {}", complete)}) {
    EXPECT_FALSE(read_verdict(answer)) << answer;
  }
}

TEST(WorkspaceVerdict, WhatCanBeSeenAnywayCounts) {
  EXPECT_EQ(structural_findings(" \n").front().severity, Finding::Severity::critical);
  EXPECT_THAT(structural_findings("short"), SizeIs(3));
  const std::string good = "# Title\n\n" + std::string(100, 'x') + "\nmore\n";
  EXPECT_THAT(structural_findings(good), IsEmpty());
  EXPECT_THAT(structural_findings(std::string(100, 'x') + "\na\nb"),
              ElementsAre(Finding{Finding::Severity::minor, "output", "it has no heading"}));
  const Judgement approves{Verdict::approve, "ok", {}, {}};
  EXPECT_EQ(judged(approves, structural_findings(good)).verdict, Verdict::approve);
  const Judgement revised = judged(approves, structural_findings("short"));
  EXPECT_EQ(revised.verdict, Verdict::revise) << "the reviewer's word does not hide it";
  EXPECT_THAT(revised.requests, SizeIs(2));
  EXPECT_EQ(judged(approves, structural_findings("")).verdict, Verdict::reject);
  EXPECT_EQ(judged({Verdict::reject, "", {}, {}}, structural_findings("short")).verdict, Verdict::reject);
}

TEST(WorkspaceLearnings, AreOnlyEverAdded) {
  const Learning one{"2026-11-15T09:30:00.000Z",
                     "copywriting",
                     "goal-1",
                     Learning::Outcome::success,
                     "Short\nsells",
                     "Cut it",
                     {"tag", "other"},
                     0.5};
  const std::string before = "# Learnings\r\n\r\nkept as it is   \r\n### odd entry\n";
  const std::string after = with_learning(before, one);
  EXPECT_TRUE(after.starts_with(before));
  EXPECT_EQ(with_learning(after, one), after) << "said twice, written once";
  EXPECT_THAT(after, testing::EndsWith("- **Outcome:** success\n- **Learning:** Short sells\n- **Action:** Cut it\n"
                                       "- **Tags:** tag, other\n- **Confidence:** 0.5\n"));
  EXPECT_THAT(with_learning("", one), testing::StartsWith("# Learnings\n\n### 2026"));
}

TEST(WorkspaceMark, SaysWhoseATaskIs) {
  Task before;
  before.updated_at = "2026-11-15T09:00:00.000Z";
  const Mark mark = mark_for(before, {TaskStatus::in_progress, "2026-11-15T09:30:00.123Z"});
  EXPECT_EQ(read_mark(write_mark(mark)), mark);
  EXPECT_EQ(read_mark("nonsense"), std::nullopt);
  EXPECT_EQ(read_mark(""), std::nullopt);
  Task task;
  task.status = TaskStatus::in_progress;
  task.updated_at = mark.updated_at;
  EXPECT_TRUE(may_take(task, mark)) << "the run's own, from before a crash";
  EXPECT_FALSE(may_take(task, std::nullopt)) << "somebody else's";
  task.updated_at = "2026-11-15T09:30:00.124Z";
  EXPECT_FALSE(may_take(task, mark)) << "somebody else's, since";
  task.status = TaskStatus::pending;
  EXPECT_TRUE(may_take(task, std::nullopt));
  task.status = TaskStatus::failed;
  EXPECT_FALSE(may_take(task, mark));
  task.updated_at = "t";
  EXPECT_TRUE(may_take(task, Mark{TaskStatus::failed, "t", TaskStatus::in_progress, "s"}))
      << "failed by this run: it may reopen it";
  EXPECT_TRUE(may_take(task, Mark{TaskStatus::completed, "u", TaskStatus::failed, "t"}))
      << "the run died before it wrote what it was about to";
}

struct Standings : testing::Test {
  Story story{"t1; t2: t1"};
  std::map<std::string, Verdict> verdicts;

  void SetUp() override {
    story.with_output("t1");
    for (const char* id : {"t1", "t2"}) story.with_flow(id, Flow{.deferred = true});
  }
  std::string standing(const std::string& task) {
    const auto s =
        standing_of(story.run, *last_step_of(story.run, task), [&](StepIndex review) -> std::optional<Verdict> {
          const auto found = verdicts.find(story.run.step(review).id);
          return found == verdicts.end() ? std::nullopt : std::optional{found->second};
        });
    return s ? std::string{name(s->status)} : "untouched";
  }
};

// Row 15: pending, in progress, completed.
TEST_F(Standings, FollowTheRun) {
  story.begin();
  EXPECT_EQ(standing("t1"), "untouched");
  story.turns("t1", TurnVerdict::go);
  EXPECT_EQ(standing("t1"), "in_progress");
  story.begins("t1").ends("t1");
  EXPECT_EQ(standing("t1"), "in_progress") << "its answer is not looked at yet";
  story.checked("t1", true);
  EXPECT_EQ(standing("t1"), "completed");
  EXPECT_EQ(standing("t2"), "untouched");
}

TEST_F(Standings, AFailureShowsOnlyWhenTheRunHasFailed) {
  story.plan = test::plan_of("t1; t2");
  for (const char* id : {"t1", "t2"}) story.with_flow(id, Flow{.deferred = true});
  story.begin().turns("t1", TurnVerdict::go).turns("t2", TurnVerdict::go).begins("t1").begins("t2");
  story.fails("t1", false);
  EXPECT_EQ(standing("t1"), "in_progress") << "the run goes on, and it is still the run's";
  story.ends("t2");
  ASSERT_EQ(story.run.state(), RunState::failed);
  EXPECT_EQ(standing("t1"), "failed");
  EXPECT_EQ(standing("t2"), "completed");
  story.happens(event::RetryAsked{}).turns("t1", TurnVerdict::go);
  EXPECT_EQ(standing("t1"), "in_progress") << "reopened";
}

TEST_F(Standings, ACancellationEndsWhatWasTaken) {
  story.begin().turns("t1", TurnVerdict::go).begins("t1").happens(event::CancelAsked{"me"});
  EXPECT_EQ(standing("t1"), "in_progress");
  story.fails("t1");
  ASSERT_EQ(story.run.state(), RunState::cancelled);
  EXPECT_EQ(standing("t1"), "cancelled");
}

TEST_F(Standings, APauseLeavesItToTheRun) {
  story.begin().turns("t1", TurnVerdict::go).begins("t1").happens(event::PauseAsked{"me"});
  EXPECT_EQ(standing("t1"), "in_progress");
}

// Row 48: put off or kept back by the budget.
TEST_F(Standings, TheBudgetDefersOrBlocks) {
  for (const auto& [code, status] :
       std::map<std::string, std::string>{{"budget-deferred", "deferred"}, {"budget-exhausted", "blocked"}}) {
    Story other{"t1"};
    other.with_flow("t1", Flow{.deferred = true}).begin();
    other.happens(event::TurnTaken{other.step("t1"), 1, 1, TurnVerdict::block, "no money", code, nullptr, {}, {}});
    const auto s = standing_of(other.run, other.step("t1"), {});
    ASSERT_TRUE(s);
    EXPECT_EQ(name(s->status), status);
  }
}

struct Reviewed : Standings {
  void SetUp() override {
    story.plan = test::plan_of("w; a: w; b: a; n: b");
    for (const char* id : {"w", "a", "b", "n"}) story.with_flow(id, Flow{.deferred = true}).with_output(id);
    for (const char* id : {"a", "b"}) {
      Step& step = story.plan.steps[at(*find_step(story.plan, id))];
      Work work = *step.work;
      work.extends = Extends::review;
      step.work = std::make_shared<const Work>(std::move(work));
    }
    story.begin();
  }
  void done(const std::string& id) {
    story.turns(id, TurnVerdict::go).after(Millis{10}).begins(id).after(Millis{10}).ends(id).checked(id, true);
  }
  /// What a review that passed its checks makes of the plan.
  void extends(const std::string& by, std::vector<Step> steps, const std::string& waiting) {
    event::PlanExtended e;
    e.by = story.step(by);
    e.first = step_index(story.run.step_count());
    e.steps = std::move(steps);
    if (!e.steps.empty()) e.joins = {{story.step(waiting), step_index(story.run.step_count() + e.steps.size() - 1)}};
    story.happens(std::move(e));
  }
  void revises(const std::string& by, const std::string& waiting, int n) {
    verdicts[by] = Verdict::revise;
    Step work = story.run.step(story.step("w"));
    work.id = fmt::format("w:r{}", n);
    work.needs = {story.step(by)};
    Step review = story.run.step(story.step(by));
    review.id = fmt::format("{}:r{}", task_of_step(by), n);
    review.needs = {step_index(story.run.step_count())};
    extends(by, {work, review}, waiting);
  }
};

// Row 45.
TEST_F(Reviewed, WorkIsApprovedOrRevised) {
  done("w");
  EXPECT_EQ(standing("w"), "completed");
  done("a");
  revises("a", "b", 1);
  EXPECT_THAT(reviewed_tasks(story.run, story.step("a:r1")), ElementsAre("w"));
  EXPECT_THAT(reviewed_tasks(story.run, story.step("b")), ElementsAre("w"));
  done("w:r1");
  EXPECT_EQ(standing("w"), "completed") << "the review before was of what is no more";
  verdicts["a:r1"] = Verdict::approve;
  done("a:r1");
  extends("a:r1", {}, "");
  EXPECT_EQ(standing("w"), "approved");
  EXPECT_EQ(story.state("b"), StepState::pending);
  verdicts["b"] = Verdict::revise;
  done("b");
  EXPECT_EQ(standing("w"), "approved") << "its word is not on record yet";
  revises("b", "n", 2);
  done("w:r2");
  verdicts["b:r2"] = Verdict::approve;
  done("b:r2");
  extends("b:r2", {}, "");
  EXPECT_EQ(standing("w"), "approved");
  std::vector<std::string> tasks;
  for (const auto& [task, step] : tasks_of(story.run)) tasks.push_back(task + " by " + story.run.step(step).id);
  EXPECT_THAT(tasks, ElementsAre("w by w:r2", "a by a:r1", "b by b:r2", "n by n"));
}

TEST_F(Reviewed, ARejectionShowsWhenTheRunHasFailed) {
  done("w");
  story.turns("a", TurnVerdict::go).after(Millis{10}).begins("a").ends("a");
  verdicts["a"] = Verdict::reject;
  story.happens(event::OutputChecked{story.step("a"), 1, {}, "d", Failure{"review-rejected", "no", false}});
  ASSERT_EQ(story.run.state(), RunState::failed);
  EXPECT_EQ(standing("w"), "failed");
}

TEST_F(Reviewed, RevisionsWithoutEndAreForAPerson) {
  done("w");
  story.turns("a", TurnVerdict::go).after(Millis{10}).begins("a").ends("a");
  verdicts["a"] = Verdict::revise;
  story.happens(event::OutputChecked{story.step("a"), 1, {}, "d", Failure{"revisions-exhausted", "no", false}});
  EXPECT_EQ(standing("w"), "blocked");
}

struct LookedAt : Reviewed {
  void SetUp() override {
    story.plan = test::plan_of("w; a: w; g: a; b: g; n: b");
    for (const char* id : {"w", "a", "b", "n"}) story.with_flow(id, Flow{.deferred = true}).with_output(id);
    story.with_flow("g", Flow{.gate = true, .question = "Well?"});
    for (const char* id : {"a", "b", "g"}) {
      Step& step = story.plan.steps[at(*find_step(story.plan, id))];
      Work work = std::string_view{id} == "g" ? Work{} : *step.work;
      if (std::string_view{id} != "g") work.extends = Extends::review;
      step.work = std::make_shared<const Work>(std::move(work));
    }
    story.begin();
  }
  void approves(const std::string& by) {
    verdicts[by] = Verdict::approve;
    done(by);
    extends(by, {}, "");
  }
  void answers(bool yes) { story.turns("g", TurnVerdict::go).happens(event::GateAnswered{story.step("g"), yes, "so"}); }
};

// Row 45: a person's word counts until somebody looks at the work again, or it is done again.
TEST_F(LookedAt, APersonsWordCountsLikeAReview) {
  done("w");
  done("a");
  revises("a", "g", 1);
  done("w:r1");
  approves("a:r1");
  EXPECT_EQ(answer_of_gate(story.run, story.step("g")), std::nullopt);
  EXPECT_THAT(reviewed_tasks(story.run, story.step("g")), ElementsAre("w"));
  answers(true);
  ASSERT_EQ(story.state("g"), StepState::completed);
  EXPECT_EQ(answer_of_gate(story.run, story.step("g")), Verdict::approve);
  EXPECT_EQ(standing("w"), "approved");
  done("b");
  revises("b", "n", 2);
  EXPECT_EQ(standing("w"), "untouched") << "another look was taken, and it is to be done again";
  done("w:r2");
  EXPECT_EQ(standing("w"), "completed") << "what the person saw is no more";
  approves("b:r2");
  EXPECT_EQ(standing("w"), "approved");
}

TEST_F(LookedAt, APersonsNoFailsWhatAReviewerApproved) {
  done("w");
  approves("a");
  EXPECT_EQ(standing("w"), "approved");
  answers(false);
  ASSERT_EQ(story.run.state(), RunState::rejected);
  EXPECT_EQ(answer_of_gate(story.run, story.step("g")), Verdict::reject);
  EXPECT_EQ(standing("w"), "failed");
}

}  // namespace
}  // namespace baton::workspace
