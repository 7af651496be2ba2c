// Files that a run shows itself in and that others write to: what they wrote in the same moment stays.
#include <gtest/gtest.h>

#include "support/machine.h"
#include "support/story.h"

namespace baton::test {
namespace {

/// Adds a word to a file that an agent writes to just when it was read.
class Overtaken final : public DialectRun {
 public:
  Overtaken(FakeFiles& files, int times) : files_(files), times_(times) {}

  [[nodiscard]] Traits traits(const baton::Run&) const override { return {.files = FilePace::now_and_then}; }
  [[nodiscard]] bool shows(const baton::Run&, StepIndex) const override { return true; }
  Expected<Shown> files(const baton::Run&, const Read& read) override {
    const std::string text = read("list.md").value().value_or("");
    if (text.ends_with("ours")) return Shown{};
    if (times_-- > 0) files_.files["/p/list.md"] += " theirs";
    return Shown{.edits = {{"list.md", text + " ours", text}, {"/elsewhere/copy", text}}};
  }

 private:
  FakeFiles& files_;
  int times_;
};

std::string after_a_run_overtaken(int times, Machine& machine) {
  machine.files.files["/p/list.md"] = "list";
  Overtaken mirror{machine.files, times};
  machine.dialect = &mirror;
  machine.start_engine();
  machine.pass(Millis{5000});
  EXPECT_EQ(machine.engine->run("r")->state(), RunState::completed);
  return machine.files.files["/p/list.md"];
}

TEST(Overtaken, WhatAnAgentWroteMeanwhileIsThereAndSoIsOurs) {
  Machine machine{plan_of("a")};
  EXPECT_EQ(after_a_run_overtaken(1, machine), "list theirs ours");
}

TEST(Overtaken, SomebodyWhoNeverStopsWritingIsLeftAlone) {
  Machine machine{plan_of("a")};
  const std::string text = after_a_run_overtaken(1000, machine);
  EXPECT_EQ(text.find("ours"), std::string::npos) << text;
}

TEST(Overtaken, PathsFromTheRootAreTakenAsTheyAre) {
  Machine machine{plan_of("a")};
  (void)after_a_run_overtaken(0, machine);
  EXPECT_EQ(machine.files.files["/elsewhere/copy"], "list");
}

/// Has more to write than it hands out at once.
class Long final : public DialectRun {
 public:
  explicit Long(std::size_t files) : files_(files) {}

  static constexpr std::size_t at_once = 64;

  [[nodiscard]] Traits traits(const baton::Run&) const override { return {.files = FilePace::now_and_then}; }
  [[nodiscard]] bool shows(const baton::Run&, StepIndex) const override { return true; }
  Expected<Shown> files(const baton::Run&, const Read& read) override {
    Shown shown;
    for (std::size_t n = 0; n < files_ && shown.edits.size() < at_once; ++n) {
      const std::string path = "part" + std::to_string(n);
      if (!read(path).value()) shown.edits.push_back({path, "written"});
    }
    shown.more = shown.edits.size() == at_once;
    return shown;
  }

 private:
  std::size_t files_;
};

TEST(Mirrored, InPortionsUntilAllIsWritten) {
  Machine machine{plan_of("a")};
  Long mirror{50 * Long::at_once + 1};
  machine.dialect = &mirror;
  machine.start_engine();
  machine.pass(Millis{5000});
  EXPECT_TRUE(machine.files.files.contains("/p/part" + std::to_string(50 * Long::at_once)));
}

}  // namespace
}  // namespace baton::test
