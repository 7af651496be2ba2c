// Conditions, items, rounds, gates, budgets and values that are known only later.
#include <gmock/gmock.h>

#include "plan/turn.h"
#include "unit/dialect/markdown/reading.h"

namespace baton {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const Reading reading;

const std::string list_step = command_step("list", "    output: ${{ sandbox }}/outputs/list.json\n");  // lines 5 to 7

TEST(MarkdownWhen, given_a_condition_when_read_then_it_is_kept_with_and_without_braces) {
  const Plan plan =
      reading.good(head + list_step + command_step("a", "    needs: list\n    when: steps.list.output.ok\n") +
                   command_step("b", "    needs: a\n    when: \"${{ steps.list.state == 'skipped' }}\"\n") +
                   command_step("c", "    when: ${{ exists(inputs.content) }} # why not\n"));
  EXPECT_EQ(step_of(plan, "a").flow->when, "steps.list.output.ok");
  EXPECT_FALSE(step_of(plan, "a").flow->deferred);
  EXPECT_EQ(step_of(plan, "b").flow->when, "steps.list.state == 'skipped'");
  EXPECT_EQ(step_of(plan, "c").flow->when, "exists(inputs.content)");
  EXPECT_EQ(step_of(plan, "list").flow, nullptr);
}

TEST(MarkdownWhen, given_a_state_that_does_not_exist_when_read_then_the_nearest_one_is_told) {
  const auto help_for = [](const std::string& state) {
    const Faults faults = reading.bad(
        head + list_step + command_step("a", "    needs: list\n    when: steps.list.state == '" + state + "'\n"));
    return faults.empty() ? "" : faults.front().help;
  };
  EXPECT_EQ(help_for("completd"), "did you mean 'completed'?");
  EXPECT_EQ(help_for("Skipped"), "did you mean 'skipped'?");
  EXPECT_THAT(help_for("x"), HasSubstr("states: pending, ready,"));
  for (const char* state : {"completed", "failed", "skipped", "blocked", "cancelled", "running"}) {
    reading.good(head + list_step +
                 command_step("a", "    needs: list\n    when: steps.list.state != '" + std::string{state} + "'\n"));
  }
}

TEST(MarkdownWhen, given_the_sandbox_in_a_condition_when_read_then_it_is_the_value_itself) {
  const Plan plan = reading.good(head + command_step("a", "    when: sandbox == 'x'\n"));
  EXPECT_EQ(step_of(plan, "a").flow->when, "'sandbox/kit-1' == 'x'");
}

TEST(MarkdownForEach, given_a_list_when_read_then_the_step_is_the_body_of_a_composite) {
  const Plan plan = reading.good(
      head +
      "  - id: t\n    title: All\n    for_each: [a, 2, true, null, '3', {k: v}, \"${{ inputs.content }}\"]\n"
      "    skill: s\n    mission: do ${{ item.k }} into ${{ steps.t.output }}\n    input: ${{ sandbox }}/${{ item "
      "}}.md\n"
      "    output: ${{ sandbox }}/outputs/${{ index }}.json\n    validate: {min_quotes: 1}\n    retries: 5\n"
      "    when: inputs.content != ''\n" +
      command_step("after", "    needs: t\n    input: ${{ steps.t.output }}\n"));
  ASSERT_THAT(ids(plan.steps), ElementsAre("t", "after"));
  const Step& t = plan.steps[0];
  EXPECT_TRUE(t.work->is_nothing());
  EXPECT_EQ(t.work->title, "All");
  EXPECT_EQ(t.work->output, "sandbox/kit-1/outputs/t.items.json");
  EXPECT_EQ(t.work->output_format, OutputFormat::json);
  EXPECT_EQ(t.flow->for_each, R"(["a",2,true,null,"3",{"k":"v"},"articles/a b.md"])");
  EXPECT_EQ(t.flow->when, "inputs.content != ''");
  EXPECT_EQ(t.flow->sandbox, "sandbox/kit-1");
  EXPECT_FALSE(t.flow->deferred);
  ASSERT_THAT(t.flow->body, SizeIs(1));
  const Step& body = t.flow->body[0];
  EXPECT_EQ(body.id, "t");
  EXPECT_TRUE(body.flow->deferred);
  EXPECT_EQ(body.flow->when, "");
  EXPECT_EQ(body.work->mission, "do ${{ item.k }} into sandbox/kit-1/outputs/${{ index }}.json");
  EXPECT_THAT(body.work->inputs, ElementsAre("sandbox/kit-1/${{ item }}.md"));
  EXPECT_EQ(body.work->output, "sandbox/kit-1/outputs/${{ index }}.json");
  EXPECT_EQ(body.work->output_format, OutputFormat::json);
  EXPECT_THAT(body.work->checks, SizeIs(1));
  EXPECT_EQ(body.policy.retries, 5);
  EXPECT_THAT(plan.steps[1].work->inputs, ElementsAre("sandbox/kit-1/outputs/t.items.json"));
}

TEST(MarkdownForEach, given_an_expression_when_read_then_it_is_kept_and_nothing_is_written_without_outputs) {
  const Plan plan = reading.good(
      head + list_step +
      "  - id: t\n    needs: list\n    for_each: ${{ steps.list.output.files }}\n    command: wc ${{ item }}\n");
  const Step& t = step_of(plan, "t");
  EXPECT_EQ(t.flow->for_each, "steps.list.output.files");
  EXPECT_EQ(t.work->output, "");
  EXPECT_THAT(t.flow->body[0].work->env, ElementsAre("BATON_VALUE_1=${{ item }}"));
  EXPECT_THAT(t.flow->body[0].work->command, ElementsAre("/bin/sh", "-c", "wc \"$BATON_VALUE_1\""));
}

TEST(MarkdownForEach, given_a_condition_on_the_item_when_read_then_each_item_has_it) {
  const Plan plan =
      reading.good(head + command_step("t", "    for_each: [{ok: true}]\n    when: item.ok && index < 3\n"));
  EXPECT_EQ(step_of(plan, "t").flow->when, "");
  EXPECT_EQ(step_of(plan, "t").flow->body[0].flow->when, "item.ok && index < 3");
}

TEST(MarkdownForEach, given_a_gate_when_read_then_it_is_asked_once_or_for_each_item_it_speaks_of) {
  const Plan plan = reading.good(head + command_step("a", "    for_each: [1]\n    gate: approve\n") +
                                 command_step("b", "    for_each: [1]\n    gate: {approve: \"Do ${{ item }}?\"}\n") +
                                 "  - id: c\n    for_each: [1]\n    gate: approve\n");
  EXPECT_TRUE(step_of(plan, "a").flow->gate);
  EXPECT_EQ(step_of(plan, "a").flow->body[0].flow, nullptr);
  EXPECT_FALSE(step_of(plan, "b").flow->gate);
  EXPECT_EQ(step_of(plan, "b").flow->body[0].flow->question, "Do ${{ item }}?");
  EXPECT_TRUE(step_of(plan, "b").flow->body[0].flow->deferred);
  EXPECT_FALSE(step_of(plan, "c").flow->gate);
  EXPECT_TRUE(step_of(plan, "c").flow->body[0].flow->gate);
}

TEST(MarkdownLoop, given_rounds_when_read_then_the_output_others_see_is_the_last_ones) {
  const Plan plan = reading.good(
      head +
      "  - id: l\n    skill: search\n    mission: round ${{ index }}\n    output: ${{ sandbox }}/o.json\n"
      "    loop: {until: \"output.score >= 8 || steps.l.output.done\", max: 5}\n"
      "  - id: m\n    command: x\n    output: ${{ sandbox }}/${{ index }}.txt\n    loop:\n      max: 3\n" +
      command_step("n", "    needs: [l, m]\n    input: [\"${{ steps.l.output }}\", \"${{ steps.m.output }}\"]\n"));
  const Step& l = step_of(plan, "l");
  EXPECT_EQ(l.flow->until, "output.score >= 8 || output.done");
  EXPECT_EQ(l.flow->loop_max, 5);
  EXPECT_EQ(l.work->output, "sandbox/kit-1/o.json");
  EXPECT_EQ(l.flow->body[0].work->output, "sandbox/kit-1/o.json");
  EXPECT_EQ(step_of(plan, "m").flow->until, "");
  EXPECT_EQ(step_of(plan, "m").work->output, "sandbox/kit-1/outputs/m.last.txt");
  EXPECT_EQ(step_of(plan, "m").work->output_format, OutputFormat::text);
  EXPECT_THAT(step_of(plan, "n").work->inputs, ElementsAre("sandbox/kit-1/o.json", "sandbox/kit-1/outputs/m.last.txt"));
}

TEST(MarkdownGate, given_gates_when_read_then_a_step_may_be_nothing_but_one) {
  const Plan plan = reading.good(
      head + list_step + "  - id: ok\n    needs: list\n    gate: approve\n" +
      command_step(
          "b", "    needs: ok\n    gate:\n      approve: Publish ${{ steps.list.output.title }} of ${{ sandbox }}?\n"));
  const Step& ok = step_of(plan, "ok");
  EXPECT_TRUE(ok.work->is_nothing());
  EXPECT_TRUE(ok.flow->gate);
  EXPECT_EQ(ok.flow->question, "Go on with 'ok'?");
  const Step& b = step_of(plan, "b");
  EXPECT_TRUE(b.flow->deferred);
  EXPECT_EQ(b.flow->question, "Publish ${{ steps.list.output.title }} of sandbox/kit-1?");
}

TEST(MarkdownBudget, given_budgets_and_stalls_when_read_then_they_are_exact) {
  const Plan plan = reading.good(head + command_step("a", "    budget: 0.50\n    stall: 10m\n") +
                                 command_step("b", "    budget: {usd: 12.000000001, tokens: 20000, turns: 7}\n") +
                                 command_step("c", "    budget: 0\n"));
  EXPECT_EQ(plan.steps[0].work->budget, (StepBudget{.nano_usd = 500'000'000}));
  EXPECT_EQ(plan.steps[0].policy.stall, Millis{600'000});
  EXPECT_EQ(plan.steps[1].work->budget, (StepBudget{.nano_usd = 12'000'000'001, .tokens = 20'000, .turns = 7}));
  EXPECT_EQ(plan.steps[2].work->budget, (StepBudget{.nano_usd = 0}));
}

// Values that are known only later ------------------------------------------------------------------------------------

TEST(MarkdownDeferred, given_a_field_of_an_output_when_read_then_it_waits_and_everything_else_is_filled_in) {
  const Plan plan = reading.good(head + list_step +
                                 "  - id: b\n    needs: list\n    command: [cp, \"${{  steps.list.output.path }}\", "
                                 "\"${{ steps.list.output }}\"]\n"
                                 "  - id: c\n    needs: list\n    skill: s\n    mission: ${{ inputs.content.title "
                                 "}}/${{length(steps.list.output)}}\n"
                                 "    input: x.md\n    output: ${{ steps.list.output.name }}.json\n" +
                                 command_step("d", "    needs: c\n    input: ${{ steps.c.output }}\n"));
  EXPECT_THAT(step_of(plan, "b").work->command,
              ElementsAre("cp", "${{ steps.list.output.path }}", "sandbox/kit-1/outputs/list.json"));
  EXPECT_TRUE(step_of(plan, "b").flow->deferred);
  EXPECT_EQ(step_of(plan, "c").work->mission, "${{ inputs.content.title }}/${{ length(steps.list.output) }}");
  EXPECT_EQ(step_of(plan, "c").work->output, "${{ steps.list.output.name }}.json");
  EXPECT_THAT(step_of(plan, "d").work->inputs, ElementsAre("${{ steps.c.output }}")) << "the path is known later";
}

TEST(MarkdownDeferred, given_a_hostile_value_when_a_shell_line_waits_for_it_then_it_stays_out_of_the_line) {
  const Plan plan =
      reading.good(head + list_step +
                   "  - id: b\n    needs: list\n    command: |\n"
                   "      echo ${{ steps.list.output.x }} '${{ sandbox }}' \"${{ steps.list.output.x }}\"\n");
  const Work& work = *step_of(plan, "b").work;
  EXPECT_EQ(work.command[2], "echo \"$BATON_VALUE_1\" ''\"$BATON_VALUE_2\"'' \"${BATON_VALUE_1}\"\n");
  EXPECT_THAT(work.env, ElementsAre("BATON_VALUE_1=${{ steps.list.output.x }}", "BATON_VALUE_2=sandbox/kit-1"));
}

TEST(MarkdownDeferred, given_a_known_value_that_looks_like_an_expression_when_filled_in_later_then_it_stays_text) {
  Reading hostile;
  hostile.binding.inputs["content"] = "${{ item }} }} x";
  const Plan plan = hostile.good(
      head +
      "  - id: t\n    for_each: [secret]\n    command: [echo, \"${{ inputs.content }}|${{ item }}\"]\n"
      "  - id: u\n    command: [echo, \"${{ inputs.content }}\"]\n    when: index != 1 || true\n    for_each: [x]\n" +
      command_step("v", "    input: ${{ inputs.content }}\n"));
  class None : public Values {
    [[nodiscard]] std::optional<std::string> output_of(const std::string&) const override { return {}; }
    [[nodiscard]] std::string state_of(const std::string&) const override { return {}; }
    [[nodiscard]] std::string path_of(const std::string&) const override { return {}; }
    [[nodiscard]] std::optional<std::string> input(const std::string&) const override { return {}; }
    [[nodiscard]] std::string path_of_input(const std::string&) const override { return {}; }
  };
  const auto command_of_copy = [&](const std::string& id) {
    const TurnResult made = take_turn(step_of(plan, id), {}, None{});
    return take_turn(made.made.at(0), {}, None{}).work->command.at(1);
  };
  EXPECT_EQ(command_of_copy("t"), "${{ item }} }} x|secret");
  EXPECT_EQ(command_of_copy("u"), "${{ item }} }} x") << "nothing in it waits, so nothing is looked at";
  EXPECT_THAT(step_of(plan, "v").work->inputs, ElementsAre("${{ item }} }} x"));
}

// Faults --------------------------------------------------------------------------------------------------------------

struct FlowFault {
  const char* name;
  std::string steps;
  std::string expected;  // code line:column
};

std::ostream& operator<<(std::ostream& out, const FlowFault& c) { return out << c.name; }

class MarkdownFlowFault : public testing::TestWithParam<FlowFault> {};

TEST_P(MarkdownFlowFault, given_one_fault_when_read_then_just_that_is_reported_at_its_place) {
  const Faults faults = reading.bad(head + GetParam().steps);
  EXPECT_THAT(places(faults), ElementsAre(GetParam().expected));
  for (const Fault& fault : faults) EXPECT_FALSE(fault.help.empty()) << fault.code;
}

INSTANTIATE_TEST_SUITE_P(
    Each, MarkdownFlowFault,
    testing::Values(
        FlowFault{"when_empty", command_step("a", "    when:\n"), "bad-expression 7:10"},
        FlowFault{"when_list", command_step("a", "    when: [x]\n"), "wrong-type 7:11"},
        FlowFault{"when_syntax", command_step("a", "    when: 1 == == 2\n"), "bad-expression 7:16"},
        FlowFault{"when_syntax_quoted", command_step("a", "    when: \"${{ 1 == == 2 }}\"\n"), "bad-expression 7:21"},
        FlowFault{"when_unknown_word", command_step("a", "    when: true && github.sha\n"), "bad-expression 7:19"},
        FlowFault{"when_umlauts", command_step("a", "    when: \"'äöü' == nope\"\n"), "bad-expression 7:21"},
        FlowFault{"when_unknown_step", command_step("a", "    when: steps.b.state\n"), "unknown-step-reference 7:11"},
        FlowFault{"when_unknown_input", command_step("a", "    when: !!str inputs.x\n"), "unknown-input 7:11"},
        FlowFault{"when_not_needed", list_step + command_step("a", "    when: true && steps.list.output\n"),
                  "reference-not-needed 10:19"},
        FlowFault{"state_not_needed", list_step + command_step("a", "    when: steps.list.state\n"),
                  "reference-not-needed 10:11"},
        FlowFault{"when_unknown_state",
                  list_step + command_step("a", "    needs: list\n    when: steps.list.state == 'completd'\n"),
                  "unknown-state 11:31"},
        FlowFault{"when_unknown_state_in_front",
                  list_step + command_step("a", "    needs: list\n    when: \"${{ 'done' != steps.list.state }}\"\n"),
                  "unknown-state 11:16"},
        FlowFault{"when_itself", command_step("a", "    output: o\n    when: steps.a.output\n"),
                  "reference-not-needed 8:11"},
        FlowFault{"when_own_output", command_step("a", "    output: o\n    when: output.x\n"), "bad-expression 8:11"},
        FlowFault{"when_no_output", command_step("z") + command_step("a", "    needs: z\n    when: steps.z.output\n"),
                  "unknown-step-reference 10:11"},
        FlowFault{"item_alone", command_step("a", "    when: item.x\n"), "item-outside-for-each 7:11"},
        FlowFault{"item_in_text", "  - id: a\n    command: echo ${{ item }}\n", "item-outside-for-each 6:14"},
        FlowFault{"index_in_text", "  - id: a\n    command: echo ${{ index }}\n", "item-outside-for-each 6:14"},
        FlowFault{"item_in_loop", "  - id: a\n    command: echo ${{ item }}\n    output: o\n    loop: {max: 2}\n",
                  "item-outside-for-each 6:14"},
        FlowFault{"item_in_for_each", command_step("a", "    for_each: item.list\n"), "item-outside-for-each 7:15"},
        FlowFault{"unknown_field_form", command_step("a", "    input: ${{ steps.list.output. }}\n"),
                  "unknown-expression 7:12"},
        FlowFault{"field_not_needed", list_step + command_step("a", "    input: ${{ steps.list.output.x }}\n"),
                  "reference-not-needed 10:12"},
        FlowFault{"own_field", "  - id: a\n    command: echo ${{ steps.a.output.x }}\n    output: o.json\n",
                  "reference-not-needed 6:14"},
        FlowFault{"mission_unknown",
                  "  - id: a\n    skill: search\n    mission: ${{ github.sha }}\n    output: o.json\n",
                  "unknown-expression 7:14"},
        FlowFault{"for_each_nothing", command_step("a", "    for_each:\n"), "wrong-type 7:14"},
        FlowFault{"for_each_mapping", command_step("a", "    for_each: {a: 1}\n"), "wrong-type 7:15"},
        FlowFault{"for_each_syntax", command_step("a", "    for_each: ${{ 1 + 2 }}\n"), "bad-expression 7:21"},
        FlowFault{"for_each_bad_json", command_step("a", "    for_each: '[1, 2'\n"), "not-a-list 7:15"},
        FlowFault{"for_each_not_needed", list_step + command_step("a", "    for_each: ${{ steps.list.output }}\n"),
                  "reference-not-needed 10:19"},
        FlowFault{"for_each_late_item",
                  list_step + command_step("a", "    needs: list\n    for_each: [\"${{ steps.list.output.x }}\"]\n"),
                  "bad-expression 11:16"},
        FlowFault{"shared_output", command_step("a", "    for_each: [1]\n    output: ${{ sandbox }}/o.json\n"),
                  "items-share-output 8:13"},
        FlowFault{"both", command_step("a", "    for_each: [1]\n    output: ${{ index }}\n    loop: {max: 2}\n"),
                  "nested-fan-out 9:11"},
        FlowFault{"loop_without_max", command_step("a", "    output: o\n    loop: {until: output.x}\n"),
                  "bad-number 8:11"},
        FlowFault{"loop_max_zero", command_step("a", "    output: o\n    loop: {max: 0}\n"), "bad-number 8:17"},
        FlowFault{"loop_max_large", command_step("a", "    output: o\n    loop: {max: 1001}\n"), "bad-number 8:17"},
        FlowFault{"loop_key", command_step("a", "    output: o\n    loop: {max: 2, untill: x}\n"), "unknown-key 8:20"},
        FlowFault{"loop_type", command_step("a", "    output: o\n    loop: 5\n"), "wrong-type 8:11"},
        FlowFault{"loop_until", command_step("a", "    output: o\n    loop: {until: output.x >, max: 2}\n"),
                  "bad-expression 8:29"},
        FlowFault{"loop_no_output", command_step("a", "    loop: {max: 2}\n"), "missing-output-field 7:11"},
        FlowFault{"gate_word", command_step("a", "    gate: maybe\n"), "bad-enum 7:11"},
        FlowFault{"gate_key", command_step("a", "    gate: {aprove: x}\n"), "unknown-key 7:12"},
        FlowFault{"gate_list", command_step("a", "    gate: [approve]\n"), "wrong-type 7:11"},
        FlowFault{"gate_question", command_step("a", "    gate: {approve: \"${{ nope }}\"}\n"),
                  "unknown-expression 7:21"},
        FlowFault{"gate_with_output", "  - id: a\n    gate: approve\n    output: o\n    mission: m\n    input: i\n",
                  "missing-skill-field 5:5"},
        FlowFault{"with_alone", command_step("a", "    with: {x: y}\n"), "conflicting-keys 7:5"},
        FlowFault{"budget_text", command_step("a", "    budget: much\n"), "bad-number 7:13"},
        FlowFault{"budget_negative", command_step("a", "    budget: {usd: -1}\n"), "bad-number 7:19"},
        FlowFault{"budget_tokens", command_step("a", "    budget: {tokens: 1.5}\n"), "bad-number 7:22"},
        FlowFault{"budget_key", command_step("a", "    budget: {euro: 1}\n"), "unknown-key 7:14"},
        FlowFault{"budget_list", command_step("a", "    budget: [1]\n"), "wrong-type 7:13"},
        FlowFault{"stall", command_step("a", "    stall: soon\n"), "bad-duration 7:12"},
        FlowFault{"made_id_taken", command_step("a", "    for_each: [1]\n") + command_step("a:1"),
                  "duplicate-step-id 8:5"},
        FlowFault{"long_id", command_step(std::string(120, 'a'), "    for_each: [1]\n"), "bad-step-id 5:5"}),
    [](const testing::TestParamInfo<FlowFault>& one) { return std::string{one.param.name}; });

TEST(MarkdownFlowFaults, given_a_condition_in_a_block_when_faulty_then_the_place_is_where_the_block_begins) {
  EXPECT_THAT(places(reading.bad(head + command_step("a", "    when: |\n      1 ==\n"))),
              ElementsAre("bad-expression 7:11"));
}

}  // namespace
}  // namespace baton
