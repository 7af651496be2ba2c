// Whose an output is: where the one before is set aside, and whether what was checked still lies there.
#include "engine/run_outputs.h"

#include <gtest/gtest.h>

#include "base/hash.h"
#include "support/fake_world.h"
#include "support/story.h"

namespace baton::test {
namespace {

/// A run in sandbox `s` whose steps write files there.
struct Written {
  explicit Written(std::string_view graph) : story{graph} { story.settings.options = {{"sandbox", "s"}}; }

  Written& writes(const std::string& id, const std::string& output, std::vector<std::string> inputs = {}) {
    Step& step = story.plan.steps[at(*find_step(story.plan, id))];
    Work work = *step.work;
    work.output = output;
    work.inputs = std::move(inputs);
    step.work = std::make_shared<const Work>(std::move(work));
    return *this;
  }
  /// The step is done, and what it wrote was checked.
  void does(const std::string& id, const std::string& content) {
    story.after(Millis{10}).does(id);
    const StepIndex step = story.step(id);
    files.put("/p/" + story.run.step(step).work->output, content);
    story.happens(event::OutputChecked{step, story.attempts(id), {}, hex(hash64(content))});
  }
  std::optional<std::string> doubted_by(const std::string& id) {
    const auto step = checked.doubted_by(story.run, writers, story.step(id), files, "/p");
    return step ? std::optional{story.run.step(*step).id} : std::nullopt;
  }
  std::string aside(const std::string& id, int attempt) {
    return aside_path(story.run, writers, story.step(id), attempt);
  }

  Story story;
  Mortality mortality;
  FakeFiles files{mortality};
  OutputWriters writers;
  CheckedOutputs checked;
};

TEST(RunOutputs, AreSetAsideInTheSandboxAndNowhereElse) {
  Written its{"in; out; edits; none"};
  its.writes("in", "sandbox/s/outputs/a.json").writes("out", "out/a.json");
  its.writes("edits", "sandbox/s/x.md", {"./sandbox/s/x.md"}).story.begin();
  const auto is_aside = [&](const char* id) { return is_set_aside(its.story.run, its.story.step(id)); };
  EXPECT_TRUE(is_aside("in"));
  EXPECT_FALSE(is_aside("out")) << "the project's stays where it is";
  EXPECT_FALSE(is_aside("edits")) << "what a step reads as well it is to change";
  EXPECT_FALSE(is_aside("none"));
}

TEST(RunOutputs, AreNamedAfterTheAttemptThatWroteThem) {
  Written its{"a; b: a; c"};
  its.writes("a", "sandbox/s/outputs/x.tar.gz").writes("b", "sandbox/s/./outputs/x.tar.gz");
  its.writes("c", "sandbox/s/outputs/.hidden").story.begin();
  EXPECT_EQ(its.aside("a", 1), "sandbox/s/logs/a.0.gz") << "no attempt of the run wrote what lies there";
  its.does("a", "1");
  EXPECT_EQ(its.aside("a", 3), "sandbox/s/logs/a.2.gz");
  EXPECT_EQ(its.aside("b", 1), "sandbox/s/logs/a.1.gz") << "it takes the file over";
  EXPECT_EQ(its.aside("c", 2), "sandbox/s/logs/c.1");
}

TEST(RunOutputs, TheOneBeforeIsTheLastThatWasKept) {
  Written its{"a"};
  its.writes("a", "sandbox/s/a.json").story.begin();
  const auto previous = [&](int attempt) {
    return previous_output(its.story.run, its.writers, its.story.step("a"), attempt, its.files, "/p");
  };
  EXPECT_EQ(previous(1), "");
  its.files.put("/p/sandbox/s/logs/a.0.json", "{}");
  EXPECT_EQ(previous(1), "sandbox/s/logs/a.0.json");
  its.files.put("/p/sandbox/s/logs/a.1.json", "{}");
  EXPECT_EQ(previous(3), "sandbox/s/logs/a.1.json") << "the second attempt wrote nothing";
}

TEST(RunOutputs, AFileIsAnotherWhenItIsWrittenAgainWithTheSameWords) {
  Mortality mortality;
  FakeFiles files{mortality};
  EXPECT_EQ(sight_of(files, "/p/x"), "");
  files.put("/p/x", "1");
  const std::string before = sight_of(files, "/p/x");
  EXPECT_EQ(sight_of(files, "/p/x"), before);
  files.put("/p/x", "1");
  EXPECT_NE(sight_of(files, "/p/x"), before);
}

TEST(CheckedOutputs, AreDoubtedWhereTheyAreGoneOrAnother) {
  Written its{"a; b: a"};
  its.writes("a", "a.json").story.begin();
  EXPECT_EQ(its.doubted_by("b"), std::nullopt) << "nothing was checked yet";
  its.does("a", "1");
  EXPECT_EQ(its.doubted_by("b"), std::nullopt);
  its.files.put("/p/a.json", "2");
  EXPECT_EQ(its.doubted_by("b"), "a");
  its.files.put("/p/a.json", "1");
  EXPECT_EQ(its.doubted_by("b"), std::nullopt) << "the same words again";
  its.files.files.erase("/p/a.json");
  EXPECT_EQ(its.doubted_by("b"), "a");
  EXPECT_EQ(its.checked.doubted(its.story.run, its.writers, its.files, "/p"), its.story.step("a"));
}

TEST(CheckedOutputs, AreBuiltOnThroughStepsWithoutOneAndByInputs) {
  Written its{"a; b: a; c: b; d"};
  its.writes("a", "a.json").writes("d", "", {"./a.json"}).story.begin();
  its.does("a", "1");
  its.story.does("b");
  its.files.put("/p/a.json", "2");
  EXPECT_EQ(its.doubted_by("c"), "a") << "b has none of its own";
  EXPECT_EQ(its.doubted_by("d"), "a") << "it reads the file";
}

TEST(CheckedOutputs, TheFirstOfSeveralIsLookedAtFirst) {
  Written its{"a; b: a"};
  its.writes("b", "b.json").writes("a", "a.json").story.begin();
  its.does("a", "1");
  its.does("b", "1");
  its.files.files.clear();
  EXPECT_EQ(its.checked.doubted(its.story.run, its.writers, its.files, "/p"), its.story.step("a"));
}

TEST(CheckedOutputs, AFileThatALaterStepTookOverIsNotAskedForAnyMore) {
  Written its{"a; b: a; c: b a"};
  its.writes("a", "x").writes("b", "x").story.begin();
  its.does("a", "1");
  its.does("b", "2");
  EXPECT_EQ(its.doubted_by("c"), std::nullopt);
  its.files.put("/p/x", "3");
  EXPECT_EQ(its.doubted_by("c"), "b") << "of the one that has it now it is";
}

}  // namespace
}  // namespace baton::test
