// What workers say, each thing once.
#include "core/reports.h"

#include <gtest/gtest.h>

namespace baton::test {
namespace {

event::WorkerReported said(std::string id, std::string text = {}) {
  return {.step = step_index(1),
          .attempt = 1,
          .id = std::move(id),
          .kind = "progress",
          .role = "",
          .text = std::move(text),
          .data = ""};
}

TEST(Reports, AreKeptInTheOrderTheyWereHeard) {
  Reports reports;
  EXPECT_TRUE(reports.note(said("b"), Time{Millis{5}}, true));
  EXPECT_TRUE(reports.note(said("a"), Time{Millis{6}}, false));
  ASSERT_EQ(reports.all().size(), 2U);
  EXPECT_EQ(reports.all()[0].said.id, "b");
  EXPECT_TRUE(reports.all()[0].current);
  EXPECT_EQ(reports.all()[1].at, Time{Millis{6}});
  EXPECT_FALSE(reports.all()[1].current) << "of an attempt that was not at work then";
}

TEST(Reports, SaidTwiceCountOnce) {
  Reports reports;
  EXPECT_TRUE(reports.note(said("a", "first"), Time{}, true));
  EXPECT_FALSE(reports.note(said("a", "second"), Time{}, true));
  ASSERT_EQ(reports.all().size(), 1U);
  EXPECT_EQ(reports.all()[0].said.text, "first");
  EXPECT_TRUE(reports.has_heard("a"));
  EXPECT_FALSE(reports.has_heard("b"));
}

}  // namespace
}  // namespace baton::test
