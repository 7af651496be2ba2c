// validation.json: read in every shape it is found in, written in the one the seed shows.
#include "dialect/markdown/sandbox_state.h"

#include <gtest/gtest.h>

#include "support/story.h"

namespace baton::test {
namespace {

constexpr const char* id = "article-2025-12-18-xk7m";
constexpr const char* file = "sandbox/article-2025-12-18-xk7m/validation.json";

/// a, then b, both with outputs in the sandbox; c without one.
Story kit() {
  Story story{"analyze-content; generate-ideas: analyze-content; c: generate-ideas"};
  story.plan.workflow = "writing-kit";
  story.plan.version = "2.0.0";
  story.settings.options["sandbox"] = id;
  const auto writes = [&](std::size_t n, const char* output) {
    Work work = *story.plan.steps[n].work;
    work.output = std::string{"sandbox/"} + id + "/outputs/" + output;
    story.plan.steps[n].work = std::make_shared<const Work>(std::move(work));
  };
  writes(0, "analysis.json");
  writes(1, "ideas.json");
  story.plan.steps[1].final = true;
  return story;
}

std::string reflected(const std::optional<std::string>& before, const Story& story) {
  auto text = reflect(before, sandbox_state("r1", story.run), file);
  EXPECT_TRUE(text) << (text ? "" : text.error().message);
  return text.value_or("");
}

TEST(SandboxState, ANewOneHasTheSeedsShape) {
  Story story = kit();
  const event::RunCreated created{std::make_shared<const Plan>(story.plan), story.settings};
  const auto text = reflect(std::nullopt, sandbox_state("r1", created, time_from_ms(1'766'053'800'000)), file);
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, R"({
  "workflow": "writing-kit",
  "version": "2.0.0",
  "sandboxId": "article-2025-12-18-xk7m",
  "createdAt": "2025-12-18T10:30:00.000Z",
  "status": "pending",
  "finalStepId": "generate-ideas",
  "run": "r1",
  "steps": {
    "analyze-content": {
      "output": "outputs/analysis.json",
      "validated": false
    },
    "generate-ideas": {
      "output": "outputs/ideas.json",
      "validated": false
    }
  }
})");
}

TEST(SandboxState, AStepThatPassedIsValidatedSinceThen) {
  Story story = kit();
  story.begin().after(Millis{500}).does("analyze-content").after(Millis{20}).checked("analyze-content", true);
  EXPECT_EQ(reflected(std::nullopt, story), R"({
  "workflow": "writing-kit",
  "version": "2.0.0",
  "sandboxId": "article-2025-12-18-xk7m",
  "createdAt": "1970-01-01T00:16:40.000Z",
  "status": "in_progress",
  "finalStepId": "generate-ideas",
  "run": "r1",
  "steps": {
    "analyze-content": {
      "output": "outputs/analysis.json",
      "validated": true,
      "validatedAt": "1970-01-01T00:16:40.520Z"
    },
    "generate-ideas": {
      "output": "outputs/ideas.json",
      "validated": false
    }
  }
})");
}

TEST(SandboxState, OneThatRunsAgainIsNotValidatedAnyMore) {
  Story story = kit();
  story.begin().does("analyze-content").checked("analyze-content", true).does("generate-ideas");
  story.checked("generate-ideas", true).does("c");
  const std::string done = reflected(std::nullopt, story);
  EXPECT_NE(done.find("\"status\": \"completed\""), std::string::npos);
  story.happens(event::RetryAsked{story.step("generate-ideas")});
  const std::string again = reflected(done, story);
  const auto record = read_sandbox_record(again, id, file);
  ASSERT_TRUE(record);
  EXPECT_TRUE(record->steps.at("analyze-content").validated);
  EXPECT_FALSE(record->steps.at("generate-ideas").validated);
  const auto ideas = again.find("generate-ideas", again.find("\"steps\""));
  EXPECT_EQ(again.find("validatedAt", ideas), std::string::npos) << again;
  EXPECT_NE(again.find("\"status\": \"in_progress\""), std::string::npos);
}

TEST(SandboxState, AnEditedOutputThatPassesCountsFromItsNewCheck) {
  Story story = kit();
  story.begin().does("analyze-content").checked("analyze-content", true).after(Millis{5000});
  story.happens(event::OutputChanged{story.step("analyze-content"), {}, "other"});
  EXPECT_NE(reflected(std::nullopt, story).find("\"validatedAt\": \"1970-01-01T00:16:45.000Z\""), std::string::npos);
}

