#include "core/governor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/hash.h"

namespace baton::governor {
namespace {

const Time start = time_from_ms(1'700'000'000'000);

Time at(std::int64_t ms) { return start + Millis{ms}; }

Outcome outcome(Outcome::Kind kind, Time asked, Time ended) {
  Outcome o;
  o.kind = kind;
  o.asked = asked;
  o.at = ended;
  return o;
}

RateLimits requests_left(std::int64_t limit, std::int64_t remaining) {
  RateLimits limits;
  limits.requests = {limit, remaining, std::nullopt};
  return limits;
}

bool goes_now(State& state, Time now, const Load& load = {}) {
  const Permit permit = ask(state, load, now);
  return permit.kept && permit.at == now;
}

TEST(Governor, knowing_nothing_it_lets_everything_through) {
  State state;
  EXPECT_TRUE(lets_all(state, start));
  for (int i = 0; i < 2000; ++i) EXPECT_TRUE(goes_now(state, start, {1'000'000, 1'000'000}));
}

TEST(Governor, what_headers_say_is_left_goes_at_once_and_the_rest_as_it_fills_again) {
  State state;
  Outcome first = outcome(Outcome::Kind::answered, start, start);
  first.limits = requests_left(60, 3);
  learn(state, first);
  EXPECT_FALSE(lets_all(state, start));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(goes_now(state, start)) << i;
  // Sixty a minute are one a second, and each has a moment of its own.
  for (int i = 1; i <= 5; ++i) {
    const Permit permit = ask(state, {}, start);
    EXPECT_EQ(permit.at, at(1000 * i));
    EXPECT_TRUE(permit.kept);
  }
  const Permit late = ask(state, {}, start);
  EXPECT_EQ(late.at, at(5000)) << "what is further away is not promised";
  EXPECT_FALSE(late.kept);
  EXPECT_EQ(ask(state, {}, at(5000)).at, at(6000)) << "nor was anything taken for it";
}

TEST(Governor, tokens_count_too_and_a_request_larger_than_the_limit_still_goes_when_all_is_there) {
  State state;
  Outcome first = outcome(Outcome::Kind::answered, start, start);
  first.limits.input_tokens = {60'000, 30'000, std::nullopt};
  learn(state, first);
  EXPECT_TRUE(goes_now(state, start, {30'000, 0}));
  EXPECT_EQ(ask(state, {3'000, 0}, start).at, at(3'000));
  State full;
  first.limits.input_tokens = {60'000, 0, std::nullopt};
  learn(full, first);
  EXPECT_FALSE(goes_now(full, at(50'000), {1'000'000, 0}));
  EXPECT_TRUE(goes_now(full, at(60'000), {1'000'000, 0}));
  EXPECT_FALSE(goes_now(full, at(60'001), {1, 0})) << "it took more than there was";
}

TEST(Governor, a_load_that_nobody_knows_is_like_those_before) {
  State state;
  Outcome first = outcome(Outcome::Kind::answered, start, start);
  first.limits.input_tokens = {60'000, 25'000, std::nullopt};
  first.counted_input = 10'000;
  first.counted_output = 500;
  learn(state, first);
  EXPECT_EQ(state.typical, (Load{10'000, 500}));
  const Permit second = ask(state, {}, start);
  EXPECT_EQ(second.at, start);
  EXPECT_EQ(second.taken, (Load{10'000, 500}));
  EXPECT_TRUE(goes_now(state, start));
  EXPECT_EQ(ask(state, {}, start).at, at(5'000)) << "five thousand are left, and a thousand come each second";
}

TEST(Governor, while_more_was_used_than_there_is_nobody_goes) {
  for (RateLimit RateLimits::* which : {&RateLimits::input_tokens, &RateLimits::output_tokens, &RateLimits::tokens}) {
    State state;
    Outcome first = outcome(Outcome::Kind::answered, start, start);
    first.limits.*which = {60'000, 0, std::nullopt};
    learn(state, first);
    EXPECT_EQ(ask(state, {}, start).at, at(1)) << "one token, and nobody knows how many it takes";
    Outcome dear = outcome(Outcome::Kind::answered, start, start);
    dear.counted_input = dear.counted_output = 3'000;
    learn(state, dear);
    EXPECT_GE(ask(state, {}, start).at, at(3'000));
  }
}

TEST(Governor, what_is_there_again_only_later_is_waited_for) {
  State state;
  Outcome first = outcome(Outcome::Kind::answered, start, start);
  first.limits.requests = {60, 0, at(90'000)};
  learn(state, first);
  State early = state;
  EXPECT_FALSE(goes_now(early, at(30'000))) << "by itself it would have been half full by now";
  EXPECT_TRUE(goes_now(state, at(31'000)));
  State left;
  first.limits.requests = {60, 5, at(90'000)};
  learn(left, first);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(goes_now(left, start)) << "what is left is left";
}

TEST(Governor, whoever_was_sent_away_took_nothing) {
  State state;
  Outcome first = outcome(Outcome::Kind::answered, start, start);
  first.limits.input_tokens = {60'000, 10'000, std::nullopt};
  learn(state, first);
  ASSERT_TRUE(goes_now(state, start, {10'000, 0}));
  Outcome away = outcome(Outcome::Kind::overloaded, at(-1), start);
  away.guessed = {10'000, 0};
  away.retry_after = Millis{0};
  learn(state, away);
  state.gap = Millis{0};
  EXPECT_TRUE(goes_now(state, start, {10'000, 0}));
}

TEST(Governor, less_left_than_thought_is_believed_and_more_is_not) {
  State state;
  Outcome o = outcome(Outcome::Kind::answered, start, start);
  o.limits = requests_left(600, 100);
  learn(state, o);
  o.limits = requests_left(600, 2);  // somebody else uses the key too
  learn(state, o);
  EXPECT_TRUE(goes_now(state, start));
  o.limits = requests_left(600, 500);  // told before what is under way was counted
  learn(state, o);
  EXPECT_TRUE(goes_now(state, start));
  EXPECT_FALSE(goes_now(state, start));
}

TEST(Governor, what_was_guessed_too_much_is_given_back_and_what_was_guessed_too_little_taken) {
  State state;
  Outcome o = outcome(Outcome::Kind::answered, start, start);
  o.limits.input_tokens = {1000, 1000, std::nullopt};
  learn(state, o);
  ASSERT_TRUE(goes_now(state, start, {1000, 0}));
  Outcome cached = outcome(Outcome::Kind::answered, start, start);
  cached.guessed = {1000, 0};
  cached.counted_input = 100;  // the rest was read from the cache
  learn(state, cached);
  EXPECT_TRUE(goes_now(state, start, {800, 0}));
  Outcome larger = outcome(Outcome::Kind::answered, start, start);
  larger.counted_input = 100;
  learn(state, larger);
  EXPECT_FALSE(goes_now(state, start, {50, 0}));
}

TEST(Governor, a_time_that_was_asked_for_is_kept_by_all_and_there_is_no_stampede_after_it) {
  State state;
  Outcome limited = outcome(Outcome::Kind::limited, start, start);
  limited.retry_after = Millis{90'000};
  learn(state, limited);
  EXPECT_EQ(ask(state, {}, at(1000)).at, at(90'000));
  EXPECT_FALSE(lets_all(state, at(1000)));
  EXPECT_TRUE(goes_now(state, at(90'000)));
  EXPECT_EQ(ask(state, {}, at(90'000)).at, at(90'250));
  EXPECT_EQ(ask(state, {}, at(90'000)).at, at(90'500));
}

TEST(Governor, requests_that_failed_together_slow_it_once) {
  State together;
  for (int i = 0; i < 50; ++i) learn(together, outcome(Outcome::Kind::overloaded, start, at(500 + i)));
  EXPECT_EQ(together.gap, Millis{250});
  State again;
  learn(again, outcome(Outcome::Kind::overloaded, start, at(500)));
  learn(again, outcome(Outcome::Kind::overloaded, at(2000), at(2500)));
  EXPECT_EQ(again.gap, Millis{500});
}

TEST(Governor, a_provider_that_was_well_for_long_is_asked_as_if_nothing_had_been) {
  State state;
  learn(state, outcome(Outcome::Kind::overloaded, start, at(500)));
  EXPECT_FALSE(lets_all(state, at(600'000)));
  EXPECT_TRUE(lets_all(state, at(600'500)));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(goes_now(state, at(600'500)));
  learn(state, outcome(Outcome::Kind::overloaded, at(700'000), at(700'000)));
  EXPECT_EQ(state.gap, Millis{250}) << "it begins anew";
}

TEST(Governor, errors_that_say_nothing_about_load_change_nothing) {
  State state;
  learn(state, outcome(Outcome::Kind::neither, start, start));
  EXPECT_EQ(state, State{});
}

TEST(Governor, its_state_survives_a_row_and_a_broken_row_is_a_fresh_state) {
  State state;
  Outcome o = outcome(Outcome::Kind::limited, start, at(5));
  o.limits = requests_left(60, 3);
  o.limits.output_tokens = {400, 7, at(9)};
  learn(state, o);
  (void)ask(state, {3, 4}, at(70'000));
  EXPECT_EQ(state_of(to_text(state)), state);
  for (const std::string broken : {"", "1", "2 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0", "1 x", "{}"}) {
    EXPECT_EQ(state_of(broken), State{}) << broken;
  }
}

/// A provider that is overloaded for a while, and many steps that ask as soon as they may.
struct Storm {
  int refused = 0;
  int answered = 0;
  int asked = 0;
  Time done{};
};

Storm play_storm(int steps, Time storm_ends, bool is_governed) {
  State state;
  struct Flying {
    Time asked;
    bool is_good;
  };
  std::multimap<Time, Flying> flying;  // by their end
  std::multimap<Time, bool> waiting;   // by the moment they come; whether that is kept for them
  for (int i = 0; i < steps; ++i) waiting.emplace(start, false);
  Storm storm;
  while (storm.answered < steps) {
    const bool lands = waiting.empty() || (!flying.empty() && flying.begin()->first <= waiting.begin()->first);
    const Time now = lands ? flying.begin()->first : waiting.begin()->first;
    storm.done = now;
    if (now > at(3'600'000)) break;
    if (lands) {
      const Flying f = flying.begin()->second;
      flying.erase(flying.begin());
      learn(state, outcome(f.is_good ? Outcome::Kind::answered : Outcome::Kind::overloaded, f.asked, now));
      storm.answered += f.is_good ? 1 : 0;
      storm.refused += f.is_good ? 0 : 1;
      if (!f.is_good) waiting.emplace(now, false);
      continue;
    }
    const bool is_kept = waiting.begin()->second && state.not_before <= now;
    waiting.erase(waiting.begin());
    const Permit permit = is_kept || !is_governed ? Permit{now, true} : ask(state, {}, now);
    ++storm.asked;
    if (permit.kept && permit.at == now) {
      flying.emplace(now + Millis{1000}, Flying{now, now >= storm_ends});
    } else {
      waiting.emplace(permit.at, permit.kept);
    }
  }
  return storm;
}

TEST(Governor, a_storm_slows_all_and_they_recover) {
  const Storm free = play_storm(200, at(60'000), false);
  const Storm governed = play_storm(200, at(60'000), true);
  EXPECT_EQ(governed.answered, 200);
  EXPECT_LT(governed.refused, free.refused / 20) << "free: " << free.refused;
  EXPECT_LT(governed.done - at(60'000), Millis{240'000}) << "it has to come back to speed";
  EXPECT_LT(governed.asked, 200 * 60) << "nor may those who wait be busy with it";
}

// Warming. ----------------------------------------------------------------------------------------------------------
TEST(Warmth, the_first_call_warms_and_its_siblings_wait_until_it_has_begun) {
  Warmth warmth;
  EXPECT_EQ(warmth.ask(7, start), std::nullopt);
  EXPECT_EQ(warmth.ask(7, at(10)), start + Warmth::waits_max);
  EXPECT_EQ(warmth.ask(8, at(10)), std::nullopt) << "another prefix";
  warmth.began(7, at(900));
  EXPECT_EQ(warmth.ask(7, at(901)), std::nullopt);
  EXPECT_EQ(warmth.ask(7, at(902)), std::nullopt);
}

TEST(Warmth, a_first_call_that_fails_or_is_silent_holds_nobody_back) {
  Warmth failed;
  (void)failed.ask(7, start);
  failed.failed(7);
  EXPECT_EQ(failed.ask(7, at(1)), std::nullopt);
  Warmth silent;
  (void)silent.ask(7, start);
  EXPECT_EQ(silent.ask(7, start + Warmth::waits_max), std::nullopt);
}

TEST(Warmth, what_has_gone_cold_is_warmed_anew_by_one) {
  Warmth warmth;
  (void)warmth.ask(7, start);
  warmth.began(7, start);
  const Time later = start + Warmth::lives;
  EXPECT_EQ(warmth.ask(7, later), std::nullopt);
  EXPECT_NE(warmth.ask(7, later), std::nullopt);
}

}  // namespace
}  // namespace baton::governor
