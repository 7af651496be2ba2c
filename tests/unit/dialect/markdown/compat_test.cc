// Real files of other people's, read as they are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "dialect/markdown/reader.h"
#include "support/places.h"

namespace baton {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class MarkdownCompat : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::is_directory(folder_)) GTEST_SKIP() << "the sample workflows are not here: " << folder_;
  }

  std::expected<Workflow, Faults> read(const std::string& name) const {
    const std::ifstream file{folder_ + "/" + name};
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

 private:
  const std::string folder_ = test::source_folder() + "/../shared/compat/looplia/workflows";
};

std::vector<std::string> ids(const Workflow& workflow) {
  std::vector<std::string> result;
  for (const StepIndex step : execution_order(workflow.plan)) result.push_back(workflow.plan.steps[at(step)].id);
  return result;
}

TEST_F(MarkdownCompat, given_writing_kit_when_read_then_three_steps_with_their_checks_come_out) {
  const Workflow workflow = good("writing-kit.md");
  EXPECT_THAT(ids(workflow), ElementsAre("summary", "ideas", "writing-kit"));
  EXPECT_THAT(workflow.plan.steps[0].work->checks, SizeIs(17));
  EXPECT_THAT(workflow.plan.steps[0].work->mission, HasSubstr("Extract minimum 3 verbatim quotes"));
  EXPECT_THAT(workflow.plan.steps[2].work->inputs,
              ElementsAre("sandbox/x/outputs/summary.json", "sandbox/x/outputs/ideas.json"));
  EXPECT_TRUE(workflow.plan.steps[2].final);
}

TEST_F(MarkdownCompat, given_video_to_blog_when_read_then_the_model_of_one_step_is_its_own) {
  const Workflow workflow = good("video-to-blog.md");
  EXPECT_THAT(ids(workflow), ElementsAre("analyze-content", "generate-ideas", "build-outline"));
  EXPECT_EQ(workflow.plan.steps[0].work->model, "haiku");
  EXPECT_EQ(workflow.plan.steps[1].work->model, "");
  EXPECT_THAT(workflow.plan.steps[2].work->inputs, SizeIs(2));
}

TEST_F(MarkdownCompat, given_daily_news_digest_when_read_then_a_search_without_input_is_fine) {
  const Workflow workflow = good("daily-news-digest.md");
  EXPECT_THAT(ids(workflow), ElementsAre("fetch-news", "compile-digest"));
  EXPECT_THAT(workflow.plan.steps[0].work->inputs, IsEmpty());
}

TEST_F(MarkdownCompat, given_the_syntax_of_version_0_5_when_read_then_it_is_refused_with_its_new_form) {
  const auto workflow = read("legacy-0.5.1/writing-kit.md");
  ASSERT_FALSE(workflow);
  ASSERT_THAT(workflow.error(), SizeIs(1));
  const Fault& fault = workflow.error()[0];
  EXPECT_EQ(fault.code, "old-outputs-syntax");
  EXPECT_EQ(fault.place.line, 5);
  EXPECT_THAT(fault.help,
              AllOf(HasSubstr("steps:"), HasSubstr("- id: summary"), HasSubstr("skill: content-analyzer"),
                    HasSubstr("needs: [summary]"), HasSubstr("input: ${{ steps.summary.output }}"),
                    HasSubstr("output: ${{ sandbox }}/outputs/writing-kit.json"), HasSubstr("final: true")));
}

}  // namespace
}  // namespace baton