TEST(SandboxState, WhatWasFoundCountsFromTheRunsBeginning) {
  Story story = kit();
  event::RunCreated created{std::make_shared<const Plan>(story.plan), story.settings, {{step_index(0), "d"}}};
  story.happens(created);
  const auto first = reflect(std::nullopt, sandbox_state("r1", created, story.now), file);
  ASSERT_TRUE(first);
  EXPECT_EQ(*first, reflected(std::nullopt, story)) << "before and after it is created";
  EXPECT_NE(first->find("\"validatedAt\": \"1970-01-01T00:16:40.000Z\""), std::string::npos);
}

TEST(SandboxState, WhatAHandCalledNotValidatedIsToldFromWhatIsOnlyLate) {
  Story story = kit();
  story.begin();
  const std::string late = reflected(std::nullopt, story);
  story.does("analyze-content").checked("analyze-content", true);
  const auto denied = [&](std::string text, const std::string& run = "r1") {
    const auto record = read_sandbox_record(text, id, file);
    EXPECT_TRUE(record);
    return record ? denied_by_hand(*record, run, story.run).size() : 99U;
  };
  const auto with_false = [](std::string text, bool dated) {
    const std::string yes = "\"validated\": true";
    text.replace(text.find(yes), yes.size(), "\"validated\": false");
    if (!dated) text.replace(text.find("validatedAt"), 11, "otherwise");
    return text;
  };
  EXPECT_EQ(denied(late), 0U);
  const std::string now = reflected(std::nullopt, story);
  EXPECT_EQ(denied(now), 0U);
  EXPECT_EQ(denied(with_false(now, true)), 1U);
  EXPECT_EQ(denied(with_false(now, false)), 0U) << "nobody can tell";
  story.does("generate-ideas").checked("generate-ideas", true).does("c");
  const std::string done = reflected(std::nullopt, story);
  EXPECT_EQ(denied(done), 0U);
  EXPECT_EQ(denied(late), 0U) << "written before its end";
  EXPECT_EQ(denied(with_false(done, true)), 1U);
  EXPECT_EQ(denied(with_false(done, false)), 1U);
  EXPECT_EQ(denied(with_false(done, false), "r2"), 0U) << "of another run's end";
}

TEST(SandboxState, EveryEndHasItsStatus) {
  Story failed = kit();
  failed.begin().begins("analyze-content").fails("analyze-content");
  EXPECT_NE(reflected(std::nullopt, failed).find("\"status\": \"failed\""), std::string::npos);
  Story cancelled = kit();
  cancelled.begin().happens(event::CancelAsked{"me"});
  EXPECT_NE(reflected(std::nullopt, cancelled).find("\"status\": \"failed\""), std::string::npos);
  Story paused = kit();
  paused.begin().happens(event::PauseAsked{"me"});
  EXPECT_NE(reflected(std::nullopt, paused).find("\"status\": \"in_progress\""), std::string::npos);
}

TEST(SandboxState, TheSameRunGivesTheSameBytes) {
  Story story = kit();
  story.begin().does("analyze-content").checked("analyze-content", true);
  const std::string once = reflected(std::nullopt, story);
  EXPECT_EQ(reflected(once, story), once);
  // Also where somebody has laid it out in another way: there is nothing to say, so nothing is touched.
  std::string wider = once;
  wider.insert(wider.find("\"version\""), "\n\n\t");
  EXPECT_EQ(reflected(wider, story), wider);
}

TEST(SandboxState, UnknownKeysAndStepsStayWhereTheyAre) {
  Story story = kit();
  story.begin().does("analyze-content").checked("analyze-content", true);
  const std::string theirs = R"({
  "type": "build",
  "steps": {
    "gone": {"output": "outputs/old.json", "validated": true, "note": [1, 2.5, {"deep": null}]},
    "generate-ideas": {"score": 7, "validated": false, "output": "${{ sandbox }}/outputs/ideas.json",
                       "validate": {"required_fields": ["a"]}}
  },
  "createdAt": "2025-12-18T10:30:00Z",
  "zeta": {}
}
)";
  EXPECT_EQ(reflected(theirs, story), R"({
  "type": "build",
  "steps": {
    "gone": {
      "output": "outputs/old.json",
      "validated": true,
      "note": [
        1,
        2.5,
        {
          "deep": null
        }
      ]
    },
    "generate-ideas": {
      "score": 7,
      "validated": false,
      "output": "outputs/ideas.json",
      "validate": {
        "required_fields": [
          "a"
        ]
      }
    },
    "analyze-content": {
      "output": "outputs/analysis.json",
      "validated": true,
      "validatedAt": "1970-01-01T00:16:40.000Z"
    }
  },
  "createdAt": "2025-12-18T10:30:00Z",
  "zeta": {},
  "workflow": "writing-kit",
  "version": "2.0.0",
  "sandboxId": "article-2025-12-18-xk7m",
  "status": "in_progress",
  "finalStepId": "generate-ideas",
  "run": "r1"
}
)");
}

