// Safety from outside: verdicts, policies, the hook that an agent's program asks, and what is seen in its stream.
#include <gmock/gmock.h>

#include <filesystem>

#include "support/scripted_claude.h"

namespace baton::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Safety : public WithScriptedClaude {
 protected:
  json::object verdict(std::vector<std::string> args) {
    args.insert(args.begin(), {"safety", "test", "--json"});
    const Outcome told = place.baton(args);
    EXPECT_EQ(told.err, "");
    return json_lines(told.out).at(0);
  }
  void config(const std::string& text) const { place.write("baton.toml", text); }

  /// The settings that the first attempt at `a` was given.
  [[nodiscard]] json::value given_settings() const { return parse_json(read_text(claude.option("--settings"))); }
  static std::string hook_in(const json::value& settings) {
    const json::array& entries = settings.at("hooks").at("PreToolUse").as_array();
    return std::string{entries.back().at("hooks").at(0).at("command").as_string()};
  }
  /// Asks a hook as claude does: by a shell, in a folder of its own, with JSON on stdin.
  Outcome ask(const std::string& hook, const std::string& input) {
    const std::string elsewhere = place.env["HOME"] + "/else where";
    std::filesystem::create_directories(elsewhere);
    write_text(elsewhere + "/input", input);
    Launch launch = place.launch({});
    launch.argv = {"/bin/sh", "-c", "{ " + hook + "\n} < input"};
    launch.cwd = elsewhere;
    return Process{launch}.wait();
  }
  Outcome ask_about(const std::string& hook, const std::string& command) {
    return ask(hook, json::serialize(json::object{{"session_id", "s"},
                                                  {"hook_event_name", "PreToolUse"},
                                                  {"tool_name", "Bash"},
                                                  {"tool_input", {{"command", command}}}}));
  }
};

// The verb. ------------------------------------------------------------------------------------------------------
TEST_F(Safety, AVerdictIsExplained) {
  const Outcome blocked = place.baton({"safety", "test", "ls; sudo rm -r -f \"$HOME\""});
  EXPECT_EQ(blocked.code, 1) << blocked;
  for (const char* part :
       {"blocked: ls; sudo rm -r -f \"$HOME\"\n", "rule      recursive-delete", "why       it deletes", "pattern   ^rm",
        "from      built-in", "found     rm -f -r ~", "written   sudo rm -r -f \"$HOME\"", "safety.allow"}) {
    EXPECT_THAT(blocked.out, HasSubstr(part));
  }
  const Outcome allowed = place.baton({"safety", "test", "rm -rf ./build"});
  EXPECT_EQ(allowed.code, 0) << allowed;
  EXPECT_THAT(allowed.out, HasSubstr("allowed: rm -rf ./build\n"));
  EXPECT_FALSE(file_exists(place.state())) << "a question leaves nothing behind";
}

TEST_F(Safety, TheSameAsAnObject) {
  const json::object blocked = verdict({"git push -f origin main"});
  EXPECT_EQ(text_at(blocked, "verdict"), "blocked");
  EXPECT_EQ(text_at(blocked, "rule"), "force-push");
  EXPECT_EQ(text_at(blocked, "found"), "git push -f");
  EXPECT_EQ(text_at(blocked, "origin"), "built-in");
  EXPECT_EQ(text_at(verdict({"git push --force-with-lease"}), "verdict"), "allowed");
}

TEST_F(Safety, ACommandMayComeAsWordsOrFromStdin) {
  EXPECT_EQ(place.baton({"safety", "test", "--", "rm", "-rf", "/"}).code, 1);
  EXPECT_EQ(place.baton({"safety", "test", "--", "echo", "rm -rf /"}).code, 0) << "the second word is one word";
  place.write("script", "ls\nrm -rf /\n");
  const auto piped = [&] {
    return place.start_under({"/bin/sh", "-c", "exec \"$0\" \"$@\" < script"}, {"safety", "test", "-"}).wait();
  };
  EXPECT_EQ(piped().code, 1);
  place.write("script", "ls\n");
  EXPECT_EQ(piped().code, 0);
  EXPECT_EQ(place.baton({"safety", "test"}).code, 2);
  EXPECT_EQ(place.baton({"safety"}).code, 2);
  EXPECT_EQ(place.baton({"safety", "tset", "ls"}).code, 2);
}

TEST_F(Safety, PatternsOfTheProjectReplaceOursAndNameTheirPlace) {
  config("[safety]\nblocked_patterns = ['terraform\\s+destroy', \"a{1,2}b\"]\nallow = ['destroy -target']\n");
  const json::object blocked = verdict({"terraform destroy"});
  EXPECT_EQ(text_at(blocked, "pattern"), "terraform\\s+destroy");
  EXPECT_EQ(text_at(blocked, "origin"), place.file("baton.toml") + ":2");
  EXPECT_EQ(text_at(verdict({"aab"}), "verdict"), "blocked") << "a comma in a pattern parts nothing";
  EXPECT_EQ(text_at(verdict({"rm -rf /"}), "verdict"), "allowed");
  const json::object allowed = verdict({"terraform destroy -target x"});
  EXPECT_EQ(text_at(allowed, "verdict"), "allowed");
  EXPECT_EQ(text_at(allowed, "allowed_by"), "destroy -target");
  EXPECT_EQ(text_at(verdict({"x{1,3}y", "--set", "safety.blocked_patterns=x\\{1,3\\}y"}), "verdict"), "blocked");

  config("[safety]\nblocked_patterns = [\"@built-in\", \"terraform\"]\nenabled = false\n");
  EXPECT_EQ(text_at(verdict({"rm -rf /"}), "verdict"), "blocked");
  EXPECT_THAT(place.baton({"safety", "test", "rm -rf /"}).out, HasSubstr("safety.enabled is false"));
}

