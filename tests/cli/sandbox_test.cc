// The sandbox: its id, its record, and going on with what is incomplete there.
#include <signal.h>
#include <unistd.h>

#include <fmt/core.h>
#include <sys/stat.h>

#include <filesystem>
#include <regex>

#include "support/programs.h"

namespace baton::test {
namespace {

namespace fs = std::filesystem;

/// Three steps in a row that write JSON; each line of `ran` is one that ran.
class Sandbox : public Outside {
 protected:
  Sandbox() { write_kit(); }

  static std::string writes(const std::string& id, const std::string& output, const std::string& more = "") {
    const std::string path = "${{ sandbox }}/outputs/" + output;
    return step(
        id, fmt::format("echo {} >> ran; printf '{{\"by\": \"{}\", \"try\": %s}}' $BATON_ATTEMPT > {}", id, id, path),
        fmt::format("output: {}\nvalidate: {{required_fields: [by]}}{}", path, more.empty() ? "" : "\n" + more));
  }
  void write_kit(const std::string& last = "kit.json") {
    place.workflow("kit",
                   {writes("analyze", "analysis.json"), writes("ideas", "ideas.json", "needs: [analyze]"),
                    writes("build", last, "needs: [ideas]\nfinal: true")},
                   "version: 2.0.0\n");
  }
  /// Runs the kit to its end; the sandbox's id.
  std::string run_kit() {
    const Outcome ran = place.baton({"run", "kit"});
    EXPECT_EQ(ran.code, 0) << ran;
    fs::remove(place.file("ran"));
    return text_at(parse_json(ran.out).as_object(), "sandboxId");
  }
  [[nodiscard]] std::string in(const std::string& sandbox, const std::string& name) const {
    return "sandbox/" + sandbox + "/" + name;
  }
  json::object record(const std::string& sandbox) {
    const std::string text = place.read(in(sandbox, "validation.json"));
    boost::system::error_code error;
    json::value value = json::parse(text, error);
    EXPECT_TRUE(!error && value.is_object()) << text;
    return value.is_object() ? value.as_object() : json::object{};
  }
  /// id=validated of every step, in order.
  std::vector<std::string> flags(const std::string& sandbox) {
    std::vector<std::string> all;
    const json::object whole = record(sandbox);
    for (const auto& [id, entry] : whole.at("steps").as_object()) {
      all.push_back(std::string{id} + (entry.at("validated").as_bool() ? "=true" : "=false"));
    }
    return all;
  }
  /// The record says of the newest run exactly what the journal does.
  void expect_in_step(const std::string& sandbox) {
    const json::object shown = place.show();
    const json::object whole = record(sandbox);
    EXPECT_EQ(text_at(whole, "run"), text_at(shown, "run"));
    EXPECT_EQ(text_at(whole, "status"), text_at(shown, "state") == "completed" ? "completed" : "failed");
    for (const json::value& s : shown.at("steps").as_array()) {
      const bool shows = whole.at("steps").as_object().contains(s.at("id").as_string());
      EXPECT_EQ(shows, s.as_object().contains("output")) << "a step without an output has no place in it";
      if (!shows) continue;
      const json::value& entry = whole.at("steps").as_object().at(s.at("id").as_string());
      EXPECT_EQ(entry.at("validated").as_bool(), s.at("state") == "completed") << json::serialize(entry);
      EXPECT_EQ(entry.as_object().contains("validatedAt"), s.at("state") == "completed");
    }
  }
  void expect_refused(const std::vector<std::string>& args, const std::string& code, const std::string& word) {
    const Outcome refused = place.baton(args);
    EXPECT_EQ(refused.code, 2) << refused;
    EXPECT_TRUE(says_error(refused, code) && has(refused.err, word)) << code << " " << word << refused;
    EXPECT_FALSE(place.exists("ran")) << "nothing was started";
  }
  /// A sandbox as another tool left it: the journal has never heard of it.
  void make_foreign(const std::string& sandbox, const std::string& validation,
                    const std::map<std::string, std::string>& outputs) {
    place.write(in(sandbox, "inputs/content.md"), "an article\n");
    if (!validation.empty()) place.write(in(sandbox, "validation.json"), validation);
    for (const auto& [name, text] : outputs) place.write(in(sandbox, "outputs/" + name), text);
  }
};

// --- What a run leaves there ------------------------------------------------------------------------------------

TEST_F(Sandbox, HasTheSeedsLayoutAndRecord) {
  const std::string id = run_kit();
  EXPECT_TRUE(std::regex_match(id, std::regex{R"(kit-\d{4}-\d\d-\d\d-[a-z0-9]{4})"})) << id;
  for (const char* part : {"inputs", "outputs", "logs"})
    EXPECT_TRUE(fs::is_directory(place.file(in(id, part)))) << part;
  const json::object whole = record(id);
  EXPECT_EQ(text_at(whole, "workflow"), "kit");
  EXPECT_EQ(text_at(whole, "version"), "2.0.0");
  EXPECT_EQ(text_at(whole, "sandboxId"), id);
  EXPECT_TRUE(std::regex_match(text_at(whole, "createdAt"), std::regex{R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)"}));
  EXPECT_EQ(text_at(whole, "finalStepId"), "build");
  EXPECT_EQ(text_at(whole.at("steps").at("analyze").as_object(), "output"), "outputs/analysis.json");
  EXPECT_EQ(flags(id), (std::vector<std::string>{"analyze=true", "ideas=true", "build=true"}));
  EXPECT_TRUE(has(place.read(in(id, "validation.json")), "{\n  \"workflow\": \"kit\",\n"));
  expect_in_step(id);
}

TEST_F(Sandbox, IsNamedAfterTheFileTheFirstInputOrTheWorkflow) {
  place.workflow("w", {step("a", "true")},
                 "inputs:\n  - name: Video_Transcript\n    required: false\n  - name: notes\n    required: false\n");
  place.workflow("v", {step("a", "true")});
  place.write("My Article, draft 2.txt", "x");
  place.write("\xE6\x96\x87\xE7\xAB\xA0.md", "x");
  place.write("a-very-long-name-of-a-file-which-goes-on.md", "x");
  const auto slug_of = [&](const std::vector<std::string>& args) {
    const Outcome ran = place.baton(args);
    EXPECT_EQ(ran.code, 0) << ran;
    const std::string id = ran.code == 0 ? text_at(parse_json(ran.out).as_object(), "sandboxId") : "";
    EXPECT_TRUE(std::regex_search(id, std::regex{R"(^[a-z0-9][a-z0-9-]*-\d{4}-\d\d-\d\d-[a-z0-9]{4}$)"})) << id;
    return id.size() > 16 ? id.substr(0, id.size() - 16) : id;
  };
  EXPECT_EQ(slug_of({"run", "v", "--file", "My Article, draft 2.txt"}), "my-article-draft-2");
  EXPECT_EQ(slug_of({"run", "v", "--file", "a-very-long-name-of-a-file-which-goes-on.md"}),
            "a-very-long-name-of-a-file-whi");
  EXPECT_EQ(slug_of({"run", "v", "--file", "\xE6\x96\x87\xE7\xAB\xA0.md"}), "run");
  EXPECT_EQ(slug_of({"run", "w", "-i", "Video_Transcript=[1]", "-i", "notes={}"}), "video-transcript");
  EXPECT_EQ(slug_of({"run", "w", "-i", "notes={}", "-i", "Video_Transcript=[1]"}), "notes");
  EXPECT_EQ(slug_of({"run", "w"}), "w");
}

TEST_F(Sandbox, StepsThatAreMadeOfOthersAreValidatedWhenTheyAreDone) {
  place.workflow("inner", {writes("last", "last.json")});
  place.workflow("w",
                 {writes("rounds", "rounds.json", "loop: {max: 2}"),
                  writes("items", "item-${{ item }}.json", "for_each: [x]"), "  - id: sub\n    workflow: inner\n"});
  const Outcome ran = place.baton({"run", "w"});
  ASSERT_EQ(ran.code, 0) << ran;
  const json::object whole = record(text_at(place.show(), "sandbox"));
  std::vector<std::string> ids;
  for (const auto& [id, entry] : whole.at("steps").as_object()) {
    ids.emplace_back(id);
    EXPECT_TRUE(entry.at("validated").as_bool()) << id;
    EXPECT_GE(text_at(entry.as_object(), "validatedAt"), text_at(whole, "createdAt")) << id;
  }
  EXPECT_EQ(ids.size(), 7U) << json::serialize(whole);
}

TEST_F(Sandbox, AFailedRunSaysSo) {
  place.workflow("w",
                 {writes("a", "a.json"), step("b", "exit 1", "needs: [a]\noutput: ${{ sandbox }}/outputs/b.json")});
  const Outcome ran = place.baton({"run", "w"});
  EXPECT_EQ(ran.code, 1);
  const std::string id = text_at(parse_json(ran.out).as_object(), "sandboxId");
  EXPECT_EQ(flags(id), (std::vector<std::string>{"a=true", "b=false"}));
  expect_in_step(id);
}

TEST_F(Sandbox, ARehearsalHasOneToo) {
  place.write("README.md", "x");
  place.workflow("w", {"  - id: a\n    skill: s\n    mission: m\n    input: README.md\n    output: ${{ sandbox "
                       "}}/outputs/a.json\n    validate: {required_fields: [title]}\n"});
  const Outcome ran = place.baton({"run", "w", "--rehearse"});
  ASSERT_EQ(ran.code, 0) << ran;
  const std::string id = text_at(parse_json(ran.out).as_object(), "sandboxId");
  EXPECT_EQ(flags(id), std::vector<std::string>{"a=true"});
  fs::remove(place.file(in(id, "outputs/a.json")));
  const Outcome again = place.baton({"run", "--sandbox-id", id});
  EXPECT_EQ(again.code, 0) << again;
  EXPECT_TRUE(place.exists(in(id, "outputs/a.json"))) << "the recorded --rehearse holds";
  EXPECT_EQ(number_at(attempt_of(place.show(), "a", 2), "n"), 2);
}

TEST_F(Sandbox, AnEditThatFailsIsToldTheAgentThatMendsIt) {
  place.write("README.md", "x");
  place.workflow("w", {"  - id: a\n    skill: s\n    mission: m\n    input: README.md\n    output: ${{ sandbox "
                       "}}/outputs/a.json\n    validate: {required_fields: [title]}\n"});
  ASSERT_EQ(place.baton({"run", "w", "--rehearse"}).code, 0);
  const std::string id = text_at(place.show(), "sandbox");
  place.write(in(id, "outputs/a.json"), "{\"other\": 1}");
  EXPECT_EQ(place.baton({"run", "w", "--sandbox-id", id}).code, 0);
  const std::string prompt = read_text(text_at(attempt_of(place.show(), "a", 2), "prompt"));
  EXPECT_TRUE(has(prompt, "Missing required field: title")) << prompt;
  EXPECT_EQ(flags(id), std::vector<std::string>{"a=true"});
}

// --- Going on ---------------------------------------------------------------------------------------------------

TEST_F(Sandbox, WithNothingIncompleteTheResultIsToldAgainAndNothingRuns) {
  const std::string id = run_kit();
  const std::int64_t events = query_number(place.state("baton.db"), "SELECT count(*) FROM events");
  const Outcome again = place.baton({"run", "kit", "--sandbox-id", id});
  EXPECT_EQ(again.code, 0) << again;
  const json::object result = parse_json(again.out).as_object();
  EXPECT_EQ(text_at(result, "status"), "success");
  EXPECT_EQ(text_at(result, "sandboxId"), id);
  EXPECT_EQ(text_at(result.at("artifact").as_object(), "by"), "build");
  EXPECT_FALSE(place.exists("ran"));
  EXPECT_EQ(query_number(place.state("baton.db"), "SELECT count(*) FROM events"), events);
  const Outcome lines = place.baton({"run", "--sandbox-id", id, "--json"});
  EXPECT_EQ(lines.code, 0);
  EXPECT_EQ(types_of(json_lines(lines.out)), (std::vector<std::string>{"run.started", "run.finished"}));
  // Even a record that was lost is there again.
  fs::remove(place.file(in(id, "validation.json")));
  EXPECT_EQ(place.baton({"run", "--sandbox-id", id}).code, 0);
  expect_in_step(id);
}

TEST_F(Sandbox, ResumeAfterOneOfThreePassedRunsExactlyTwo) {
  place.workflow("w", {writes("a", "a.json"),
                       step("b", "echo b >> ran; [ -e mended ] && echo '{}' > ${{ sandbox }}/outputs/b.json",
                            "needs: [a]\noutput: ${{ sandbox }}/outputs/b.json"),
                       writes("c", "c.json", "needs: [b]")});
  const Outcome ran = place.baton({"run", "w"});
  ASSERT_EQ(ran.code, 1) << ran;
  const std::string id = text_at(parse_json(ran.out).as_object(), "sandboxId");
  fs::remove(place.file("ran"));
  place.write("mended", "");
  const Outcome resumed = place.baton({"run", "w", "--sandbox-id", id});
  EXPECT_EQ(resumed.code, 0) << resumed;
  EXPECT_EQ(place.read("ran"), "b\nc\n");
  EXPECT_EQ(flags(id), (std::vector<std::string>{"a=true", "b=true", "c=true"}));
  expect_in_step(id);
}

TEST_F(Sandbox, ADeletedOutputRunsItsStepAndItsDependants) {
  const std::string id = run_kit();
  fs::remove(place.file(in(id, "outputs/ideas.json")));
  const Outcome again = place.baton({"run", "kit", "--sandbox-id", id});
  EXPECT_EQ(again.code, 0) << again;
  EXPECT_EQ(place.read("ran"), "ideas\nbuild\n");
  EXPECT_EQ(place.read(in(id, "outputs/ideas.json")), "{\"by\": \"ideas\", \"try\": 2}");
  expect_in_step(id);
}

TEST_F(Sandbox, WhatIsCalledNotValidatedByHandRunsAgain) {
  const std::string id = run_kit();
  const auto call_not_validated = [&](const std::string& step, bool keeps_date) {
    json::object whole = record(id);
    json::object& entry = whole.at("steps").at(step).as_object();
    entry["validated"] = false;
    if (!keeps_date) entry.erase("validatedAt");
    place.write(in(id, "validation.json"), json::serialize(whole));
  };
  call_not_validated("ideas", true);
  const Outcome again = place.baton({"run", "kit", "--sandbox-id", id});
  EXPECT_EQ(again.code, 0) << again;
  EXPECT_EQ(place.read("ran"), "ideas\nbuild\n");
  EXPECT_EQ(place.read(in(id, "outputs/ideas.json")), "{\"by\": \"ideas\", \"try\": 2}");
  expect_in_step(id);
  call_not_validated("build", false);
  EXPECT_EQ(place.baton({"run", "--sandbox-id", id}).code, 0);
  EXPECT_EQ(place.read("ran"), "ideas\nbuild\nbuild\n");
  expect_in_step(id);
  EXPECT_EQ(place.baton({"run", "--sandbox-id", id}).code, 0);
  EXPECT_EQ(place.read("ran"), "ideas\nbuild\nbuild\n") << "once is enough";
}

TEST_F(Sandbox, AnEditedOutputThatPassesIsKeptAndItsDependantsRun) {
  const std::string id = run_kit();
  place.write(in(id, "outputs/ideas.json"), "{\"by\": \"me\"}");
  const Outcome again = place.baton({"run", "kit", "--sandbox-id", id});
  EXPECT_EQ(again.code, 0) << again;
  EXPECT_EQ(place.read("ran"), "build\n");
  EXPECT_EQ(place.read(in(id, "outputs/ideas.json")), "{\"by\": \"me\"}");
  expect_in_step(id);
  EXPECT_EQ(place.baton({"run", "kit", "--sandbox-id", id}).code, 0);
  EXPECT_EQ(place.read("ran"), "build\n") << "seen once, it is what counts";
}

TEST_F(Sandbox, AnEditedOutputThatFailsRunsItsStepAgain) {
  const std::string id = run_kit();
  for (const char* text : {"{\"other\": 1}", "{ half"}) {
    place.write(in(id, "outputs/ideas.json"), text);
    const Outcome again = place.baton({"run", "kit", "--sandbox-id", id});
    EXPECT_EQ(again.code, 0) << again;
    EXPECT_EQ(place.read("ran"), "ideas\nbuild\n");
    EXPECT_TRUE(has(place.read(in(id, "outputs/ideas.json")), "\"by\": \"ideas\""));
    expect_in_step(id);
    fs::remove(place.file("ran"));
  }
}

TEST_F(Sandbox, TheFirstAndTheLastStepToo) {
  const std::string id = run_kit();
  place.write(in(id, "outputs/kit.json"), "{\"by\": \"me\"}");
  const Outcome last = place.baton({"run", "kit", "--sandbox-id", id});
  EXPECT_EQ(last.code, 0) << last;
  EXPECT_EQ(text_at(parse_json(last.out).at("artifact").as_object(), "by"), "me");
  EXPECT_FALSE(place.exists("ran")) << "nothing depends on it";
  fs::remove(place.file(in(id, "outputs/analysis.json")));
  place.write(in(id, "outputs/kit.json"), "{}");
  EXPECT_EQ(place.baton({"run", "kit", "--sandbox-id", id}).code, 0);
  EXPECT_EQ(place.read("ran"), "analyze\nideas\nbuild\n") << "each once";
}

TEST_F(Sandbox, ACancelledRunGoesOn) {
  place.workflow("w", {writes("a", "a.json"), step("b", "echo b >> ran; [ -e go ] || sleep 100", "needs: [a]")});
  Process run = place.start({"run", "w"});
  ASSERT_TRUE(eventually([&] { return count_lines(place.file("ran"), "b") == 1; }));
  ASSERT_EQ(place.baton({"cancel", "last"}).code, 0);
  EXPECT_EQ(run.wait().code, 5);
  const std::string id = text_at(place.show(), "sandbox");
  expect_in_step(id);
  place.write("go", "");
  const Outcome again = place.baton({"run", "--sandbox-id", id});
  EXPECT_EQ(again.code, 0) << again;
  EXPECT_EQ(place.read("ran"), "a\nb\nb\n");
}

TEST_F(Sandbox, APausedRunGoesOn) {
  place.workflow("w", {writes("a", "a.json"), step("b", "echo b >> ran; " + await_file("go"), "needs: [a]")});
  Process run = place.start({"run", "w"});
  ASSERT_TRUE(eventually([&] { return count_lines(place.file("ran"), "b") == 1; }));
  ASSERT_EQ(place.baton({"pause", "last"}).code, 0);
  EXPECT_EQ(run.wait().code, 4);
  const std::string id = text_at(place.show(), "sandbox");
  EXPECT_EQ(text_at(record(id), "status"), "in_progress");
  place.write("go", "");
  const Outcome again = place.baton({"run", "w", "--sandbox-id", id});
  EXPECT_EQ(again.code, 0) << again;
  EXPECT_EQ(place.read("ran"), "a\nb\n");
}

TEST_F(Sandbox, ARunAtWorkElsewhereIsHandedTheRequestAndFollowed) {
  place.workflow("w", {writes("a", "a.json"), step("b", "echo b >> ran; " + await_file("go"), "needs: [a]")});
  Process first = place.start({"run", "w"});
  ASSERT_TRUE(eventually([&] { return count_lines(place.file("ran"), "b") == 1; }));
  const std::string id = text_at(place.show(), "sandbox");
  fs::remove(place.file(in(id, "outputs/a.json")));
  Process second = place.start({"run", "--sandbox-id", id});
  ASSERT_TRUE(eventually([&] { return count_lines(place.file("ran"), "a") == 2; })) << second.err();
  place.write("go", "");
  EXPECT_EQ(first.wait().code, 0);
  const Outcome followed = second.wait();
  EXPECT_EQ(followed.code, 0) << followed;
  EXPECT_EQ(text_at(parse_json(followed.out).as_object(), "sandboxId"), id);
  expect_in_step(id);
}

TEST_F(Sandbox, SeveralAtOnceMakeOneRunOfIt) {
  place.workflow("w", {writes("a", "a.json"), step("b", "echo b >> ran; " + await_file("go"), "needs: [a]")});
  const std::string id = "made-elsewhere";
  place.write(in(id, "validation.json"), R"({"workflow": "w", "steps": {}})");
  std::vector<Process> all;
  for (int n = 0; n < 4; ++n) all.push_back(place.start({"run", "w", "--sandbox-id", id}));
  ASSERT_TRUE(eventually([&] { return count_lines(place.file("ran"), "b") == 1; })) << all.front().err();
  place.write("go", "");
  for (Process& one : all) {
    const Outcome ended = one.wait();
    EXPECT_EQ(ended.code, 0) << ended;
    EXPECT_EQ(text_at(parse_json(ended.out).as_object(), "sandboxId"), id);
  }
  EXPECT_EQ(parse_json(place.baton({"list", "--json"}).out).as_array().size(), 1U) << "one run, and three who watched";
  EXPECT_EQ(place.read("ran"), "a\nb\n");
}

TEST_F(Sandbox, SeveralAtOnceAskForALostOutputOnce) {
  const std::string id = run_kit();
  for (int round = 1; round <= 3; ++round) {
    fs::remove(place.file(in(id, "outputs/kit.json")));
    std::vector<Process> all;
    for (int n = 0; n < 4; ++n) all.push_back(place.start({"run", "--sandbox-id", id}));
    for (Process& one : all) {
      const Outcome ended = one.wait();
      EXPECT_EQ(ended.code, 0) << ended;
    }
    EXPECT_EQ(count_lines(place.file("ran"), "build"), round);
  }
  EXPECT_FALSE(has(place.read("ran"), "analyze"));
  expect_in_step(id);
}

TEST_F(Sandbox, DetachedItGoesOnByItself) {
  const std::string id = run_kit();
  fs::remove(place.file(in(id, "outputs/kit.json")));
  const Outcome left = place.baton({"run", "--sandbox-id", id, "--detach"});
  EXPECT_EQ(left.code, 0) << left;
  EXPECT_EQ(left.out, text_at(place.show(), "run") + "\n");
  EXPECT_TRUE(eventually([&] { return place.exists("ran") && place.run_state() == "completed"; }));
  EXPECT_EQ(place.read("ran"), "build\n");
}

TEST_F(Sandbox, KilledInTheMiddleItGoesOnAndTheRecordIsRight) {
  place.workflow("w", {writes("a", "a.json"),
                       step("b", "echo b >> ran; " + await_file("go") + "; echo '{}' > ${{ sandbox }}/outputs/b.json",
                            "needs: [a]\noutput: ${{ sandbox }}/outputs/b.json"),
                       writes("c", "c.json", "needs: [b]")});
  Process run = place.start({"run", "w"});
  ASSERT_TRUE(eventually([&] { return count_lines(place.file("ran"), "b") == 1; }));
  const std::string id = text_at(place.show(), "sandbox");
  run.kill(SIGKILL);
  EXPECT_TRUE(run.wait().killed);
  place.kill_holder();
  place.kill_all("sh");
  // Whatever the dead driver wrote last: it is put right.
  place.write(in(id, "validation.json"), "{\"mine\": true, \"steps\": {\"a\": {\"validated\": false}}}");
  place.write("go", "");
  const Outcome again = place.baton({"run", "w", "--sandbox-id", id});
  EXPECT_EQ(again.code, 0) << again;
  EXPECT_EQ(count_lines(place.file("ran"), "a"), 1) << "what was recorded is not done again";
  EXPECT_EQ(count_lines(place.file("ran"), "c"), 1);
  EXPECT_EQ(flags(id), (std::vector<std::string>{"a=true", "b=true", "c=true"}));
  EXPECT_TRUE(record(id).at("mine").as_bool());
  expect_in_step(id);
}

TEST_F(Sandbox, AChangedWorkflowIsSaidAndTheRecordedPlanGoesOn) {
  const std::string id = run_kit();
  write_kit("other.json");
  fs::remove(place.file(in(id, "outputs/kit.json")));
  const Outcome again = place.baton({"run", "kit", "--sandbox-id", id});
  EXPECT_EQ(again.code, 0) << again;
  EXPECT_TRUE(has(again.err, "warning[workflow-changed]")) << again;
  EXPECT_TRUE(place.exists(in(id, "outputs/kit.json")));
  EXPECT_FALSE(place.exists(in(id, "outputs/other.json")));
  write_kit();
  EXPECT_FALSE(has(place.baton({"run", "kit", "--sandbox-id", id}).err, "workflow-changed"));
  fs::remove(place.file("workflows/kit.md"));
  const Outcome gone = place.baton({"run", "kit", "--sandbox-id", id});
  EXPECT_EQ(gone.code, 0) << gone;
  EXPECT_TRUE(has(gone.err, "warning[workflow-changed]")) << gone;
}

TEST_F(Sandbox, WithoutTargetAndFromAnotherFolder) {
  const std::string id = run_kit();
  fs::remove(place.file(in(id, "outputs/kit.json")));
  const std::string elsewhere = place.root().substr(0, place.root().rfind('/'));
  place.cwd = elsewhere;
  const Outcome again = place.baton({"run", "-C", "project", "--sandbox-id", id});
  EXPECT_EQ(again.code, 0) << again;
  fs::remove_all(place.state());
  fs::remove(place.file(in(id, "outputs/kit.json")));
  const Outcome anew = place.baton({"run", "-C", "project", "--sandbox-id", id});
  EXPECT_EQ(anew.code, 0) << anew;
  EXPECT_EQ(place.read("ran"), "build\nbuild\n");
}

TEST_F(Sandbox, ABrokenRecordIsNeverOverwritten) {
  const std::string id = run_kit();
  place.write(in(id, "validation.json"), "{ half");
  fs::remove(place.file(in(id, "outputs/kit.json")));
  const Outcome again = place.baton({"run", "kit", "--sandbox-id", id});
  EXPECT_EQ(again.code, 0) << again;
  const auto first = again.err.find("warning[bad-validation-file]");
  EXPECT_NE(first, std::string::npos) << again;
  EXPECT_EQ(again.err.find("warning[bad-validation-file]", first + 1), std::string::npos) << "said once: " << again;
  EXPECT_TRUE(has(again.err, in(id, "validation.json"))) << again;
  EXPECT_EQ(place.read(in(id, "validation.json")), "{ half");
  EXPECT_EQ(place.read("ran"), "build\n");
}

// --- A sandbox the journal does not know ------------------------------------------------------------------------

constexpr const char* seeds_shape = R"({
  "workflow": "kit",
  "version": "2.0.0",
  "sandboxId": "article-2025-12-18-xk7m",
  "createdAt": "2025-12-18T10:30:00Z",
  "steps": {
    "analyze": {"output": "outputs/analysis.json", "validated": true},
    "ideas": {"output": "outputs/ideas.json", "validated": false},
    "build": {"output": "outputs/kit.json", "validated": false}
  }
})";
constexpr const char* codes_shape = R"({
  "workflow": "kit",
  "version": "1.0.0",
  "sandboxId": "article-2025-12-18-xk7m",
  "createdAt": "2025-12-18T10:30:00.000Z",
  "status": "pending",
  "steps": {
    "analyze": {"output": "${{ sandbox }}/outputs/analysis.json", "validate": {"required_fields": ["by"]},
                "validated": true, "validatedAt": "2025-12-18T10:31:00.000Z"},
    "ideas": {"output": "${{ sandbox }}/outputs/ideas.json", "validated": false},
    "build": {"output": "sandbox/article-2025-12-18-xk7m/outputs/kit.json", "validated": false}
  }
})";

