// What keys, clicks and news do to the dashboard.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "top_story.h"
#include "view/top/verb_words.h"

namespace baton::top {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Kind = Key::Kind;

class Doing : public testing::Test {
 protected:
  Doing() { resize(m, {120, 40}); }
  Acts key(char c) { return update(m, {Kind::letter, std::string(1, c)}); }
  static std::vector<Act::Kind> kinds(const Acts& acts) {
    std::vector<Act::Kind> out;
    for (const Act& a : acts) out.push_back(a.kind);
    return out;
  }
  [[nodiscard]] bool sees(const std::string& text) const { return draw(m).grid.text().find(text) != std::string::npos; }

  Story story;
  Model& m = story.model;
};

TEST_F(Doing, AtTheStartTheNewestRunningRunAndItsRunningStepAreSeen) {
  EXPECT_EQ(m.selected, "lvp598k2");
  const StepState s = shown_state(*m.run, *m.run->find(m.step));
  EXPECT_EQ(s, StepState::running) << m.step;
  EXPECT_TRUE(sees("3 log") && sees("2 steps") && sees("1 runs") && sees("git log --oneline"));
}

TEST_F(Doing, PanesAreReachedByTabAndNumber) {
  (void)update(m, {Kind::tab});
  EXPECT_EQ(m.focus, Pane::steps);
  (void)update(m, {Kind::tab});
  EXPECT_EQ(m.focus, Pane::log);
  (void)update(m, {Kind::tab});
  EXPECT_EQ(m.focus, Pane::runs);
  for (int n = 1; n <= 7; ++n) {
    key(static_cast<char>('0' + n));
    EXPECT_EQ(m.focus, static_cast<Pane>(n - 1));
  }
  key('8');
  EXPECT_TRUE(sees("Doing, to the selected run"));
  key('9');
  key('9');
  EXPECT_TRUE(sees("there is no pane 9"));
  key('l');
  EXPECT_EQ(m.focus, Pane::log);
  key('1');
  (void)update(m, {Kind::enter});
  EXPECT_EQ(m.focus, Pane::steps);
  (void)update(m, {Kind::enter});
  EXPECT_EQ(m.focus, Pane::log);
  (void)update(m, {Kind::escape});
  EXPECT_EQ(m.focus, Pane::steps);
}

TEST_F(Doing, QuitsFromEverywhereButATextBox) {
  EXPECT_THAT(kinds(key('q')), ElementsAre(Act::Kind::quit));
  key('?');
  EXPECT_THAT(kinds(key('q')), ElementsAre(Act::Kind::quit));
  m.dialog = std::monostate{};
  key('c');
  EXPECT_THAT(kinds(key('q')), ElementsAre(Act::Kind::quit));
  let_wait(m, "chain", false);
  for (const char box : {'/', 'n', 'u', 'x'}) {
    m.dialog = std::monostate{};
    key(box);
    EXPECT_THAT(key('q'), IsEmpty()) << box;
    EXPECT_THAT(key('c'), IsEmpty()) << box;
    EXPECT_TRUE(sees("qc")) << box;
  }
}

TEST_F(Doing, ASwitchIsNoTextBox) {
  key('n');
  workflows_found(m, {{"alpha", "first", {}, true}});
  (void)update(m, {Kind::enter});
  EXPECT_THAT(key('q'), IsEmpty()) << "the task";
  (void)update(m, {Kind::tab});
  EXPECT_THAT(kinds(key('q')), ElementsAre(Act::Kind::quit));
}

TEST_F(Doing, ARunTakesTwoRowsWhereOneDoesNotTellEverything) {
  EXPECT_TRUE(sees("35.0k")) << "tokens stand in the second row";
  for (int i = 0; i < 40; ++i) {
    (void)runs_changed(
        m, {Story::item(100 + i, "many" + std::to_string(1000 + i), "w", RunState::completed, 1, 1, 1, 0, 0)});
  }
  resize(m, {80, 24});
  EXPECT_EQ(rows_per_run(m, room_of(m, Pane::runs, layout_of(m))), 1) << "all of it has room in one";
  EXPECT_TRUE(sees("TOKENS") && sees("ACTIVITY"));
  resize(m, {120, 40});
  const Rect room = room_of(m, Pane::runs, layout_of(m));
  EXPECT_EQ(rows_per_run(m, room), 2);
  key('G');
  EXPECT_EQ(m.selected, "dddd2222");
  EXPECT_TRUE(sees("dddd2222"));
  (void)update(m, {Kind::click, {}, {room.x + 4, room.y}});
  EXPECT_EQ(m.selected, m.runs[m.shown[static_cast<std::size_t>(m.runs_top)]].row.id);
}

TEST_F(Doing, ADiffIsReadFileByFile) {
  m.document(Pane::diff)
      .set("d",
           diff_entries("diff --git a/x b/x\n@@ -1 +1 @@\n-old\n+new\ndiff --git a/y b/y\n@@ -1 +1 @@\n--- sql\n"));
  key('4');
  key(']');
  EXPECT_EQ(m.document(Pane::diff).cursor, 4U);
  EXPECT_EQ(m.document(Pane::diff).at(6).kind, Entry::Kind::removed) << "a line that looks like a head";
  key(']');
  EXPECT_EQ(m.document(Pane::diff).cursor, 4U) << "there is no further one";
  key('[');
  EXPECT_EQ(m.document(Pane::diff).cursor, 0U);
}

TEST_F(Doing, WhatDestroysIsAskedFor) {
  EXPECT_THAT(key('c'), IsEmpty());
  EXPECT_TRUE(sees("Cancel lvp598k2"));
  EXPECT_THAT(key('n'), IsEmpty()) << "no";
  EXPECT_TRUE(std::holds_alternative<std::monostate>(m.dialog));
  key('c');
  EXPECT_EQ(key('y'), (Acts{{Act::Kind::cancel, "lvp598k2"}}));
}

TEST_F(Doing, EnterIsNoYes) {
  key('c');
  EXPECT_THAT(update(m, {Kind::enter}), IsEmpty());
  EXPECT_TRUE(sees("Cancel lvp598k2")) << "it still asks";
  EXPECT_THAT(update(m, {Kind::paste, "y"}), IsEmpty());
  EXPECT_EQ(key('y'), (Acts{{Act::Kind::cancel, "lvp598k2"}}));
}

TEST_F(Doing, AChangeIsTakenRevisedOrThrownAway) {
  let_wait(m, "chain", false);
  key('a');
  EXPECT_TRUE(sees("Accept lvp598k2"));
  EXPECT_EQ(key('y'), (Acts{{Act::Kind::accept, "lvp598k2"}}));
  key('x');
  EXPECT_TRUE(sees("its work is thrown away"));
  EXPECT_THAT(update(m, {Kind::enter}), IsEmpty()) << "nothing said: its work would be lost";
  EXPECT_TRUE(sees("Throw the work"));
  EXPECT_THAT(update(m, {Kind::enter}), IsEmpty()) << "nor by Enter twice";
  EXPECT_EQ(key('y'), (Acts{{Act::Kind::reject, "lvp598k2"}}));
  key('x');
  press(m, "quite wrong");
  EXPECT_EQ(update(m, {Kind::enter}), (Acts{{Act::Kind::reject, "lvp598k2", {}, "quite wrong"}}));
}

TEST_F(Doing, AGateIsAnsweredInItsOwnWords) {
  let_wait(m, "markdown", true);
  key('a');
  EXPECT_TRUE(sees("Approve 2 steps of lvp598k2") && sees("publish it?")) << draw(m).grid.text();
  EXPECT_EQ(key('y'), (Acts{{Act::Kind::accept, "lvp598k2"}}));
  key('x');
  EXPECT_TRUE(sees("Reject 2 steps") && !sees("thrown away")) << "nothing is lost";
  EXPECT_THAT(update(m, {Kind::enter}), IsEmpty());
  EXPECT_TRUE(sees("without a word?") && !sees("Throw the work"));
  EXPECT_EQ(key('y'), (Acts{{Act::Kind::reject, "lvp598k2"}}));
  key('2');
  key('G');
  ASSERT_EQ(m.step, "mail");
  key('x');
  EXPECT_TRUE(sees("Reject 'mail'"));
  press(m, "no");
  EXPECT_EQ(update(m, {Kind::enter}), (Acts{{Act::Kind::reject, "lvp598k2", "mail", "no"}})) << "just this one";
}

TEST_F(Doing, AConflictIsGivenUpOnlyByAYes) {
  let_wait(m, "chain", true);
  key('a');
  EXPECT_TRUE(sees("The merge is tried again"));
  (void)update(m, {Kind::escape});
  key('x');
  EXPECT_TRUE(sees("Give lvp598k2") && sees("with all its work?"));
  EXPECT_THAT(update(m, {Kind::enter}), IsEmpty());
  EXPECT_EQ(key('y'), (Acts{{Act::Kind::reject, "lvp598k2"}}));
}

TEST_F(Doing, WhatIsToldIsToldWhole) {
  resize(m, {40, 12});
  told(m, false, "error[run-is-over]: run lvp598k2 is completed; help: 'baton retry' takes it up again");
  EXPECT_TRUE(sees("error[run-is-over]") && sees("up again")) << draw(m).grid.text();
  m.flash = {};
  key('c');
  EXPECT_TRUE(sees("What its agents are doing is") && sees("stopped.")) << draw(m).grid.text();
}

TEST_F(Doing, ARunThatIsOverIsNotCancelled) {
  select_run(m, "aaaabbbb");
  EXPECT_THAT(key('c'), IsEmpty());
  EXPECT_TRUE(sees("there is nothing to cancel"));
}

TEST_F(Doing, WhatWaitsForNobodyIsSaidAtOnce) {
  for (const char action : {'a', 'x'}) {
    EXPECT_THAT(key(action), IsEmpty());
    EXPECT_TRUE(std::holds_alternative<std::monostate>(m.dialog));
    EXPECT_TRUE(sees("run lvp598k2 is running: it waits for no answer"));
  }
}

TEST_F(Doing, AFormThatIsRefusedKeepsWhatWasTyped) {
  key('u');
  press(m, "more of it");
  const Acts sent = update(m, {Kind::control, "s"});
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_TRUE(sees("sending …"));
  EXPECT_THAT(update(m, {Kind::control, "s"}), IsEmpty()) << "once is enough";
  answered(m, sent[0], false, "cannot-continue: it is running");
  EXPECT_TRUE(sees("more of it") && sees("cannot-continue: it is running")) << draw(m).grid.text();
  press(m, "!");
  const Acts again = update(m, {Kind::control, "s"});
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].text, "more of it!");
  answered(m, sent[0], false, "of another one");
  EXPECT_TRUE(sees("sending …")) << "an answer to something else is none to this";
  answered(m, again[0], true, "goes on");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(m.dialog));
  EXPECT_TRUE(sees("goes on"));
}

