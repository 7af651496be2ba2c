// What the format promises, point by point, in the words of those who use it.
#include <gmock/gmock.h>

#include "unit/dialect/markdown/reading.h"

namespace baton {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

const Reading formatted;

std::string agent(const std::string& id, const std::string& more) { return "  - id: " + id + "\n" + more; }
const std::string io = "    input: i.md\n    output: o.json\n";

std::vector<std::string> order(const Plan& plan) {
  std::vector<std::string> result;
  for (const StepIndex step : execution_order(plan)) result.push_back(plan.steps[at(step)].id);
  return result;
}

TEST(MarkdownFormat, a_step_may_need_one_that_is_declared_after_it) {
  const Plan plan = formatted.good(head + command_step("second", "    needs: first\n") + command_step("first"));
  EXPECT_THAT(order(plan), ElementsAre("first", "second"));
}

TEST(MarkdownFormat, a_cycle_and_an_unknown_need_are_named_in_known_words) {
  const Faults faults =
      formatted.bad(head + command_step("a", "    needs: [b]\n") + command_step("b", "    needs: [a]\n") +
                    command_step("c", "    needs: [nobody]\n"));
  EXPECT_THAT(places(faults), ElementsAre("dependency-cycle 7:13", "unknown-need 13:13"));
  EXPECT_THAT(faults[0].message, HasSubstr("Circular dependency detected: a -> b -> a"));
  EXPECT_THAT(faults[1].message, HasSubstr("Unknown dependency 'nobody'"));
}

TEST(MarkdownFormat, a_skill_needs_a_mission_a_mission_a_skill_and_neither_goes_with_run) {
  EXPECT_THAT(places(formatted.bad(head + agent("a", "    skill: s\n" + io))),
              ElementsAre("missing-mission-field 5:5"));
  EXPECT_THAT(places(formatted.bad(head + agent("a", "    mission: m\n" + io))),
              ElementsAre("missing-skill-field 5:5"));
  EXPECT_THAT(places(formatted.bad(head + agent("a", io))),
              ElementsAre("missing-skill-field 5:5", "missing-mission-field 5:5"));
  const Faults faults = formatted.bad(head + agent("a", "    skill: s\n    mission: m\n    run: agents/x\n" + io));
  ASSERT_THAT(places(faults), ElementsAre("deprecated-run-field 8:10"));
  EXPECT_THAT(faults[0].help, HasSubstr("remove 'run:'"));
}

TEST(MarkdownFormat, run_is_refused_with_its_new_form_and_only_a_real_name_is_taken_over) {
  const auto help = [](const std::string& run) {
    return formatted.bad(head + agent("a", "    run: " + run + "\n" + io)).at(0).help;
  };
  EXPECT_EQ(help("agents/my-agent-v2"),
            "Migrate to 'skill:' + 'mission:':\n    skill: my-agent-v2\n    mission: <what the skill is to do>");
  EXPECT_THAT(help("agents/a1"), HasSubstr("skill: a1"));
  for (const char* run : {"agents/", "agents/MyAgent", "agents/1x", "agents/-x", "agent/x", "\"\""}) {
    EXPECT_THAT(help(run), HasSubstr("skill: <name>")) << run;
  }
}

TEST(MarkdownFormat, only_some_skills_need_no_input_and_which_is_a_setting) {
  const std::string step = head + "  - id: a\n    skill: SKILL\n    mission: m\n    output: o.json\n";
  const auto with = [&](const std::string& skill) {
    std::string text = step;
    return text.replace(text.find("SKILL"), 5, skill);
  };
  formatted.good(with("browser-research"));
  formatted.good(with("search"));
  EXPECT_THAT(places(formatted.bad(with("writer"))), ElementsAre("missing-input-field 5:5"));
  MarkdownDefaults defaults;
  defaults.inputless_skills = {"writer"};
  EXPECT_TRUE(read_markdown(Reading::source("kit", with("writer")), formatted.binding, defaults));
  EXPECT_FALSE(read_markdown(Reading::source("kit", with("search")), formatted.binding, defaults));
}

TEST(MarkdownFormat, an_input_is_required_unless_said_otherwise_and_an_undeclared_one_is_named) {
  const auto workflow = formatted.read(
      "name: k\ndescription: d\ninputs:\n  - name: a\n    type: file\n  - {name: b, required: "
      "false}\nsteps:\n" +
      command_step("s"));
  ASSERT_TRUE(workflow);
  EXPECT_TRUE(workflow->inputs[0].required);
  EXPECT_EQ(workflow->inputs[0].type, "file");
  EXPECT_FALSE(workflow->inputs[1].required);
  const Faults faults = formatted.bad("name: k\ndescription: d\ninputs: [video1]\nsteps:\n" +
                                      command_step("s", "    input: [${{ inputs.video1 }}, ${{ inputs.video2 }}]\n"));
  ASSERT_THAT(places(faults), ElementsAre("unknown-input 8:35"));
  EXPECT_THAT(faults[0].message, HasSubstr("inputs.video2"));
  EXPECT_THAT(faults[0].help, HasSubstr("Declared inputs: video1"));
}

TEST(MarkdownFormat, the_final_step_is_the_marked_one_else_the_last_in_order_and_never_two) {
  const Plan marked =
      formatted.good(head + command_step("a", "    final: true\n") + command_step("b", "    needs: a\n"));
  EXPECT_EQ(marked.steps[at(*final_step(marked))].id, "a");
  const Plan unmarked = formatted.good(head + command_step("b", "    needs: a\n") + command_step("a"));
  EXPECT_EQ(unmarked.steps[at(*final_step(unmarked))].id, "b");
  EXPECT_TRUE(unmarked.steps[0].final) << "said outright, because a run may add steps";
  EXPECT_FALSE(unmarked.steps[1].final);
  EXPECT_THAT(
      places(formatted.bad(head + command_step("a", "    final: true\n") + command_step("b", "    final: true\n"))),
      ElementsAre("two-finals 10:12"));
}

TEST(MarkdownFormat, an_output_need_not_be_named_like_its_step) {
  const Plan plan = formatted.good(
      head +
      agent("analyze-content",
            "    skill: media-reviewer\n    mission: m\n    input: ${{ sandbox }}/inputs/content.md\n"
            "    output: ${{ sandbox }}/outputs/analysis.json\n") +
      command_step("next", "    needs: analyze-content\n    input: ${{ steps.analyze-content.output }}\n"));
  EXPECT_THAT(plan.steps[1].work->inputs, ElementsAre("sandbox/kit-1/outputs/analysis.json"));
}

TEST(MarkdownFormat, a_page_among_the_workflows_is_no_workflow) {
  EXPECT_FALSE(looks_like_markdown_workflow("# Model comparison report\n\nsteps: none\n"));
  EXPECT_FALSE(looks_like_markdown_workflow("---\ntitle: Report\n---\n"));
  EXPECT_TRUE(looks_like_markdown_workflow(Reading::source("x", head).text));
  const auto read = read_markdown({"# A page\n", "workflows/page.md", "page"}, formatted.binding, {});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error()[0].code, "no-front-matter");
}