TEST_F(Sandbox, ResumesWhatAnotherToolBeganInBothShapes) {
  const std::string id = "article-2025-12-18-xk7m";
  for (const char* shape : {seeds_shape, codes_shape}) {
    make_foreign(id, shape, {{"analysis.json", "{\"by\": \"them\"}"}});
    const Outcome resumed = place.baton({"run", "--sandbox-id", id});
    EXPECT_EQ(resumed.code, 0) << resumed;
    EXPECT_EQ(place.read("ran"), "ideas\nbuild\n") << shape;
    EXPECT_EQ(place.read(in(id, "outputs/analysis.json")), "{\"by\": \"them\"}");
    EXPECT_EQ(text_at(place.show(), "sandbox"), id);
    EXPECT_EQ(text_at(record(id), "version"), "2.0.0");
    EXPECT_TRUE(text_at(record(id), "createdAt").starts_with("2025-12-18T10:30:00"));
    EXPECT_EQ(record(id).at("steps").at("analyze").as_object().contains("validate"), shape == codes_shape);
    expect_in_step(id);
    fs::remove(place.file("ran"));
    fs::remove_all(place.file("sandbox"));
    fs::remove_all(place.state());
  }
}

TEST_F(Sandbox, AValidatedFlagWithADeletedOutputRunsThatStepAndItsDependants) {
  const std::string id = "x";
  const std::string all_true = std::regex_replace(seeds_shape, std::regex{"false"}, "true");
  make_foreign(id, all_true, {{"analysis.json", "{\"by\": 1}"}, {"kit.json", "{\"by\": 1}"}});
  EXPECT_EQ(place.baton({"run", "kit", "--sandbox-id", id}).code, 0);
  EXPECT_EQ(place.read("ran"), "ideas\nbuild\n");
}

