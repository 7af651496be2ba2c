#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "dialect/markdown/reader.h"
#include "unit/dialect/markdown/reading.h"

namespace baton {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const Reading kit;

Workflow good(const std::string& front_matter) {
  auto workflow = kit.read(front_matter);
  EXPECT_TRUE(workflow) << (workflow ? "" : to_text(workflow.error().at(0)));
  return workflow.value_or(Workflow{});
}

Faults bad(const std::string& front_matter) { return kit.bad(front_matter); }

// Reading what is right -----------------------------------------------------------------------------------------------

TEST(Markdown, given_every_field_when_read_then_the_plan_has_it) {
  const Workflow workflow = good(
      "name: Kit\nversion: 1.0\ndescription: What it does\nskills: [writer]\n"
      "inputs:\n  - name: content\n    required: false\n    description: the text\n    type: file\n    default: x.md\n"
      "steps:\n"
      "  - id: prepare\n    command: [\"cp\", \"${{ inputs.content }}\", \"${{ steps.prepare.output }}\"]\n"
      "    output: ${{ sandbox }}/outputs/prepared.md\n    retries: 1\n    timeout: 90s\n    on_unknown: ask\n"
      "  - id: write\n    title: Write it\n    skill: writer\n    mission: |\n      Use ${{ steps.prepare.output }}.\n"
      "    needs: prepare\n    input: [${{ steps.prepare.output }}, notes.md]\n    output: ${{ sandbox "
      "}}/outputs/kit.json\n"
      "    final: true # the artifact\n    runtime: claude\n    model: haiku\n"
      "    validate:\n      has_hooks: true\n      min_quotes: 2\n      required_fields: [a, b.c]\n");
  EXPECT_EQ(workflow.name, "Kit");
  EXPECT_EQ(workflow.version, "1.0");
  EXPECT_EQ(workflow.description, "What it does");
  ASSERT_THAT(workflow.inputs, SizeIs(1));
  EXPECT_EQ(workflow.inputs[0].name, "content");
  EXPECT_FALSE(workflow.inputs[0].required);
  EXPECT_EQ(workflow.inputs[0].default_value, "x.md");
  EXPECT_EQ(workflow.inputs[0].place.line, 7);
  EXPECT_THAT(workflow.warnings, IsEmpty());

  const Plan& plan = workflow.plan;
  EXPECT_EQ(plan.workflow, "kit");
  EXPECT_EQ(plan.dialect, "markdown");
  EXPECT_EQ(plan.source, "workflows/kit.md");
  ASSERT_THAT(plan.steps, SizeIs(2));
  const Step& prepare = plan.steps[0];
  EXPECT_THAT(prepare.work->command, ElementsAre("cp", "articles/a b.md", "sandbox/kit-1/outputs/prepared.md"));
  EXPECT_EQ(prepare.work->output_format, OutputFormat::text);
  EXPECT_EQ(prepare.policy, (Policy{.retries = 1,
                                    .on_unknown = OnUnknown::ask,
                                    .timeout = Millis{90'000},
                                    .retry_delay = Millis{1000},
                                    .stop_grace = Millis{1000}}));

  const Step& write = plan.steps[1];
  EXPECT_TRUE(write.final);
  EXPECT_THAT(write.needs, ElementsAre(step_index(0)));
  EXPECT_EQ(write.work->title, "Write it");
  EXPECT_EQ(write.work->mission, "Use sandbox/kit-1/outputs/prepared.md.\n");
  EXPECT_THAT(write.work->inputs, ElementsAre("sandbox/kit-1/outputs/prepared.md", "notes.md"));
  EXPECT_EQ(write.work->output_format, OutputFormat::json);
  EXPECT_EQ(write.work->runtime, "claude");
  EXPECT_EQ(write.work->model, "haiku");
  EXPECT_EQ(write.policy.retries, 2);
  EXPECT_EQ(write.policy.stop_grace, Millis{5000});
  EXPECT_EQ(rules_json(write.work->checks), R"({"required_fields":["a","b.c"],"min_quotes":2,"has_hooks":true})");
}

TEST(Markdown, given_defaults_when_a_step_says_nothing_then_they_hold) {
  const MarkdownDefaults defaults{.agent_retries = 7,
                                  .command_retries = 3,
                                  .retry_delay = Millis{10},
                                  .agent_grace = Millis{20},
                                  .command_grace = Millis{30},
                                  .step_timeout = Millis{40}};
  const auto workflow = read_markdown(
      {"---\n" + head + command_step("a") + "  - id: b\n    skill: search\n    mission: m\n    output: o.json\n---\n",
       "f", "f"},
      kit.binding, defaults);
  ASSERT_TRUE(workflow);
  EXPECT_EQ(workflow->plan.steps[0].policy,
            (Policy{.retries = 3, .timeout = Millis{40}, .retry_delay = Millis{10}, .stop_grace = Millis{30}}));
  EXPECT_EQ(workflow->plan.steps[1].policy,
            (Policy{.retries = 7, .timeout = Millis{40}, .retry_delay = Millis{10}, .stop_grace = Millis{20}}));
}

TEST(Markdown, given_a_need_that_is_declared_later_when_read_then_it_is_fine) {
  const Workflow workflow = good(head + command_step("b", "    needs: [a, a]\n") + command_step("a"));
  EXPECT_THAT(workflow.plan.steps[0].needs, ElementsAre(step_index(1)));
}

TEST(Markdown, given_an_input_that_is_not_bound_when_read_then_it_is_looked_for_in_the_sandbox) {
  const Workflow workflow = good("name: k\ndescription: d\ninputs:\n  - name: a\n  - {name: b, type: json}\nsteps:\n" +
                                 command_step("s", "    input: [\"${{inputs.a}}\", \"${{  inputs.b  }}\"]\n"));
  EXPECT_THAT(workflow.plan.steps[0].work->inputs,
              ElementsAre("sandbox/kit-1/inputs/a.md", "sandbox/kit-1/inputs/b.json"));
}

TEST(Markdown, given_crlf_a_byte_order_mark_and_no_last_newline_when_read_then_it_is_fine) {
  const auto workflow = read_markdown(
      {"\xEF\xBB\xBF---\r\nname: k\r\ndescription: d\r\nsteps:\r\n  - id: a\r\n    command: echo hi\r\n---", "f", "f"},
      kit.binding, {});
  ASSERT_TRUE(workflow) << to_text(workflow.error().at(0));
  EXPECT_THAT(workflow->plan.steps[0].work->command, ElementsAre("/bin/sh", "-c", "echo hi"));
}

TEST(Markdown, given_no_description_when_read_then_it_is_only_a_warning) {
  const Workflow workflow = good("name: k\nsteps:\n" + command_step("a"));
  EXPECT_THAT(places(workflow.warnings), ElementsAre("missing-description 2:1"));
}

TEST(Markdown, given_five_thousand_steps_when_read_then_all_are_there) {
  std::string text = head;
  for (int i = 0; i < 5000; ++i) {
    const std::string before = "s" + std::to_string(i - 1);
    text += "  - id: s" + std::to_string(i) + "\n    skill: writer\n    mission: do it\n    input: " +
            (i == 0 ? "a.md"
                    : "[${{ steps." + before + ".output }}, ${{ steps.s0.output }}]\n    needs: [" + before + "]") +
            "\n    output: ${{ sandbox }}/outputs/" + std::to_string(i) + ".json\n";
  }
  const Workflow workflow = good(text);
  EXPECT_THAT(workflow.plan.steps, SizeIs(5000));
}

// Values and shells ---------------------------------------------------------------------------------------------------

TEST(MarkdownCommand, given_a_shell_line_when_read_then_values_come_by_environment_in_whatever_quotes_they_stand) {
  const Workflow workflow = good(head +
                                 "  - id: a\n    command: |\n      cat ${{ inputs.content }} \"x ${{ inputs.content "
                                 "}}\" 'y ${{ sandbox }}' \"$(cat \"${{ sandbox }}\")\" # it's ${{ sandbox }}\n");
  const Work& work = *workflow.plan.steps[0].work;
  ASSERT_THAT(work.command, SizeIs(3));
  EXPECT_EQ(work.command[2],
            "cat \"$BATON_VALUE_1\" \"x ${BATON_VALUE_1}\" 'y '\"$BATON_VALUE_2\"'' \"$(cat \"${BATON_VALUE_2}\")\" "
            "# it's \"$BATON_VALUE_2\"\n");
  EXPECT_THAT(work.env, ElementsAre("BATON_VALUE_1=articles/a b.md", "BATON_VALUE_2=sandbox/kit-1"));
}

TEST(MarkdownCommand, given_a_hostile_input_path_when_read_then_it_never_reaches_the_line_of_a_shell) {
  const Binding hostile{.sandbox = "s", .inputs = {{"content", "$(rm -rf ~); `x` \"'"}}};
  const auto text =
      "---\n" + head + "  - id: a\n    command: cat ${{ inputs.content }}\n" +
      "  - id: b\n    command: [bash, -ec, \"cat ${{ inputs.content }}\", \"${{ inputs.content }}\"]\n---\n";
  const auto workflow = read_markdown({text, "f", "f"}, hostile, {});
  ASSERT_TRUE(workflow);
  EXPECT_EQ(workflow->plan.steps[0].work->command[2], "cat \"$BATON_VALUE_1\"");
  EXPECT_THAT(workflow->plan.steps[1].work->command,
              ElementsAre("bash", "-ec", "cat \"$BATON_VALUE_1\"", "$(rm -rf ~); `x` \"'"));
  EXPECT_THAT(workflow->plan.steps[1].work->env, ElementsAre("BATON_VALUE_1=$(rm -rf ~); `x` \"'"));
}

// Faults --------------------------------------------------------------------------------------------------------------

TEST(MarkdownFaults, given_ten_different_faults_when_read_then_all_ten_come_with_line_and_column) {
  const Faults faults =
      bad("description: ten faults\n"                   //  2
          "steps:\n"                                    //  3
          "  - id: one\n"                               //  4 one: no skill
          "    mission: do it\n"                        //  5
          "    input: a.md\n"                           //  6
          "    output: one.json\n"                      //  7
          "    timout: 5s\n"                            //  8 unknown key
          "  - id: two\n"                               //  9
          "    command: \"true\"\n"                     // 10
          "    needs: [ono]\n"                          // 11 unknown need
          "    timeout: soon\n"                         // 12 bad duration
          "  - id: three\n"                             // 13
          "    command: cat ${{ steps.one.output }}\n"  // 14 not needed
          "    on_unknown: perhaps\n"                   // 15 bad enum
          "  - id: two\n"                               // 16 duplicate id
          "    command: cat ${{ inputs.nothing }}\n"    // 17 unknown input
          "    output: ../../etc/passwd\n"              // 18 leaves the folder
          "  - id: four\n"                              // 19
          "    command: [\"true\"]\n"                   // 20
          "    needs: [five]\n"                         // 21 cycle
          "  - id: five\n"                              // 22
          "    run: agents/old\n"                       // 23 deprecated
          "    needs: [four]\n");                       // 24
  EXPECT_THAT(places(faults),
              ElementsAre("missing-name 2:1", "missing-skill-field 4:5", "unknown-key 8:5", "unknown-need 11:13",
                          "bad-duration 12:14", "reference-not-needed 14:14", "bad-enum 15:17",
                          "duplicate-step-id 16:5", "unknown-input 17:14", "path-leaves-folder 18:13",
                          "dependency-cycle 21:13", "deprecated-run-field 23:10"));
  for (const Fault& fault : faults) {
    EXPECT_EQ(fault.place.file, "workflows/kit.md");
    EXPECT_FALSE(fault.message.empty());
    EXPECT_FALSE(fault.help.empty()) << fault.code;
  }
  EXPECT_EQ(faults[1].message, "step 'one' has no 'skill'");
  EXPECT_EQ(faults[2].help, "did you mean 'timeout'?");
  EXPECT_EQ(faults[3].message, "Unknown dependency 'ono' in step 'two'");
  EXPECT_EQ(faults[3].help, "did you mean 'one'?");
  EXPECT_THAT(faults[10].message, HasSubstr("Circular dependency detected: four -> five -> four"));
  EXPECT_THAT(faults[11].help, AllOf(HasSubstr("Migrate to 'skill:' + 'mission:'"), HasSubstr("skill: old")));
}

// Skills --------------------------------------------------------------------------------------------------------------

class FewSkills final : public SkillFinder {
 public:
  std::optional<Facts> facts_of(const std::string& name) override {
    if (name == "finder") return Facts{.inputless = true};
    return name == "writer" ? std::optional{Facts{}} : std::nullopt;
  }
  std::vector<std::string> names() override { return {"finder", "writer"}; }
};

std::expected<Workflow, Faults> read_with_skills(const std::string& front_matter, bool warn = true) {
  FewSkills skills;
  MarkdownDefaults defaults;
  defaults.skills = &skills;
  defaults.warn_of_missing_skills = warn;
  return read_markdown({"---\n" + front_matter + "---\n", "workflows/kit.md", "kit"}, kit.binding, defaults);
}

std::string skill_step(const std::string& skill, const std::string& more) {
  return "  - id: a\n    skill: " + skill + "\n    mission: m\n    output: o.json\n" + more;
}

TEST(MarkdownSkills, given_a_skill_that_is_not_there_when_read_then_it_is_a_warning_at_its_name) {
  const auto workflow = read_with_skills(head + skill_step("wirter", "    input: i.md\n"));
  ASSERT_TRUE(workflow);
  ASSERT_THAT(places(workflow->warnings), ElementsAre("unknown-skill 6:12"));
  EXPECT_EQ(workflow->warnings[0].severity, Severity::warning);
  EXPECT_EQ(workflow->warnings[0].message, "step 'a': there is no skill 'wirter'");
  EXPECT_EQ(workflow->warnings[0].help, "did you mean 'writer'? skills found: finder, writer");
  EXPECT_THAT(read_with_skills(head + skill_step("writer", "    input: i.md\n"))->warnings, IsEmpty());
}

TEST(MarkdownSkills, given_nobody_who_wants_to_know_when_read_then_no_skill_is_missed) {
  EXPECT_THAT(read_with_skills(head + skill_step("wirter", "    input: i.md\n"), false)->warnings, IsEmpty());
  EXPECT_THAT(good(head + skill_step("wirter", "    input: i.md\n")).warnings, IsEmpty());
}

TEST(MarkdownSkills, given_a_skill_that_needs_no_input_when_read_then_the_step_may_have_none) {
  EXPECT_TRUE(read_with_skills(head + skill_step("finder", "")));
  EXPECT_TRUE(read_with_skills(head + skill_step("finder", ""), false));
  const auto without = read_with_skills(head + skill_step("writer", ""));
  ASSERT_FALSE(without);
  EXPECT_THAT(places(without.error()), ElementsAre("missing-input-field 5:5"));
}

TEST(MarkdownSkills, given_a_step_without_a_skill_when_read_then_those_there_are_are_named) {
  const auto workflow = read_with_skills(head + "  - id: a\n    mission: m\n    input: i\n    output: o.json\n");
  ASSERT_FALSE(workflow);
  EXPECT_EQ(workflow.error()[0].help, "add 'skill: <name>'; skills found: finder, writer");
}

struct WorkflowFault {
  const char* name;
  std::string front_matter;
  std::string expected;  // code line:column
};

std::ostream& operator<<(std::ostream& out, const WorkflowFault& c) { return out << c.name; }

class MarkdownFault : public testing::TestWithParam<WorkflowFault> {};

TEST_P(MarkdownFault, given_one_fault_when_read_then_just_that_is_reported_at_its_place) {
  EXPECT_THAT(places(bad(GetParam().front_matter)), ElementsAre(GetParam().expected));
}

const std::string agent_step = "  - id: a\n    skill: s\n    mission: m\n";
const std::string files = "    input: i.md\n    output: o.json\n";

INSTANTIATE_TEST_SUITE_P(
    Each, MarkdownFault,
    testing::Values(
        WorkflowFault{"no_steps", "name: k\ndescription: d\n", "no-steps 2:1"},
        WorkflowFault{"empty_steps", "name: k\ndescription: d\nsteps: []\n", "no-steps 4:1"},
        WorkflowFault{"steps_no_list", "name: k\ndescription: d\nsteps: x\n", "wrong-type 4:8"},
        WorkflowFault{"step_no_mapping", head + command_step("a") + "  - b\n", "wrong-type 7:5"},
        WorkflowFault{"no_keys", "just text\n", "no-steps 2:1"}, WorkflowFault{"nothing", "", "no-steps 2:1"},
        WorkflowFault{"unknown_top_key", "name: k\ndescription: d\nstepps: 1\nsteps:\n" + command_step("a"),
                      "unknown-key 4:1"},
        WorkflowFault{"duplicate_key", "name: k\nname: l\ndescription: d\nsteps:\n" + command_step("a"),
                      "duplicate-key 3:1"},
        WorkflowFault{"no_id", head + "  - command: x\n", "missing-step-id 5:5"},
        WorkflowFault{"bad_id", head + "  - id: ../x\n    command: x\n", "bad-step-id 5:9"},
        WorkflowFault{"no_mission", head + "  - id: a\n    skill: s\n" + files, "missing-mission-field 5:5"},
        WorkflowFault{"no_output", head + agent_step + "    input: i\n", "missing-output-field 5:5"},
        WorkflowFault{"no_input", head + agent_step + "    output: o.json\n", "missing-input-field 5:5"},
        WorkflowFault{"empty_input", head + agent_step + "    input: []\n    output: o.json\n",
                      "missing-input-field 5:5"},
        WorkflowFault{"both", head + agent_step + "    command: x\n" + files, "command-and-skill 6:12"},
        WorkflowFault{"bad_skill", head + "  - id: a\n    skill: ../s\n    mission: m\n" + files,
                      "bad-skill-name 6:12"},
        WorkflowFault{"empty_command", head + "  - id: a\n    command: []\n", "wrong-type 6:14"},
        WorkflowFault{"self", head + command_step("a", "    needs: [a]\n"), "self-need 7:13"},
        WorkflowFault{"retries", head + command_step("a", "    retries: -1\n"), "bad-number 7:14"},
        WorkflowFault{"retries_text", head + command_step("a", "    retries: many\n"), "bad-number 7:14"},
        WorkflowFault{"final", head + command_step("a", "    final: perhaps\n"), "wrong-type 7:12"},
        WorkflowFault{"two_finals",
                      head + command_step("a", "    final: true\n") + command_step("b", "    final: true\n"),
                      "two-finals 10:12"},
        WorkflowFault{"former_key", head + command_step("a", "    requires: [a]\n"), "unknown-key 7:5"},
        WorkflowFault{"unknown_check", head + agent_step + files + "    validate:\n      min_qoutes: 3\n",
                      "unknown-check 11:7"},
        WorkflowFault{"bad_check", head + agent_step + files + "    validate:\n      min_quotes: lots\n",
                      "bad-check 11:19"},
        WorkflowFault{"checks_without_output", head + command_step("a", "    validate: {min_quotes: 1}\n"),
                      "bad-check 7:15"},
        WorkflowFault{"validate_type", head + agent_step + files + "    validate: yes\n", "wrong-type 10:15"},
        WorkflowFault{"unknown_step", head + command_step("a", "    input: ${{ steps.b.output }}\n"),
                      "unknown-step-reference 7:12"},
        WorkflowFault{"step_without_output",
                      head + command_step("a") + command_step("b", "    needs: a\n    input: ${{ steps.a.output }}\n"),
                      "unknown-step-reference 10:12"},
        WorkflowFault{"own_output_as_input",
                      head + command_step("a", "    output: o.txt\n    input: ${{ steps.a.output }}\n"),
                      "reference-not-needed 8:12"},
        WorkflowFault{"unknown_expression", head + command_step("a", "    input: ${{ env.HOME }}\n"),
                      "unknown-expression 7:12"},
        WorkflowFault{"unclosed", head + command_step("a", "    input: ${{ sandbox\n"), "unknown-expression 7:12"},
        WorkflowFault{"output_of_output", head + command_step("a", "    output: ${{ steps.a.output }}.bak\n"),
                      "bad-output-reference 7:13"},
        WorkflowFault{"absolute_output", head + command_step("a", "    output: /tmp/x\n"), "path-leaves-folder 7:13"},
        WorkflowFault{"folder_output", head + command_step("a", "    output: out/\n"), "bad-path 7:13"},
        WorkflowFault{"newline_in_output", head + command_step("a", "    output: \"a\\nb\"\n"), "bad-path 7:13"},
        WorkflowFault{"input_without_name",
                      "name: k\ndescription: d\ninputs:\n  - type: file\nsteps:\n" + command_step("a"),
                      "bad-input-name 5:5"},
        WorkflowFault{"input_twice", "name: k\ndescription: d\ninputs: [a, a]\nsteps:\n" + command_step("a"),
                      "duplicate-input 4:13"},
        WorkflowFault{"inputs_no_list", "name: k\ndescription: d\ninputs: {a: 1}\nsteps:\n" + command_step("a"),
                      "wrong-type 4:9"},
        WorkflowFault{"list_as_text", "name: [k]\ndescription: d\nsteps:\n" + command_step("a"), "wrong-type 2:7"}),
    [](const testing::TestParamInfo<WorkflowFault>& one) { return std::string{one.param.name}; });

TEST(MarkdownFaults, given_declared_inputs_when_another_is_used_then_the_declared_ones_are_listed) {
  const Faults faults = bad("name: k\ndescription: d\ninputs: [{name: video1}]\nsteps:\n" +
                            command_step("a", "    input: [\"${{ inputs.video1 }}\", \"${{ inputs.video2 }}\"]\n"));
  ASSERT_THAT(places(faults), ElementsAre("unknown-input 8:37"));
  EXPECT_THAT(faults[0].message, HasSubstr("inputs.video2"));
  EXPECT_THAT(faults[0].help, HasSubstr("Declared inputs: video1"));
}

TEST(MarkdownFaults, given_two_separate_cycles_when_read_then_both_are_named) {
  const Faults faults = bad(head + command_step("a", "    needs: [b]\n") + command_step("b", "    needs: [a]\n") +
                            command_step("c", "    needs: [d]\n") + command_step("d", "    needs: [c]\n"));
  ASSERT_THAT(places(faults), ElementsAre("dependency-cycle 7:13", "dependency-cycle 13:13"));
  EXPECT_THAT(faults[1].message, HasSubstr("c -> d -> c"));
}

TEST(MarkdownFaults, given_a_cycle_whose_steps_use_each_other_when_read_then_only_the_cycle_is_reported) {
  const Faults faults =
      bad(head + command_step("a", "    needs: [b]\n    input: ${{ steps.b.output }}\n    output: a\n") +
          command_step("b", "    needs: [c]\n    input: ${{ steps.a.output }}\n    output: b\n") +
          command_step("c", "    needs: [a]\n"));
  EXPECT_THAT(places(faults), ElementsAre("dependency-cycle 7:13"));
}

TEST(MarkdownFaults, given_a_reference_through_other_steps_when_read_then_it_is_fine) {
  good(head + command_step("a", "    output: a.txt\n") + command_step("b", "    needs: a\n") +
       command_step("c", "    needs: b\n    input: ${{ steps.a.output }}\n"));
}

TEST(MarkdownFaults, given_an_input_bound_to_a_path_upwards_when_an_output_is_made_of_it_then_it_is_refused) {
  const auto workflow =
      read_markdown({"---\n" + head + command_step("a", "    output: x/${{ inputs.content }}\n") + "---\n", "f", "f"},
                    {.sandbox = "/abs/sandbox", .inputs = {{"content", "../../x"}}}, {});
  ASSERT_FALSE(workflow);
  EXPECT_EQ(workflow.error()[0].code, "path-leaves-folder");
}

TEST(MarkdownFaults, given_more_faults_than_anyone_reads_when_read_then_the_first_ones_are_kept) {
  std::string text = head;
  for (int i = 0; i < 5000; ++i) text += command_step("s" + std::to_string(i), "    needs: [nobody]\n");
  const Faults faults = bad(text);
  ASSERT_THAT(faults, SizeIs(200));
  EXPECT_EQ(faults.front().place.line, 7);
}

TEST(MarkdownFaults, given_files_that_are_no_workflow_when_read_then_the_reason_is_clear) {
  const auto code = [](std::string text) {
    return read_markdown({std::move(text), "f", "f"}, kit.binding, {}).error().at(0).code;
  };
  EXPECT_EQ(code(""), "no-front-matter");
  EXPECT_EQ(code("# A page\n"), "no-front-matter");
  EXPECT_EQ(code("---\nname: x\n"), "no-front-matter");
  EXPECT_EQ(code(std::string(17U << 20U, 'x')), "file-too-large");
  EXPECT_EQ(code(std::string{"---\nname: x\n---\nbody \0", 23}), "bad-character");
  EXPECT_EQ(code("---\n" + head + std::string(10'000, '[') + "\n---\n"), "bad-yaml");
  EXPECT_EQ(code("---\na: " + std::string(10'000, '[') + "\n---\n"), "yaml-too-deep");
}

TEST(MarkdownFaults, given_more_steps_than_a_file_may_have_when_read_then_it_is_refused_before_they_are_looked_at) {
  std::string text = head;
  for (int i = 0; i <= 100'000; ++i) text += "  - {}\n";
  EXPECT_THAT(places(bad(text)), ElementsAre("too-many-steps 4:1"));
}

TEST(MarkdownFaults, given_short_texts_that_name_long_paths_very_often_when_read_then_memory_stays_small) {
  std::string text = head + command_step("a", "    output: " + std::string(4000, 'x') + "\n") +
                     "  - id: b\n    needs: a\n    command: |\n      x";
  for (int i = 0; i < 100'000; ++i) text += " ${{ steps.a.output }}";
  text += "\n  - id: c\n    skill: s\n    input: i\n    output: o.json\n    needs: a\n    mission: |\n      x";
  for (int i = 0; i < 100'000; ++i) text += " ${{ steps.a.output }}";
  const Faults faults = bad(text + "\n");
  EXPECT_THAT(places(faults), Contains(HasSubstr("substitution-too-large")));
}

TEST(LooksLikeMarkdownWorkflow, given_files_of_a_folder_when_listed_then_only_workflows_are_taken) {
  EXPECT_TRUE(looks_like_markdown_workflow("---\nname: x\nsteps:\n  - id: a\n---\n"));
  EXPECT_TRUE(looks_like_markdown_workflow("\xEF\xBB\xBF---\r\noutputs :\r\n  a: b\r\n---"));
  EXPECT_FALSE(looks_like_markdown_workflow("---\ntitle: steps\n---\nsteps:\n"));
  EXPECT_FALSE(looks_like_markdown_workflow("# A report\n\nsteps:\n"));
  EXPECT_FALSE(looks_like_markdown_workflow("---\nname: x\n  steps: no\n---\n"));
}

}  // namespace
}  // namespace baton
