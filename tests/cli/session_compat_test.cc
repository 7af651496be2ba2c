// Sessions as another program writes them: read, ordered, and rehearsed to their end.
#include <gmock/gmock.h>

#include <filesystem>

#include "cli/session_place.h"
#include "support/samples.h"

namespace baton::test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

class SessionCompat : public Outside, public testing::WithParamInterface<Origin> {
 protected:
  const SampleSessions sample = sessions_of(GetParam());

  void SetUp() override {
    if (const auto why = absent(GetParam(), sample.folder); !why.empty()) GTEST_SKIP() << why;
  }
  /// Copied here, so that it can be written to.
  std::string take(const std::string& id) {
    fs::create_directories(place.file(".workflow/active"));
    fs::copy(sample.folder + "/" + id, place.file(".workflow/active/" + id), fs::copy_options::recursive);
    return ".workflow/active/" + id;
  }
  /// What `plan` shows as left to do, in order.
  std::vector<std::string> order_of(const std::string& id) {
    const Outcome planned = place.baton({"plan", id, "--format", "json"});
    EXPECT_EQ(planned.code, 0) << planned;
    std::vector<std::string> ids;
    const json::value plan = parse_json(planned.out);
    for (const json::value& step : plan.at("order").as_array()) ids.emplace_back(step.as_string());
    return ids;
  }
  /// Files that are not what they were, or are new.
  static std::vector<std::string> changed(const std::map<std::string, std::string>& before,
                                          const std::map<std::string, std::string>& after) {
    std::vector<std::string> names;
    for (const auto& [name, text] : after) {
      const auto old = before.find(name);
      if (old == before.end() || old->second != text) names.push_back(name);
    }
    return names;
  }
};

INSTANTIATE_TEST_SUITE_P(Samples, SessionCompat, both_origins(), origin_name);

TEST_P(SessionCompat, WhatIsDoneOnEitherSideIsLeftOutOfThePlan) {
  take(sample.phased);
  EXPECT_THAT(order_of(sample.phased), ElementsAre("IMPL-003", "IMPL-005"));
}

TEST_P(SessionCompat, DisagreementsAreNamed) {
  take(sample.phased);
  const Outcome checked = place.baton({"check", sample.phased});
  for (const char* id : {"IMPL-002", "IMPL-006", "IMPL-007", "IMPL-008"}) EXPECT_TRUE(has(checked.err, id)) << checked;
  EXPECT_TRUE(has(checked.err, "session-disagrees")) << checked;
}

TEST_P(SessionCompat, ARehearsalFinishesWhatIsOpenAndTouchesNothingElse) {
  const std::string folder = take(sample.phased);
  const auto before = files_beneath(place.file(folder));
  const Outcome ran = place.baton({"run", sample.phased, "--rehearse", "--no-archive"});
  ASSERT_EQ(ran.code, 0) << ran;
  const auto after = files_beneath(place.file(folder));
  EXPECT_THAT(
      changed(before, after),
      UnorderedElementsAre(".summaries/IMPL-003-summary.md", ".summaries/IMPL-005-summary.md", ".task/IMPL-003.json",
                           ".task/IMPL-005.json", "TODO_LIST.md", "workflow-session.json"));
}

TEST_P(SessionCompat, ABrokenTaskFileFailsItsTaskOnly) {
  take(sample.sequential);
  const Outcome checked = place.baton({"check", sample.sequential});
  EXPECT_EQ(checked.code, 2) << checked;
  EXPECT_TRUE(says_error(checked, "corrupt-task-file") &&
              has(checked.err, fmt::format("IMPL-005.json:{}", sample.broken_line)))
      << checked;
  const Outcome ran = place.baton({"run", sample.sequential, "--rehearse"});
  EXPECT_EQ(ran.code, 1) << ran;
  const json::object shown = place.show();
  EXPECT_EQ(text_at(step_of(shown, "IMPL-005"), "state"), "failed");
  for (const char* id : {"IMPL-001", "IMPL-002", "IMPL-003", "IMPL-004", "IMPL-006"}) {
    EXPECT_EQ(text_at(step_of(shown, id), "state"), "completed") << id;
    EXPECT_TRUE(step_of(shown, id).at("attempts").as_array().empty()) << id << " was done before";
  }
}

}  // namespace
}  // namespace baton::test