TEST(MarkdownFormat, keys_of_version_0_5_are_refused_and_shown_in_todays_form) {
  const Faults faults = formatted.bad(
      head + command_step("a", "    agent: media-reviewer\n    requires: [summary, ideas]\n    artifact: kit.json\n"));
  ASSERT_THAT(places(faults), ElementsAre("unknown-key 7:5", "unknown-key 8:5", "unknown-key 9:5"));
  EXPECT_THAT(faults[0].help, AllOf(HasSubstr("skill: media-reviewer"), HasSubstr("mission: <what")));
  EXPECT_THAT(faults[1].help, HasSubstr("needs: [summary, ideas]"));
  EXPECT_THAT(faults[2].help, HasSubstr("output: ${{ sandbox }}/outputs/kit.json"));
  const Faults old = formatted.bad("name: k\ndescription: d\noutputs:\n  summary: {agent: a, artifact: s.json}\n");
  ASSERT_THAT(places(old), ElementsAre("old-outputs-syntax 4:1"));
  EXPECT_THAT(old[0].help, AllOf(HasSubstr("- id: summary"), HasSubstr("skill: a"), HasSubstr("outputs/s.json")));
}

TEST(MarkdownFormat, a_model_is_one_steps_own_and_comments_versions_and_bodies_are_optional) {
  const auto workflow = read_markdown(
      {"---\nname: k\ndescription: d\nsteps:\n  - id: a\n    # why this one\n    skill: search\n    mission: m\n"
       "    model: haiku\n    output: a.json\n  - id: b\n    skill: search\n    mission: m\n    output: b.json\n---",
       "f", "f"},
      formatted.binding, {});
  ASSERT_TRUE(workflow) << to_text(workflow.error().at(0));
  EXPECT_EQ(workflow->plan.steps[0].work->model, "haiku");
  EXPECT_EQ(workflow->plan.steps[1].work->model, "");
  EXPECT_EQ(workflow->version, "");
}

