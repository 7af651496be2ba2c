// Workflows of other people's, as they are: read, refused with the way to mend them, rehearsed to a checked artifact.
#include <filesystem>

#include "support/programs.h"

namespace baton::test {
namespace {

namespace fs = std::filesystem;

class Compat : public Outside {
 protected:
  void SetUp() override {
    if (!fs::is_directory(samples_)) GTEST_SKIP() << "the sample workflows are not here: " << samples_;
    fs::copy(samples_ + "/workflows", place.file("workflows"), fs::copy_options::recursive);
    fs::create_directories(place.file(".claude"));
    fs::copy(samples_ + "/skills", place.file(".claude/skills"), fs::copy_options::recursive);
    place.write("content.md", "# Relay races\n\nThe baton is handed on.\n");
  }

 private:
  const std::string samples_ = source_folder() + "/../shared/compat/looplia";
};

TEST_F(Compat, EveryWorkflowLoads) {
  for (const char* name : {"writing-kit", "video-to-blog", "daily-news-digest"}) {
    const Outcome checked = place.baton({"check", name});
    EXPECT_EQ(checked.code, 0) << name << checked;
    EXPECT_FALSE(has(checked.err, "error[")) << name << checked;
    EXPECT_EQ(place.baton({"plan", name}).code, 0) << name;
  }
}

TEST_F(Compat, TheOldFormIsRefusedWithItsNewOne) {
  const Outcome checked = place.baton({"run", "workflows/legacy-0.5.1/writing-kit.md", "--rehearse"});
  EXPECT_EQ(checked.code, 2) << checked;
  EXPECT_TRUE(says_error(checked, "old-outputs-syntax")) << checked;
  for (const char* part : {"steps:", "- id: summary", "needs: [summary]", "final: true"}) {
    EXPECT_TRUE(has(checked.err, part)) << part << checked;
  }
}

TEST_F(Compat, TheWritingKitIsRehearsedToACheckedArtifact) {
  const Outcome ran = place.baton({"run", "writing-kit", "--file", "content.md", "--rehearse"});
  ASSERT_EQ(ran.code, 0) << ran;
  const json::object result = parse_json(ran.out).as_object();
  EXPECT_EQ(text_at(result, "status"), "success");
  EXPECT_EQ(text_at(result, "workflow"), "writing-kit");
  const json::object shown = place.show();
  EXPECT_EQ(step_states_of(shown),
            (std::vector<std::string>{"summary=completed", "ideas=completed", "writing-kit=completed"}));
  for (const char* id : {"summary", "ideas", "writing-kit"}) {
    const json::array checks = attempt_of(shown, id, 1).at("checks").as_array();
    EXPECT_FALSE(checks.empty()) << id;
    for (const json::value& check : checks) EXPECT_EQ(check.at("passed"), true) << json::serialize(check);
  }
  const json::object kit = parse_json(read_text(text_at(shown, "artifact"))).as_object();
  for (const char* field : {"contentId", "source", "summary", "ideas", "suggestedOutline", "meta"}) {
    EXPECT_TRUE(kit.contains(field)) << field;
  }
  EXPECT_TRUE(shown.at("cost_usd").is_number() && shown.at("cost_usd").to_number<double>() == 0);
}

}  // namespace
}  // namespace baton::test
