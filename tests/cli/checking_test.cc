// Definitions from outside: every fault at once with its place, hostile files, usage.
#include <fmt/core.h>

#include <algorithm>
#include <regex>
#include <set>

#include "support/programs.h"

namespace baton::test {
namespace {

class Checking : public Outside {
 protected:
  /// Writes workflows/w.md and checks it, as the issue asks: an answer within its bounds, nothing started or made.
  Outcome check(const std::string& text, const std::string& target = "w") {
    place.write("workflows/w.md", text);
    const Outcome checked = place.baton({"check", target});
    EXPECT_FALSE(checked.killed) << checked;
    EXPECT_TRUE(sanitized() || checked.rss_kb < 200 * 1024) << checked.rss_kb << " kB are over 200 MB";
    EXPECT_FALSE(file_exists(place.state())) << "check makes nothing";
    return checked;
  }
  static std::string head(const std::string& more = "") { return "---\nname: w\ndescription: d\n" + more + "steps:\n"; }
};

constexpr const char* fault_file = R"(---
name: w
description: Many different faults.
colour: red
steps:
  - id: a
    comand: [true]
    command: [touch, canary]
  - id: a
    command: touch canary
  - command: touch canary
  - id: b
    command: touch canary
    needs: [nobody]
  - id: c
    skill: writer
    mission: write
    input: x.md
  - id: d
    command: touch canary
    timeout: soon
  - id: e
    command: touch canary
    on_unknown: perhaps
  - id: f
    command: touch canary
    retries: many
  - id: g
    command: 'cat ${{ inputs.nothing }}'
  - id: h
    command: touch canary
    output: ../outside.txt
  - id: i
    command: touch canary
    needs: [j]
  - id: j
    command: touch canary
    needs: [k]
  - id: k
    command: touch canary
    needs: [i]
  - id: l
    command: 'cat ${{ nonsense }}'
---
)";

const std::map<std::string, std::string>& faults_of_file() {
  static const std::map<std::string, std::string> faults{
      {"unknown-key", "7:5"},          {"duplicate-step-id", "9:5"},     {"missing-step-id", "11:5"},
      {"unknown-need", "14:13"},       {"missing-output-field", "15:5"}, {"bad-duration", "21:14"},
      {"bad-enum", "24:17"},           {"bad-number", "27:14"},          {"unknown-input", "29:14"},
      {"path-leaves-folder", "32:13"}, {"dependency-cycle", "35:13"},    {"unknown-expression", "43:14"}};
  return faults;
}

TEST_F(Checking, EveryFaultIsReportedWithItsPlace) {
  const Outcome checked = check(fault_file);
  EXPECT_EQ(checked.code, 2);
  EXPECT_EQ(checked.out, "");
  ASSERT_GE(faults_of_file().size(), 10U);
  for (const auto& [code, place_of_it] : faults_of_file()) {
    EXPECT_TRUE(says_error(checked, code)) << code << checked;
    EXPECT_TRUE(has(checked.err, "--> workflows/w.md:" + place_of_it)) << code << " at " << place_of_it << checked;
  }
  EXPECT_TRUE(has(checked.err, "did you mean 'command'?")) << "the nearest known key";
  EXPECT_TRUE(has(checked.err, "help: ")) << checked;
  const auto cycle = checked.err.find("dependency-cycle");
  const std::string cycle_line = checked.err.substr(cycle, checked.err.find('\n', cycle) - cycle);
  for (const char* member : {"i", "j", "k"}) {
    EXPECT_TRUE(std::regex_search(cycle_line, std::regex{fmt::format("\\b{}\\b", member)})) << cycle_line;
  }
}

TEST_F(Checking, FaultsAsJsonLines) {
  place.write("workflows/w.md", fault_file);
  place.write(".agents/skills/writer/SKILL.md", "Write.\n");
  const Outcome checked = place.baton({"check", "w", "--json"});
  EXPECT_EQ(checked.code, 2);
  std::set<std::string> seen;
  for (const json::object& fault : json_lines(checked.err)) {
    EXPECT_EQ(text_at(fault, "type"), "error");
    EXPECT_EQ(text_at(fault, "file"), "workflows/w.md");
    EXPECT_FALSE(text_at(fault, "message").empty());
    seen.insert(text_at(fault, "code") + "@" +
                fmt::format("{}:{}", number_at(fault, "line"), number_at(fault, "column")));
  }
  for (const auto& [code, place_of_it] : faults_of_file()) EXPECT_TRUE(seen.contains(code + "@" + place_of_it)) << code;
}

TEST_F(Checking, EveryFaultHasAPage) {
  for (const auto& [code, unused] : faults_of_file()) {
    EXPECT_TRUE(file_exists(source_folder() + "/docs/errors/" + code + ".md")) << code;
  }
}

TEST_F(Checking, RunStartsNothingOfAFaultyDefinition) {
  place.write("workflows/w.md", fault_file);
  const Outcome ran = place.baton({"run", "w"});
  EXPECT_EQ(ran.code, 2);
  for (const auto& [code, unused] : faults_of_file()) EXPECT_TRUE(says_error(ran, code)) << code << ran;
  EXPECT_FALSE(place.exists("canary") || place.exists("sandbox") || file_exists(place.state()));
}

TEST_F(Checking, AGoodDefinitionPasses) {
  const Outcome checked = check(head() + step("a", "true") + "---\n");
  EXPECT_EQ(checked.code, 0) << checked;
  EXPECT_TRUE(has(checked.out, "1 step")) << checked;
}

TEST_F(Checking, SeveralTargetsAtOnce) {
  place.workflow("good", {step("a", "true")});
  place.workflow("bad", {step("a", "true", "needs: [b]")});
  const Outcome checked = place.baton({"check", "good", "bad", "workflows/good.md", "nowhere"});
  EXPECT_EQ(checked.code, 2);
  EXPECT_TRUE(says_error(checked, "unknown-need") && says_error(checked, "unknown-workflow")) << checked;
  EXPECT_TRUE(has(checked.out, "good.md")) << checked;
}

TEST_F(Checking, AnUnknownWorkflowListsWhatIsThere) {
  place.workflow("deploy", {step("a", "true")});
  place.workflow("review", {step("a", "true")});
  for (const char* verb : {"run", "check", "plan"}) {
    const Outcome refused = place.baton({verb, "deplyo"});
    EXPECT_EQ(refused.code, 2);
    EXPECT_TRUE(says_error(refused, "unknown-workflow")) << refused;
    EXPECT_TRUE(has(refused.err, "deploy") && has(refused.err, "review") && has(refused.err, "did you mean 'deploy'?"))
        << refused;
  }
  EXPECT_FALSE(file_exists(place.state()));
}

// --- Hostile files ----------------------------------------------------------------------------------------------

TEST_F(Checking, TenMegabytes) {
  std::string text = head();
  for (int i = 0; text.size() < (10U << 20U); ++i) text += step(fmt::format("s{}", i), std::string(2000, 'x'));
  const Outcome checked = check(text + "---\n");
  EXPECT_EQ(checked.code, 0) << checked.err.substr(0, 500);
}

TEST_F(Checking, TenMegabytesOfFaults) {
  std::string text = head();
  while (text.size() < (10U << 20U)) text += "  - id: a\n    needs: [b]\n    wrong: 1\n";
  const Outcome checked = check(text + "---\n");
  EXPECT_EQ(checked.code, 2);
  EXPECT_LT(checked.err.size(), 1U << 20U) << "not every one of a million";
}

TEST_F(Checking, TooLarge) {
  for (const std::string target : {"w", "workflows/w.md"}) {
    const Outcome checked = check(head() + step("a", "true") + "---\n" + std::string(17U << 20U, 'x'), target);
    EXPECT_EQ(checked.code, 2);
    EXPECT_TRUE(says_error(checked, "file-too-large")) << target << checked.err.substr(0, 500);
  }
}

TEST_F(Checking, TenThousandDeep) {
  for (const auto& [open, close] : {std::pair{"[", "]"}, std::pair{"{a: ", "}"}}) {
    std::string deep;
    for (int i = 0; i < 10'000; ++i) deep += open;
    for (int i = 0; i < 10'000; ++i) deep += close;
    const Outcome checked = check("---\nname: w\ndescription: " + deep + "\nsteps: []\n---\n");
    EXPECT_EQ(checked.code, 2);
    EXPECT_TRUE(says_error(checked, "yaml-too-deep")) << checked.err.substr(0, 500);
  }
}

TEST_F(Checking, AnAliasBomb) {
  std::string text = "---\nname: w\ndescription: d\na0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 12; ++i) {
    std::string item = fmt::format("*a{}", i - 1);
    text += fmt::format("a{}: &a{} [{}", i, i, item);
    for (int n = 0; n < 9; ++n) text += "," + item;
    text += "]\n";
  }
  const Outcome checked = check(text + "steps: *a11\n---\n");
  EXPECT_EQ(checked.code, 2);
  EXPECT_TRUE(says_error(checked, "yaml-too-large")) << checked.err.substr(0, 500);
}

TEST_F(Checking, CarriageReturnsAndAByteOrderMark) {
  const std::string good = head() + step("a", "true") + "---\n";
  EXPECT_EQ(check("\xEF\xBB\xBF" + good).code, 0);
  const std::string crlf = std::regex_replace(good, std::regex{"\n"}, "\r\n");
  EXPECT_EQ(check(crlf).code, 0);
  EXPECT_EQ(check("\xEF\xBB\xBF" + crlf).code, 0);
  const Outcome ran = place.baton({"run", "w"});
  EXPECT_EQ(ran.code, 0) << ran;
  const Outcome faulty = [&] {
    place.write("workflows/w.md", std::regex_replace(std::string{fault_file}, std::regex{"\n"}, "\r\n"));
    return place.baton({"check", "w"});
  }();
  for (const auto& [code, place_of_it] : faults_of_file()) {
    EXPECT_TRUE(has(faulty.err, "--> workflows/w.md:" + place_of_it)) << code << " keeps its place" << faulty;
  }
}

TEST_F(Checking, TabsAndNulAndOtherBytes) {
  const Outcome tabs = check(head() + "\t- id: a\n\t  command: true\n---\n");
  EXPECT_EQ(tabs.code, 2);
  EXPECT_TRUE(says_error(tabs, "bad-yaml") && has(tabs.err, "tab") && has(tabs.err, "w.md:5:1")) << tabs;
  const Outcome nul = check(head() + std::string{"  - id: a\0b\n    command: x\n---\n", 31});
  EXPECT_EQ(nul.code, 2);
  EXPECT_TRUE(says_error(nul, "bad-character") && has(nul.err, "NUL") && has(nul.err, "w.md:5:10")) << nul;
  const Outcome latin = check(head() + "  - id: a\n    command: echo caf\xE9\n---\n");
  EXPECT_EQ(latin.code, 2);
  EXPECT_TRUE(says_error(latin, "bad-character")) << latin;
  const Outcome escape = check(head() + "  - id: \x1b[31m\n    command: x\n---\n");
  EXPECT_EQ(escape.code, 2);
  EXPECT_FALSE(has(escape.err, "\x1b")) << "what a file holds never drives a terminal";
}

TEST_F(Checking, NotAWorkflowAtAll) {
  for (const std::string text :
       {"", "---\n", "just prose\n", "---\nname: w\n", "---\n- a\n- b\n---\n", "---\n: :\n---\n"}) {
    place.write("w.md", text);
    const Outcome checked = place.baton({"check", "w.md"});
    EXPECT_EQ(checked.code, 2) << text;
    EXPECT_TRUE(has(checked.err, "error[")) << checked;
  }
  EXPECT_EQ(place.baton({"check", "workflows"}).code, 2) << "a folder";
  place.write("workflows/prose.md", "# Notes\n");
  EXPECT_EQ(place.baton({"run", "prose"}).code, 2);
}

// --- Usage ------------------------------------------------------------------------------------------------------

TEST_F(Checking, BadUsageIsRefused) {
  place.workflow("w", {step("a", "touch canary")});
  const std::vector<std::vector<std::string>> wrong = {{"run", "w", "--no-such-flag"},
                                                       {"no-such-verb"},
                                                       {"run", "w", "--jobs", "many"},
                                                       {"run", "w", "another"},
                                                       {"show"},
                                                       {"why", "last"},
                                                       {"check"},
                                                       {"plan", "w", "--format", "xml"},
                                                       {"run", "w", "--input"},
                                                       {"--no-such-flag"},
                                                       {"run", "w", "--color", "pink"},
                                                       {"run", "w", "--jobs"}};
  for (const auto& args : wrong) {
    const Outcome refused = place.baton(args);
    EXPECT_EQ(refused.code, 2) << args.front() << refused;
    EXPECT_TRUE(says_error(refused, "bad-usage")) << refused;
    EXPECT_TRUE(has(refused.err, "--help")) << refused;
  }
  const std::vector<std::pair<std::vector<std::string>, std::string>> bad = {
      {{"run", "w", "--jobs", "0"}, "bad-number"},
      {{"run", "w", "--jobs=-3"}, "bad-number"},
      {{"run", "w", "--budget", "much"}, "bad-number"},
      {{"run", "w", "--token-budget", "-1"}, "bad-number"},
      {{"run", "w", "--timeout", "soon"}, "bad-duration"},
      {{"run"}, "no-target"},
      {{"run", "w", "-C", "/no/such"}, "no-such-folder"},
      {{"run", "w", "--rehearse=/no/such"}, "no-rehearsal-script"},
      {{"run", "w", "--task-file", "/no/such"}, "no-task-file"}};
  for (const auto& [args, code] : bad) {
    const Outcome refused = place.baton(args);
    EXPECT_EQ(refused.code, 2) << code << refused;
    EXPECT_TRUE(says_error(refused, code)) << code << refused;
  }
  EXPECT_FALSE(place.exists("canary") || file_exists(place.state()));
}

TEST_F(Checking, EveryVerbHasHelp) {
  const Outcome all = place.baton({"--help"});
  EXPECT_EQ(all.code, 0);
  for (const char* verb : {"run",  "resume", "retry",  "pause",     "cancel", "list",   "show", "logs",
                           "why",  "check",  "plan",   "workflows", "config", "doctor", "init", "clean",
                           "wake", "accept", "reject", "validate",  "skills", "models", "cost", "completion"}) {
    EXPECT_TRUE(has(all.out, verb)) << verb;
    const Outcome help = place.baton({verb, "--help"});
    EXPECT_EQ(help.code, 0) << verb;
    EXPECT_TRUE(has(help.out, "-C") && has(help.out, "--state-dir") && has(help.out, "--color")) << help;
  }
  const Outcome version = place.baton({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_TRUE(version.out.starts_with("baton ")) << version;
  EXPECT_FALSE(file_exists(place.state()));
}

TEST_F(Checking, LongOptionsTakeAnEqualsSign) {
  place.workflow("w", {step("a", "true")});
  const Outcome ran = place.baton({"run", "w", "--jobs=2", "--timeout=60s", "--set=limits.retries=0", "--color=never"});
  EXPECT_EQ(ran.code, 0) << ran;
}

TEST_F(Checking, ASettingOrInputTakesOneWordAndMayComeAgain) {
  place.workflow("w", {step("a", "true")});
  place.write("text", "x");
  const Outcome ran =
      place.baton({"run", "--set", "limits.jobs=2", "--set", "limits.retries=0", "-i", "content=text", "w"});
  EXPECT_EQ(ran.code, 0) << ran;
}

TEST_F(Checking, TheProjectIsFoundUpwardsOrNamed) {
  place.workflow("w", {step("a", "pwd > where")});
  place.write("some/deep/folder/x", "");
  place.cwd = place.file("some/deep/folder");
  EXPECT_EQ(place.baton({"run", "w"}).code, 0);
  EXPECT_EQ(place.read("where"), place.root() + "\n");
  place.cwd = "/";
  const Outcome ran = place.baton({"run", "w", "-C", place.root(), "--state-dir", place.file("elsewhere")});
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_TRUE(place.exists("elsewhere/baton.db"));
  EXPECT_EQ(place.baton({"show", "last", "-C", place.root(), "--state-dir", place.file("elsewhere")}).code, 0);
}

}  // namespace
}  // namespace baton::test