TEST_F(Doing, AFormThatIsLeftWhileItIsSentIsLeft) {
  key('u');
  press(m, "more");
  const Acts sent = update(m, {Kind::control, "s"});
  (void)update(m, {Kind::escape});
  EXPECT_TRUE(std::holds_alternative<std::monostate>(m.dialog));
  answered(m, sent.at(0), false, "refused it was");
  EXPECT_TRUE(sees("refused it was")) << "it is said all the same";
}

TEST_F(Doing, WhatDoesNotIsDoneAtOnce) {
  EXPECT_EQ(key('p'), (Acts{{Act::Kind::pause, "lvp598k2"}}));
  EXPECT_EQ(key('r'), (Acts{{Act::Kind::resume, "lvp598k2"}}));
  EXPECT_EQ(key('o'), (Acts{{Act::Kind::open_folder, "lvp598k2"}}));
  EXPECT_EQ(key('y'), (Acts{{Act::Kind::copy, "lvp598k2", {}, "lvp598k2"}}));
  EXPECT_THAT(kinds(update(m, {Kind::control, "z"})), ElementsAre(Act::Kind::suspend));
}

TEST_F(Doing, RetryIsOfTheStepOrOfAllThatFailed) {
  key('t');
  EXPECT_EQ(key('y'), (Acts{{Act::Kind::retry, "lvp598k2"}}));
  key('2');
  const std::string step = m.step;
  key('t');
  EXPECT_EQ(key('y'), (Acts{{Act::Kind::retry, "lvp598k2", step}}));
}