TEST_F(Sandbox, AFlagWhoseOutputFailsItsChecksIsNotBelieved) {
  make_foreign("x", seeds_shape, {{"analysis.json", "{\"title\": 1}"}});
  EXPECT_EQ(place.baton({"run", "kit", "--sandbox-id", "x"}).code, 0);
  EXPECT_EQ(place.read("ran"), "analyze\nideas\nbuild\n");
}

TEST_F(Sandbox, OutputsThatNobodyValidatedAreNotTrusted) {
  const std::map<std::string, std::string> outputs{{"analysis.json", "{\"by\": 1}"}, {"ideas.json", "{\"by\": 1}"}};
  make_foreign("x", "", outputs);
  expect_refused({"run", "--sandbox-id", "x"}, "no-target", "workflow");
  EXPECT_EQ(place.baton({"run", "kit", "--sandbox-id", "x"}).code, 0);
  EXPECT_EQ(place.read("ran"), "analyze\nideas\nbuild\n");
  fs::remove(place.file("ran"));
  make_foreign("y", seeds_shape, outputs);
  EXPECT_EQ(place.baton({"run", "kit", "--sandbox-id", "y"}).code, 0);
  EXPECT_EQ(place.read("ran"), "ideas\nbuild\n");
}

TEST_F(Sandbox, AnEntryForAnotherFileSaysNothing) {
  make_foreign("x", R"({"workflow": "kit", "steps": {"analyze": {"output": "outputs/old.json", "validated": true}}})",
               {{"analysis.json", "{\"by\": 1}"}, {"old.json", "{\"by\": 1}"}});
  EXPECT_EQ(place.baton({"run", "--sandbox-id", "x"}).code, 0);
  EXPECT_EQ(place.read("ran"), "analyze\nideas\nbuild\n");
  EXPECT_EQ(text_at(record("x").at("steps").at("analyze").as_object(), "output"), "outputs/analysis.json");
}