TEST(SandboxState, BothShapesAreRead) {
  const char* seeds = R"({"workflow": "writing-kit", "version": "2.0.0", "sandboxId": "x", "createdAt": "y",
    "steps": {"a": {"output": "outputs/a.json", "validated": true}, "b": {"output": "outputs/b.json", "validated": false}}})";
  const char* codes = R"({"workflow": "writing-kit", "version": "1.0.0", "sandboxId": "x", "createdAt": "y",
    "status": "pending", "finalStepId": "b",
    "steps": {"a": {"output": "${{ sandbox }}/outputs/a.json", "validate": {"min_quotes": 3}, "validated": true,
                    "validatedAt": "z"},
              "b": {"output": "sandbox/article-2025-12-18-xk7m/outputs/b.json", "validated": false}}})";
  for (const std::string text : {seeds, codes}) {
    const auto record = read_sandbox_record(text, id, file);
    ASSERT_TRUE(record) << text;
    EXPECT_EQ(record->workflow, "writing-kit");
    ASSERT_EQ(record->steps.size(), 2U);
    EXPECT_EQ(record->steps.at("a").output, "outputs/a.json");
    EXPECT_TRUE(record->steps.at("a").validated);
    EXPECT_EQ(record->steps.at("b").output, "outputs/b.json");
    EXPECT_FALSE(record->steps.at("b").validated);
  }
}

TEST(SandboxState, OddValuesAreTakenForNothing) {
  const auto record = read_sandbox_record(
      "\xEF\xBB\xBF"
      R"({"workflow": 3, "steps": {"a": "done", "b": {"validated": "true"}, "c": {"validated": 1, "output": 4},
          "d": {"output": "${{sandbox}}/outputs/d.json", "validated": true}}})",
      id, file);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->workflow, "");
  EXPECT_FALSE(record->steps.contains("a"));
  EXPECT_FALSE(record->steps.at("b").validated || record->steps.at("c").validated);
  EXPECT_EQ(record->steps.at("d").output, "outputs/d.json");
  EXPECT_TRUE(read_sandbox_record("{}", id, file)->steps.empty());
  EXPECT_TRUE(read_sandbox_record(R"({"steps": []})", id, file)->steps.empty());
}

TEST(SandboxState, WhatIsNoJsonIsNamedAndNotReplaced) {
  Story story = kit();
  story.begin();
  const std::string deep = std::string(5000, '[');
  for (const std::string& text :
       {std::string{}, std::string{"{\"workflow\": "}, std::string{"[]"}, std::string{"null"}, deep}) {
    const auto read = read_sandbox_record(text, id, file);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, "bad-validation-file");
    EXPECT_NE(read.error().message.find(file), std::string::npos) << read.error().message;
    const auto written = reflect(text, sandbox_state("r1", story.run), file);
    if (text.empty()) continue;
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, "bad-validation-file");
  }
}

TEST(SandboxState, OneThatAPowerCutLeftEmptyIsWrittenAnew) {
  Story story = kit();
  story.begin();
  EXPECT_EQ(reflected("", story), reflected(std::nullopt, story));
}

TEST(SandboxState, AnOutputElsewhereIsNamedFromTheSandbox) {
  Story story = kit();
  Work work = *story.plan.steps[0].work;
  work.output = "docs/analysis.json";
  story.plan.steps[0].work = std::make_shared<const Work>(std::move(work));
  story.begin();
  EXPECT_NE(reflected(std::nullopt, story).find("\"output\": \"../../docs/analysis.json\""), std::string::npos);
}

TEST(SandboxState, NumbersOfOthersAreKeptAsTheyAreWritten) {
  const std::string text = reflected(
      R"({"mine": [100000000000000000000000000001, 0.1000000000000000055511151231257827, -1e400, 1.5], "steps": {}})",
      kit().begin());
  for (const char* number :
       {"100000000000000000000000000001", "0.1000000000000000055511151231257827", "-1e400", "1.5"}) {
    EXPECT_NE(text.find(number), std::string::npos) << number << text;
  }
}

}  // namespace
}  // namespace baton::test
