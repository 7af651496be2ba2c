// Attempts that ask a model's API: requests, rounds of tools and batches, over a small world that may die anywhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/facts.h"
#include "engine/engine.h"
#include "engine/run_folder.h"
#include "support/machine.h"
#include "support/story.h"

namespace baton::test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string event_of(const std::string& type, const std::string& members) {
  return "event: " + type + "\ndata: {\"type\":\"" + type + "\"" + (members.empty() ? "" : "," + members) + "}\n\n";
}

std::string response(int status, const std::string& headers, const std::string& body) {
  return "baton-http/1 " + std::to_string(status) + "\n" + headers + "\n" + body;
}

std::string answer(const std::string& block, const std::string& stop) {
  return response(
      200, "content-type: text/event-stream\nrequest-id: req_1\n",
      event_of(
          "message_start",
          R"("message":{"model":"claude-sonnet-5-5","content":[],"usage":{"input_tokens":10,"output_tokens":1}})") +
          event_of("content_block_start", R"("index":0,"content_block":)" + block) +
          event_of("content_block_stop", R"("index":0)") +
          event_of("message_delta", R"("delta":{"stop_reason":")" + stop + R"("},"usage":{"output_tokens":5})") +
          event_of("message_stop", ""));
}

std::string says(const std::string& text) { return answer(R"({"type":"text","text":")" + text + "\"}", "end_turn"); }

const std::string wants_tool =
    answer(R"({"type":"tool_use","id":"t1","name":"bash","input":{"command":"ls"}})", "tool_use");

/// A machine whose step `a` asks a model's API, with what its exchanges print.
struct ApiMachine {
  explicit ApiMachine(std::map<std::string, std::string> prints, Work work = one_step())
      : machine{plan_with(std::move(work))}, prints_{std::move(prints)} {
    machine.runtimes.api_settings.model = "sonnet";
    machine.runtimes.api_settings.tools = {"run"};
    machine.host.watch.ended = [this](const SpawnSpec& spec, bool by_itself) -> std::optional<std::string> {
      const auto found = prints_.find(spec.key.step);
      if (!by_itself || found == prints_.end()) return std::nullopt;
      return found->second;
    };
  }

  static Work one_step() {
    return {.skill = "writer",
            .mission = "Write.",
            .inputs = {"in.md"},
            .output = "a.md",
            .output_format = OutputFormat::text,
            .runtime = "api"};
  }
  static Plan plan_with(Work work) {
    Plan plan = plan_of("a");
    plan.steps[0].work = std::make_shared<const Work>(std::move(work));
    return plan;
  }