TEST_F(Safety, TheListShowsWhatIsInForceAndWhereItComesFrom) {
  config("[safety]\nblocked_patterns = ['@force-push', 'terraform']\nallow = ['x']\n");
  const Outcome told = place.baton({"safety", "list"});
  EXPECT_EQ(told.code, 0);
  EXPECT_THAT(told.out, HasSubstr("force-push"));
  EXPECT_THAT(told.out, HasSubstr("terraform  [" + place.file("baton.toml") + ":2]"));
  EXPECT_THAT(told.out, HasSubstr("allowed                x"));
  EXPECT_THAT(told.out, Not(HasSubstr("recursive-delete")));
  const json::object list =
      json_lines(json::serialize(parse_json(place.baton({"safety", "list", "--json"}).out))).at(0);
  EXPECT_EQ(list.at("blocked").as_array().size(), 2U);
  EXPECT_EQ(list.at("allow").as_array().size(), 1U);
}

TEST_F(Safety, APolicyThatDoesNotParseStopsTheRun) {
  config("[safety]\nblocked_patterns = ['fine', 'rm (-rf']\nallow = ['[z']\n");
  place.workflow("w", {agent_step("a", "m")});
  for (const std::vector<std::string>& args :
       {std::vector<std::string>{"run", "w"}, {"run", "w", "--rehearse"}, {"safety", "test", "ls"}}) {
    const Outcome refused = place.baton(args);
    EXPECT_EQ(refused.code, 2) << refused;
    EXPECT_TRUE(says_error(refused, "bad-safety-pattern")) << refused;
    EXPECT_THAT(refused.err, HasSubstr("--> " + place.file("baton.toml") + ":2"));
    EXPECT_THAT(refused.err, HasSubstr("--> " + place.file("baton.toml") + ":3")) << "all faults at once";
  }
  EXPECT_FALSE(file_exists(place.state()) || place.exists("sandbox")) << "nothing was started";
  EXPECT_TRUE(claude.started().empty());
}

// The hook. ------------------------------------------------------------------------------------------------------
TEST_F(Safety, ClaudeIsGivenAHookThatBlocksInAnyFolderWhateverThePathsAreCalled) {
  place.workflow("w", {agent_step("a", "m")});
  const std::string state = place.file("it's \"the\" $(state)");
  ASSERT_EQ(place.baton({"run", "w", "--state-dir", state}).code, 0);
  EXPECT_TRUE(has(claude.option("--settings"), state)) << "kept with the run";
  EXPECT_EQ(given_settings().at("hooks").at("PreToolUse").at(0).at("matcher"), "Bash|Monitor");
  const std::string hook = hook_in(given_settings());
  const Outcome blocked = ask_about(hook, "rm -rf /");
  EXPECT_EQ(blocked.code, 2) << blocked;
  EXPECT_THAT(blocked.err, HasSubstr("recursive-delete"));
  EXPECT_EQ(blocked.out, "");
  const Outcome allowed = ask_about(hook, "ls");
  EXPECT_EQ(allowed.code, 0) << allowed;
  EXPECT_EQ(allowed.out + allowed.err, "");
}

TEST_F(Safety, AHookThatCannotJudgeBlocks) {
  place.workflow("w", {agent_step("a", "m")});
  ASSERT_EQ(place.baton({"run", "w"}).code, 0);
  const std::string hook = hook_in(given_settings());
  ASSERT_EQ(ask_about(hook, "ls").code, 0);
  for (const char* input : {"", "x", "{}", R"({"tool_name":"Bash","tool_input":{}})"}) {
    const Outcome answer = ask(hook, input);
    EXPECT_EQ(answer.code, 2) << input;
    EXPECT_THAT(answer.err, HasSubstr("Blocked")) << input;
  }
  const std::string policy = text_at(place.show(), "folder") + "/safety.json";
  const std::string kept = read_text(policy);
  write_text(policy, kept.substr(0, kept.size() / 2));
  EXPECT_EQ(ask_about(hook, "ls").code, 2) << "half a policy";
  std::filesystem::remove(policy);
  const Outcome without = ask_about(hook, "ls");
  EXPECT_EQ(without.code, 2);
  EXPECT_THAT(without.err, HasSubstr("there is no policy"));
  std::string no_program = hook;
  no_program.replace(no_program.find("/baton'"), 6, "/gone");
  EXPECT_EQ(ask_about(no_program, "ls").code, 2) << "the program itself is gone";
}

