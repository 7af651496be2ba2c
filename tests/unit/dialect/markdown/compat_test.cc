// Workflows as other programs write them: samples of ours, and other people's own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "dialect/markdown/reader.h"
#include "support/samples.h"

namespace baton {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class MarkdownCompat : public testing::TestWithParam<test::Origin> {
 protected:
  void SetUp() override {
    if (const auto why = test::absent(GetParam(), kit.folder); !why.empty()) GTEST_SKIP() << why;
  }

  std::expected<Workflow, Faults> read(const std::string& name) const {
    const std::ifstream file{kit.folder + "/workflows/" + name};
    EXPECT_TRUE(file) << name;
    std::stringstream text;
    text << file.rdbuf();
    EXPECT_TRUE(looks_like_markdown_workflow(text.str()));
    return read_markdown({text.str(), name, std::filesystem::path{name}.stem()}, {.sandbox = "sandbox/x", .inputs = {}},
                         {});
  }

  Workflow good(const std::string& name) const {
    auto workflow = read(name);
    EXPECT_TRUE(workflow) << to_text(workflow.error().at(0));
    EXPECT_THAT(workflow->warnings, IsEmpty());
    return workflow.value_or(Workflow{});
  }

  const test::Kit kit = test::kit_of(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Samples, MarkdownCompat, test::both_origins(), test::origin_name);

std::vector<std::string> ids(const Workflow& workflow) {
  std::vector<std::string> result;
  for (const StepIndex step : execution_order(workflow.plan)) result.push_back(workflow.plan.steps[at(step)].id);
  return result;
}

TEST_P(MarkdownCompat, given_a_chain_with_checks_when_read_then_three_steps_with_their_checks_come_out) {
  const Workflow workflow = good(kit.main.name + ".md");
  EXPECT_EQ(ids(workflow), kit.main.steps);
  ASSERT_THAT(workflow.plan.steps, SizeIs(3));
  EXPECT_THAT(workflow.plan.steps[0].work->checks, SizeIs(kit.first_checks));
  EXPECT_THAT(workflow.plan.steps[0].work->mission, HasSubstr(kit.first_mission));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_THAT(workflow.plan.steps[i].work->mission, HasSubstr(kit.missions.at(i)));
  }
  EXPECT_THAT(workflow.plan.steps[2].work->inputs, ElementsAre("sandbox/x/outputs/" + kit.main.steps[0] + ".json",
                                                               "sandbox/x/outputs/" + kit.main.steps[1] + ".json"));
  EXPECT_TRUE(workflow.plan.steps[2].final);
}

TEST_P(MarkdownCompat, given_a_model_of_one_step_when_read_then_it_is_that_steps_own) {
  const Workflow workflow = good(kit.with_model.name + ".md");
  EXPECT_EQ(ids(workflow), kit.with_model.steps);
  ASSERT_THAT(workflow.plan.steps, SizeIs(3));
  EXPECT_EQ(workflow.plan.steps[0].work->model, "haiku");
  EXPECT_EQ(workflow.plan.steps[1].work->model, "");
  EXPECT_THAT(workflow.plan.steps[2].work->inputs, SizeIs(2));
}

TEST_P(MarkdownCompat, given_a_search_without_input_when_read_then_that_is_fine) {
  const Workflow workflow = good(kit.without_input.name + ".md");
  EXPECT_EQ(ids(workflow), kit.without_input.steps);
  ASSERT_THAT(workflow.plan.steps, SizeIs(2));
  EXPECT_THAT(workflow.plan.steps[0].work->inputs, IsEmpty());
}

TEST_P(MarkdownCompat, given_the_syntax_of_version_0_5_when_read_then_it_is_refused_with_its_new_form) {
  const auto workflow = read(kit.old_form);
  ASSERT_FALSE(workflow);
  ASSERT_THAT(workflow.error(), SizeIs(1));
  const Fault& fault = workflow.error()[0];
  EXPECT_EQ(fault.code, "old-outputs-syntax");
  EXPECT_EQ(fault.place.line, 5);
  for (const std::string& line : kit.new_form) EXPECT_THAT(fault.help, HasSubstr(line));
}

}  // namespace
}  // namespace baton
