// Verbs that look, and those that keep house.
#include <fmt/core.h>

#include "support/programs.h"

namespace baton::test {
namespace {

class Looking : public Outside {
 protected:
  Looking() {
    place.workflow("w", {step("a", "echo out of a; echo err of a >&2"),
                         step("b", "echo try $BATON_ATTEMPT; [ $BATON_ATTEMPT = 2 ]", "needs: [a]\nretries: 1"),
                         step("bad", "printf 'esc \\033[31m tab\\there\\n'; exit 4", "needs: [b]"),
                         step("child", "true", "needs: [bad]")});
  }
  void run() {
    const Outcome ran = place.baton({"run", "w", "--set", "limits.retry_delay=1ms", "--task", "look at it"});
    EXPECT_EQ(ran.code, 1) << ran;
  }
};

TEST_F(Looking, LogsAreReadableOrRaw) {
  run();
  const Outcome all = place.baton({"logs", "last"});
  EXPECT_EQ(all.code, 0);
  EXPECT_TRUE(has(all.out, "out of a") && has(all.out, "err of a") && has(all.out, "try 2")) << all;
  EXPECT_FALSE(has(all.out, "try 1")) << "the last attempt of each step";
  EXPECT_FALSE(has(all.out, "\x1b")) << "readable output never drives a terminal";
  const Outcome first = place.baton({"logs", "last", "b", "--attempt", "1"});
  EXPECT_EQ(first.out, "try 1\n");
  const Outcome raw = place.baton({"logs", "last", "bad", "--raw"});
  EXPECT_EQ(raw.out, "esc \x1b[31m tab\there\n");
  const Outcome unknown = place.baton({"logs", "last", "nobody"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_TRUE(says_error(unknown, "unknown-step")) << unknown;
}

TEST_F(Looking, LogsCanFollow) {
  place.workflow(
      "slow", {step("a", "echo first; " + await_file("go") + "; echo second"), step("b", "echo third", "needs: [a]")});
  Process running = place.start({"run", "slow"});
  ASSERT_TRUE(eventually([&] { return place.run_state() == "running"; }));
  Process logs = place.start({"logs", "last", "-f"});
  ASSERT_TRUE(eventually([&] { return has(logs.out(), "first"); }));
  EXPECT_FALSE(logs.ended());
  place.write("go", "");
  EXPECT_EQ(running.wait().code, 0);
  const Outcome followed = logs.wait();
  EXPECT_EQ(followed.code, 0);
  EXPECT_TRUE(has(followed.out, "second") && has(followed.out, "third")) << followed;
}

TEST_F(Looking, WhyTellsTheChain) {
  run();
  const Outcome why = place.baton({"why", "last", "child"});
  EXPECT_EQ(why.code, 0);
  EXPECT_TRUE(has(why.out, "child is skipped") && has(why.out, "bad is failed") && has(why.out, "exit code 4")) << why;
  const Outcome retried = place.baton({"why", "last", "b"});
  EXPECT_TRUE(has(retried.out, "attempt 1 failed") && has(retried.out, "attempt 2 ended well")) << retried;
  EXPECT_EQ(place.baton({"why", "last", "nobody"}).code, 2);
}

TEST_F(Looking, ListAgreesWithShow) {
  EXPECT_EQ(place.baton({"list"}).code, 0) << "no runs are no fault";
  EXPECT_EQ(parse_json(place.baton({"list", "--json"}).out), json::array{});
  EXPECT_FALSE(file_exists(place.state()));
  run();
  place.workflow("other", {step("x", "true")});
  ASSERT_EQ(place.baton({"run", "other"}).code, 0);
  const json::array listed = parse_json(place.baton({"list", "--json"}).out).as_array();
  ASSERT_EQ(listed.size(), 2U);
  EXPECT_EQ(text_at(listed[0].as_object(), "workflow"), "other") << "newest first";
  for (const json::value& value : listed) {
    const json::object& row = value.as_object();
    json::object shown = place.show(text_at(row, "run"));
    EXPECT_FALSE(row.contains("steps"));
    shown.erase("steps");
    for (const auto& [key, expected] : shown) {
      ASSERT_TRUE(row.contains(key)) << key << " of show is not in list";
      EXPECT_EQ(row.at(key), expected) << key;
    }
  }
  const Outcome text = place.baton({"list"});
  EXPECT_TRUE(has(text.out, "other") && has(text.out, "failed")) << text;
}

TEST_F(Looking, ShowAsText) {
  run();
  const Outcome shown = place.baton({"show", "last"});
  EXPECT_EQ(shown.code, 0);
  for (const char* part : {"failed", "skipped", "2 attempts", "exit code 4"})
    EXPECT_TRUE(has(shown.out, part)) << part << shown;
  EXPECT_EQ(text_at(place.show(), "task"), "look at it");
}

TEST_F(Looking, PlanInEveryFormat) {
  const Outcome tree = place.baton({"plan", "w"});
  EXPECT_EQ(tree.code, 0);
  for (const char* id : {"a", "b", "bad", "child"}) EXPECT_TRUE(has(tree.out, id)) << tree;
  const json::object plan = parse_json(place.baton({"plan", "w", "--format", "json"}).out).as_object();
  EXPECT_EQ(plan.at("order"), (json::array{"a", "b", "bad", "child"}));
  ASSERT_EQ(plan.at("steps").as_array().size(), 4U);
  EXPECT_EQ(plan.at("steps").as_array()[3].at("needs"), (json::array{"bad"}));
  EXPECT_EQ(place.baton({"plan", "w", "--json"}).out, place.baton({"plan", "w", "--format", "json"}).out);
  const Outcome dot = place.baton({"plan", "w", "--format", "dot"});
  EXPECT_TRUE(dot.out.starts_with("digraph") && has(dot.out, "\"bad\" -> \"child\"")) << dot;
  const Outcome mermaid = place.baton({"plan", "w", "--format=mermaid"});
  EXPECT_TRUE(mermaid.out.starts_with("flowchart") && has(mermaid.out, "-->")) << mermaid;
  EXPECT_FALSE(file_exists(place.state()) || place.exists("sandbox"));
}

TEST_F(Looking, WorkflowsAndWhatTheyShadow) {
  place.write(".baton/workflows/w.md", "---\nname: w\ndescription: hidden\nsteps:\n" + step("z", "true") + "---\n");
  place.write("workflows/broken.md", "---\nname: broken\nsteps:\n  - nothing\n---\n");
  place.write("workflows/notes.md", "# no workflow\n");
  json::array found;
  const json::value listed = parse_json(place.baton({"workflows", "--json"}).out);
  for (const json::value& value : listed.as_array()) {
    if (value.at("dialect") == "markdown") found.push_back(value);
  }
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(text_at(found[0].as_object(), "name"), "broken");
  EXPECT_GT(number_at(found[0].as_object(), "faults"), 0);
  EXPECT_EQ(number_at(found[1].as_object(), "steps"), 4);
  EXPECT_EQ(found[1].at("shadowed"), false);
  EXPECT_EQ(found[2].at("shadowed"), true);
  const Outcome text = place.baton({"workflows"});
  EXPECT_EQ(text.code, 0);
  EXPECT_TRUE(has(text.out, "workflows/w.md") && has(text.out, "notes.md") && has(text.out, "shadowed")) << text;
}

TEST_F(Looking, DoctorTellsNoSecret) {
  place.env["ANTHROPIC_API_KEY"] = "sk-secret";
  const Outcome doctor = place.baton({"doctor", "--json"});
  EXPECT_EQ(doctor.code, 0) << doctor;
  const json::object all = parse_json(doctor.out).as_object();
  for (const char* what : {"baton", "holder", "sqlite", "project", "runtime command", "ANTHROPIC_API_KEY"}) {
    EXPECT_TRUE(all.contains(what)) << what;
  }
  EXPECT_EQ(all.at("ANTHROPIC_API_KEY").at("detail"), "set");
  EXPECT_FALSE(has(doctor.out, "sk-secret"));
  EXPECT_EQ(place.baton({"doctor"}).code, 0);
  EXPECT_FALSE(file_exists(place.state()));
}

// --- Keeping house ----------------------------------------------------------------------------------------------

class House : public Outside {};

TEST_F(House, InitMakesAWorkflowThatRehearses) {
  const Outcome made = place.baton({"init"});
  ASSERT_EQ(made.code, 0) << made;
  for (const char* file : {"baton.toml", "workflows/hello.md"}) EXPECT_TRUE(place.exists(file)) << file;
  const Outcome checked = place.baton({"check", "hello"});
  EXPECT_EQ(checked.code, 0) << checked;
  EXPECT_EQ(place.baton({"config"}).code, 0);
  const Outcome ran = place.baton({"run", "hello", "--rehearse"});
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(text_at(parse_json(ran.out).as_object(), "status"), "success");
}

TEST_F(House, InitOverwritesNothing) {
  place.write("baton.toml", "# mine\n");
  place.write("workflows/hello.md", "mine too\n");
  const Outcome made = place.baton({"init"});
  EXPECT_EQ(made.code, 0) << made;
  EXPECT_EQ(place.read("baton.toml"), "# mine\n");
  EXPECT_EQ(place.read("workflows/hello.md"), "mine too\n");
  EXPECT_TRUE(has(made.out, "kept")) << made;
}

TEST_F(House, CleanRemovesOnlyFinishedRunsFolders) {
  place.workflow("quick", {step("a", "true")});
  place.workflow("slow", {step("a", await_file("go"))});
  ASSERT_EQ(place.baton({"run", "quick"}).code, 0);
  const std::string done = text_at(place.show(), "folder");
  const std::string sandbox = place.file("sandbox/" + text_at(place.show(), "sandbox"));
  Process running = place.start({"run", "slow"});
  ASSERT_TRUE(eventually([&] { return place.run_state() == "running"; }));
  const std::string at_work = text_at(place.show(), "folder");
  write_text(place.state("runs/not-ours/keep"), "x");
  ASSERT_EQ(place.baton({"run", "quick"}).code, 0);
  const std::string later = text_at(place.show(), "folder");
  EXPECT_EQ(place.baton({"clean"}).code, 0);
  EXPECT_TRUE(file_exists(done)) << "younger than the seven days that are the default";
  const Outcome would = place.baton({"clean", "--older-than", "0s", "--dry-run"});
  EXPECT_TRUE(has(would.out, "would remove") && file_exists(done) && file_exists(later)) << would;
  const Outcome cleaned = place.baton({"clean", "--older-than", "0s"});
  EXPECT_EQ(cleaned.code, 0) << cleaned;
  EXPECT_FALSE(file_exists(done) || file_exists(later));
  EXPECT_TRUE(file_exists(at_work) && file_exists(place.state("runs/not-ours/keep")) && file_exists(sandbox));
  EXPECT_EQ(place.run_state(), "completed") << "the record stays";
  EXPECT_EQ(place.baton({"logs", "last"}).code, 0);
  place.write("go", "");
  EXPECT_EQ(running.wait().code, 0);
  EXPECT_EQ(place.baton({"clean", "--older-than", "soon"}).code, 2);
}

}  // namespace
}  // namespace baton::test