TEST_F(Sandbox, AllDoneThereNeedsNothing) {
  const std::string all_true = std::regex_replace(seeds_shape, std::regex{"false"}, "true");
  make_foreign("x", all_true,
               {{"analysis.json", "{\"by\": 1}"}, {"ideas.json", "{\"by\": 1}"}, {"kit.json", "{\"by\": \"them\"}"}});
  const Outcome done = place.baton({"run", "--sandbox-id", "x"});
  EXPECT_EQ(done.code, 0) << done;
  EXPECT_FALSE(place.exists("ran"));
  EXPECT_EQ(text_at(parse_json(done.out).at("artifact").as_object(), "by"), "them");
}

TEST_F(Sandbox, ItsInputsAreThoseThatAreThere) {
  place.workflow("w", {step("a", "cat ${{ inputs.one }} ${{ inputs.two }} ${{ inputs.three }} > got")},
                 "inputs:\n  - name: one\n  - name: two\n  - name: three\n    default: third\n");
  make_foreign("x", "", {});
  place.write(in("x", "inputs/one.json"), "[1]\n");
  expect_refused({"run", "w", "--sandbox-id", "x"}, "missing-input", "'two'");
  place.write("two.txt", "two\n");
  expect_refused({"run", "w", "--sandbox-id", "x", "-i", "two=two.txt", "-i", "one=two.txt"}, "input-already-there",
                 "'one'");
  const Outcome ran = place.baton({"run", "w", "--sandbox-id", "x", "-i", "two=two.txt"});
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(place.read("got"), "[1]\ntwo\nthird");
  expect_refused({"run", "w", "--sandbox-id", "x", "-i", "two=two.txt"}, "input-already-there", "'two'");
}