TEST_F(Doing, AFollowUpIsATextOfManyLines) {
  key('u');
  press(m, "first");
  (void)update(m, {Kind::enter});
  (void)update(m, {Kind::paste, "second\nthird"});
  EXPECT_EQ(update(m, {Kind::control, "s"}), (Acts{{Act::Kind::follow_up, "lvp598k2", {}, "first\nsecond\nthird"}}));
  (void)update(m, {Kind::escape});
  key('u');
  EXPECT_THAT(update(m, {Kind::control, "s"}), IsEmpty()) << "nothing to be done is nothing";
  const Acts edit = update(m, {Kind::control, "e"});
  EXPECT_THAT(kinds(edit), ElementsAre(Act::Kind::edit));
  edited(m, "from the editor\n");
  EXPECT_EQ(update(m, {Kind::control, "s"}).at(0).text, "from the editor");
}

TEST_F(Doing, ANewRunIsPickedFilledInAndStarted) {
  EXPECT_THAT(kinds(key('n')), ElementsAre(Act::Kind::list_workflows));
  workflows_found(
      m, {{"alpha", "first", {}, true}, {"beta", "second", {{"changes", true, "a list"}, {"style", false}}, true}});
  press(m, "bet");
  (void)update(m, {Kind::enter});
  EXPECT_TRUE(sees("New run of beta") && sees("changes *"));
  press(m, "do q it");
  EXPECT_THAT(update(m, {Kind::control, "s"}), IsEmpty());
  EXPECT_TRUE(sees("'changes' is needed"));
  press(m, "list.txt");
  (void)update(m, {Kind::tab});
  (void)update(m, {Kind::tab});
  press(m, " ");
  EXPECT_TRUE(sees("[x] Rehearse"));
  EXPECT_EQ(update(m, {Kind::control, "s"}),
            (Acts{{Act::Kind::start, {}, {}, {}, {"beta", "do q it", {"changes=list.txt"}, true}}}));
  const Act act = *std::get<NewRun>(m.dialog).sent;
  answered(m, act, false, "error[input-missing]: no such file");
  EXPECT_TRUE(sees("error[input-missing]") && sees("do q it") && sees("list.txt") && sees("[x] Rehearse"));
  (void)update(m, {Kind::escape});
  EXPECT_TRUE(sees("which workflow?"));
  (void)update(m, {Kind::enter});
  EXPECT_TRUE(sees("do q it")) << "nor does a look at the list lose it";
  EXPECT_EQ(update(m, {Kind::control, "s"}), (Acts{act}));
  answered(m, act, true, "beta k7f2 is started");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(m.dialog));
}

