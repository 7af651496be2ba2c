// Which kinds of failure the codes tell of.
#include "base/failure_kind.h"

#include <gtest/gtest.h>

namespace baton::test {
namespace {

TEST(FailureKind, IsToldByTheCode) {
  EXPECT_EQ(kind_of("checks-failed"), FailureKind::checks);
  EXPECT_EQ(kind_of("agent-rate-limited"), FailureKind::agent_rate_limit);
  EXPECT_EQ(kind_of("api-rate-limited"), FailureKind::api_rate_limit);
  EXPECT_EQ(kind_of("response-truncated"), FailureKind::cut_off);
  EXPECT_EQ(kind_of("attempt-timed-out"), FailureKind::timed_out);
  EXPECT_EQ(kind_of("budget-exhausted"), FailureKind::budget);
}

TEST(FailureKind, IsTheSameForAgentsAndApisWhereThatMakesNoDifference) {
  EXPECT_EQ(kind_of("agent-overloaded"), FailureKind::overloaded);
  EXPECT_EQ(kind_of("api-overloaded"), FailureKind::overloaded);
  EXPECT_EQ(kind_of("agent-empty-answer"), FailureKind::empty_answer);
  EXPECT_EQ(kind_of("response-empty"), FailureKind::empty_answer);
  EXPECT_TRUE(is_rate_limit(kind_of("agent-rate-limited")));
  EXPECT_TRUE(is_rate_limit(kind_of("api-rate-limited")));
  EXPECT_FALSE(is_rate_limit(kind_of("api-overloaded")));
}

TEST(FailureKind, OfAnyOtherCodeIsOther) {
  for (const char* code : {"", "command-failed", "checks-failed-", "attempt-unknown", "a-code-of-tomorrow"}) {
    EXPECT_EQ(kind_of(code), FailureKind::other) << code;
  }
}

}  // namespace
}  // namespace baton::test
