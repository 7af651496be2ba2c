// Running a workflow from outside: order, events, states, what a step finds.
#include <fcntl.h>
#include <unistd.h>

#include <fmt/core.h>

#include <array>
#include <regex>

#include "support/programs.h"

namespace baton::test {
namespace {

using Running = Outside;

/// b and c each wait for the other: without both at once this run cannot end.
void write_diamond(const Place& place) {
  place.workflow("diamond", {step("a", "echo from a"), step("b", "touch b-here; " + await_file("c-here"), "needs: [a]"),
                             step("c", "touch c-here; " + await_file("b-here"), "needs: [a]"),
                             step("d", "cat /dev/null", "needs: [b, c]")});
}

void expect_keys(const json::object& object, const std::vector<std::string>& keys) {
  for (const std::string& key : keys)
    EXPECT_TRUE(object.contains(key)) << key << " is missing in " << json::serialize(object);
}

bool is_time(const std::string& text) {
  static const std::regex form{R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)"};
  return std::regex_match(text, form);
}

TEST_F(Running, DiamondOverlapsAndJoins) {
  write_diamond(place);
  const Outcome ran = place.baton({"run", "diamond", "--jobs", "2", "--json"});
  ASSERT_EQ(ran.code, 0) << ran;
  const json::object shown = place.show();
  const auto started = [&](const char* id) { return text_at(attempt_of(shown, id, 1), "started_at"); };
  const auto finished = [&](const char* id) { return text_at(attempt_of(shown, id, 1), "finished_at"); };
  for (const char* id : {"a", "b", "c", "d"}) {
    EXPECT_TRUE(is_time(started(id)) && is_time(finished(id))) << id;
    EXPECT_LE(started(id), finished(id)) << id;
  }
  EXPECT_LE(finished("a"), std::min(started("b"), started("c")));
  EXPECT_LT(started("b"), finished("c"));
  EXPECT_LT(started("c"), finished("b"));
  EXPECT_GE(started("d"), std::max(finished("b"), finished("c")));
}

TEST_F(Running, JobsIsALimit) {
  std::vector<std::string> steps;
  for (int i = 0; i < 6; ++i) {
    steps.push_back(step(fmt::format("s{}", i),
                         "mkdir -p at-work; touch at-work/$BATON_STEP\n"
                         "ls at-work | wc -l >> seen\nsleep 0.05\nrm at-work/$BATON_STEP"));
  }
  place.workflow("many", steps);
  ASSERT_EQ(place.baton({"run", "many", "--jobs", "2"}).code, 0);
  const auto seen = lines_of(place.read("seen"));
  ASSERT_EQ(seen.size(), 6U);
  for (const std::string& count : seen) EXPECT_LE(std::stoi(count), 2);
}

TEST_F(Running, JsonLinesHaveTheirFields) {
  write_diamond(place);
  const Outcome ran = place.baton({"run", "diamond", "--jobs", "2", "--json"});
  ASSERT_EQ(ran.code, 0) << ran;
  const auto lines = json_lines(ran.out);
  ASSERT_GE(lines.size(), 10U);
  const std::string id = text_at(lines.front(), "run");
  EXPECT_FALSE(id.empty());
  std::string before;
  for (const json::object& line : lines) {
    EXPECT_EQ(text_at(line, "run"), id);
    EXPECT_TRUE(is_time(text_at(line, "time"))) << json::serialize(line);
    EXPECT_LE(before, text_at(line, "time"));
    before = text_at(line, "time");
  }
  EXPECT_EQ(text_at(lines.front(), "type"), "run.started");
  expect_keys(lines.front(), {"workflow", "dialect", "steps", "sandbox"});
  EXPECT_EQ(lines.front().at("steps"), (json::array{"a", "b", "c", "d"}));
  EXPECT_EQ(text_at(lines.front(), "workflow"), "diamond");
  EXPECT_EQ(text_at(lines.front(), "dialect"), "markdown");
  const auto starts = of_type(lines, "step.started");
  ASSERT_EQ(starts.size(), 4U);
  for (const json::object& line : starts) {
    expect_keys(line, {"step", "attempt", "skill", "runtime", "model"});
    EXPECT_EQ(number_at(line, "attempt"), 1);
    EXPECT_EQ(text_at(line, "runtime"), "command");
    EXPECT_TRUE(line.at("skill").is_null() && line.at("model").is_null());
  }
  const auto ends = of_type(lines, "step.finished");
  ASSERT_EQ(ends.size(), 4U);
  for (const json::object& line : ends) {
    expect_keys(line, {"step", "state", "attempt"});
    EXPECT_EQ(text_at(line, "state"), "completed");
    EXPECT_FALSE(line.contains("error"));
  }
  const auto said = of_type(lines, "step.said");
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(text_at(said.front(), "step") + ": " + text_at(said.front(), "text"), "a: from a");

  const json::object& last = lines.back();
  EXPECT_EQ(text_at(last, "type"), "run.finished");
  expect_keys(last, {"state", "counts", "cost_usd", "tokens", "duration_ms", "sandbox"});
  EXPECT_EQ(text_at(last, "state"), "completed");
  EXPECT_EQ(last.at("counts"),
            (json::object{{"completed", 4}, {"failed", 0}, {"skipped", 0}, {"blocked", 0}, {"cancelled", 0}}));
  EXPECT_TRUE(last.at("duration_ms").is_int64() && last.at("cost_usd").is_number() && last.at("tokens").is_object());
}

TEST_F(Running, ShowAgreesWithWhatHappened) {
  write_diamond(place);
  const Outcome ran = place.baton({"run", "diamond", "--jobs", "2", "--json"});
  ASSERT_EQ(ran.code, 0) << ran;
  const auto lines = json_lines(ran.out);
  const json::object& last = lines.back();
  const json::object shown = place.show();
  expect_keys(shown, {"run", "workflow", "dialect", "state", "progress", "driver", "created_at", "started_at",
                      "finished_at", "duration_ms", "cost_usd", "tokens", "sandbox", "folder", "steps"});
  for (const char* key : {"run", "state", "sandbox", "duration_ms", "cost_usd", "tokens"})
    EXPECT_EQ(shown.at(key), last.at(key)) << key;
  for (const char* key : {"workflow", "dialect"}) EXPECT_EQ(shown.at(key), lines.front().at(key)) << key;
  EXPECT_EQ(shown.at("started_at"), lines.front().at("time"));
  EXPECT_EQ(shown.at("finished_at"), last.at("time"));
  EXPECT_LE(text_at(shown, "created_at"), text_at(shown, "started_at"));
  EXPECT_EQ(shown.at("progress"), (json::object{{"done", 4}, {"total", 4}, {"current", json::array{}}}));
  EXPECT_TRUE(shown.at("driver").is_null());
  EXPECT_EQ(text_at(shown, "folder"), place.state("runs/" + text_at(shown, "run")));
  EXPECT_TRUE(file_exists(text_at(shown, "folder")));
  for (const char* key : {"input", "output", "cache_read", "cache_write"}) {
    EXPECT_TRUE(shown.at("tokens").as_object().contains(key)) << key;
  }
  EXPECT_EQ(step_of(shown, "d").at("needs"), (json::array{"b", "c"}));
  for (const json::object& line : of_type(lines, "step.finished")) {
    const std::string id = text_at(line, "step");
    const json::object one = step_of(shown, id);
    expect_keys(one, {"id", "skill", "needs", "state", "cost_usd", "attempts"});
    EXPECT_EQ(one.at("state"), line.at("state"));
    ASSERT_EQ(one.at("attempts").as_array().size(), 1U);
    const json::object attempt = attempt_of(shown, id, 1);
    expect_keys(attempt, {"n", "state", "runtime", "model", "exit", "started_at", "finished_at", "cost_usd", "tokens",
                          "prompt", "log", "checks"});
    EXPECT_EQ(number_at(attempt, "n"), number_at(line, "attempt"));
    EXPECT_EQ(text_at(attempt, "state"), "completed");
    EXPECT_EQ(number_at(attempt, "exit"), 0);
    EXPECT_TRUE(file_exists(text_at(attempt, "log"))) << text_at(attempt, "log");
  }
  EXPECT_EQ(read_text(text_at(attempt_of(shown, "a", 1), "log")), "from a\n");
}

TEST_F(Running, FailureSkipsDependantsWhileOthersGoOn) {
  place.workflow("w", {step("bad", "echo it is broken >&2; exit 7"), step("child", "touch child-ran", "needs: [bad]"),
                       step("grandchild", "touch grandchild-ran", "needs: [child]"), step("other", "echo fine"),
                       step("after", "touch after-ran", "needs: [other]")});
  const Outcome ran = place.baton({"run", "w", "--json", "--jobs", "1"});
  EXPECT_EQ(ran.code, 1) << ran;
  const auto lines = json_lines(ran.out);
  EXPECT_EQ(text_at(lines.back(), "type"), "run.finished");
  EXPECT_EQ(text_at(lines.back(), "state"), "failed");
  EXPECT_EQ(lines.back().at("counts"),
            (json::object{{"completed", 2}, {"failed", 1}, {"skipped", 2}, {"blocked", 0}, {"cancelled", 0}}));
  EXPECT_TRUE(lines.back().contains("error"));
  const json::object shown = place.show();
  EXPECT_EQ(step_states_of(shown), (std::vector<std::string>{"bad=failed", "child=skipped", "grandchild=skipped",
                                                             "other=completed", "after=completed"}));
  EXPECT_EQ(number_at(attempt_of(shown, "bad", 1), "exit"), 7);
  const json::object error = attempt_of(shown, "bad", 1).at("error").as_object();
  EXPECT_FALSE(text_at(error, "code").empty());
  EXPECT_TRUE(has(text_at(error, "message"), "it is broken")) << text_at(error, "message");
  for (const char* id : {"child", "grandchild"}) {
    const json::object skipped = step_of(shown, id);
    ASSERT_TRUE(skipped.contains("error")) << json::serialize(skipped);
    EXPECT_TRUE(has(text_at(skipped.at("error").as_object(), "message"), "'bad'")) << json::serialize(skipped);
    EXPECT_TRUE(skipped.at("attempts").as_array().empty());
  }
  EXPECT_FALSE(place.exists("child-ran") || place.exists("grandchild-ran"));
  EXPECT_TRUE(place.exists("after-ran"));
}

TEST_F(Running, WithoutJsonAResultObjectIsOnStdoutAndLinesOnStderr) {
  place.workflow("w", {step("make", "printf '{\"n\": 1}' > \"$BATON_OUTPUT\"",
                            "output: ${{ sandbox }}/outputs/made.json\nfinal: true")});
  const Outcome ran = place.baton({"run", "w"});
  ASSERT_EQ(ran.code, 0) << ran;
  const json::object result = parse_json(ran.out).as_object();
  EXPECT_EQ(text_at(result, "status"), "success");
  EXPECT_EQ(text_at(result, "workflow"), "w");
  EXPECT_EQ(result.at("artifact"), (json::object{{"n", 1}}));
  EXPECT_TRUE(place.exists("sandbox/" + text_at(result, "sandboxId") + "/outputs/made.json"));
  EXPECT_EQ(text_at(place.show(), "artifact"),
            place.file("sandbox/" + text_at(result, "sandboxId") + "/outputs/made.json"));
  EXPECT_TRUE(has(ran.err, "make")) << ran;
  EXPECT_FALSE(has(ran.err, "\x1b")) << "no terminal, no control sequences";
}

TEST_F(Running, AMissingOrWrongOutputIsAFailure) {
  place.workflow(
      "w", {step("make", "true", "output: ${{ sandbox }}/outputs/made.json\nvalidate:\n  required_fields: [title]")});
  const Outcome ran = place.baton({"run", "w", "--json"});
  EXPECT_EQ(ran.code, 1) << ran;
  place.workflow("w", {step("make", "echo '{\"other\": 1}' > \"$BATON_OUTPUT\"",
                            "output: ${{ sandbox }}/outputs/made.json\nvalidate:\n  required_fields: [title]")});
  const Outcome again = place.baton({"run", "w", "--json"});
  EXPECT_EQ(again.code, 1) << again;
  const auto checked = of_type(json_lines(again.out), "step.checked");
  ASSERT_EQ(checked.size(), 1U) << again;
  expect_keys(checked.front(), {"step", "attempt", "passed", "checks"});
  EXPECT_EQ(checked.front().at("passed"), false);
  EXPECT_TRUE(has(json::serialize(checked.front().at("checks")), "title"));
  const json::object attempt = attempt_of(place.show(), "make", 1);
  EXPECT_EQ(attempt.at("checks"), checked.front().at("checks"));
}

TEST_F(Running, AStepsEnvironment) {
  place.workflow("w", {step("show-me", "env > seen; pwd > where; cat > \"$BATON_OUTPUT\"",
                            "output: ${{ sandbox }}/outputs/x.txt")});
  place.env["BATON_RUN"] = "of-another";
  place.env["BATON_OUTPUT"] = "of-another";
  place.env["MY_OWN"] = "kept";
  place.write("workflows/sub/.keep", "");
  place.cwd = place.file("workflows/sub");
  const Outcome ran = place.baton({"run", "w"});
  EXPECT_EQ(ran.code, 0) << ran;
  place.cwd = place.root();
  const json::object shown = place.show();
  const std::string seen = "\n" + place.read("seen");
  const auto expect = [&](const std::string& entry) {
    EXPECT_TRUE(has(seen, "\n" + entry + "\n")) << entry << " is not in" << seen;
  };
  expect("BATON_RUN=" + text_at(shown, "run"));
  expect("BATON_STEP=show-me");
  expect("BATON_ATTEMPT=1");
  expect("BATON_OUTPUT=" + text_at(step_of(shown, "show-me"), "output"));
  expect("BATON_FOLDER=" + text_at(shown, "folder"));
  expect("MY_OWN=kept");
  EXPECT_EQ(place.read("where"), place.root() + "\n");
}

TEST_F(Running, AStepWithoutOutputHasNoBatonOutput) {
  place.workflow("w", {step("plain", "env > seen")});
  place.env["BATON_OUTPUT"] = "of-another";
  ASSERT_EQ(place.baton({"run", "w"}).code, 0);
  EXPECT_FALSE(has(place.read("seen"), "BATON_OUTPUT="));
}

TEST_F(Running, ACommandListIsNotAShellLine) {
  place.workflow("w", {"  - id: a\n    command: [printf, '%s', '$(touch canary); `touch canary` \"x\" ''y''']\n"});
  ASSERT_EQ(place.baton({"run", "w"}).code, 0);
  EXPECT_FALSE(place.exists("canary"));
  EXPECT_EQ(read_text(text_at(attempt_of(place.show(), "a", 1), "log")), "$(touch canary); `touch canary` \"x\" 'y'");
}

TEST_F(Running, ValuesNeverReachAShellLineAsCode) {
  // The project's own path is the nastiest value there is: it stands in every ${{ sandbox }} made absolute.
  const std::string nasty = place.root() + "/it's $(touch canary) ; touch canary2 \"q\" `touch canary3`";
  write_text(nasty + "/workflows/w.md",
             "---\nname: w\ndescription: d\ninputs:\n  - name: content\nsteps:\n"
             "  - id: a\n    command: 'cat ${{ inputs.content }} > got; echo ${{ sandbox }} > where; cat \"${{ "
             "inputs.content }}\" > got2'\n"
             "  - id: b\n    command: [sh, -c, 'cat ${{ inputs.content }} > got3']\n---\n");
  const std::string input = nasty + "/in $(touch canary4);'x'.md";
  write_text(input, "the content");
  place.cwd = nasty;
  const Outcome ran = place.baton({"run", "w", "-i", "content=" + input});
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(read_text(nasty + "/got"), "the content");
  EXPECT_EQ(read_text(nasty + "/got2"), "the content");
  EXPECT_EQ(read_text(nasty + "/got3"), "the content");
  for (const char* canary : {"canary", "canary2", "canary3", "canary4"}) {
    EXPECT_FALSE(file_exists(nasty + "/" + canary)) << canary;
    EXPECT_FALSE(place.exists(canary)) << canary;
  }
}

TEST_F(Running, DetachedRunEndsByItself) {
  place.workflow(
      "w", {step("a", await_file("go")), step("b", "exit 0", "needs: [a]"), step("c", "touch all-done", "needs: [b]")});
  const Outcome ran = place.baton({"run", "w", "--detach"});
  ASSERT_EQ(ran.code, 0) << ran;
  const auto out = lines_of(ran.out);
  ASSERT_EQ(out.size(), 1U) << ran;
  EXPECT_TRUE(eventually([&] { return place.run_state(out.front()) == "running"; }));
  place.write("go", "");
  EXPECT_TRUE(eventually([&] { return place.run_state(out.front()) == "completed"; }));
  EXPECT_TRUE(place.exists("all-done"));
}

TEST_F(Running, ADetachedRehearsalEndsByItself) {
  place.workflow("w", {step("a", "true"), step("b", "true", "needs: [a]")});
  const Outcome ran = place.baton({"run", "w", "--detach", "--rehearse"});
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_TRUE(eventually([&] { return place.run_state() == "completed"; })) << place.run_state();
}

TEST_F(Running, AReaderThatGoesAwayStopsNothing) {
  place.workflow("w",
                 {step("a", await_file("go") + "; echo a line"), step("b", "echo another; touch b-ran", "needs: [a]")});
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  Process run = place.start({"run", "w", "--json"}, ends[1]);
  ::close(ends[1]);
  char first = 0;
  ASSERT_EQ(::read(ends[0], &first, 1), 1);
  ::close(ends[0]);
  place.write("go", "");
  const Outcome ran = run.wait();
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_TRUE(place.exists("b-ran"));
  EXPECT_EQ(place.run_state(), "completed");
}

TEST_F(Running, NothingIsLeftAliveAfterwards) {
  place.workflow("w", {step("a", "true")});
  ASSERT_EQ(place.baton({"run", "w"}).code, 0);
  EXPECT_TRUE(eventually([&] { return place.living().empty(); })) << "the holder leaves once it is idle";
}

}  // namespace
}  // namespace baton::test