TEST_F(Doing, AFormLongerThanTheScreenGoesAlong) {
  resize(m, {80, 24});
  key('n');
  WorkflowChoice many{.name = "many"};
  for (int i = 0; i < 9; ++i) many.inputs.push_back({"input" + std::to_string(i)});
  workflows_found(m, {many});
  (void)update(m, {Kind::enter});
  EXPECT_TRUE(sees("Task") && sees("input0") && !sees("input8"));
  for (int i = 0; i < 10; ++i) (void)update(m, {Kind::tab});
  EXPECT_TRUE(sees("[ ] Rehearse") && sees("input8") && !sees("input0"));
  const Rect dialog = layout_of(m).dialog.inner();
  for (int y = 0; y < dialog.height; ++y) {
    if (draw(m).grid.row_text(dialog.y + y).find("input7") == std::string::npos) continue;
    (void)update(m, {Kind::click, {}, {dialog.x + 3, dialog.y + y}});
    break;
  }
  EXPECT_EQ(std::get<NewRun>(m.dialog).field, 8U) << "the click goes to what is seen";
}

TEST_F(Doing, AWorkflowIsPickedByTheMouseWhereverTheListStands) {
  key('n');
  std::vector<WorkflowChoice> all;
  for (int i = 10; i < 90; ++i) all.push_back({.name = "workflow" + std::to_string(i)});
  workflows_found(m, all);
  for (int i = 0; i < 60; ++i) (void)update(m, {Kind::wheel_down});
  const Rect dialog = layout_of(m).dialog.inner();
  (void)update(m, {Kind::click, {}, {dialog.x + 3, dialog.y + dialog.height - 2}});
  EXPECT_TRUE(sees("New run of workflow69")) << draw(m).grid.text();
}

