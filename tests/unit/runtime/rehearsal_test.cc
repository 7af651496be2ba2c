#include "runtime/rehearsal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/hash.h"

namespace baton {
namespace {

using testing::AllOf;
using testing::Each;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Le;
using testing::Not;
using testing::SizeIs;

constexpr Time began = time_from_ms(1'000'000);

Step agent_step(std::vector<Check> checks = {}, std::string output = "out/a.json") {
  const bool is_json = output.ends_with(".json");
  return {.id = "summary",
          .needs = {},
          .work = std::make_shared<Work>(Work{.skill = "media-reviewer",
                                              .mission = "Deep analysis of content to extract key themes and quotes.",
                                              .inputs = {"in/a.md"},
                                              .output = std::move(output),
                                              .output_format = is_json ? OutputFormat::json : OutputFormat::text,
                                              .checks = std::move(checks)}),
          .policy = {},
          .final = false};
}

Step command_step() {
  return {.id = "build",
          .needs = {},
          .work = std::make_shared<Work>(Work{.command = {"make", "all"}}),
          .policy = {},
          .final = false};
}

Assignment assignment_of(const Step& step, int attempt = 1, std::uint64_t seed = 7) {
  Assignment assignment;
  assignment.key = {"r1", step.id, attempt};
  assignment.step = &step;
  assignment.prompt = std::string(4000, 'p');
  assignment.seed = seed;
  assignment.began = began;
  return assignment;
}

/// A whole attempt with a clock that does just what it is asked.
struct Played {
  std::vector<std::string> said;
  std::vector<Usage> spent;
  std::optional<std::string> output;
  std::optional<Finish> finish;
  Millis took{0};
};

Played play_rehearsal(Runtime& runtime, const Assignment& assignment, Millis patience = Millis{3'600'000}) {
  Played played;
  Time now = assignment.began;
  Actions actions = runtime.begin(assignment);
  while (!actions.empty()) {
    std::optional<Time> wake;
    for (const Action& action : actions) {
      if (const auto* say = std::get_if<Say>(&action)) played.said.push_back(say->text);
      if (const auto* spend = std::get_if<Spend>(&action)) played.spent.push_back(spend->usage);
      if (const auto* write = std::get_if<WriteOutput>(&action)) played.output = write->content;
      if (const auto* finish = std::get_if<Finish>(&action)) played.finish = *finish;
      if (const auto* wait = std::get_if<WaitUntil>(&action)) wake = wait->when;
      EXPECT_FALSE(std::holds_alternative<Spawn>(action)) << "nothing of the user's is run";
    }
    played.took = now - assignment.began;
    if (!wake || *wake - assignment.began > patience) break;
    EXPECT_GE(*wake, now);
    now = *wake;
    actions = runtime.next(TimeCame{now});
  }
  return played;
}

Played play_rehearsal(const Step& step, const std::string& script = "", int attempt = 1, std::uint64_t seed = 7) {
  auto read = read_rehearsal_script(script, "s.yaml");
  EXPECT_TRUE(read) << to_text(read.error().at(0));
  Rehearsal rehearsal{std::make_shared<const RehearsalScript>(std::move(*read))};
  return play_rehearsal(rehearsal, assignment_of(step, attempt, seed));
}

TEST(Rehearsal, given_no_script_when_played_then_it_speaks_spends_and_ends_well_in_plausible_time) {
  const Step step = agent_step({{Check::Kind::required_field, "headline", 0}});
  Rehearsal rehearsal;
  const Played played = play_rehearsal(rehearsal, assignment_of(step));
  ASSERT_TRUE(played.finish);
  EXPECT_FALSE(played.finish->failure);
  EXPECT_THAT(played.took.count(), AllOf(Ge(300), Le(1500)));
  EXPECT_THAT(played.said, SizeIs(Ge(3U)));
  EXPECT_THAT(played.said[1], HasSubstr("in/a.md"));
  ASSERT_THAT(played.spent, SizeIs(Ge(3U)));
  EXPECT_EQ(played.spent.front().tokens.output, 0);
  EXPECT_GT(played.spent.front().tokens.input, 1000);  // the prompt's 4,000 bytes are some 1,000 tokens
  for (std::size_t i = 1; i < played.spent.size(); ++i) {
    EXPECT_GT(played.spent[i].tokens.output, played.spent[i - 1].tokens.output);
    EXPECT_EQ(played.spent[i].cost, Cost{0});
  }
}

TEST(Rehearsal, given_a_command_step_when_played_then_it_is_quick_costs_nothing_and_runs_nothing) {
  const Played played = play_rehearsal(command_step());
  EXPECT_LE(played.took, Millis{300});
  EXPECT_EQ(played.spent.back().tokens.total(), 0);
  EXPECT_FALSE(played.output);
  EXPECT_THAT(played.said, testing::Contains("would run: make all"));
}

TEST(Rehearsal, given_the_same_seed_when_played_again_then_all_is_the_same_and_another_attempt_is_not) {
  const Step step = agent_step({{Check::Kind::min_quotes, {}, 3}});
  const Played first = play_rehearsal(step);
  const Played again = play_rehearsal(step);
  EXPECT_EQ(first.said, again.said);
  EXPECT_EQ(first.output, again.output);
  EXPECT_EQ(first.took, again.took);
  EXPECT_NE(play_rehearsal(step, "", 2).output, first.output);
  EXPECT_NE(play_rehearsal(step, "", 1, 8).took, first.took);
}

TEST(Rehearsal, given_an_attempt_taken_up_again_long_after_when_time_comes_then_it_ends_with_the_same_result) {
  const Step step = agent_step();
  const Played whole = play_rehearsal(step);
  Rehearsal taken_up;
  const Actions at_first = taken_up.begin(assignment_of(step));
  EXPECT_TRUE(std::holds_alternative<WaitUntil>(at_first.back()));
  const Actions rest = taken_up.next(TimeCame{began + Millis{60'000}});
  ASSERT_TRUE(std::holds_alternative<Finish>(rest.back()));
  const auto write = std::ranges::find_if(rest, [](const Action& a) { return std::holds_alternative<WriteOutput>(a); });
  ASSERT_NE(write, rest.end());
  EXPECT_EQ(std::get<WriteOutput>(*write).content, whole.output);
  EXPECT_THAT(taken_up.next(TimeCame{began + Millis{90'000}}), IsEmpty());
}

TEST(Rehearsal, given_a_wake_too_early_when_told_then_it_waits_on) {
  const Step step = agent_step();
  Rehearsal rehearsal;
  const Actions first = rehearsal.begin(assignment_of(step));
  const Actions then = rehearsal.next(TimeCame{began + Millis{1}});
  ASSERT_THAT(then, SizeIs(1));
  EXPECT_EQ(std::get<WaitUntil>(then[0]).when, std::get<WaitUntil>(first.back()).when);
}

TEST(Rehearsal, given_a_text_output_when_played_then_it_is_a_small_markdown_page) {
  const Played played = play_rehearsal(agent_step({}, "out/a.md"));
  ASSERT_TRUE(played.output);
  EXPECT_THAT(*played.output, AllOf(testing::StartsWith("# Summary\n"), HasSubstr("rehearsal")));
}

// Checks --------------------------------------------------------------------------------------------------------------

Check field(std::string path) { return {Check::Kind::required_field, std::move(path), 0}; }

void expect_passes_all(const std::vector<Check>& checks) {
  const Step step = agent_step(checks);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Played played = play_rehearsal(step, "", 1, seed);
    ASSERT_TRUE(played.output);
    for (const CheckResult& result : evaluate(checks, OutputFormat::json, *played.output)) {
      EXPECT_TRUE(result.passed) << result.name << ": " << result.message << "\n" << *played.output;
    }
  }
}

TEST(RehearsalOutput, given_the_checks_of_real_workflows_when_played_then_they_pass) {
  expect_passes_all({field("contentId"),
                     field("headline"),
                     field("bullets"),
                     field("tags"),
                     field("importantQuotes"),
                     {Check::Kind::min_quotes, {}, 3},
                     {Check::Kind::min_key_points, {}, 5}});
  expect_passes_all({field("contentId"), field("hooks"), field("angles"), {Check::Kind::has_hooks, {}, 0}});
  expect_passes_all({field("summary"),
                     field("ideas"),
                     field("suggestedOutline"),
                     field("meta"),
                     {Check::Kind::min_outline_sections, {}, 4},
                     {Check::Kind::has_hooks, {}, 0}});
}

TEST(RehearsalOutput, given_odd_combinations_when_played_then_they_pass_too) {
  expect_passes_all({});
  expect_passes_all({field("meta.author.name"), field("meta.author"), field("items.0.x"), field("items.2")});
  expect_passes_all({field("suggestedOutline.title"), {Check::Kind::min_outline_sections, {}, 2}});
  expect_passes_all({field("ideas.hooks.best"), {Check::Kind::has_hooks, {}, 0}});
  expect_passes_all({field("keyPoints"), {Check::Kind::min_key_points, {}, 2}});
  expect_passes_all({field("bullets.first"), {Check::Kind::min_key_points, {}, 2}});
  expect_passes_all({field("importantQuotes.1.text"), {Check::Kind::min_quotes, {}, 4}});
  expect_passes_all({field("0")});
  expect_passes_all({field("0"), field("a"), field("a.1000000"), field("a..b"), field("weird \"key\"\n")});
  expect_passes_all({{Check::Kind::has_hooks, {}, 0}, {Check::Kind::min_quotes, {}, 0}});
}

TEST(RehearsalOutput, given_random_paths_when_played_then_the_output_always_meets_them) {
  const std::vector<std::string> parts{"a", "b", "0", "1", "hooks", "ideas", "bullets", "keyPoints", "sections"};
  std::uint64_t chance = 42;
  const auto draw = [&](std::size_t bound) { return static_cast<std::size_t>((chance = mix(chance)) % bound); };
  for (int round = 0; round < 200; ++round) {
    std::vector<Check> checks;
    for (std::size_t i = draw(6) + 1; i > 0; --i) {
      std::string path = parts[draw(parts.size())];
      for (std::size_t depth = draw(3); depth > 0; --depth) path += "." + parts[draw(parts.size())];
      checks.push_back(field(path));
    }
    expect_passes_all(checks);
  }
}

TEST(RehearsalOutput, given_absurd_rules_when_played_then_it_stays_small_and_does_not_overflow) {
  std::string deep = "a";
  for (int i = 0; i < 100'000; ++i) deep += ".a";
  const Step step = agent_step({field(deep), {Check::Kind::min_quotes, {}, 1'000'000'000}});
  const Played played = play_rehearsal(step);
  ASSERT_TRUE(played.output);
  EXPECT_LT(played.output->size(), 10U << 20U);
}

// Scripts -------------------------------------------------------------------------------------------------------------

TEST(RehearsalScript, given_attempts_when_played_then_each_has_its_own_and_the_last_one_holds_on) {
  const std::string script = R"(
steps:
  summary:
    attempts:
      - {fail: transient, message: try again, delay: 2s, retry_after: 5s}
      - {fail: refused}
      - output: {headline: "10", count: 3, list: [a, true, null, 1.5], nested: {x: ~}}
        answer: all done
        delay: 3s
        usage: {input: 10, output: 5, cache_read: 2, cost_usd: 0.01}
)";
  const Step step = agent_step();
  const Played first = play_rehearsal(step, script, 1);
  ASSERT_TRUE(first.finish && first.finish->failure);
  EXPECT_EQ(*first.finish->failure, (Failure{"transient", "try again", true, Millis{5000}}));
  EXPECT_EQ(first.took, Millis{2000});
  EXPECT_FALSE(first.output);
  const Played second = play_rehearsal(step, script, 2);
  EXPECT_FALSE(second.finish->failure->may_retry);
  for (const int attempt : {3, 4, 50}) {
    const Played third = play_rehearsal(step, script, attempt);
    EXPECT_FALSE(third.finish->failure);
    EXPECT_EQ(third.took, Millis{3000});
    EXPECT_EQ(third.said.back(), "all done");
    EXPECT_EQ(third.spent.back(), (Usage{{10, 5, 2, 0}, Cost{10'000'000}, 4}));
    EXPECT_EQ(third.output, R"({
  "headline": "10",
  "count": 3,
  "list": [
    "a",
    true,
    null,
    1.5
  ],
  "nested": {
    "x": null
  }
}
)");
  }
}

TEST(RehearsalScript, given_a_crash_or_a_hang_when_played_then_it_ends_so_or_not_at_all) {
  const Step step = agent_step();
  const Played crash = play_rehearsal(step, "steps: {summary: {crash: true}}");
  ASSERT_TRUE(crash.finish && crash.finish->failure);
  EXPECT_EQ(crash.finish->failure->code, "attempt-crashed");
  EXPECT_TRUE(crash.finish->failure->may_retry);
  EXPECT_FALSE(crash.output);

  Rehearsal rehearsal{std::make_shared<const RehearsalScript>(*read_rehearsal_script("default: {hang: true}", "s"))};
  EXPECT_FALSE(play_rehearsal(rehearsal, assignment_of(step)).finish);
  const Actions much_later = rehearsal.next(TimeCame{began + std::chrono::hours{24 * 9999}});
  ASSERT_THAT(much_later, SizeIs(1));
  EXPECT_TRUE(std::holds_alternative<WaitUntil>(much_later[0]));
}

TEST(RehearsalScript, given_outputs_when_played_then_text_is_kept_nothing_is_nothing_and_an_answer_can_be_the_text) {
  EXPECT_EQ(play_rehearsal(agent_step(), "steps: {summary: {output: 'not json'}}").output, "not json");
  EXPECT_FALSE(play_rehearsal(agent_step(), "steps: {summary: {output: null}}").output);
  EXPECT_EQ(play_rehearsal(agent_step({}, "a.md"), "steps: {summary: {answer: Hello}}").output, "Hello");
  EXPECT_THAT(*play_rehearsal(agent_step(), "steps: {summary: {answer: Hello}}").output, HasSubstr("{"));
}

TEST(RehearsalScript, given_a_speed_when_played_then_time_is_divided_by_it) {
  EXPECT_EQ(play_rehearsal(agent_step(), "speed: 10\ndefault: {delay: 5s}").took, Millis{500});
  EXPECT_EQ(play_rehearsal(agent_step(), "speed: 0.5\ndefault: {delay: 5s}").took, Millis{10'000});
}

TEST(RehearsalScript, given_real_steps_when_asked_then_only_those_are_run_in_earnest) {
  const auto script = read_rehearsal_script("steps: {build: {real: true}, test: {delay: 1s}}", "s");
  ASSERT_TRUE(script);
  EXPECT_TRUE(script->wants_real("build"));
  EXPECT_FALSE(script->wants_real("test"));
  EXPECT_FALSE(script->wants_real("other"));
  EXPECT_TRUE(read_rehearsal_script("default: {real: true}", "s")->wants_real("other"));
}

TEST(RehearsalScript, given_faults_when_read_then_all_come_with_place_and_nearest_name) {
  const auto script = read_rehearsal_script(
      "sped: 2\n"                                    // 1
      "speed: fast\n"                                // 2
      "default: [x]\n"                               // 3
      "steps:\n"                                     // 4
      "  a: {atempts: []}\n"                         // 5
      "  b:\n"                                       // 6
      "    attempts:\n"                              // 7
      "      - {dely: 2s}\n"                         // 8
      "      - {delay: soon, usage: {input: -1}}\n"  // 9
      "      - {fail: Not A Word}\n"                 // 10
      "      - {hang: true, crash: true}\n"          // 11
      "      - {hang: maybe}\n"                      // 12
      "    delay: 2s\n",                             // 13
      "s.yaml");
  ASSERT_FALSE(script);
  std::vector<std::string> found;
  for (const Fault& f : script.error()) {
    found.push_back(f.code + " " + std::to_string(f.place.line) + ":" + std::to_string(f.place.column));
  }
  EXPECT_THAT(found, testing::ElementsAre("unknown-key 1:1", "bad-number 2:8", "wrong-type 3:10", "unknown-key 5:7",
                                          "unknown-key 8:10", "bad-duration 9:17", "bad-number 9:38", "bad-enum 10:16",
                                          "conflicting-keys 11:9", "wrong-type 12:16", "conflicting-keys 13:5"));
  EXPECT_EQ(script.error()[0].help, "did you mean 'speed'?");
  EXPECT_EQ(script.error()[3].help, "did you mean 'attempts'?");
  EXPECT_EQ(script.error()[4].help, "did you mean 'delay'?");
}

TEST(RehearsalScript, given_a_script_for_another_workflow_when_compared_then_its_unknown_steps_are_named) {
  const auto script = read_rehearsal_script("steps:\n  sumary: {delay: 1s}\n", "s.yaml");
  Plan plan;
  plan.steps.push_back(agent_step());
  const Faults faults = check_rehearsal_script(*script, plan);
  ASSERT_THAT(faults, SizeIs(1));
  EXPECT_EQ(faults[0].code, "unknown-step");
  EXPECT_EQ(faults[0].place.line, 2);
  EXPECT_EQ(faults[0].help, "did you mean 'summary'?");
}

TEST(RehearsalScript, given_an_empty_file_when_read_then_everything_is_made_up) {
  EXPECT_TRUE(read_rehearsal_script("", "s"));
  EXPECT_TRUE(read_rehearsal_script("# nothing yet\n", "s"));
}

}  // namespace
}  // namespace baton