TEST(MarkdownFormat, yaml_is_read_as_people_write_it) {
  const Plan plan = formatted.good(
      "name: \"k\" # quoted\ndescription: >-\n  two\n  lines\nsteps:\n"
      "  - id: a\n    command: [\"true\"]\n    needs: []\n    output: a.txt\n"
      "  - id: b\n    skill: s\n    mission: |\n      validate: this\n      is: text\n    needs:\n      - a\n"
      "    input:\n      - ${{ steps.a.output }}\n      - 'b.md'\n    output: b.json\n    final: true # note\n"
      "  - {id: c, command: x, needs: a, input: [${{ steps.a.output }}, ${{ sandbox }}/x]}\n");
  EXPECT_EQ(plan.steps[1].work->mission, "validate: this\nis: text\n");
  EXPECT_THAT(plan.steps[1].work->inputs, ElementsAre("a.txt", "b.md"));
  EXPECT_TRUE(plan.steps[1].final);
  EXPECT_THAT(plan.steps[2].work->inputs, ElementsAre("a.txt", "sandbox/kit-1/x"));
  EXPECT_THAT(places(formatted.bad(head + "  - id: a\n\tcommand: x\n")), ElementsAre("bad-yaml 6:1"));
}

TEST(MarkdownFormat, outputs_that_are_not_json_are_text_with_and_without_checks) {
  const auto workflow = formatted.read(head + command_step("a", "    output: a.md\n") +
                                       command_step("b", "    output: b.txt\n    validate: {}\n") +
                                       command_step("c", "    output: c.md\n    validate: {required_fields: [x]}\n") +
                                       command_step("d", "    output: d\n"));
  ASSERT_TRUE(workflow);
  for (const Step& step : workflow->plan.steps) EXPECT_EQ(step.work->output_format, OutputFormat::text) << step.id;
  EXPECT_THAT(places(workflow->warnings), ElementsAre("checks-need-json 15:15"));
}

TEST(MarkdownFormat, per_step_settings_are_the_steps_own) {
  const Plan plan = formatted.good(
      head + agent("a",
                   "    skill: search\n    mission: m\n    output: o.json\n"
                   "    runtime: claude\n    model: opus\n    mode: batch\n    timeout: 10m\n    retries: 0\n"
                   "    budget: {tokens: 5}\n    on_unknown: fail\n"));
  const Step& a = plan.steps[0];
  EXPECT_EQ(a.work->runtime, "claude");
  EXPECT_EQ(a.work->model, "opus");
  EXPECT_EQ(a.work->mode, "batch");
  EXPECT_EQ(a.policy.timeout, Millis{600'000});
  EXPECT_EQ(a.policy.retries, 0);
  EXPECT_EQ(a.policy.on_unknown, OnUnknown::fail);
  EXPECT_EQ(a.work->budget.tokens, 5);
}

}  // namespace
}  // namespace baton