TEST_F(Doing, RunsAreFilteredAndSorted) {
  key('/');
  press(m, "notes");
  EXPECT_EQ(m.shown.size(), 6U) << "the task speaks of notes";
  (void)update(m, {Kind::escape});
  key('/');
  press(m, "FAILED");
  EXPECT_EQ(m.shown.size(), 1U);
  (void)update(m, {Kind::enter});
  EXPECT_EQ(m.selected, "h2k9w0aa") << "what is selected is seen";
  m.runs[1].row.dialect = "chain";
  key('/');
  (void)update(m, {Kind::control, "u"});
  press(m, "baton/q01z");
  EXPECT_EQ(m.shown, std::vector<std::size_t>{1}) << "by its branch";
  (void)update(m, {Kind::enter});
  (void)update(m, {Kind::escape});
  EXPECT_EQ(m.shown.size(), 6U);
  const auto first = [&] { return m.runs[m.shown.front()].row.id; };
  key('s');
  EXPECT_EQ(first(), "q01zz7m1") << "what waits for a person comes first";
  key('s');
  key('s');
  EXPECT_EQ(first(), "aaaabbbb") << "the longest";
  key('S');
  EXPECT_NE(first(), "aaaabbbb");
}

TEST_F(Doing, TheMouseFindsRunsStepsTabsAndButtons) {
  const Layout layout = layout_of(m);
  const Rect runs = room_of(m, Pane::runs, layout);
  const int high = rows_per_run(m, runs);
  EXPECT_EQ(high, 2) << "there is room for both rows of each";
  (void)update(m, {Kind::click, {}, {runs.x + 4, runs.y + 2 * high + 1}});
  EXPECT_EQ(m.selected, "h2k9w0aa");
  (void)update(m, {Kind::click, {}, {runs.x + 4, runs.y}});
  run_changed(m, "lvp598k2", m.run);
  const Rect steps = room_of(m, Pane::steps, layout_of(m));
  (void)update(m, {Kind::click, {}, {steps.x + 4, steps.y}});
  EXPECT_EQ(m.step, "changes");
  EXPECT_EQ(m.focus, Pane::steps);
  const Rect log = layout_of(m).of(Pane::log);
  const Tab cost = tabs_of(log, Pane::log).back();
  (void)update(m, {Kind::click, {}, {cost.x + 1, log.y}});
  EXPECT_EQ(m.focus, Pane::cost);
  key('c');
  const Rect dialog = layout_of(m).dialog.inner();
  EXPECT_EQ(kinds(update(m, {Kind::click, {}, {dialog.x + 3, dialog.y + 3}})), (std::vector{Act::Kind::cancel}));
  const std::string foot = draw(m).grid.row_text(39);
  EXPECT_TRUE(foot.starts_with("n new p pause r resume")) << foot;
  EXPECT_EQ(update(m, {Kind::click, {}, {9, 39}}), (Acts{{Act::Kind::pause, m.selected}})) << "what hints name";
  EXPECT_EQ(update(m, {Kind::click, {}, {5, 39}}), Acts{}) << "between two";
}

