// Review verdicts: in doubt a change has not passed.
#include "dialect/chain/verdict.h"

#include <gtest/gtest.h>

namespace baton::chain {
namespace {

/// passed, not passed or unknown
std::string verdict(std::string_view answer) {
  const Verdict read = read_verdict(answer);
  EXPECT_FALSE(read.passed && !read.known) << answer;
  return !read.known ? "unknown" : read.passed ? "passed" : "not passed";
}

TEST(ReviewVerdict, IsReadFromTheWholeAnswerProseOrAFence) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"({"success":true})", "passed"},
      {R"({"success":false})", "not passed"},
      {"\n {\"success\": true, \"review_summary\": \"good\", \"review_issues\": [], \"screenshots\": []}\n", "passed"},
      {"I looked at everything.\n\n{\"success\": true}\n\nThat is all.", "passed"},
      {"I looked at everything: {\"success\": false}.", "not passed"},
      {"```json\n{\"success\": true}\n```", "passed"},
      {"The code has `map[\"x\"]` and `{}` in it.\n```json\n{\"success\": true}\n```", "passed"},
      {R"({"passed":true})", "passed"},
      {R"({"approved":false})", "not passed"},
      {R"({"verdict":"approved"})", "passed"},
      {R"({"verdict":"PASS"})", "passed"},
      {R"({"verdict":"changes requested"})", "not passed"},
      {R"({"verdict":"request-changes"})", "not passed"},
      {R"({"success":"true"})", "passed"},
      {R"({"success":"no"})", "not passed"},
      {R"({"success":true,})", "passed"},
  };
  for (const auto& [answer, expected] : cases) EXPECT_EQ(verdict(answer), expected) << answer;
}

TEST(ReviewVerdict, ThatIsMalformedOrEmptyIsNotPassed) {
  for (const char* answer : {
           "",
           " \n",
           "Looks good to me!",
           "success: true",
           R"({"success":true)",
           R"({"success":tru})",
           R"({"success": true, "review_issues": [{"severity": "blocker", )",
           R"({"success":null})",
           R"({"success":1})",
           R"({"success":[]})",
           R"({"verdict":"hm"})",
           R"({"summary":"good"})",
           R"([true])",
           R"([{"success":true}])",
           "{}",
           "null",
           "{\"success\": true}\nNo, wait: {\"success\": false, \"review_issues\": [{",
       }) {
    EXPECT_EQ(verdict(answer), "unknown") << answer;
  }
}

TEST(ReviewVerdict, InDoubtIsNotPassed) {
  EXPECT_EQ(verdict(R"({"success":false} and {"success":true})"), "not passed");
  EXPECT_EQ(verdict(R"({"success":true} and {"success":false})"), "not passed");
  EXPECT_EQ(verdict(R"({"success":true,"review_issues":[{"severity":"Blocker","description":"x"}]})"), "not passed");
  EXPECT_EQ(verdict(R"({"success":true,"review_issues":[{"severity":"tech_debt","description":"x"}]})"), "passed");
  EXPECT_EQ(verdict("Broken: {\"a\": b}\n{\"success\": true}"), "passed") << "what counts is whole";
}

TEST(ReviewVerdict, HasASummaryAndIssuesByWhateverNames) {
  const Verdict one = read_verdict(R"({"success":false,"review_summary":" Two faults. ","review_issues":[
    {"severity":"blocker","file":"a.cc:4","description":"wrong"},
    {"issue_severity":"tech debt","issue_description":"slow","path":"b.cc"},
    "by itself", {}, 7, null]})");
  EXPECT_EQ(one.summary, "Two faults.");
  EXPECT_EQ(one.issues,
            (std::vector<Issue>{
                {"blocker", "wrong", "a.cc:4"}, {"tech_debt", "slow", "b.cc"}, {"", "by itself", ""}, {"", "7", ""}}));
  const Verdict other =
      read_verdict(R"({"approved":true,"summary":"ok","issues":[{"level":"skippable","message":"m"}]})");
  EXPECT_EQ(other, (Verdict{true, true, "ok", {{"skippable", "m", ""}}}));
  EXPECT_TRUE(read_verdict(R"({"success":true,"review_issues":"none"})").issues.empty());
}

TEST(ReviewVerdict, IsToldOnALine) {
  EXPECT_EQ(to_text(read_verdict(R"({"success":true})")), "passed");
  EXPECT_EQ(to_text(read_verdict(R"({"success":true,"summary":"a\nb","issues":["x"]})")), "passed: a b (1 issue)");
  EXPECT_EQ(
      to_text(read_verdict(
          R"({"success":false,"issues":[{"severity":"blocker"},{"severity":"blocker"},{"severity":"skippable"}]})")),
      "not passed (2 blockers, 1 other issue)");
  EXPECT_EQ(to_text(read_verdict("")), "not known: the answer has no verdict that can be read");
}

}  // namespace
}  // namespace baton::chain