TEST_F(Sandbox, ARunTakesAnInputItLackedBefore) {
  place.workflow("w", {step("a", "cat ${{ inputs.note }} > got")}, "inputs:\n  - name: note\n    required: false\n");
  EXPECT_EQ(place.baton({"run", "w"}).code, 1);
  const std::string id = text_at(place.show(), "sandbox");
  const Outcome again = place.baton({"run", "w", "--sandbox-id", id, "-i", "note={\"n\": 1}"});
  EXPECT_EQ(again.code, 0) << again;
  EXPECT_EQ(place.read("got"), "{\"n\": 1}");
}

// --- Refusals ---------------------------------------------------------------------------------------------------

TEST_F(Sandbox, IdsThatWouldLeaveTheFolderAreRefused) {
  place.write("outside/validation.json", seeds_shape);
  place.write("sandbox/keep/inputs/content.md", "x");
  for (const char* id :
       {"../outside", "..", ".", "", "/etc", "a/b", "a\\b", "%2e%2e", ".hidden", "a..b", "a b", "x\n"}) {
    expect_refused({"run", "kit", "--sandbox-id", id}, "bad-sandbox-id", "sandbox");
  }
  ASSERT_EQ(::symlink(place.file("outside").c_str(), place.file("sandbox/link").c_str()), 0);
  expect_refused({"run", "kit", "--sandbox-id", "link"}, "bad-sandbox-id", "link");
  EXPECT_EQ(place.read("outside/validation.json"), seeds_shape);
  EXPECT_FALSE(file_exists(place.state()));
}

