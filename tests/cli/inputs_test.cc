// Inputs, --only and the configuration's layers.
#include <fmt/core.h>

#include <set>

#include "support/programs.h"

namespace baton::test {
namespace {

class Inputs : public Outside {
 protected:
  Inputs() {
    place.workflow("w", {step("a", "cat ${{ inputs.content }} ${{ inputs.extra }} > got")},
                   "inputs:\n  - name: content\n    description: what to read\n  - name: extra\n    required: false\n  "
                   "  default: none given\n");
    place.write("note.md", "a note\n");
  }
  void expect_refused(const std::vector<std::string>& more, const std::string& code, const std::string& word) {
    std::vector<std::string> args{"run", "w"};
    args.insert(args.end(), more.begin(), more.end());
    const Outcome refused = place.baton(args);
    EXPECT_EQ(refused.code, 2) << refused;
    EXPECT_TRUE(says_error(refused, code)) << code << refused;
    EXPECT_TRUE(has(refused.err, word)) << word << refused;
    EXPECT_FALSE(place.exists("got") || file_exists(place.state()) || place.exists("sandbox")) << "nothing was started";
  }
};

TEST_F(Inputs, AFileIsCopiedIntoTheSandbox) {
  const Outcome ran = place.baton({"run", "w", "-i", "content=note.md"});
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(place.read("got"), "a note\nnone given");
  const std::string sandbox = text_at(place.show(), "sandbox");
  EXPECT_EQ(place.read("sandbox/" + sandbox + "/inputs/content.md"), "a note\n");
}

TEST_F(Inputs, FileIsShortForContent) {
  ASSERT_EQ(place.baton({"run", "w", "--file", "note.md"}).code, 0);
  EXPECT_EQ(place.read("got"), "a note\nnone given");
}

TEST_F(Inputs, InlineJson) {
  const Outcome ran = place.baton({"run", "w", "-i", "content={\"k\": [1, 2]}", "--input=extra=[true]"});
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(place.read("got"), "{\"k\": [1, 2]}[true]");
}

TEST_F(Inputs, ContentIsAlwaysTakenWhereNothingIsDeclared) {
  place.workflow("v", {step("a", "cat ${{ inputs.content }} > got")});
  const Outcome ran = place.baton({"run", "v", "--file", "note.md"});
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(place.read("got"), "a note\n");
}

TEST_F(Inputs, RequiredIsMissing) { expect_refused({}, "missing-input", "content"); }
TEST_F(Inputs, UnknownName) {
  expect_refused({"-i", "content=note.md", "-i", "contnet=note.md"}, "unknown-input", "did you mean 'content'?");
}
TEST_F(Inputs, NoEquals) { expect_refused({"-i", "content"}, "bad-input", "no '='"); }
TEST_F(Inputs, EmptyName) { expect_refused({"-i", "=note.md"}, "bad-input", "name"); }
TEST_F(Inputs, EmptyValue) { expect_refused({"-i", "content="}, "bad-input", "no value"); }
TEST_F(Inputs, Twice) { expect_refused({"-i", "content=note.md", "--file", "note.md"}, "duplicate-input", "content"); }
TEST_F(Inputs, NoSuchFile) { expect_refused({"-i", "content=nowhere.md"}, "input-not-found", "nowhere.md"); }
TEST_F(Inputs, AFolder) { expect_refused({"-i", "content=workflows"}, "input-not-found", "workflows"); }
TEST_F(Inputs, AFolderIsCalledOne) { expect_refused({"-i", "content=workflows"}, "input-not-found", "is a folder"); }
TEST_F(Inputs, NamesThatWouldLeaveTheFolder) {
  for (const char* name : {"../x", "..", ".", "a/b", "a\\b", "%2e%2e", "/x", ".x"}) {
    expect_refused({"-i", std::string{name} + "=note.md"}, "bad-input", "cannot be an input's name");
  }
}
TEST_F(Inputs, FourDistinctMessages) {
  std::set<std::string> messages;
  for (const std::vector<std::string>& args :
       std::vector<std::vector<std::string>>{{"-i", "content"},
                                             {"-i", "=note.md"},
                                             {"-i", "content="},
                                             {"-i", "content=note.md", "-i", "content=note.md"}}) {
    std::vector<std::string> whole{"run", "w"};
    whole.insert(whole.end(), args.begin(), args.end());
    const Outcome refused = place.baton(whole);
    EXPECT_EQ(refused.code, 2);
    messages.insert(lines_of(refused.err).front());
  }
  EXPECT_EQ(messages.size(), 4U);
}
TEST_F(Inputs, BracesInAFilesNameAreNotJson) {
  place.write("{production}.json", "of a file\n");
  const Outcome ran = place.baton({"run", "w", "-i", "content={production}.json"});
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(place.read("got"), "of a file\nnone given");
}

class Piped : public Inputs {
 protected:
  Outcome piped(const std::string& text, std::vector<std::string> args) {
    place.write("piped", text);
    return place.start_under({"/bin/sh", "-c", "exec \"$0\" \"$@\" < piped"}, std::move(args)).wait();
  }
};

TEST_F(Piped, AnInputFromStandardInput) {
  const Outcome ran = piped("from a pipe\n", {"run", "w", "-i", "content=-"});
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(place.read("got"), "from a pipe\nnone given");
  EXPECT_TRUE(text_at(place.show(), "sandbox").starts_with("content-"));
  ASSERT_EQ(piped("again\n", {"run", "w", "--file", "-", "-i", "extra={}"}).code, 0);
  EXPECT_EQ(place.read("got"), "again\n{}");
}

TEST_F(Piped, ItCanBeReadOnce) {
  for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{
           {"-i", "content=-", "-i", "extra=-"}, {"--file", "-", "--task-file", "-"}}) {
    std::vector<std::string> args{"run", "w"};
    args.insert(args.end(), more.begin(), more.end());
    const Outcome refused = piped("text", args);
    EXPECT_EQ(refused.code, 2) << refused;
    EXPECT_TRUE(says_error(refused, "stdin-used-twice")) << refused;
  }
  EXPECT_FALSE(place.exists("sandbox"));
}

TEST_F(Piped, DeclaredJsonHasToBeSome) {
  place.workflow("j", {step("a", "cat ${{ inputs.data }} > got")}, "inputs:\n  - name: data\n    type: json\n");
  place.write("bad.json", "{\"a\": 1,\n  \"b\": oops}\n");
  const Outcome bad = place.baton({"run", "j", "-i", "data=bad.json"});
  EXPECT_EQ(bad.code, 2);
  EXPECT_TRUE(says_error(bad, "input-not-json") && has(bad.err, "'data'") && has(bad.err, "line 2, column 8")) << bad;
  for (const char* text : {"", "{\"a\": ", "[1] 2", "plain"}) {
    const Outcome refused = piped(text, {"run", "j", "-i", "data=-"});
    EXPECT_EQ(refused.code, 2) << text;
    EXPECT_TRUE(says_error(refused, "input-not-json")) << text << refused;
  }
  EXPECT_FALSE(place.exists("sandbox"));
  ASSERT_EQ(piped(" [1, 2]\n", {"run", "j", "-i", "data=-"}).code, 0);
  EXPECT_EQ(place.read("got"), " [1, 2]\n");
  EXPECT_TRUE(place.exists("sandbox/" + text_at(place.show(), "sandbox") + "/inputs/data.json"));
  place.write("good.txt", "{\"k\": null}");
  ASSERT_EQ(place.baton({"run", "j", "-i", "data=good.txt"}).code, 0);
  EXPECT_EQ(place.read("got"), "{\"k\": null}");
}

TEST_F(Piped, AFileInputTakesInlineJsonToo) {
  place.workflow("f", {step("a", "cat ${{ inputs.data }} > got")}, "inputs:\n  - name: data\n    type: file\n");
  ASSERT_EQ(place.baton({"run", "f", "-i", "data={\"k\": 1}"}).code, 0);
  EXPECT_EQ(place.read("got"), "{\"k\": 1}");
}

TEST_F(Piped, ADefaultThatIsNoJsonIsTheWorkflowsFault) {
  place.workflow("d", {step("a", "true")}, "inputs:\n  - name: data\n    type: json\n    default: \"{ half\"\n");
  const Outcome refused = place.baton({"run", "d"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(says_error(refused, "input-not-json") && has(refused.err, "workflows/d.md:")) << refused;
}

TEST_F(Inputs, ANameThatLeadsAstray) { expect_refused({"-i", "../../content=note.md"}, "bad-input", "name"); }
TEST_F(Inputs, AllFaultsAtOnce) {
  expect_refused({"-i", "x", "-i", "=y", "-i", "other=note.md", "--jobs", "0"}, "missing-input", "no '='");
  const Outcome refused = place.baton({"run", "w", "-i", "x", "-i", "other=note.md", "--jobs", "0"});
  for (const char* code : {"bad-input", "unknown-input", "missing-input", "bad-number"})
    EXPECT_TRUE(says_error(refused, code)) << code;
}

using Only = Outside;

TEST_F(Only, JustTheseSteps) {
  place.workflow("w",
                 {step("a", "echo a >> ran"), step("b", "echo b >> ran", "needs: [a]"), step("c", "echo c >> ran")});
  EXPECT_EQ(place.baton({"run", "w", "--only", "c"}).code, 0);
  EXPECT_EQ(place.read("ran"), "c\n");
  EXPECT_EQ(place.baton({"run", "w", "--only", "a", "b"}).code, 0);
  EXPECT_EQ(place.read("ran"), "c\na\nb\n");
  EXPECT_EQ(place.baton({"run", "w", "--only", "a", "--only", "b"}).code, 0);
  EXPECT_EQ(place.read("ran"), "c\na\nb\na\nb\n");
}

/// What lies at the final step's path is another run's.
TEST_F(Only, WithoutTheFinalStepNothingCameOfIt) {
  place.workflow("w", {step("a", "echo a > \"$BATON_OUTPUT\"", "output: a.txt"),
                       step("z", "echo z > \"$BATON_OUTPUT\"", "output: z.txt\nfinal: true")});
  place.write("z.txt", "of yesterday\n");
  for (const char* only : {"a", "z"}) {
    const Outcome ran = place.baton({"run", "w", "--only", only});
    EXPECT_EQ(ran.code, 0) << ran;
    const json::object result = parse_json(ran.out).as_object();
    const bool is_final = std::string{only} == "z";
    EXPECT_EQ(text_at(result, "status"), is_final ? "success" : "skipped") << ran;
    EXPECT_EQ(json::serialize(result.at("artifact")), is_final ? R"("z\n")" : "null") << ran;
    EXPECT_EQ(has(ran.err, "warning[final-step-skipped]"), !is_final) << ran;
    EXPECT_EQ(place.show().contains("artifact"), is_final);
  }
}

TEST_F(Only, AnUnmetNeedIsNamed) {
  place.workflow("w", {step("a", "echo a >> ran"), step("b", "echo b >> ran", "needs: [a]")});
  const Outcome refused = place.baton({"run", "w", "--only", "b"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(says_error(refused, "need-not-met") && has(refused.err, "'a'")) << refused;
  const Outcome unknown = place.baton({"run", "w", "--only", "bb"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_TRUE(says_error(unknown, "unknown-step")) << unknown;
  EXPECT_FALSE(place.exists("ran") || file_exists(place.state()));
}

// --- Configuration ----------------------------------------------------------------------------------------------

class Layers : public Outside {
 protected:
  json::object setting(const std::string& key, const std::vector<std::string>& more = {}) {
    std::vector<std::string> args{"config", "--json"};
    args.insert(args.end(), more.begin(), more.end());
    const Outcome config = place.baton(args);
    EXPECT_EQ(config.code, 0) << config;
    const json::object all = config.code == 0 ? parse_json(config.out).as_object() : json::object{};
    return all.contains(key) ? all.at(key).as_object() : json::object{};
  }
};

TEST_F(Layers, EachLayerWinsOverTheOnesBefore) {
  const auto expect = [&](const std::string& value, const std::string& origin,
                          const std::vector<std::string>& more = {}) {
    const json::object s = setting("limits.jobs", more);
    EXPECT_EQ(text_at(s, "value"), value);
    EXPECT_TRUE(has(text_at(s, "origin"), origin)) << json::serialize(s) << " is not from " << origin;
  };
  expect("4", "default");
  write_text(place.env["HOME"] + "/.config/baton/baton.toml", "[limits]\njobs = 5\n");
  expect("5", ".config/baton/baton.toml:2");
  place.write("baton.toml", "\n[limits]\njobs = 6\n");
  expect("6", place.file("baton.toml:3"));
  place.env["BATON_LIMITS__JOBS"] = "7";
  expect("7", "BATON_LIMITS__JOBS");
  expect("8", "--set", {"--set", "limits.jobs=8"});
  const Outcome explained = place.baton({"config", "--explain", "--set", "limits.retries=1"});
  EXPECT_EQ(explained.code, 0);
  EXPECT_TRUE(has(explained.out, "limits.jobs") && has(explained.out, "BATON_LIMITS__JOBS") &&
              has(explained.out, "--set"))
      << explained;
}

TEST_F(Layers, ARunUsesThem) {
  place.workflow("w", {step("bad", "echo x >> tries; exit 1")});
  place.write("baton.toml", "[limits]\nretries = 1\nretry_delay = \"1ms\"\n");
  EXPECT_EQ(place.baton({"run", "w"}).code, 1);
  EXPECT_EQ(count_lines(place.file("tries"), "x"), 2);
  place.env["BATON_LIMITS__RETRIES"] = "2";
  EXPECT_EQ(place.baton({"run", "w"}).code, 1);
  EXPECT_EQ(count_lines(place.file("tries"), "x"), 5);
  EXPECT_EQ(place.baton({"run", "w", "--set", "limits.retries=0"}).code, 1);
  EXPECT_EQ(count_lines(place.file("tries"), "x"), 6);
}

TEST_F(Layers, AStepsOwnMarksAreNotConfiguration) {
  place.env["BATON_RUN"] = "x";
  place.env["BATON_FOLDER"] = "/tmp";
  EXPECT_EQ(place.baton({"config"}).code, 0);
}

TEST_F(Layers, UnknownKeysAndWrongValuesAreRefused) {
  place.write("baton.toml", "[limits]\njbos = 6\nretry_delay = \"soon\"\n");
  const Outcome refused = place.baton({"config"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(says_error(refused, "unknown-config-key") && has(refused.err, "did you mean 'limits.jobs'?")) << refused;
  EXPECT_TRUE(has(refused.err, "baton.toml:2:")) << refused;
  EXPECT_TRUE(says_error(refused, "bad-config-value") && has(refused.err, "baton.toml:3:")) << refused;
  place.write("baton.toml", "[limits\n");
  const Outcome broken = place.baton({"config"});
  EXPECT_EQ(broken.code, 2);
  EXPECT_TRUE(has(broken.err, "error[") && has(broken.err, "baton.toml:1")) << broken;
  place.write("baton.toml", "");
  for (const char* set : {"limits.jbos=3", "limits.jobs", "limits.jobs=many"}) {
    EXPECT_EQ(place.baton({"config", "--set", set}).code, 2) << set;
  }
  place.env["BATON_LIMITS__JBOS"] = "3";
  const Outcome env = place.baton({"list"});
  EXPECT_EQ(env.code, 2);
  EXPECT_TRUE(has(env.err, "BATON_LIMITS__JBOS")) << env;
}

}  // namespace
}  // namespace baton::test
