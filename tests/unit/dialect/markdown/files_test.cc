// Files that two steps write, and inputs that are not there.
#include <gmock/gmock.h>

#include <set>

#include "unit/dialect/markdown/reading.h"

namespace baton {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> codes(const Faults& faults) {
  std::vector<std::string> all;
  for (const Fault& f : faults) {
    if (f.code == "shared-output" || f.code == "outputs-collide") {
      all.push_back((f.severity == Severity::error ? "error " : "warning ") + f.code);
    }
  }
  return all;
}

std::string writes(const std::string& id, const std::string& output, const std::string& more = "") {
  return command_step(id, "    output: " + output + "\n" + (more.empty() ? "" : "    " + more + "\n"));
}

struct Case {
  std::string name;
  std::string steps;
  std::vector<std::string> expected;
};

class SharedOutput : public testing::TestWithParam<Case> {};

TEST_P(SharedOutput, is_told) {
  Reading reading;
  reading.others["part"] = "name: part\ndescription: d\nsteps:\n" + writes("read", "out/x.txt");
  reading.others["pair"] =
      "name: pair\ndescription: d\nsteps:\n" + writes("p", "${{ sandbox }}/x") + writes("q", "${{ sandbox }}/./x");
  const auto workflow = reading.read(head + GetParam().steps);
  EXPECT_EQ(codes(workflow ? workflow->warnings : workflow.error()), GetParam().expected);
}

const std::string index_name = "out/${{ index }}.txt";

INSTANTIATE_TEST_SUITE_P(
    Markdown, SharedOutput,
    testing::ValuesIn(std::vector<Case>{
        {"apart", writes("a", "out/x.txt") + writes("b", "out/y.txt"), {}},
        {"neither_needs_the_other", writes("a", "out/x.txt") + writes("b", "out/x.txt"), {"error shared-output"}},
        {"written_differently", writes("a", "out/x.txt") + writes("b", "./out//x.txt"), {"error shared-output"}},
        {"one_after_the_other",
         writes("a", "out/x.txt") + writes("b", "out/x.txt", "needs: a"),
         {"warning shared-output"}},
        {"through_others",
         writes("a", "out/x.txt") + command_step("m", "    needs: a\n") + writes("b", "out/z/../x.txt", "needs: m"),
         {"warning shared-output"}},
        {"the_last_of_three_beside_the_others",
         writes("a", "out/x.txt") + writes("b", "out/x.txt", "needs: a") + writes("c", "out/x.txt", "needs: a"),
         {"warning shared-output", "error shared-output"}},
        {"a_step_of_another_workflow",
         writes("a", "out/x.txt") + "  - id: w\n    workflow: part\n",
         {"error shared-output"}},
        {"a_step_of_another_workflow_that_needs_it",
         writes("a", "out/x.txt") + "  - id: w\n    workflow: part\n    needs: a\n",
         {"warning shared-output"}},
        {"twice_the_same_workflow",
         "  - id: v\n    workflow: part\n  - id: w\n    workflow: part\n",
         {"error shared-output"}},
        {"one_workflow_and_its_own_output", "  - id: w\n    workflow: part\n", {}},
        {"two_of_the_body", "  - id: w\n    workflow: pair\n    for_each: [a]\n", {"error shared-output"}},
        {"items_alike", writes("a", "out.${{ item }}", "for_each: [de, de]"), {"error outputs-collide"}},
        {"items_apart", writes("a", "out.${{ item }}", "for_each: [de, fr]"), {}},
        {"items_that_end_alike", writes("a", "out/${{ item }}", "for_each: [x, ./x]"), {"error outputs-collide"}},
        {"an_item_and_a_step",
         writes("a", index_name, "for_each: [de, fr]") + writes("b", "out/2.txt"),
         {"error outputs-collide"}},
        {"an_item_and_a_step_that_needs_all",
         writes("a", index_name, "for_each: [de, fr]") + writes("b", "out/2.txt", "needs: a"),
         {"warning shared-output"}},
        {"rounds", writes("a", "out/x.txt", "loop: {max: 3}"), {}},
        {"rounds_and_a_step",
         writes("a", "out/x.txt", "loop: {max: 3}") + writes("b", "out/x.txt"),
         {"error shared-output"}},
        {"items_that_only_the_run_knows",
         writes("l", "l.json") + writes("a", "out.${{ item }}", "needs: l\n    for_each: steps.l.output"),
         {}}}),
    [](const auto& info) { return info.param.name; });

TEST(SharedOutput, is_told_where_the_later_step_says_it) {
  const Faults faults = Reading{}.bad(head + writes("a", "out/x.txt") + writes("b", "out//x.txt"));
  ASSERT_THAT(places(faults), ElementsAre("shared-output 10:13"));
  EXPECT_EQ(faults[0].message, "step 'b' writes the same output as step 'a', and neither needs the other: 'out/x.txt'");
}

// Inputs --------------------------------------------------------------------------------------------------------------

struct AbsentInputs : testing::Test {
  Reading reading;
  std::set<std::string> there;

  AbsentInputs() {
    reading.binding.is_there = [this](const std::string& path) { return there.contains(path); };
  }

