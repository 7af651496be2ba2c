// Files that a run shows itself in and that others write to: what they wrote in the same moment stays.
#include <gtest/gtest.h>

#include "support/machine.h"
#include "support/story.h"

namespace baton::test {
namespace {

/// Adds a word to a file that an agent writes to just when it was read.
class Overtaken final : public Mirror {
 public:
  Overtaken(FakeFiles& files, int times) : files_(files), times_(times) {}

  [[nodiscard]] bool shows(const baton::Run&, StepIndex) const override { return true; }
  [[nodiscard]] Expected<std::vector<FileEdit>> edits(const std::string&, const baton::Run&,
                                                      const Read& read) const override {
    const std::string text = read("list.md").value().value_or("");
    if (text.ends_with("ours")) return std::vector<FileEdit>{};
    if (times_-- > 0) files_.files["/p/list.md"] += " theirs";
    return std::vector<FileEdit>{{"list.md", text + " ours", text}, {"/elsewhere/copy", text}};
  }

 private:
  FakeFiles& files_;
  mutable int times_;
};

std::string after_a_run_overtaken(int times, Machine& machine) {
  machine.files.files["/p/list.md"] = "list";
  const Overtaken mirror{machine.files, times};
  machine.mirror = &mirror;
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

}  // namespace
}  // namespace baton::test
