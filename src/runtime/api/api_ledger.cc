#include <fmt/core.h>

#include <algorithm>

#include "runtime/api/api_runtime.h"

namespace baton::api {
namespace {

constexpr std::int64_t bytes_a_token = 4;

std::int64_t guess(std::size_t bytes) { return (static_cast<std::int64_t>(bytes) + bytes_a_token - 1) / bytes_a_token; }

// What a provider may put around a prompt, and what a model may think unseen: as much as the largest contexts hold.
constexpr std::int64_t unseen_tokens_max = 2'000'000;

/// No token is less than a byte. Told numbers that are far beyond are a mistake, and would empty every budget.
bool can_be(const Tokens& tokens, std::size_t asked_bytes, std::size_t written_bytes, std::int64_t asked_tokens) {
  const std::int64_t read = tokens.input + tokens.cache_read + tokens.cache_write;
  const std::int64_t written = std::max(static_cast<std::int64_t>(written_bytes), asked_tokens);
  return read <= static_cast<std::int64_t>(asked_bytes) + unseen_tokens_max &&
         tokens.output <= written + unseen_tokens_max;
}

std::optional<Cost> half(std::optional<Cost> cost) {
  return cost ? std::optional{Cost{(cost->nano_usd + 1) / 2}} : std::nullopt;
}

}  // namespace

void ApiLedger::set(const Answer& answer, const Asked& asked, bool is_cut) {
  Sum sum;
  sum.turns = 1;
  sum.model = answer.model;
  sum.tokens = answer.usage.tokens;
  const bool is_nonsense = !can_be(sum.tokens, asked.bytes, answer.written_bytes(), asked.tokens);
  if (is_nonsense) {
    nonsense_ = fmt::format(
        "its server told of {} tokens for {} bytes: they are guessed instead, and what they cost is not known",
        sum.tokens.total(), asked.bytes + answer.written_bytes());
  }
  if (!answer.usage.is_known || is_nonsense) {
    sum.tokens = {.input = guess(asked.bytes), .output = guess(answer.written_bytes())};
    sum.cost = std::nullopt;
    present_ = sum;
    return;
  }
  if (is_cut) sum.tokens.output = std::max(sum.tokens.output, guess(answer.written_bytes()));
  const bool is_priced = !answer.model.empty() && prices_->price_of(answer.model) != nullptr;
  sum.cost = prices_->cost_of(is_priced ? answer.model : asked.model, sum.tokens, answer.usage.cache_write_1h);
  if (is_batch_) sum.cost = half(sum.cost);
  present_ = sum;
}

void ApiLedger::settle() {
  settled_.tokens += present_.tokens;
  settled_.turns += present_.turns;
  if (!present_.model.empty()) settled_.model = present_.model;
  settled_.cost = settled_.cost && present_.cost ? std::optional{*settled_.cost + *present_.cost} : std::nullopt;
  present_ = {};
}

Usage ApiLedger::usage() const {
  Tokens tokens = settled_.tokens;
  tokens += present_.tokens;
  const auto cost =
      settled_.cost && present_.cost ? std::optional{*settled_.cost + *present_.cost} : std::optional<Cost>{};
  const std::string& model = present_.model.empty() ? settled_.model : present_.model;
  return {tokens, cost, settled_.turns + present_.turns, false, model};
}

}  // namespace baton::api