TEST_F(Sandbox, NoSuchSandbox) {
  expect_refused({"run", "kit", "--sandbox-id", "nowhere-2025-12-18-xk7m"}, "sandbox-not-found", "--file");
  EXPECT_FALSE(file_exists(place.state()) || place.exists("sandbox"));
}

TEST_F(Sandbox, OfAnotherWorkflow) {
  place.workflow("other", {step("a", "echo a >> ran")});
  const std::string id = run_kit();
  expect_refused({"run", "other", "--sandbox-id", id}, "sandbox-of-another-workflow", "'kit'");
  make_foreign("x", seeds_shape, {});
  expect_refused({"run", "other", "--sandbox-id", "x"}, "sandbox-of-another-workflow", "'kit'");
}

TEST_F(Sandbox, OnlyAndABrokenForeignRecordAreRefused) {
  make_foreign("x", "{ half", {});
  expect_refused({"run", "kit", "--sandbox-id", "x"}, "bad-validation-file", "sandbox/x/validation.json");
  expect_refused({"run", "kit", "--sandbox-id", "x", "--only", "build"}, "bad-usage", "--only");
  EXPECT_EQ(place.read("sandbox/x/validation.json"), "{ half");
  EXPECT_FALSE(file_exists(place.state()));
}

// --- The edge cases that are known of such sandboxes, in their own words ------------------------------------------