TEST_F(Safety, ARunKeepsItsPolicy) {
  place.workflow("w", {agent_step("a", "m", "retries: 0")});
  claude.does("a.1", "begin; fails 400 api_error no");
  config("[safety]\nblocked_patterns = ['terraform']\n");
  ASSERT_EQ(place.baton({"run", "w"}).code, 1);
  config("[safety]\nblocked_patterns = ['ansible']\n");
  ASSERT_EQ(place.baton({"resume", "last"}).code, 0);
  const std::string hook = hook_in(parse_json(read_text(claude.option("--settings", "a.2"))));
  EXPECT_EQ(ask_about(hook, "terraform").code, 2);
  EXPECT_EQ(ask_about(hook, "ansible").code, 0);
  // One that was lost is written anew, from the configuration as it is now.
  std::filesystem::remove(text_at(place.show(), "folder") + "/safety.json");
  ASSERT_EQ(place.baton({"retry", "last", "a"}).code, 0);
  EXPECT_EQ(ask_about(hook, "ansible").code, 2);
}

TEST_F(Safety, SettingsOfTheUsersOwnArePutTogetherWithOurs) {
  place.workflow("w", {agent_step("a", "m")});
  place.write("own.json", R"({"model":"mine","hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[]}]}})");
  for (const char* args : {R"(["--settings", "own.json"])", R"(["--settings=own.json"])",
                           R"(["--settings", "{\"model\":\"mine\",\"hooks\":{\"PreToolUse\":[{\"hooks\":[]}]}}"])"}) {
    config(std::string{"[runtime.claude]\nargs = "} + args + "\n");
    ASSERT_EQ(place.baton({"run", "w"}).code, 0) << args;
    const auto all = claude.arguments();
    EXPECT_EQ(std::ranges::count_if(all, [](const std::string& a) { return a.starts_with("--settings"); }), 1) << args;
    EXPECT_EQ(given_settings().at("model"), "mine") << args;
    EXPECT_EQ(given_settings().at("hooks").at("PreToolUse").as_array().size(), 2U) << args;
    EXPECT_EQ(ask_about(hook_in(given_settings()), "rm -rf /").code, 2) << args;
  }
}

TEST_F(Safety, SettingsThatClaudeWouldPassOverDoNotTakeOursWithThem) {
  place.workflow("w", {agent_step("a", "m")});
  config("[runtime.claude]\nargs = [\"--settings\", '{\"hooks\":{\"PreToolUse\":[1]}}']\n");
  ASSERT_EQ(place.baton({"run", "w"}).code, 0);
  EXPECT_EQ(ask_about(hook_in(given_settings()), "rm -rf /").code, 2);
  EXPECT_EQ(given_settings().at("hooks").at("PreToolUse").as_array().size(), 1U);
  config("[runtime.claude]\nargs = [\"--settings\", \"gone.json\"]\n");
  ASSERT_EQ(place.baton({"run", "w"}).code, 0);
  EXPECT_EQ(claude.option("--settings"), "gone.json") << "the real one refuses to start";
}

TEST_F(Safety, SwitchedOffThereIsNoHook) {
  place.workflow("w", {agent_step("a", "m")});
  ASSERT_EQ(place.baton({"run", "w", "--set", "safety.enabled=false"}).code, 0);
  EXPECT_FALSE(claude.has_argument("--settings"));
  EXPECT_FALSE(file_exists(text_at(place.show(), "folder") + "/claude-settings.json"));
}

TEST_F(Safety, RunsWithoutAgentsHaveNoUseForAPolicy) {
  place.workflow("w", {step("a", "true")});
  ASSERT_EQ(place.baton({"run", "w"}).code, 0);
  EXPECT_FALSE(file_exists(text_at(place.show(), "folder") + "/safety.json"));
}

// The stream. ----------------------------------------------------------------------------------------------------
TEST_F(Safety, WhatIsRunAllTheSameIsSeenAndSaid) {
  place.workflow("w", {agent_step("a", "m")});
  claude.does("a", R"sh(begin
tool() { printf '%s\n' '{"type":"assistant","message":{"id":"t1","model":"m","content":[{"type":"tool_use","id":"u","name":"Bash",'\
'"input":{"command":"'"$1"'","description":"d"}}]},"parent_tool_use_id":null,"session_id":"s1"}'; }
tool 'ls -l'
tool 'cd x\nrm -r -f /\n'
put '{"title":1}'; result 100 20 0.0008)sh");
  const Outcome ran = place.baton({"run", "w", "--json"});
  ASSERT_EQ(ran.code, 0) << ran;
  std::vector<std::string> warnings;
  for (const json::object& said : of_type(json_lines(ran.out), "step.said")) {
    if (has(text_at(said, "text"), "WARNING")) warnings.push_back(text_at(said, "text"));
  }
  EXPECT_THAT(warnings, testing::ElementsAre("WARNING: safety pattern matched: recursive-delete (rm -f -r /)"));
}

}  // namespace
}  // namespace baton::test
