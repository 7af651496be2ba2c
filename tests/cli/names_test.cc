// Names of workflows and of runtimes.
#include "support/programs.h"
#include "support/scripted_claude.h"

namespace baton::test {
namespace {

using WorkflowNames = Outside;

TEST_F(WorkflowNames, MayHoldBlanksAndLettersOfEveryKind) {
  for (const char* name : {"mein ablauf", "übersetzung", "翻訳", "a+b (2)"}) {
    place.workflow(name, {step("a", "echo ran >> ran")});
    const Outcome checked = place.baton({"check", name});
    EXPECT_EQ(checked.code, 0) << checked;
    EXPECT_EQ(place.baton({"plan", name}).code, 0) << name;
    const Outcome ran = place.baton({"run", name});
    EXPECT_EQ(ran.code, 0) << ran;
    EXPECT_EQ(text_at(place.show(), "workflow"), name);
    place.workflow("outer", {"  - id: part\n    workflow: \"" + std::string{name} + "\"\n"});
    EXPECT_EQ(place.baton({"run", "outer"}).code, 0) << "as a step: " << name;
  }
  EXPECT_EQ(count_lines(place.file("ran"), "ran"), 8);
}

TEST_F(WorkflowNames, ThatLeadElsewhereAreNone) {
  place.workflow("w", {step("a", "true")});
  for (const char* name : {"../workflows/w", "./w", ".w", "sub/w", "w\n"}) {
    const Outcome refused = place.baton({"check", name});
    EXPECT_EQ(refused.code, 2) << name << refused;
  }
}

TEST_F(WorkflowNames, AreNotHiddenByWhatMerelyHasTheSameName) {
  place.workflow("build", {step("a", "echo ran >> ran")});
  place.workflow("release", {step("a", "echo ran >> ran")});
  place.write("build/x.o", "");
  place.write("release", "#!/bin/sh\n");
  for (const char* name : {"build", "release"}) {
    EXPECT_EQ(place.baton({"check", name}).code, 0) << name;
    const Outcome ran = place.baton({"run", name});
    EXPECT_EQ(ran.code, 0) << ran;
  }
  EXPECT_EQ(count_lines(place.file("ran"), "ran"), 2);
  const Outcome folder = place.baton({"check", "workflows"});
  EXPECT_TRUE(says_error(folder, "not-a-workflow")) << folder;
}

class RuntimeNames : public Outside {
 protected:
  RuntimeNames() {
    write_skill(place);
    place.workflow("plain", {step("a", "true")});
  }
  void expect_unknown(const std::vector<std::string>& args) {
    const Outcome refused = place.baton(args);
    EXPECT_EQ(refused.code, 2) << refused;
    EXPECT_TRUE(says_error(refused, "unknown-runtime") && has(refused.err, "did you mean 'claude'?")) << refused;
  }
};

TEST_F(RuntimeNames, AreKnownToCheckAndPlan) {
  place.workflow("w", {agent_step("a", "Write.", "runtime: claud")});
  place.write(
      "workflows/items.md",
      "---\nname: items\ndescription: d\nsteps:\n  - id: a\n    skill: writer\n    mission: m\n    runtime: claud\n"
      "    for_each: [x]\n    output: out/${{ index }}.json\n---\n");
  for (const char* workflow : {"w", "items"}) {
    expect_unknown({"check", workflow});
    expect_unknown({"plan", workflow});
    expect_unknown({"run", workflow});
  }
}

TEST_F(RuntimeNames, AreToldWhereNoStepNeedsThem) {
  expect_unknown({"run", "plain", "--runtime", "claud"});
  place.write("baton.toml", "[runtime]\ndefault = \"claud\"\n");
  for (const char* verb : {"check", "plan", "run"}) expect_unknown({verb, "plain"});
  place.write("baton.toml", "[skills.other]\nruntime = \"claud\"\n");
  for (const char* verb : {"check", "plan", "run"}) expect_unknown({verb, "plain"});
  place.write("baton.toml", "");
  place.workflow("fails", {step("a", "echo x >> tries; exit 1")});
  ASSERT_EQ(place.baton({"run", "fails"}).code, 1);
  for (const char* verb : {"resume", "retry"}) expect_unknown({verb, "last", "--runtime", "claud"});
  EXPECT_EQ(count_lines(place.file("tries"), "x"), 1) << "nothing was started again";
  for (const char* verb : {"check", "plan", "run"}) EXPECT_EQ(place.baton({verb, "plain"}).code, 0) << verb;
}

}  // namespace
}  // namespace baton::test