  /// With an input, until all is over; a crash is followed by a new life.
  void live(std::uint64_t die_in = 0) {
    machine.files.files["/p/in.md"] = "the input";
    machine.mortality.die_in(die_in);
    for (int lives = 0; lives < 3; ++lives) {
      try {
        machine.start_engine();
        machine.pass(Millis{100'000});
        return;
      } catch (const Crash&) {
        machine.kill_engine();
      }
    }
  }
  [[nodiscard]] std::string request(const std::string& name) {
    return machine.files.files[run_folder("/p/.baton", "r").request(name, 1)];
  }
  [[nodiscard]] std::string body(const std::string& name) {
    return machine.files.files[run_folder("/p/.baton", "r").request_body(name, 1)];
  }

  Machine machine;

 private:
  std::map<std::string, std::string> prints_;
};

TEST(Exchanges, one_request_is_one_held_call_and_its_answer_the_output) {
  ApiMachine world{{{"a", says("hello")}}};
  world.live();
  EXPECT_EQ(world.machine.replayed().state(), RunState::completed);
  EXPECT_EQ(world.machine.files.files["/p/a.md"], "hello");
  EXPECT_THAT(world.request("a"), HasSubstr(R"("url":"https://api.anthropic.com/v1/messages")"));
  EXPECT_THAT(world.request("a"), HasSubstr(R"("body_file":"/p/.baton/runs/r/requests/a.1.body")"));
  EXPECT_THAT(world.body("a"), HasSubstr("the input")) << "inputs are in the prompt whole";
  EXPECT_THAT(world.machine.files.files[run_folder("/p/.baton", "r").prompt("a", 1)], HasSubstr("the input"));
  const Usage usage = world.machine.step("a").attempts.back().detail->usage;
  EXPECT_EQ(usage.tokens, (Tokens{10, 5, 0, 0}));
}

TEST(Exchanges, an_answer_that_cannot_be_written_is_kept_and_not_paid_twice) {
  ApiMachine world{{{"a", says("hello")}}};
  Machine& machine = world.machine;
  machine.files.files["/p/in.md"] = "x";
  machine.files.unwritable = "/p/a.md";
  machine.start_engine();
  ASSERT_TRUE(machine.settle());
  machine.clock.set(machine.clock.now() + Millis{1000});
  machine.host.catch_up();
  const Status broken = machine.settle();
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().help, "mend that, then 'baton resume r': the answer is kept");
  EXPECT_EQ(machine.step("a").state, StepState::running);
  machine.kill_engine();
  machine.files.unwritable.clear();
  machine.start_engine();
  machine.pass(Millis{5000});
  EXPECT_EQ(machine.replayed().state(), RunState::completed);
  EXPECT_EQ(machine.files.files["/p/a.md"], "hello");
  EXPECT_EQ(machine.starts("a"), 1);
}

TEST(Exchanges, an_input_that_is_missing_fails_before_anything_is_asked) {
  Work work = ApiMachine::one_step();
  work.inputs = {"in.md", "gone.md"};
  ApiMachine world{{{"a", says("hello")}}, work};
  world.live();
  EXPECT_EQ(world.machine.step("a").state, StepState::failed);
  EXPECT_EQ(world.machine.step("a").attempts.back().detail->failure->code, "input-not-found");
  EXPECT_EQ(world.machine.starts("a"), 0);
}

TEST(Exchanges, killed_in_any_call_to_its_world_a_loop_of_tools_makes_every_exchange_once) {
  const auto calls_of = [](std::uint64_t die_in) {
    ApiMachine world{{{"a", wants_tool},
                      {"a~call2", R"({"results":[{"id":"t1","content":"a.txt","is_error":false}]})"
                                  "\n"},
                      {"a~call3", says("done")}}};
    world.live(die_in);
    EXPECT_EQ(world.machine.replayed().state(), RunState::completed) << "dying in call " << die_in;
    EXPECT_EQ(world.machine.files.files["/p/a.md"], "done") << "dying in call " << die_in;
    for (const char* name : {"a", "a~call2", "a~call3"}) {
      EXPECT_EQ(world.machine.starts(name), 1) << name << ", dying in call " << die_in;
    }
    EXPECT_EQ(world.machine.starts("a", 2), 0) << "dying in call " << die_in;
    EXPECT_THAT(world.body("a~call3"), HasSubstr(R"("tool_use_id":"t1","content":"a.txt")"))
        << "dying in call " << die_in;
    return world.machine.mortality.calls();
  };
  const std::uint64_t calls = calls_of(0);
  ASSERT_GT(calls, 10U);
  for (std::uint64_t n = 1; n <= calls; ++n) (void)calls_of(n);
}

TEST(Exchanges, killed_anywhere_a_batch_is_submitted_once_and_looked_at_in_its_time) {
  const std::string head = "content-type: application/json\n";
  const auto custom = api::batch_custom_id("r", "a", 1);
  const std::string message =
      R"({"id":"m","type":"message","model":"claude-sonnet-5-5","content":[{"type":"text","text":"half price"}],"stop_reason":"end_turn","usage":{"input_tokens":10,"output_tokens":5}})";
  const auto calls_of = [&](std::uint64_t die_in) {
    ApiMachine world{{{"a", response(200, head, R"({"id":"msgbatch_1","processing_status":"in_progress"})")},
                      {"a~call2", response(200, head, R"({"id":"msgbatch_1","processing_status":"in_progress"})")},
                      {"a~call3", response(200, head, R"({"id":"msgbatch_1","processing_status":"ended"})")},
                      {"a~call4", response(200, head,
                                           R"({"custom_id":")" + custom +
                                               R"(","result":{"type":"succeeded","message":)" + message + "}}\n")}}};
    world.machine.runtimes.api_settings.batch = true;
    world.live(die_in);
    EXPECT_EQ(world.machine.replayed().state(), RunState::completed) << "dying in call " << die_in;
    EXPECT_EQ(world.machine.files.files["/p/a.md"], "half price") << "dying in call " << die_in;
    for (const char* name : {"a", "a~call2", "a~call3", "a~call4"}) {
      EXPECT_EQ(world.machine.starts(name), 1) << name << ", dying in call " << die_in;
    }
    return world.machine.mortality.calls();
  };
  const std::uint64_t calls = calls_of(0);
  for (std::uint64_t n = 1; n <= calls; ++n) (void)calls_of(n);
}

TEST(Exchanges, killed_anywhere_a_cancelled_batch_is_cancelled_at_its_provider) {
  const std::string head = "content-type: application/json\n";
  const auto calls_of = [&](std::uint64_t die_in) {
    ApiMachine world{{{"a", response(200, head, R"({"id":"msgbatch_1"})")},
                      {"a~call2", response(200, head, R"({"id":"msgbatch_1","processing_status":"canceling"})")}}};
    Machine& machine = world.machine;
    machine.runtimes.api_settings.batch = true;
    machine.files.files["/p/in.md"] = "x";
    machine.start_engine();
    machine.pass(Millis{5000});
    EXPECT_TRUE(machine.host.noted.contains({"r", "a", 1})) << "its run is woken for the time, not for its end";
    machine.ask("cancel");
    const std::uint64_t before = machine.mortality.calls();
    machine.mortality.die_in(die_in);
    try {
      machine.pass(Millis{10'000});
    } catch (const Crash&) {
      machine.kill_engine();
      machine.start_engine();
      EXPECT_TRUE(machine.engine->hear_requests("r"));
      machine.pass(Millis{10'000});
    }
    EXPECT_EQ(machine.replayed().state(), RunState::cancelled) << "dying in call " << die_in;
    EXPECT_EQ(machine.starts("a~call2"), 1) << "dying in call " << die_in;
    EXPECT_THAT(world.request("a~call2"), HasSubstr("/v1/messages/batches/msgbatch_1/cancel"))
        << "dying in call " << die_in;
    return machine.mortality.calls() - before;
  };
  const std::uint64_t calls = calls_of(0);
  ASSERT_GT(calls, 3U);
  for (std::uint64_t n = 1; n <= calls; ++n) (void)calls_of(n);
}

TEST(Exchanges, a_batch_whose_attempt_runs_out_of_time_is_left_for_the_next_attempt) {
  Work work = ApiMachine::one_step();
  work.timeout = Millis{8000};
  ApiMachine world{{{"a", response(200, "content-type: application/json\n", R"({"id":"msgbatch_1"})")}}, work};
  world.machine.runtimes.api_settings.batch = true;
  world.machine.files.files["/p/in.md"] = "x";
  world.machine.start_engine();
  world.machine.pass(Millis{10'000});
  EXPECT_EQ(world.machine.step("a").state, StepState::failed);
  EXPECT_EQ(world.machine.starts("a~call2"), 0) << "nobody cancels it at its provider";
}

TEST(Exchanges, a_pause_lets_the_call_in_flight_end_and_starts_nothing_new) {
  ApiMachine world{{{"a", wants_tool},
                    {"a~call2", R"({"results":[{"id":"t1","content":"x","is_error":false}]})"
                                "\n"},
                    {"a~call3", says("done")}}};
  world.machine.files.files["/p/in.md"] = "x";
  world.machine.start_engine();
  world.machine.pass(Millis{500});
  world.machine.ask("pause");
  world.machine.pass(Millis{10'000});
  EXPECT_EQ(world.machine.starts("a~call2"), 0);
  world.machine.ask("resume");
  world.machine.pass(Millis{10'000});
  EXPECT_EQ(world.machine.replayed().state(), RunState::completed);
  EXPECT_EQ(world.machine.starts("a~call2"), 1);
}

TEST(Exchanges, a_provider_that_is_overloaded_is_left_alone_by_all_steps_and_then_asked_one_by_one) {
  Plan plan = plan_of("a; b; c; d; e; f");
  for (Step& s : plan.steps) {
    s.work = std::make_shared<const Work>(Work{.skill = "w", .mission = s.id, .runtime = "api"});
    s.policy.retries = 5;
  }
  Machine machine{plan, 1};
  machine.runtimes.api_settings.model = "sonnet";
  std::vector<Time> asked;
  machine.host.watch.started = [&](const AttemptKey&) { asked.push_back(machine.clock.now()); };
  machine.host.watch.ended = [&](const SpawnSpec&, bool) -> std::optional<std::string> {
    const bool storm = machine.clock.now() < time_from_ms(1'010'000);
    return storm ? response(529, "content-type: application/json\nretry-after: 7\n", "{}") : says("ok");
  };
  machine.start_engine();
  machine.pass(Millis{120'000});
  EXPECT_EQ(machine.replayed().state(), RunState::completed);
  ASSERT_GE(asked.size(), 3U);
  EXPECT_GE(asked[1] - asked[0], Millis{8000}) << "its own time and the seven seconds it was told; also for the others";
  EXPECT_LT(asked.size(), 12U);
  const auto known =
      machine.journal.shares().take_permit("https://api.anthropic.com claude-sonnet-5-5", {}, machine.clock.now());
  EXPECT_TRUE(known);
}

TEST(Exchanges, a_days_money_that_is_spent_parks_the_run_before_the_next_call) {
  Plan plan = plan_of("a; b: a");
  for (Step& s : plan.steps)
    s.work = std::make_shared<const Work>(Work{.skill = "w", .mission = s.id, .runtime = "api"});
  Machine machine{plan};
  machine.runtimes.api_settings.model = "sonnet";
  machine.host.watch.ended = [](const SpawnSpec&, bool) { return std::optional{says("ok")}; };
  machine.start_engine();
  machine.engine->share({.day_budget = Cost{70'000}});  // what one answer costs
  machine.pass(Millis{10'000});
  EXPECT_EQ(machine.replayed().state(), RunState::parked);
  EXPECT_EQ(machine.starts("a"), 1);
  EXPECT_EQ(machine.starts("b"), 0);
  machine.pass(std::chrono::hours{24});
  EXPECT_EQ(machine.replayed().state(), RunState::completed) << "the next day";
}

/// What was warned of.
struct Warned final : Observer {
  void announced(const std::string&, const baton::Run&, const command::Announce&, Time) override {}
  void said(const std::string&, const baton::Run&, StepIndex, int, std::string_view, Time) override {}
  void warned(const std::string&, const Fault& fault) override { codes.push_back(fault.code); }
  std::vector<std::string> codes;
};

TEST(Exchanges, where_dollars_are_capped_a_model_without_a_price_is_asked_only_by_who_may) {
  struct Case {
    const char* model;
    const char* says;  ///< what the run has on record of that
    bool capped;
    bool asked;
    std::size_t warnings;
  };
  for (const Case& c : {Case{"local-7b", "refused", true, false, 0}, Case{"local-7b", "refused", false, true, 0},
                        Case{"local-7b", "allowed", true, true, 0}, Case{"sonnet", "refused", true, true, 0},
                        Case{"local-7b", "", true, true, 1}}) {
    Plan plan = plan_of("a; b");
    for (Step& s : plan.steps)
      s.work = std::make_shared<const Work>(Work{.skill = "w", .mission = s.id, .runtime = "api"});
    Machine machine{plan};
    Warned watcher;
    machine.observer = &watcher;
    machine.runtimes.api_settings.model = c.model;
    machine.host.watch.ended = [](const SpawnSpec&, bool) { return std::optional{says("ok")}; };
    if (*c.says != '\0') machine.options["unpriced"] = c.says;
    machine.start_engine();
    if (c.capped) machine.engine->share({.day_budget = Cost{1'000'000'000}});
    machine.pass(Millis{10'000});
    SCOPED_TRACE(std::string{c.model} + " " + c.says);
    EXPECT_EQ(machine.starts("a"), c.asked ? 1 : 0);
    EXPECT_EQ(machine.replayed().state(), c.asked ? RunState::completed : RunState::failed);
    if (!c.asked) {
      EXPECT_EQ(machine.step("b").attempts.size(), 1U) << "it is not tried again";
      EXPECT_EQ(machine.step("b").attempts.back().detail->failure->code, "unpriced-model");
    }
    EXPECT_EQ(watcher.codes, std::vector<std::string>(c.warnings, "unpriced-model")) << "once for all steps";
  }
}

TEST(Exchanges, a_days_money_is_looked_at_before_each_call_of_a_loop_of_tools) {
  ApiMachine world{{{"a", wants_tool},
                    {"a~call2", R"({"results":[{"id":"t1","content":"a.txt","is_error":false}]})"
                                "\n"},
                    {"a~call3", says("done")}}};
  Machine& machine = world.machine;
  machine.files.files["/p/in.md"] = "the input";
  machine.start_engine();
  machine.engine->share({.day_budget = Cost{70'000}});  // what one answer costs
  machine.pass(Millis{10'000});
  EXPECT_EQ(machine.replayed().state(), RunState::parked);
  EXPECT_EQ(machine.starts("a"), 1);
  EXPECT_EQ(machine.starts("a~call3"), 0) << "no second call";
  const auto& failure = machine.step("a").attempts.back().detail->failure;
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, "budget-exhausted");
  EXPECT_THAT(why_parked(machine.replayed()), HasSubstr("today's budget of $0.00007 is spent"));
  EXPECT_THAT(*machine.journal.shares().cool_downs(machine.clock.now()), testing::IsEmpty())
      << "a larger budget lets it go on at once";
}

TEST(Exchanges, a_provider_that_wants_time_is_left_alone_between_two_calls_of_a_loop_too) {
  ApiMachine world{{{"a", wants_tool},
                    {"a~call2", R"({"results":[{"id":"t1","content":"a.txt","is_error":false}]})"
                                "\n"},
                    {"a~call3", says("done")}}};
  Machine& machine = world.machine;
  machine.files.files["/p/in.md"] = "the input";
  Time asked_again{};
  machine.host.watch.started = [&](const AttemptKey& key) {
    if (key.step == "a~call3") asked_again = machine.clock.now();
  };
  machine.start_engine();
  machine.pass(Millis{500});
  governor::Outcome limited;  // another process was sent away
  limited.kind = governor::Outcome::Kind::limited;
  limited.asked = limited.at = machine.clock.now();
  limited.retry_after = Millis{30'000};
  ASSERT_TRUE(machine.journal.shares().learned("https://api.anthropic.com claude-sonnet-5-5", limited));
  machine.pass(Millis{100'000});
  EXPECT_EQ(machine.replayed().state(), RunState::completed);
  EXPECT_GE(asked_again, limited.at + Millis{30'000});
  EXPECT_EQ(machine.starts("a~call3"), 1);
}

TEST(Exchanges, tokens_that_are_used_up_hold_the_next_steps_back) {
  Plan plan = plan_of("a; b: a");
  for (Step& s : plan.steps)
    s.work = std::make_shared<const Work>(Work{.skill = "w", .mission = s.id, .runtime = "api"});
  Machine machine{plan};
  machine.runtimes.api_settings.model = "sonnet";
  std::vector<Time> asked;
  machine.host.watch.started = [&](const AttemptKey&) { asked.push_back(machine.clock.now()); };
  machine.host.watch.ended = [](const SpawnSpec&, bool) {
    std::string told = says("ok");
    const std::string mark = "request-id";
    told.insert(told.find(mark),
                "anthropic-ratelimit-input-tokens-limit: 60\nanthropic-ratelimit-input-tokens-remaining: 0\n");
    return std::optional{told};
  };
  machine.start_engine();
  machine.pass(Millis{60'000});
  EXPECT_EQ(machine.replayed().state(), RunState::completed);
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_GE(asked[1] - asked[0], Millis{11'000}) << "ten tokens at one a second, and its own time";
}

TEST(Exchanges, a_model_that_wants_time_keeps_no_other_model_waiting) {
  Plan plan = plan_of("a; b");
  for (Step& s : plan.steps) {
    s.work = std::make_shared<const Work>(Work{.skill = "w", .mission = s.id, .runtime = "api", .model = s.id});
    s.policy.retries = 1;
  }
  Machine machine{plan, 1};
  Time other{};
  machine.host.watch.started = [&](const AttemptKey& key) {
    if (key.step == "b") other = machine.clock.now();
  };
  machine.host.watch.ended = [&](const SpawnSpec& spec, bool) -> std::optional<std::string> {
    const bool limited = spec.key.step == "a" && spec.key.attempt == 1;
    return limited ? response(429, "content-type: application/json\nretry-after: 50\n", "{}") : says("ok");
  };
  const Time began = machine.clock.now();
  machine.start_engine();
  machine.pass(Millis{120'000});
  EXPECT_EQ(machine.replayed().state(), RunState::completed);
  EXPECT_LE(other - began, Millis{2'000});
}

TEST(Exchanges, a_provider_that_limits_and_does_not_say_for_how_long_is_left_alone_as_long_as_the_settings_say) {
  Plan plan = plan_of("a");
  plan.steps[0].work = std::make_shared<const Work>(Work{.skill = "w", .mission = "m", .runtime = "api", .model = "m"});
  plan.steps[0].policy.retries = 1;
  Machine machine{plan, 1};
  std::vector<Time> asked;
  machine.host.watch.started = [&](const AttemptKey&) { asked.push_back(machine.clock.now()); };
  machine.host.watch.ended = [&](const SpawnSpec& spec, bool) -> std::optional<std::string> {
    return spec.key.attempt == 1 ? response(429, "content-type: application/json\n", "{}") : says("ok");
  };
  machine.start_engine();
  machine.pass(Millis{200'000});
  EXPECT_EQ(machine.replayed().state(), RunState::completed);
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_GE(asked[1] - asked[0], Millis{60'000});
}

/// Three steps with the same long input, all ready at once.
Machine& siblings(Machine& machine, std::vector<Time>& started, int failures) {
  machine.runtimes.api_settings.model = "sonnet";
  machine.files.files["/p/in.md"] = std::string(8000, 'x');
  machine.host.watch.started = [&](const AttemptKey&) { started.push_back(machine.clock.now()); };
  machine.host.watch.ended = [&, left = failures](const SpawnSpec&, bool) mutable -> std::optional<std::string> {
    return left-- > 0 ? response(500, "content-type: application/json\n", "{}") : says("ok");
  };
  machine.start_engine();
  machine.pass(Millis{60'000});
  return machine;
}

Plan siblings_plan() {
  Plan plan = plan_of("a; b; c");
  for (Step& s : plan.steps) {
    s.work = std::make_shared<const Work>(
        Work{.skill = "w", .mission = "Do " + s.id, .inputs = {"in.md"}, .runtime = "api"});
  }
  return plan;
}

TEST(Exchanges, of_calls_with_the_same_beginning_one_goes_first_and_warms_the_cache) {
  Machine machine{siblings_plan()};
  std::vector<Time> started;
  siblings(machine, started, 0);
  EXPECT_EQ(machine.replayed().state(), RunState::completed);
  ASSERT_EQ(started.size(), 3U);
  EXPECT_EQ(started[1] - started[0], Millis{1000}) << "when the response of the first has begun";
  EXPECT_EQ(started[2], started[1]);
}

TEST(Exchanges, a_first_call_that_fails_holds_nobody_back) {
  Machine machine{siblings_plan()};
  std::vector<Time> started;
  siblings(machine, started, 1);
  ASSERT_EQ(started.size(), 3U) << "the first is not tried again";
  EXPECT_EQ(started[1] - started[0], Millis{1000});
  EXPECT_EQ(started[2] - started[1], Millis{1000}) << "another one goes first";
  EXPECT_EQ(machine.replayed().count(StepState::completed), 2U);
}

}  // namespace
}  // namespace baton::test
