// Workflows as other programs write them: read, refused with the way to mend them, rehearsed to a checked artifact.
#include <filesystem>

#include "support/programs.h"
#include "support/samples.h"

namespace baton::test {
namespace {

namespace fs = std::filesystem;

class Compat : public Outside, public testing::WithParamInterface<Origin> {
 protected:
  void SetUp() override {
    if (const auto why = absent(GetParam(), kit.folder); !why.empty()) GTEST_SKIP() << why;
    fs::copy(kit.folder + "/workflows", place.file("workflows"), fs::copy_options::recursive);
    fs::create_directories(place.file(".claude"));
    fs::copy(kit.folder + "/skills", place.file(".claude/skills"), fs::copy_options::recursive);
    place.write("content.md", "# Relay races\n\nThe baton is handed on.\n");
  }

  const Kit kit = kit_of(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Samples, Compat, both_origins(), origin_name);

TEST_P(Compat, EveryWorkflowLoads) {
  for (const std::string& name : {kit.main.name, kit.with_model.name, kit.without_input.name}) {
    const Outcome checked = place.baton({"check", name});
    EXPECT_EQ(checked.code, 0) << name << checked;
    EXPECT_FALSE(has(checked.err, "error[")) << name << checked;
    EXPECT_EQ(place.baton({"plan", name}).code, 0) << name;
  }
}

TEST_P(Compat, TheOldFormIsRefusedWithItsNewOne) {
  const Outcome checked = place.baton({"run", "workflows/" + kit.old_form, "--rehearse"});
  EXPECT_EQ(checked.code, 2) << checked;
  EXPECT_TRUE(says_error(checked, "old-outputs-syntax")) << checked;
  for (const std::string& line : kit.new_form) EXPECT_TRUE(has(checked.err, line)) << line << checked;
}

TEST_P(Compat, AKitIsRehearsedToACheckedArtifact) {
  const Outcome ran = place.baton({"run", kit.main.name, "--file", "content.md", "--rehearse"});
  ASSERT_EQ(ran.code, 0) << ran;
  const json::object result = parse_json(ran.out).as_object();
  EXPECT_EQ(text_at(result, "status"), "success");
  EXPECT_EQ(text_at(result, "workflow"), kit.main.name);
  const json::object shown = place.show();
  for (const std::string& id : kit.main.steps) {
    EXPECT_EQ(text_at(step_of(shown, id), "state"), "completed");
    const json::array checks = attempt_of(shown, id, 1).at("checks").as_array();
    EXPECT_FALSE(checks.empty()) << id;
    for (const json::value& check : checks) EXPECT_EQ(check.at("passed"), true) << json::serialize(check);
  }
  const json::object made = parse_json(read_text(text_at(shown, "artifact"))).as_object();
  for (const std::string& field : kit.artifact) EXPECT_TRUE(made.contains(field)) << field;
  EXPECT_TRUE(shown.at("cost_usd").is_number() && shown.at("cost_usd").to_number<double>() == 0);
}

}  // namespace
}  // namespace baton::test
