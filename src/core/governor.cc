#include "core/governor.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/number.h"
#include "base/text.h"

namespace baton::governor {
namespace {

using Bucket = State::Bucket;

constexpr std::int64_t minute_ms = 60'000;
constexpr std::int64_t milli = 1000;
constexpr Millis gap_first{250};
constexpr Millis gap_max{30'000};
constexpr Millis gap_gone{50};
constexpr Millis pause_first{1000};
constexpr Millis pause_max{60'000};
// A provider that was not slow for so long is no slow one.
constexpr Millis gap_lives{600'000};
// So many answers in a row let the gap shrink once.
constexpr std::int32_t answers_a_step = 3;
constexpr std::int64_t limit_max = 1'000'000'000'000;
constexpr Millis promised_max{5000};
// However much was taken beyond a limit, after so many minutes it is forgiven.
constexpr std::int64_t owed_minutes_max = 5;

std::int64_t level_at(const Bucket& bucket, Time now) {
  const std::int64_t passed =
      std::clamp<std::int64_t>((now - bucket.at).count(), 0, (owed_minutes_max + 1) * minute_ms);
  const std::int64_t full = bucket.limit * milli;
  return std::min(full, bucket.level_m + full / minute_ms * passed + full % minute_ms * passed / minute_ms);
}

/// How long until so much is there. What is more than the whole limit goes when the bucket is full.
Millis until_there(const Bucket& bucket, std::int64_t amount, Time now) {
  const std::int64_t wanted = std::min(amount, bucket.limit) * milli;
  const std::int64_t missing = wanted - level_at(bucket, now);
  if (missing <= 0) return Millis{0};
  // Not less than it takes, and never so long that it overflows.
  const double ms =
      static_cast<double>(missing) * static_cast<double>(minute_ms) / static_cast<double>(bucket.limit * milli);
  return Millis{static_cast<std::int64_t>(std::ceil(ms))};
}

std::array<std::int64_t, State::buckets_count> amounts(const Load& load) {
  return {1, load.input_tokens, load.output_tokens, load.input_tokens + load.output_tokens};
}

void take(Bucket& bucket, std::int64_t amount, Time now) {
  const std::int64_t full = bucket.limit * milli;
  bucket.level_m = std::max(level_at(bucket, now) - amount * milli, -owed_minutes_max * full);
  bucket.at = now;
}

/// How much is left by what the server says. Where that is nothing, and all of it is there again only later than it
/// fills by our reckoning, less than nothing: so nobody comes before.
std::int64_t left_by(const RateLimit& told, std::int64_t limit, Time now) {
  const std::int64_t full = limit * milli;
  const std::int64_t left = std::min(told.remaining.value_or(limit), limit) * milli;
  if (left > 0 || !told.reset) return left;
  const std::int64_t wait = std::clamp<std::int64_t>((*told.reset - now).count(), 0, owed_minutes_max * minute_ms);
  return std::min(left, full - full / minute_ms * wait - full % minute_ms * wait / minute_ms);
}

/// The server knows of others too: less left than we thought is believed; more is not, since what is under way may not
/// have been counted there.
void heed(Bucket& bucket, const RateLimit& told, Time now) {
  if (!told.limit || *told.limit <= 0) return;
  const std::int64_t limit = std::min(*told.limit, limit_max);
  if (bucket.limit == 0) {
    bucket.limit = limit;
    bucket.level_m = left_by(told, limit, now);
    bucket.at = now;
    return;
  }
  const std::int64_t level = level_at(bucket, now);
  bucket.limit = limit;
  bucket.level_m = std::min(level, limit * milli);
  if (told.remaining) bucket.level_m = std::min(bucket.level_m, left_by(told, limit, now));
  bucket.at = now;
}

Millis gap_at(const State& state, Time now) { return now - state.slowed >= gap_lives ? Millis{0} : state.gap; }

void slow_down(State& state, const Outcome& outcome) {
  if (outcome.asked >= state.slowed) {
    state.gap = std::clamp(gap_at(state, outcome.at) * 2, gap_first, gap_max);
    state.slowed = outcome.at;
    state.good = 0;
  }
  // Without a word from the provider: the wider the gap has become, the longer it is left alone.
  const Millis guess = std::clamp(state.gap * 4, pause_first, pause_max);
  state.not_before = std::max(state.not_before, outcome.at + outcome.retry_after.value_or(guess));
}

void speed_up(State& state, const Outcome& outcome) {
  if (state.gap.count() == 0 || outcome.asked < state.slowed) return;
  if (++state.good < answers_a_step) return;
  state.good = 0;
  state.gap = state.gap * 2 / 3;
  if (state.gap < gap_gone) state.gap = Millis{0};
}

void give_back(Bucket& bucket, std::int64_t tokens, Time now) {
  if (bucket.limit == 0) return;
  const std::int64_t full = bucket.limit * milli;
  bucket.level_m = std::clamp(level_at(bucket, now) + tokens * milli, -owed_minutes_max * full, full);
  bucket.at = now;
}

/// Gives back what was guessed too much, and takes what was guessed too little. One that was sent away took nothing.
void settle(State& state, const Outcome& outcome) {
  const bool sent_away = outcome.kind == Outcome::Kind::limited || outcome.kind == Outcome::Kind::overloaded;
  const std::int64_t input =
      outcome.guessed.input_tokens - outcome.counted_input.value_or(sent_away ? 0 : outcome.guessed.input_tokens);
  const std::int64_t output =
      outcome.guessed.output_tokens - outcome.counted_output.value_or(sent_away ? 0 : outcome.guessed.output_tokens);
  if (input != 0) give_back(state.buckets[State::input_tokens], input, outcome.at);
  if (output != 0) give_back(state.buckets[State::output_tokens], output, outcome.at);
  if (input + output != 0) give_back(state.buckets[State::tokens], input + output, outcome.at);
}

/// What the next request is going to take, as long as nobody knows better.
void note_load(State& state, const Outcome& outcome) {
  const bool counts_tokens =
      std::ranges::any_of(state.buckets.begin() + 1, state.buckets.end(), [](const Bucket& b) { return b.limit > 0; });
  if (!counts_tokens || !outcome.counted_input) return;
  const auto near = [](std::int64_t before, std::int64_t now) { return before == 0 ? now : (3 * before + now) / 4; };
  state.typical.input_tokens = near(state.typical.input_tokens, *outcome.counted_input);
  state.typical.output_tokens = near(state.typical.output_tokens, outcome.counted_output.value_or(0));
}

}  // namespace

Permit ask(State& state, const Load& load, Time now) {
  Time start = std::max(now, state.not_before);
  if (const Millis gap = gap_at(state, now); gap.count() > 0) start = std::max(start, state.last + gap);
  const Load guess = load == Load{} ? state.typical : load;
  const auto wanted = amounts(guess);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const Bucket& bucket = state.buckets.at(i);
    const std::int64_t amount = std::max<std::int64_t>(wanted.at(i), 1);
    if (bucket.limit > 0) start = std::max(start, now + until_there(bucket, amount, now));
  }
  if (start > now + promised_max) return {std::max(state.not_before, now + promised_max), false};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    Bucket& bucket = state.buckets.at(i);
    if (bucket.limit > 0) take(bucket, wanted.at(i), now);
  }
  state.last = std::max(state.last, start);
  return {start, true, guess};
}

bool lets_all(const State& state, Time now) {
  return gap_at(state, now).count() == 0 && state.not_before <= now &&
         std::ranges::all_of(state.buckets, [](const Bucket& bucket) { return bucket.limit == 0; });
}

void learn(State& state, const Outcome& outcome) {
  settle(state, outcome);
  heed(state.buckets[State::requests], outcome.limits.requests, outcome.at);
  heed(state.buckets[State::input_tokens], outcome.limits.input_tokens, outcome.at);
  heed(state.buckets[State::output_tokens], outcome.limits.output_tokens, outcome.at);
  heed(state.buckets[State::tokens], outcome.limits.tokens, outcome.at);
  note_load(state, outcome);
  if (outcome.kind == Outcome::Kind::limited || outcome.kind == Outcome::Kind::overloaded) {
    slow_down(state, outcome);
  } else if (outcome.kind == Outcome::Kind::answered) {
    speed_up(state, outcome);
  }
}

std::string to_text(const State& state) {
  std::string text =
      fmt::format("2 {} {} {} {} {} {} {}", state.gap.count(), to_ms(state.last), to_ms(state.not_before),
                  to_ms(state.slowed), state.good, state.typical.input_tokens, state.typical.output_tokens);
  for (const Bucket& bucket : state.buckets) {
    text += fmt::format(" {} {} {}", bucket.limit, bucket.level_m, to_ms(bucket.at));
  }
  return text;
}

State state_of(std::string_view text) {
  constexpr std::size_t head = 8;
  constexpr std::size_t fields = head + std::size_t{3} * State::buckets_count;
  std::vector<std::int64_t> numbers;
  for (const std::string_view word : split(text, ' ')) {
    const auto number = parse_whole<std::int64_t>(word);
    if (!number) return {};
    numbers.push_back(*number);
  }
  if (numbers.size() != fields || numbers[0] != 2) return {};
  State state;
  state.gap = std::clamp(Millis{numbers[1]}, Millis{0}, gap_max);
  state.last = time_from_ms(numbers[2]);
  state.not_before = time_from_ms(numbers[3]);
  state.slowed = time_from_ms(numbers[4]);
  state.good = static_cast<std::int32_t>(std::clamp<std::int64_t>(numbers[5], 0, answers_a_step));
  state.typical.input_tokens = std::clamp<std::int64_t>(numbers[6], 0, limit_max);
  state.typical.output_tokens = std::clamp<std::int64_t>(numbers[7], 0, limit_max);
  for (std::size_t i = 0; i < state.buckets.size(); ++i) {
    Bucket& bucket = state.buckets.at(i);
    bucket.limit = std::clamp<std::int64_t>(numbers[head + 3 * i], 0, limit_max);
    const std::int64_t full = bucket.limit * milli;
    bucket.level_m = std::clamp(numbers[head + 1 + 3 * i], -owed_minutes_max * full, full);
    bucket.at = time_from_ms(numbers[head + 2 + 3 * i]);
  }
  return state;
}

std::optional<Time> Warmth::ask(std::uint64_t prefix, Time now) {
  std::erase_if(entries_, [&](const auto& e) {
    return e.second.warm == Time{} ? now - e.second.asked >= waits_max : now - e.second.warm >= lives;
  });
  const auto [entry, is_first] = entries_.try_emplace(prefix, Entry{now, {}});
  if (is_first || entry->second.warm != Time{}) return std::nullopt;
  return entry->second.asked + waits_max;
}

void Warmth::began(std::uint64_t prefix, Time now) {
  const auto [entry, is_new] = entries_.try_emplace(prefix, Entry{now, now});
  if (!is_new) entry->second.warm = now;
}

void Warmth::failed(std::uint64_t prefix) {
  const auto entry = entries_.find(prefix);
  if (entry != entries_.end() && entry->second.warm == Time{}) entries_.erase(entry);
}

}  // namespace baton::governor