TEST_F(Doing, NewsAreToldOnceAndTheBellIsOffUntilWanted) {
  EXPECT_THAT(runs_changed(m, {Story::item(7, "lvp598k2", "release-notes", RunState::failed, 2, 5, 60, 0, 0)}),
              IsEmpty());
  EXPECT_TRUE(sees("release-notes lvp598k2 is failed"));
  m.notify = Notify::bell;
  EXPECT_THAT(runs_changed(m, {Story::item(7, "lvp598k2", "release-notes", RunState::failed, 2, 5, 60, 0, 0)}),
              IsEmpty());
  EXPECT_THAT(kinds(runs_changed(m, {Story::item(8, "new00001", "quick", RunState::completed, 1, 1, 1, 0, 0)})),
              ElementsAre(Act::Kind::ring));
  EXPECT_EQ(m.runs.front().row.id, "new00001");
  EXPECT_EQ(m.selected, "lvp598k2") << "what is looked at stays";
}

TEST_F(Doing, QuotasAreShownUntilTheyReset) {
  EXPECT_FALSE(sees("quota"));
  cooled_down(m, {{"claude", m.now + Millis{300'000}, m.now - Millis{100'000}}, {"other", m.now - Millis{1}, {}}});
  EXPECT_TRUE(sees("quota  █████░░░░░░░░░░░░░░░ claude resets in 5m00s")) << draw(m).grid.text();
  EXPECT_FALSE(sees("other resets")) << "that one is over";
  tick(m, m.now + Millis{60'000});
  EXPECT_TRUE(sees("claude resets in 4m00s"));
  tick(m, m.now + Millis{240'000});
  EXPECT_FALSE(sees("quota"));
}

TEST_F(Doing, AQuotaCountsDownAlsoWhereNothingRuns) {
  for (RunItem& r : m.runs) r.row.state = RunState::paused;
  EXPECT_FALSE(is_lively(m));
  const Time until = m.now + Millis{100'000};
  cooled_down(m, {{"claude", until, {}}});
  EXPECT_TRUE(is_lively(m)) << "the screen is drawn with every second";
  tick(m, m.now + Millis{50'000});
  cooled_down(m, {{"claude", until, {}}});
  EXPECT_TRUE(sees("quota  ██████████░░░░░░░░░░ claude resets in 50s")) << draw(m).grid.text();
  tick(m, until);
  EXPECT_FALSE(is_lively(m));
}

TEST_F(Doing, ClocksCountAlsoWhereNothingMoves) {
  EXPECT_EQ(pace(m), Millis{250}) << "spinners turn";
  m.runs.clear();
  EXPECT_EQ(pace(m), std::nullopt);
  (void)runs_changed(m, {Story::item(1, "aaaa1111", "w", RunState::completed, 1, 1, 5, 0, 0)});
  EXPECT_EQ(pace(m), std::nullopt) << "what is over takes no longer";
  (void)runs_changed(m, {Story::item(2, "bbbb2222", "w", RunState::paused, 0, 1, 5, 0, 0)});
  EXPECT_EQ(pace(m), Millis{1000});
}

TEST(VerbWords, TellWhatIsWrongAndNotWhatIsOnlyStrange) {
  const std::string warning = "warning[unknown-skill]: no skill 'w'\n  --> a.md:3:1\n  help: skills found: build\n";
  const std::string error = "error[input-not-found]: no file 'x'\n  help: give another\n";
  EXPECT_EQ(verb_words("", warning + error), "error[input-not-found]: no file 'x'; help: give another");
  EXPECT_EQ(verb_words("", error + warning), "error[input-not-found]: no file 'x'; help: give another");
  EXPECT_EQ(verb_words("paused\n", warning), "paused");
  EXPECT_EQ(verb_words("", warning), "warning[unknown-skill]: no skill 'w'; help: skills found: build");
  EXPECT_EQ(verb_words("", ""), "");
}

TEST_F(Doing, RunsOfAJournalThatIsGoneAreGone) {
  runs_gone(m, "it is not there");
  EXPECT_TRUE(sees("no runs yet") && sees("it is not there") && !sees("lvp598k2")) << draw(m).grid.text();
  for (const char action : std::string{"prcaxtuoy2Gl/"}) {
    m.dialog = std::monostate{};
    EXPECT_THAT(key(action), IsEmpty()) << action;
  }
  m.dialog = std::monostate{};
  (void)runs_changed(m, {Story::item(1, "fresh001", "kit", RunState::running, 0, 1, 1, 0, 0)});
  EXPECT_EQ(m.selected, "fresh001");
}

TEST_F(Doing, TheLogFollowsUntilItsReaderGoesBack) {
  Document& log = m.document(Pane::log);
  key('l');
  for (int i = 0; i < 200; ++i) log.add({Entry::Kind::plain, "line " + std::to_string(i)});
  EXPECT_TRUE(sees("line 199"));
  (void)update(m, {Kind::page_up});
  EXPECT_FALSE(log.follow);
  EXPECT_FALSE(sees("line 199"));
  log.add({Entry::Kind::plain, "line 200"});
  const std::string before = draw(m).grid.text();
  log.add({Entry::Kind::plain, "line 201"});
  EXPECT_EQ(draw(m).grid.text(), before) << "what is read does not move";
  key('G');
  EXPECT_TRUE(sees("line 201"));
  key('g');
  EXPECT_TRUE(sees("[begin]"));
  for (int i = 0; i < 500; ++i) (void)update(m, {Kind::page_down});
  EXPECT_TRUE(sees("line 201"));
  EXPECT_FALSE(sees("line 100"));
}

TEST(Trees, StepsThatBeginTogetherStandSideBySide) {
  auto plan = std::make_shared<Plan>();
  const auto add = [&](const std::string& id, std::vector<StepIndex> needs) {
    plan->steps.push_back({id, std::move(needs), std::make_shared<Work>(), {}, {}, false});
  };
  add("left", {});
  add("right", {});
  add("deep", {step_index(1)});
  add("join", {step_index(0), step_index(2)});
  baton::Run run;
  (void)run.apply({story_time, event::RunCreated{plan, {}}});
  std::vector<std::string> rows;
  for (const TreeRow& row : tree_of(run)) rows.push_back(row.lead + run.step(row.step).id);
  EXPECT_THAT(rows, ElementsAre("┌─ left", "└─ right", "   deep", "join"));
}

TEST_F(Doing, WhatAnAgentStressesStandsOut) {
  Document d;
  d.add({Entry::Kind::agent, "The **one** in `x.cc`, not ** or ` or ****."});
  const CellLine row = d.rows_of(0, 60).at(0);
  std::string text;
  for (const Cell& c : row) text += c.text;
  EXPECT_EQ(text, "  The one in x.cc, not ** or ` or ****.");
  EXPECT_EQ(row.at(6).style.attributes & Style::bold, Style::bold);
  EXPECT_EQ(row.at(10).style.attributes & Style::bold, 0);
  EXPECT_EQ(row.at(13).style.fg, 6);
  EXPECT_EQ(row.at(20).style.fg, -1);
}

TEST_F(Doing, ALogThatIsTooLongLosesItsBeginningAndNothingElse) {
  Document d;
  for (std::size_t i = 0; i < Document::entries_max + 500; ++i) d.add({Entry::Kind::plain, std::to_string(i)});
  EXPECT_EQ(d.entries.size(), Document::entries_max);
  EXPECT_EQ(d.at(d.end() - 1).text, std::to_string(Document::entries_max + 499));
  d.scroll(3, {20, 5});
  d.search = "499";
  EXPECT_TRUE(d.find(-1, {20, 5}));
}

}  // namespace
}  // namespace baton::top