  /// `error STEP` or `warning STEP` for each.
  std::vector<std::string> absent(const std::string& steps, const std::string& before = head) {
    const auto workflow = reading.read(before + steps);
    EXPECT_TRUE(workflow) << (workflow ? "" : to_text(workflow.error().front()));
    std::vector<std::string> all;
    for (const AbsentInput& input : workflow ? workflow->absent : std::vector<AbsentInput>{}) {
      EXPECT_EQ(input.fault.code, "input-not-found");
      all.push_back((input.fault.severity == Severity::error ? "error " : "warning ") + input.step);
    }
    return all;
  }
};

std::string reads(const std::string& id, const std::string& input, const std::string& more = "") {
  return command_step(id, "    input: " + input + "\n" + (more.empty() ? "" : "    " + more + "\n"));
}

TEST_F(AbsentInputs, a_step_that_needs_no_other_is_refused) {
  EXPECT_THAT(absent(reads("a", "notes.md")), ElementsAre("error a"));
  there = {"notes.md"};
  EXPECT_THAT(absent(reads("a", "./notes.md")), IsEmpty());
}

TEST_F(AbsentInputs, a_need_could_write_it_undeclared) {
  EXPECT_THAT(absent(command_step("x") + reads("a", "notes.md", "needs: x")), ElementsAre("warning a"));
}

TEST_F(AbsentInputs, what_a_need_declares_will_be_there) {
  EXPECT_THAT(absent(writes("x", "out/x.md") + command_step("m", "    needs: x\n") +
                     reads("a", "out//x.md", "needs: m") + reads("b", "${{ steps.x.output }}", "needs: x")),
              IsEmpty());
  EXPECT_THAT(absent(writes("x", "out.${{ item }}.md", "for_each: [de, fr]") + reads("a", "out.fr.md", "needs: x") +
                     reads("b", "out.it.md", "needs: x")),
              ElementsAre("warning b"));
}

TEST_F(AbsentInputs, what_only_the_run_will_name_may_be_it) {
  EXPECT_THAT(
      absent(writes("l", "l.json") + writes("x", "out.${{ item }}.md", "needs: l\n    for_each: steps.l.output") +
             reads("a", "out.fr.md", "needs: x") + reads("b", "other.fr.md", "needs: x")),
      ElementsAre("warning b"));
}

TEST_F(AbsentInputs, a_step_that_is_not_needed_does_not_count) {
  const auto workflow = reading.read(head + writes("x", "out/x.md") + reads("a", "out/x.md"));
  ASSERT_TRUE(workflow);
  ASSERT_EQ(workflow->absent.size(), 1U);
  EXPECT_THAT(to_text(workflow->absent[0].fault), HasSubstr("step 'x' writes it, but is not needed"));
  EXPECT_EQ(workflow->absent[0].fault.place.line, 10);
}

TEST_F(AbsentInputs, items_of_a_list_are_looked_for_one_by_one) {
  there = {"in/de.md"};
  EXPECT_THAT(absent(reads("a", "in/${{ item }}.md", "for_each: [de, fr]")), ElementsAre("error a"));
}

TEST_F(AbsentInputs, what_the_workflow_declares_is_there_when_a_run_begins) {
  const std::string declares = "name: kit\ndescription: d\ninputs: [{name: x}, {name: y, required: false}]\nsteps:\n";
  EXPECT_THAT(absent(reads("a", "${{ inputs.x }}"), declares), IsEmpty());
  reading.binding.looks_for_optional = true;
  EXPECT_THAT(absent(reads("a", "${{ inputs.y }}"), declares), IsEmpty()) << "it is left out then";
  EXPECT_THAT(absent(reads("a", "${{ sandbox }}/inputs/z.md"), declares), ElementsAre("error a"));
}

TEST_F(AbsentInputs, an_optional_one_is_looked_for_at_the_steps_turn) {
  const std::string declares = "name: kit\ndescription: d\ninputs: [{name: y, required: false}]\nsteps:\n";
  reading.binding.looks_for_optional = true;
  const Plan plan = reading.good(declares + reads("a", "${{ inputs.y }}"));
  EXPECT_THAT(step_of(plan, "a").work->inputs, ElementsAre("${{ inputs.y }}"));
  ASSERT_NE(step_of(plan, "a").flow, nullptr);
  EXPECT_TRUE(step_of(plan, "a").flow->deferred);
  reading.binding.looks_for_optional = false;
  EXPECT_THAT(step_of(reading.good(declares + reads("a", "${{ inputs.y }}")), "a").work->inputs,
              ElementsAre("sandbox/kit-1/inputs/y.md"));
}

TEST_F(AbsentInputs, an_optional_one_that_a_step_does_not_give_is_left_out) {
  reading.others["part"] = "name: part\ndescription: d\ninputs: [{name: y, required: false}]\nsteps:\n" +
                           command_step("r", "    input: ${{ inputs.y }}\n") +
                           "  - id: s\n    command: cat ${{ inputs.y }}\n";
  const Plan plan = reading.good(head + "  - id: w\n    workflow: part\n");
  EXPECT_THAT(step_of(plan, "w:r").work->inputs, IsEmpty());
  EXPECT_THAT(step_of(plan, "w:s").work->env, ElementsAre("BATON_VALUE_1="));
}

}  // namespace
}  // namespace baton