TEST_F(Sandbox, EdgeCase9ArtifactWithBadJsonNeverFlipsValidated) {
  place.workflow("w",
                 {step("a",
                       "mkdir -p ${{ sandbox }}/elsewhere; echo '{ half' > ${{ sandbox }}/outputs/a.json; "
                       "echo '{}' > ${{ sandbox }}/outputs/no-step.json; echo '{}' > ${{ sandbox }}/elsewhere/a.json",
                       "output: ${{ sandbox }}/outputs/a.json"),
                  step("b", "echo '{\"metadata\": {\"author\": \"me\"}}' > ${{ sandbox }}/outputs/b.json",
                       "output: ${{ sandbox }}/outputs/b.json\nvalidate: {required_fields: [metadata.author]}")});
  EXPECT_EQ(place.baton({"run", "w"}).code, 1);
  const std::string id = text_at(place.show(), "sandbox");
  EXPECT_EQ(flags(id), (std::vector<std::string>{"a=false", "b=true"})) << "a file that matches no step is ignored";
  EXPECT_TRUE(record(id).at("steps").at("b").as_object().contains("validatedAt")) << "set on pass";
}

TEST_F(Sandbox, EdgeCase10CreationFailsLoudlyIfTheFolderCannotBe) {
  place.write("sandbox", "a file stands where the folder should");
  expect_refused({"run", "kit"}, "file-failed", "sandbox");
}

TEST_F(Sandbox, EdgeCase8AMissingOutputIsWhatIsSaidOfAStep) {
  place.workflow("w", {step("a", "true", "output: ${{ sandbox }}/outputs/a.json\nvalidate: {required_fields: [x]}")});
  const Outcome ran = place.baton({"run", "w"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(says_error(ran, "checks-failed") && has(ran.err, "a.json")) << ran;
  EXPECT_FALSE(has(ran.err, "Missing required field")) << "missing is reported before unvalidated: " << ran;
}

}  // namespace
}  // namespace baton::test
