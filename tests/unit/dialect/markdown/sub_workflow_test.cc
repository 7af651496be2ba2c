// Workflows as steps of others.
#include <gmock/gmock.h>

#include "unit/dialect/markdown/reading.h"

namespace baton {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const std::string review =
    "name: review\ndescription: d\ninputs:\n  - name: text\n  - {name: tone, required: false, default: dry}\n"
    "  - {name: extra, required: false}\nsteps:\n"
    "  - id: read\n    skill: reader\n    mission: Read it in a ${{ inputs.tone }} way, not ${{ inputs.extra }}.\n"
    "    input: ${{ inputs.text }}\n    output: ${{ sandbox }}/outputs/read.json\n"
    "  - id: judge\n    needs: read\n    when: steps.read.output.ok && inputs.tone == 'dry'\n"
    "    command: echo ${{ inputs.text.title }} ${{ steps.read.output.mark }} ${{ steps.read.output }}\n"
    "    output: ${{ sandbox }}/outputs/verdict.txt\n    final: true\n"
    "  - id: tidy\n    needs: read\n    command: [\"true\"]\n";

/// Without the condition on the tone, which cannot be told of one that is put together.
std::string toneless() {
  const std::string part = " && inputs.tone == 'dry'";
  std::string text = review;
  return text.replace(text.find(part), part.size(), "");
}

Reading with_review() {
  Reading reading;
  reading.others["review"] = review;
  return reading;
}

TEST(SubWorkflow, given_a_workflow_as_a_step_when_read_then_its_steps_stand_in_its_place) {
  const Plan plan =
      with_review().good(head + command_step("first", "    output: ${{ sandbox }}/outputs/f.json\n") +
                         "  - id: r\n    title: The review\n    needs: first\n    workflow: review\n    with:\n"
                         "      text: ${{ steps.first.output }}\n      tone: kind\n" +
                         command_step("last", "    needs: r\n    input: ${{ steps.r.output }}\n"));
  EXPECT_THAT(ids(plan.steps), ElementsAre("first", "r:read", "r:judge", "r:tidy", "r", "last"));
  EXPECT_THAT(needs(plan, "r:read"), ElementsAre("first"));
  EXPECT_THAT(needs(plan, "r:judge"), ElementsAre("r:read"));
  EXPECT_THAT(needs(plan, "r"), ElementsAre("r:read", "r:judge", "r:tidy"));
  EXPECT_THAT(needs(plan, "last"), ElementsAre("r"));
  const Step& r = step_of(plan, "r");
  EXPECT_TRUE(r.work->is_nothing());
  EXPECT_EQ(r.flow, nullptr);
  EXPECT_EQ(r.work->title, "The review");
  EXPECT_EQ(r.work->output, "sandbox/kit-1/r/outputs/verdict.txt");
  EXPECT_EQ(r.work->output_format, OutputFormat::text);
  EXPECT_THAT(step_of(plan, "last").work->inputs, ElementsAre("sandbox/kit-1/r/outputs/verdict.txt"));
  const Step& read = step_of(plan, "r:read");
  EXPECT_EQ(read.work->mission, "Read it in a kind way, not .");
  EXPECT_THAT(read.work->inputs, ElementsAre("sandbox/kit-1/outputs/f.json"));
  const Step& judge = step_of(plan, "r:judge");
  EXPECT_EQ(judge.flow->when, "steps.r:read.output.ok && ('kind') == 'dry'");
  EXPECT_THAT(judge.work->env, ElementsAre("BATON_VALUE_1=${{ steps.first.output.title }}",
                                           "BATON_VALUE_2=${{ steps.r:read.output.mark }}",
                                           "BATON_VALUE_3=sandbox/kit-1/r/outputs/read.json"));
  EXPECT_FALSE(judge.final) << "the run's final step is another";
  EXPECT_TRUE(step_of(plan, "last").final);
}

TEST(SubWorkflow, given_a_condition_and_a_gate_when_read_then_they_guard_the_whole) {
  const Plan plan = with_review().good(
      head + command_step("first", "    output: f.json\n") +
      "  - id: r\n    needs: first\n    workflow: review\n    with: {text: ${{ inputs.content }}, tone: ${{ "
      "inputs.content }}}\n"
      "    when: steps.first.output.go\n    gate: {approve: \"Review ${{ steps.first.output.title }}?\"}\n");
  EXPECT_THAT(ids(plan.steps), ElementsAre("first", "r:gate", "r:read", "r:judge", "r:tidy", "r"));
  EXPECT_THAT(needs(plan, "r:gate"), ElementsAre("first"));
  EXPECT_THAT(needs(plan, "r:read"), ElementsAre("r:gate"));
  EXPECT_THAT(needs(plan, "r:tidy"), ElementsAre("r:read"));
  const Step& gate = step_of(plan, "r:gate");
  EXPECT_TRUE(gate.flow->gate && gate.flow->deferred && gate.work->is_nothing());
  EXPECT_EQ(gate.flow->question, "Review ${{ steps.first.output.title }}?");
  for (const char* id : {"r:gate", "r:read", "r:tidy", "r"}) {
    EXPECT_EQ(step_of(plan, id).flow->when, "steps.first.output.go") << id;
  }
  EXPECT_FALSE(step_of(plan, "r").flow->gate);
  EXPECT_EQ(step_of(plan, "r:judge").flow->when,
            "(steps.first.output.go) && (steps.r:read.output.ok && inputs.content == 'dry')");
}

TEST(SubWorkflow, given_items_when_read_then_the_steps_are_the_body_and_each_copy_has_its_own_sandbox) {
  const Plan plan =
      with_review().good(head +
                         "  - id: all\n    workflow: review\n    for_each: [{path: a.md}, {path: b.md}]\n"
                         "    with: {text: \"${{ item.path }}\", tone: \"${{ index }}\"}\n    gate: approve\n" +
                         command_step("last", "    needs: all\n    input: ${{ steps.all.output }}\n"));
  ASSERT_THAT(ids(plan.steps), ElementsAre("all", "last"));
  const Step& all = plan.steps[0];
  EXPECT_EQ(all.work->output, "sandbox/kit-1/outputs/all.items.json");
  EXPECT_EQ(all.work->output_format, OutputFormat::json);
  EXPECT_TRUE(all.flow->gate);
  ASSERT_THAT(ids(all.flow->body), ElementsAre("all:read", "all:judge", "all:tidy"));
  EXPECT_TRUE(all.flow->body[1].final);
  EXPECT_THAT(all.flow->body[1].needs, ElementsAre(step_index(0)));
  EXPECT_THAT(all.flow->body[0].work->inputs, ElementsAre("${{ item.path }}"));
  EXPECT_EQ(all.flow->body[0].work->output, "${{ sandbox }}/outputs/read.json");
  EXPECT_EQ(all.flow->body[0].work->mission, "Read it in a ${{ index }} way, not .");
  EXPECT_THAT(all.flow->body[1].work->env,
              ElementsAre("BATON_VALUE_1=${{ item.path.title }}", "BATON_VALUE_2=${{ steps.all:read.output.mark }}",
                          "BATON_VALUE_3=${{ steps.all:read.output }}"));
}

TEST(SubWorkflow, given_rounds_when_read_then_the_last_rounds_output_is_the_steps) {
  const Plan plan = with_review().good(head +
                                       "  - id: l\n    workflow: review\n    with: {text: ${{ inputs.content }}}\n"
                                       "    loop: {until: output == 'good', max: 4}\n    when: index > 0 || true\n");
  const Step& l = plan.steps.at(0);
  EXPECT_EQ(l.work->output, "sandbox/kit-1/outputs/l.last.txt");
  EXPECT_EQ(l.flow->until, "output == 'good'");
  EXPECT_EQ(l.flow->loop_max, 4);
  ASSERT_THAT(l.flow->body, SizeIs(3));
  EXPECT_EQ(l.flow->body[0].flow->when, "index > 0 || true");
}

TEST(SubWorkflow, given_workflows_inside_workflows_when_read_then_names_sandboxes_and_inputs_go_down) {
  Reading reading;
  reading.others["review"] = toneless();
  reading.others["outer"] =
      "name: outer\ndescription: d\ninputs: [doc]\nsteps:\n"
      "  - id: mid\n    workflow: review\n    with: {text: \"${{ inputs.doc }}\", tone: \"${{ sandbox }}/tone.md\"}\n";
  const Plan plan = reading.good(head + "  - id: o\n    workflow: outer\n    with: {doc: ${{ inputs.content }}}\n");
  EXPECT_THAT(ids(plan.steps), ElementsAre("o:mid:read", "o:mid:judge", "o:mid:tidy", "o:mid", "o"));
  EXPECT_THAT(needs(plan, "o"), ElementsAre("o:mid:read", "o:mid:judge", "o:mid:tidy", "o:mid"));
  EXPECT_THAT(needs(plan, "o:mid:read"), IsEmpty());
  EXPECT_EQ(step_of(plan, "o").work->output, "sandbox/kit-1/o/mid/outputs/verdict.txt");
  EXPECT_THAT(step_of(plan, "o:mid:read").work->inputs, ElementsAre("articles/a b.md"));
  EXPECT_THAT(step_of(plan, "o:mid:read").work->mission, HasSubstr("sandbox/kit-1/o/tone.md"));
  EXPECT_THAT(step_of(plan, "o:mid:judge").work->env[0], "BATON_VALUE_1=${{ inputs.content.title }}");
}

TEST(SubWorkflow, given_workflows_inside_fanned_out_ones_when_read_then_paths_wait_for_the_copy) {
  Reading reading;
  reading.others["review"] = toneless();
  reading.others["outer"] =
      "name: outer\ndescription: d\ninputs: [doc]\nsteps:\n"
      "  - id: mid\n    workflow: review\n    with: {text: \"${{ inputs.doc }}\", tone: \"${{ sandbox }}/tone.md\"}\n";
  const Plan plan =
      reading.good(head + "  - id: o\n    for_each: [a.md]\n    workflow: outer\n    with: {doc: ${{ item }}}\n");
  const std::vector<Step>& body = step_of(plan, "o").flow->body;
  ASSERT_THAT(ids(body), ElementsAre("o:mid:read", "o:mid:judge", "o:mid:tidy", "o:mid"));
  EXPECT_EQ(body[0].work->output, "${{ sandbox }}/mid/outputs/read.json");
  EXPECT_THAT(body[0].work->mission, HasSubstr("${{ sandbox }}/tone.md"));
  EXPECT_EQ(body[3].work->output, "${{ steps.o:mid:judge.output }}");
  EXPECT_TRUE(body[3].flow->deferred && body[3].final);
}

TEST(SubWorkflow, given_no_final_step_when_read_then_the_last_in_order_gives_the_output) {
  Reading reading;
  reading.others["sub"] =
      head + command_step("b", "    needs: a\n    output: ${{ sandbox }}/b.md\n") + command_step("a");
  EXPECT_EQ(step_of(reading.good(head + "  - id: s\n    workflow: sub\n"), "s").work->output, "sandbox/kit-1/s/b.md");
}

// Faults --------------------------------------------------------------------------------------------------------------

TEST(SubWorkflowFaults, given_names_and_inputs_that_do_not_fit_when_read_then_each_is_at_its_place) {
  const Reading reading = with_review();
  const Faults faults =
      reading.bad(head +
                  "  - id: a\n    workflow: reviw\n"                                  // 6
                  "  - id: b\n    workflow: review\n    with: {txet: x}\n"            // 7 to 9
                  "  - id: c\n    workflow: ../x\n"                                   // 11
                  "  - id: d\n    workflow: review\n    with: {text: [x]}\n"          // 14
                  "  - id: e\n    workflow: review\n    with: {text: ${{ item }}}\n"  // 17
                  "  - id: f\n    workflow: review\n    with: {text: x}\n    mission: m\n    retries: 2\n");
  EXPECT_THAT(places(faults), ElementsAre("unknown-workflow 6:15", "missing-input 8:15", "unknown-input 9:12",
                                          "unknown-workflow 11:15", "missing-input 13:15", "wrong-type 14:18",
                                          "item-outside-for-each 17:18", "conflicting-keys 21:5",
                                          "conflicting-keys 22:5", "workflows/review.md bad-expression 17:14"));
  EXPECT_THAT(faults[0].help, HasSubstr("did you mean 'review'?"));
  EXPECT_THAT(faults[2].help, HasSubstr("did you mean 'text'?"));
}

TEST(SubWorkflowFaults, given_a_faulty_sub_workflow_when_used_twice_then_its_faults_come_once_with_their_own_place) {
  Reading reading;
  reading.others["sub"] =
      "name: sub\ndescription: d\nsteps:\n" + command_step("a", "    needs: [b]\n    colour: red\n");
  const Faults faults = reading.bad(head + "  - id: x\n    workflow: sub\n  - id: y\n    workflow: sub\n" +
                                    command_step("z", "    needs: nobody\n"));
  EXPECT_THAT(places(faults), ElementsAre("unknown-need 11:12", "workflows/sub.md unknown-need 7:13",
                                          "workflows/sub.md unknown-key 8:5"));
}

TEST(SubWorkflowFaults, given_a_file_that_is_no_workflow_when_used_then_its_own_fault_is_told) {
  Reading reading;
  reading.others["page"] = "title: x\n";
  EXPECT_THAT(places(reading.bad(head + "  - id: x\n    workflow: page\n" +
                                 command_step("y", "    needs: x\n    input: ${{ steps.x.output }}\n"))),
              Contains("workflows/page.md no-steps 2:1"));
}

TEST(SubWorkflowFaults, given_an_output_beside_a_workflow_that_cannot_be_read_when_read_then_both_are_told) {
  Reading reading;
  reading.others["page"] = "title: x\n";
  const Faults faults =
      reading.bad(head + "  - id: x\n    workflow: page\n    output: ${{ inputs.content.name }}.json\n");
  EXPECT_THAT(places(faults), AllOf(Contains("conflicting-keys 7:5"), Contains("workflows/page.md no-steps 2:1")));
}

TEST(SubWorkflowFaults, given_workflows_that_hold_each_other_when_read_then_the_circle_is_named) {
  Reading reading;
  reading.others["a"] = head + "  - id: x\n    workflow: b\n";
  reading.others["b"] = head + "  - id: y\n    workflow: a\n";
  reading.others["kit"] = head + "  - id: k\n    workflow: kit\n";
  const Faults faults = reading.bad(head + "  - id: s\n    workflow: a\n");
  ASSERT_THAT(places(faults), ElementsAre("workflows/b.md workflow-cycle 6:15"));
  EXPECT_THAT(faults[0].message, HasSubstr("a -> b -> a"));
  EXPECT_THAT(places(reading.bad(head + "  - id: s\n    workflow: kit\n")), ElementsAre("workflow-cycle 6:15"));
}

TEST(SubWorkflowFaults, given_nesting_without_end_when_read_then_eight_levels_are_the_most) {
  Reading reading;
  for (int i = 0; i < 12; ++i) {
    reading.others["w" + std::to_string(i)] = head + "  - id: s\n    workflow: w" + std::to_string(i + 1) + "\n";
  }
  reading.others["w8"] = head + command_step("end");
  EXPECT_THAT(reading.good(head + "  - id: s\n    workflow: w1\n").steps, SizeIs(9));
  EXPECT_THAT(places(reading.bad(head + "  - id: s\n    workflow: w0\n")),
              ElementsAre("workflows/w7.md workflow-too-deep 6:15"));
}

TEST(SubWorkflowFaults, given_workflows_that_multiply_when_read_then_there_is_a_limit) {
  Reading reading;
  std::string steps = head;
  std::string leaf = head;
  for (int i = 0; i < 100; ++i) {
    steps += "  - id: s" + std::to_string(i) + "\n    workflow: NEXT\n";
    leaf += command_step("s" + std::to_string(i));
  }
  const auto level = [&](const std::string& next) {
    std::string text = steps;
    for (std::size_t at = text.find("NEXT"); at != std::string::npos; at = text.find("NEXT")) text.replace(at, 4, next);
    return text;
  };
  reading.others = {{"a", level("b")}, {"b", level("c")}, {"c", leaf}};
  EXPECT_THAT(places(reading.bad(level("a"))), Contains(HasSubstr("too-many-steps")));
}

TEST(SubWorkflowFaults, given_fan_out_inside_fan_out_when_read_then_it_is_refused) {
  Reading reading;
  reading.others["inner"] = head + command_step("t", "    for_each: [1]\n    output: ${{ sandbox }}/${{ index }}\n");
  reading.others["between"] = head + "  - id: m\n    workflow: inner\n";
  EXPECT_THAT(reading.good(head + "  - id: a\n    workflow: between\n").steps, SizeIs(3));
  const Faults faults = reading.bad(head + "  - id: a\n    for_each: [1]\n    workflow: between\n" +
                                    "  - id: b\n    loop: {max: 2}\n    workflow: inner\n");
  EXPECT_THAT(places(faults), ElementsAre("nested-fan-out 7:15", "nested-fan-out 10:15"));
  EXPECT_THAT(faults[0].message, HasSubstr("'a:m:t'"));
}

TEST(SubWorkflowFaults, given_outputs_that_all_items_would_share_when_read_then_it_is_refused) {
  Reading reading;
  reading.others["sub"] = head + command_step("s", "    output: out/fixed.json\n");
  EXPECT_THAT(places(reading.bad(head + "  - id: a\n    for_each: [1]\n    workflow: sub\n")),
              ElementsAre("items-share-output 7:15"));
  reading.good(head + "  - id: a\n    loop: {max: 2}\n    workflow: sub\n");
}

TEST(SubWorkflowFaults, given_a_loop_over_a_workflow_without_output_when_read_then_it_is_refused) {
  Reading reading;
  reading.others["sub"] = head + command_step("s");
  EXPECT_THAT(places(reading.bad(head + "  - id: a\n    loop: {max: 2}\n    workflow: sub\n")),
              ElementsAre("missing-output-field 6:11"));
  EXPECT_THAT(places(reading.bad(head + "  - id: a\n    workflow: sub\n" +
                                 command_step("b", "    needs: a\n    input: ${{ steps.a.output }}\n"))),
              ElementsAre("unknown-step-reference 10:12"));
}

TEST(SubWorkflowFaults, given_names_that_would_clash_or_grow_too_long_when_read_then_it_is_said) {
  Reading reading;
  reading.others["sub"] = head + command_step("gate") + command_step(std::string(100, 'x'));
  EXPECT_THAT(places(reading.bad(head + "  - id: a\n    workflow: sub\n    gate: approve\n")),
              ElementsAre("duplicate-step-id 6:15"));
  EXPECT_THAT(places(reading.bad(head + "  - id: a\n    workflow: sub\n" + command_step("a:b"))),
              ElementsAre("duplicate-step-id 7:5"));
  EXPECT_THAT(places(reading.bad(head + "  - id: " + std::string(30, 'y') + "\n    workflow: sub\n")),
              ElementsAre("bad-step-id 6:15"));
  const std::string nearly = "  - id: " + std::string(20, 'y') + "\n    workflow: sub\n";
  reading.good(head + nearly);
  EXPECT_THAT(places(reading.bad(head + nearly + "    for_each: [1]\n")), ElementsAre("bad-step-id 6:15"))
      << "the names of copies need room";
}

TEST(SubWorkflowFaults, given_an_input_that_was_put_together_when_looked_into_then_it_is_said_where) {
  Reading reading = with_review();
  const Faults faults = reading.bad(head + "  - id: a\n    workflow: review\n    with: {text: x-${{ sandbox }}.md}\n");
  ASSERT_THAT(places(faults), ElementsAre("workflows/review.md bad-expression 17:14"));
  EXPECT_THAT(faults[0].message, AllOf(HasSubstr("'text'"), HasSubstr("put together")));
}

}  // namespace
}  // namespace baton
