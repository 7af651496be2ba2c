#include "runtime/claude_ledger.h"

#include <algorithm>

namespace baton {
namespace {

// More agents than this do not speak at once, so a line never belongs to a message older than these.
constexpr std::size_t recent_max = 64;

void take_greater(claude::Message& known, const claude::Message& told) {
  if (known.model.empty()) known.model = told.model;
  known.tokens.input = std::max(known.tokens.input, told.tokens.input);
  known.tokens.output = std::max(known.tokens.output, told.tokens.output);
  known.tokens.cache_read = std::max(known.tokens.cache_read, told.tokens.cache_read);
  known.tokens.cache_write = std::max(known.tokens.cache_write, told.tokens.cache_write);
  known.cache_write_1h = std::max(known.cache_write_1h, told.cache_write_1h);
}

/// What of `seen` goes beyond `told`.
Tokens beyond(const Tokens& seen, const Tokens& told) {
  const auto excess = [](std::int64_t more, std::int64_t less) { return std::max<std::int64_t>(more - less, 0); };
  return {excess(seen.input, told.input), excess(seen.output, told.output), excess(seen.cache_read, told.cache_read),
          excess(seen.cache_write, told.cache_write)};
}

}  // namespace

void ClaudeLedger::Sum::operator+=(const Sum& other) {
  tokens += other.tokens;
  cost = cost && other.cost ? std::optional{*cost + *other.cost} : std::nullopt;
}

void ClaudeLedger::add(const claude::Message& message) {
  const auto known = std::ranges::find(recent_, message.id, &claude::Message::id);
  if (known != recent_.end()) return take_greater(*known, message);
  if (!message.model.empty()) last_model_ = message.model;
  ++messages_;
  recent_.push_back(message);
  if (recent_.size() <= recent_max) return;
  older_ += priced(recent_.front());
  recent_.pop_front();
}

ClaudeLedger::Sum ClaudeLedger::priced(const claude::Message& message) const {
  return {message.tokens, prices_->cost_of(message.model, message.tokens, message.cache_write_1h)};
}

ClaudeLedger::Sum ClaudeLedger::unsettled() const {
  Sum sum = older_;
  for (const claude::Message& message : recent_) sum += priced(message);
  return sum;
}

ClaudeLedger::Sum ClaudeLedger::with_what_is_missing(Sum told, const Tokens& seen) const {
  const Tokens missing = beyond(seen, told.tokens);
  if (missing.total() > 0) told += {missing, prices_->cost_of(last_model_, missing)};
  return told;
}

void ClaudeLedger::settle(const claude::Result& result) {
  const Tokens seen = unsettled().tokens;
  seen_ += seen;
  Sum told;
  for (const claude::ModelUsage& model : result.turn_usage ? *result.turn_usage : result.session_usage) {
    told += {model.tokens, model.cost};
  }
  if (result.turn_usage) {
    settled_ += with_what_is_missing(told, seen);
  } else {
    if (result.total_cost) told.cost = result.total_cost;
    settled_ = with_what_is_missing(told, seen_);
  }
  older_ = {};
  recent_.clear();
}

Usage ClaudeLedger::usage() const {
  Sum sum = settled_;
  sum += unsettled();
  return {sum.tokens, sum.cost, messages_};
}

}  // namespace baton
