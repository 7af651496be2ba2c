// Rehearsal: a workflow's wiring, tried for free.
#include <signal.h>

#include <fmt/core.h>

#include <algorithm>

#include "support/programs.h"

namespace baton::test {
namespace {

class Rehearsal : public Outside {
 protected:
  Rehearsal() { place.write("README.md", "x\n"); }

  /// An agent step that writes a JSON object with a title and three points.
  static std::string agent(const std::string& id, const std::string& more = "") {
    std::string text = fmt::format(
        "  - id: {0}\n    skill: writer\n    mission: Write about it.\n    input: README.md\n"
        "    output: ${{{{ sandbox }}}}/outputs/{0}.json\n"
        "    validate:\n      required_fields: [title, bullets]\n      min_key_points: 3\n",
        id);
    for (const std::string& line : lines_of(more)) text += "    " + line + "\n";
    return text;
  }
  std::string prompt_of(const std::string& id, std::size_t n) {
    return read_text(text_at(attempt_of(place.show(), id, n), "prompt"));
  }
};

TEST_F(Rehearsal, RunsNoCommandOfTheUsers) {
  place.workflow(
      "w", {step("a", "touch canary"), step("b", "touch canary", "needs: [a]"), agent("c", "needs: [b]\nfinal: true")});
  const Outcome ran = place.baton({"run", "w", "--rehearse"});
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_FALSE(place.exists("canary"));
  const json::object result = parse_json(ran.out).as_object();
  EXPECT_EQ(text_at(result, "status"), "success");
  const json::object artifact = result.at("artifact").as_object();
  EXPECT_TRUE(artifact.at("title").is_string());
  EXPECT_GE(artifact.at("bullets").as_array().size(), 3U) << "it satisfies the step's own checks";
  const json::object shown = place.show();
  EXPECT_EQ(text_at(attempt_of(shown, "c", 1), "runtime"), "rehearsal");
  EXPECT_GT(number_at(shown.at("tokens").as_object(), "input"), 0) << "plausible usage";
  const json::object attempt = attempt_of(shown, "c", 1);
  EXPECT_FALSE(attempt.at("checks").as_array().empty());
  for (const json::value& check : attempt.at("checks").as_array()) EXPECT_EQ(check.at("passed"), true);
}

/// `summary` is the example of docs/checks.md.
constexpr const char* example_of_checks = R"(---
name: w
description: d
steps:
  - id: intake
    skill: writer
    mission: Take it in.
    input: README.md
    output: ${{ sandbox }}/outputs/intake.json
  - id: summary
    skill: writer
    mission: Sum it up.
    needs: [intake]
    input: ${{ sandbox }}/outputs/intake.json
    output: ${{ sandbox }}/outputs/summary.json
    validate:
      required_fields: [contentId, headline]
      types: {headline: string, score: [number, 'null'], 'quotes.*.text': string}
      enum: {status: [draft, final]}
      min_length: {headline: 10}
      max_items: {tags: 8}
      min: {score: 0}
      pattern: {slug: '^[a-z0-9-]+$'}
      equals: {contentId: '${{ steps.intake.output.contentId }}'}
      schema: schemas/summary.json
      command: ./scripts/check-links "$BATON_OUTPUT"
---
)";

TEST_F(Rehearsal, AnswersMeetTheChecksThatThePageOfChecksShows) {
  place.write("schemas/summary.json",
              R"({"type": "object", "required": ["headline", "tags"], "properties": {"tags": {"type": "array"}}})");
  for (const char* of_intake :
       {"", "    validate: {required_fields: [contentId]}\n", "    validate: {types: {contentId: integer}}\n",
        "    validate: {equals: {contentId: c-17}}\n"}) {
    std::string text = example_of_checks;
    text.insert(text.find("  - id: summary"), of_intake);
    place.write("workflows/w.md", text);
    const Outcome ran = place.baton({"run", "w", "--rehearse"});
    ASSERT_EQ(ran.code, 0) << of_intake << ran;
    EXPECT_EQ(attempt_of(place.show(), "summary", 1).at("state"), "completed") << "at once";
  }
}

/// What one step's checks compare with, another has to say; also where both are made for items, or in a workflow that
/// is a step, and where the field is inside of something or has to be of some kind.
TEST_F(Rehearsal, AnswersSayWhatOthersCompareWith) {
  const auto writes = [](const std::string& id, const std::string& more) {
    std::string text = fmt::format(
        "  - id: {0}\n    skill: writer\n    mission: m\n    input: README.md\n"
        "    output: ${{{{ sandbox }}}}/outputs/{0}.json\n",
        id);
    for (const std::string& line : lines_of(more)) text += "    " + line + "\n";
    return text;
  };
  const std::string compared =
      "needs: [one]\nvalidate:\n  equals: {id: '${{ steps.one.output.meta.0.number }}'}\n"
      "  types: {id: [integer, 'null']}\n  min: {id: 1000}";
  place.workflow("inner", {writes("one", ""), writes("two", compared)});
  std::string items = writes("items", compared + "\nfor_each: [x, y]");
  items.replace(items.find("outputs/items"), 13, "outputs/item-${{ item }}");
  place.workflow("w",
                 {writes("one", ""), writes("two", compared), items, "  - id: sub\n    workflow: inner\n",
                  writes("of_sub", "needs: [sub]\nvalidate: {equals: {x: '${{ steps.sub.output.y }}'}, min: {x: 7}}")});
  const Outcome ran = place.baton({"run", "w", "--rehearse"});
  EXPECT_EQ(ran.code, 0) << ran;
}

TEST_F(Rehearsal, ANeedlessAgentRunIsRefusedWithoutIt) {
  place.workflow("w", {agent("c")});
  const Outcome refused = place.baton({"run", "w"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(says_error(refused, "no-runtime") && has(refused.err, "--rehearse")) << refused;
}

TEST_F(Rehearsal, RealStepsAreRunInEarnest) {
  place.workflow("w", {step("a", "touch canary"), step("b", "touch real-one", "needs: [a]")});
  place.write("script.yaml", "speed: 100\nsteps:\n  b: {real: true}\n");
  const Outcome ran = place.baton({"run", "w", "--rehearse=script.yaml"});
  ASSERT_EQ(ran.code, 0) << ran;
  EXPECT_FALSE(place.exists("canary"));
  EXPECT_TRUE(place.exists("real-one"));
}

TEST_F(Rehearsal, AFailedCheckIsRetriedWithItsMessageInThePrompt) {
  place.workflow("w", {agent("c", "retries: 1\nfinal: true")});
  place.write("script.yaml",
              "speed: 1000\nsteps:\n  c:\n    attempts:\n      - output: {title: Too short, bullets: [one]}\n"
              "      - output: {title: Good, bullets: [one, two, three]}\n");
  const Outcome ran = place.baton({"run", "w", "--rehearse=script.yaml", "--json", "--set", "limits.retry_delay=1ms"});
  ASSERT_EQ(ran.code, 0) << ran;
  std::string message;
  const json::object first = attempt_of(place.show(), "c", 1);
  for (const json::value& check : first.at("checks").as_array()) {
    if (check.at("passed") == false) message = check.at("message").as_string();
  }
  ASSERT_FALSE(message.empty());
  EXPECT_FALSE(has(prompt_of("c", 1), message));
  EXPECT_TRUE(has(prompt_of("c", 2), message)) << message << "\nis not in\n" << prompt_of("c", 2);
  const auto lines = json_lines(ran.out);
  const auto checked = of_type(lines, "step.checked");
  ASSERT_EQ(checked.size(), 2U);
  EXPECT_EQ(checked[0].at("passed"), false);
  EXPECT_EQ(checked[1].at("passed"), true);
  EXPECT_EQ(of_type(lines, "step.retrying").size(), 1U);
  EXPECT_FALSE(of_type(lines, "step.usage").empty());
  EXPECT_TRUE(has(read_text(text_at(lines.back(), "artifact")), "Good"));
}

TEST_F(Rehearsal, ThePromptHasItsLines) {
  place.workflow("w", {agent("c")});
  ASSERT_EQ(place.baton({"run", "w", "--rehearse"}).code, 0);
  int inputs = 0;
  int outputs = 0;
  int validations = 0;
  const std::string prompt = prompt_of("c", 1);
  for (const std::string& line : lines_of(prompt)) {
    inputs += line.starts_with("Input: ") && line.ends_with("README.md") ? 1 : 0;
    outputs += line.starts_with("Output: ") && line.ends_with("outputs/c.json") ? 1 : 0;
    if (line.starts_with("Validation: ")) {
      ++validations;
      EXPECT_TRUE(parse_json(line.substr(12)).is_object()) << line;
    }
  }
  EXPECT_EQ(inputs, 1) << prompt;
  EXPECT_EQ(outputs, 1) << prompt;
  EXPECT_EQ(validations, 1) << prompt;
  EXPECT_TRUE(has(prompt, "Write about it."));
}

TEST_F(Rehearsal, AHangEndsAtTheStepsTimeout) {
  place.workflow("w", {agent("c", "timeout: 200ms\nretries: 0")});
  place.write("script.yaml", "steps:\n  c: {hang: true}\n");
  const Outcome ran = place.baton({"run", "w", "--rehearse=script.yaml"});
  EXPECT_EQ(ran.code, 1) << ran;
  EXPECT_EQ(text_at(attempt_of(place.show(), "c", 1).at("error").as_object(), "code"), "attempt-timed-out");
}

TEST_F(Rehearsal, FailuresAndCrashesAreRetriedWhereThatHelps) {
  place.workflow("w", {agent("flaky", "retries: 2"), agent("refused", "retries: 2")});
  place.write("script.yaml",
              "speed: 1000\nsteps:\n  flaky:\n    attempts:\n      - {fail: transient, message: try again}\n      - "
              "{crash: true}\n"
              "      - {}\n  refused: {fail: refused, message: no way}\n");
  const Outcome ran = place.baton({"run", "w", "--rehearse=script.yaml", "--set", "limits.retry_delay=1ms"});
  EXPECT_EQ(ran.code, 1) << ran;
  const json::object shown = place.show();
  EXPECT_EQ(step_states_of(shown), (std::vector<std::string>{"flaky=completed", "refused=failed"}));
  EXPECT_EQ(step_of(shown, "flaky").at("attempts").as_array().size(), 3U);
  EXPECT_EQ(step_of(shown, "refused").at("attempts").as_array().size(), 1U) << "trying again does not help there";
  EXPECT_TRUE(has(json::serialize(step_of(shown, "refused")), "no way"));
}

TEST_F(Rehearsal, UsageAndABudgetThatPauses) {
  place.workflow("w", {agent("one"), agent("two", "needs: [one]")});
  place.write("script.yaml", "speed: 1000\ndefault: {usage: {input: 1000, output: 100, cost_usd: 0.75}}\n");
  const Outcome ran = place.baton({"run", "w", "--rehearse=script.yaml", "--budget", "0.50", "--json"});
  EXPECT_EQ(ran.code, 4) << ran;
  EXPECT_EQ(text_at(json_lines(ran.out).back(), "type"), "run.paused");
  // Usage comes in portions; the run is paused at the first one that reaches the budget.
  const double spent = place.show().at("cost_usd").to_number<double>();
  EXPECT_GE(spent, 0.5);
  EXPECT_LE(spent, 0.75);
  const Outcome resumed = place.baton({"resume", "last", "--budget", "5"});
  EXPECT_EQ(resumed.code, 0) << resumed;
  EXPECT_DOUBLE_EQ(place.show().at("cost_usd").to_number<double>(), 1.5);
}

TEST_F(Rehearsal, ABadScriptIsRefused) {
  place.workflow("w", {agent("c")});
  place.write("script.yaml", "sped: 3\nsteps:\n  d: {}\n  c: {hnag: true}\n");
  const Outcome refused = place.baton({"run", "w", "--rehearse=script.yaml"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(has(refused.err, "script.yaml:1:1") && has(refused.err, "did you mean 'hang'?")) << refused;
  EXPECT_FALSE(file_exists(place.state()));
}

TEST_F(Rehearsal, AnInterruptedRehearsalGoesOnAsIfItNeverStopped) {
  place.workflow("w", {agent("slow"), agent("next", "needs: [slow]")});
  place.write("script.yaml", "default: {delay: 700ms, usage: {input: 1000, output: 100, cost_usd: 0.25}}\n");
  for (const int signal : {SIGTERM, SIGKILL}) {
    Process run = place.start({"run", "w", "--rehearse=script.yaml", "--json"});
    ASSERT_TRUE(eventually([&] { return has(run.out(), "step.started"); }));
    run.kill(signal);
    EXPECT_EQ(run.wait().code, 128 + signal);
    const Outcome resumed = place.baton({"resume", "last", "--json"});
    EXPECT_EQ(resumed.code, 0) << resumed;
    EXPECT_EQ(types_of(json_lines(resumed.out)).front(), "run.started") << "also before what a step had said";
    const json::object shown = place.show();
    EXPECT_EQ(step_of(shown, "slow").at("attempts").as_array().size(), 1U);
    EXPECT_DOUBLE_EQ(shown.at("cost_usd").to_number<double>(), 0.5) << "nothing is counted twice";
  }
}

TEST_F(Rehearsal, AStepIsStartedBeforeItSpeaks) {
  place.workflow("w", {agent("c")});
  place.write("script.yaml", "speed: 1000\n");
  const Outcome ran = place.baton({"run", "w", "--rehearse=script.yaml", "--json"});
  ASSERT_EQ(ran.code, 0) << ran;
  const auto types = types_of(json_lines(ran.out));
  ASSERT_GE(types.size(), 3U);
  EXPECT_EQ(types[0] + " " + types[1], "run.started step.started");
  EXPECT_TRUE(std::ranges::find(types, "step.said") != types.end());
}

}  // namespace
}  // namespace baton::test
