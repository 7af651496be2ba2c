#include <algorithm>

#include "runtime/api/api_runtime.h"

namespace baton::api {
namespace {

constexpr std::int64_t bytes_a_token = 4;

std::int64_t guess(std::size_t bytes) { return (static_cast<std::int64_t>(bytes) + bytes_a_token - 1) / bytes_a_token; }

std::optional<Cost> half(std::optional<Cost> cost) {
  return cost ? std::optional{Cost{(cost->nano_usd + 1) / 2}} : std::nullopt;
}

}  // namespace

void ApiLedger::set(const Answer& answer, const std::string& asked_model, std::size_t asked_bytes, bool is_cut) {
  Sum sum;
  sum.turns = 1;
  sum.model = answer.model;
  sum.tokens = answer.usage.tokens;
  if (!answer.usage.is_known) {
    sum.tokens.input = guess(asked_bytes);
    sum.tokens.output = guess(answer.written_bytes());
    sum.cost = std::nullopt;
    present_ = sum;
    return;
  }
  if (is_cut) sum.tokens.output = std::max(sum.tokens.output, guess(answer.written_bytes()));
  const bool is_priced = !answer.model.empty() && prices_->price_of(answer.model) != nullptr;
  sum.cost = prices_->cost_of(is_priced ? answer.model : asked_model, sum.tokens, answer.usage.cache_write_1h);
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
