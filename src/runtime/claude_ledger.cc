#include "runtime/claude_ledger.h"

#include <algorithm>

namespace baton {
namespace {

// More agents than this do not speak at once, so a line never belongs to a message older than these.
constexpr std::size_t recent_max = 64;

/// Of each count the greater one.
Tokens greatest(const Tokens& a, const Tokens& b) {
  return {std::max(a.input, b.input), std::max(a.output, b.output), std::max(a.cache_read, b.cache_read),
          std::max(a.cache_write, b.cache_write)};
}

void take_greater(claude::Message& known, const claude::Message& told) {
  if (known.model.empty()) known.model = told.model;
  known.tokens = greatest(known.tokens, told.tokens);
  known.cache_write_1h = std::max(known.cache_write_1h, told.cache_write_1h);
}

/// Whether requests may be missing in what the result tells of its turn: in one that a person or a signal ended, and in
/// one that failed and names no tokens at all.
bool may_leave_out(const claude::Result& result, const Tokens& told) {
  if (result.terminal_reason.starts_with("aborted") || result.subtype == "error_during_execution") return true;
  return result.is_error && told.total() == 0;
}

/// What of `seen` goes beyond `told`.
Tokens beyond(const Tokens& seen, const Tokens& told) {
  const auto excess = [](std::int64_t more, std::int64_t less) { return std::max<std::int64_t>(more - less, 0); };
  return {excess(seen.input, told.input), excess(seen.output, told.output), excess(seen.cache_read, told.cache_read),
          excess(seen.cache_write, told.cache_write)};
}

Cost less(Cost all, Cost part) { return {std::max<std::int64_t>(all.nano_usd - part.nano_usd, 0)}; }

}  // namespace

void ClaudeLedger::Sum::operator+=(const Sum& other) {
  tokens += other.tokens;
  cost = cost && other.cost ? std::optional{*cost + *other.cost} : std::nullopt;
}

void ClaudeLedger::expect(const std::string& model) {
  if (last_model_.empty()) last_model_ = model;
}

void ClaudeLedger::add(const claude::Message& message) {
  tokens_told_ = tokens_told_ || message.tokens.total() > 0;
  if (!message.model.empty() && !message.by_helper) answering_model_ = message.model;
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
  if (message.tokens.total() == 0) return {};
  return {message.tokens, prices_->cost_of(message.model, message.tokens, message.cache_write_1h)};
}

ClaudeLedger::Sum ClaudeLedger::sum_of(const std::vector<claude::ModelUsage>& models) const {
  Sum sum;
  for (const claude::ModelUsage& m : models) {
    sum += {m.tokens, m.cost ? m.cost : prices_->cost_of(m.model, m.tokens, m.cache_write_1h)};
  }
  return sum;
}

ClaudeLedger::Sum ClaudeLedger::unsettled() const {
  Sum sum = older_;
  for (const claude::Message& message : recent_) sum += priced(message);
  return sum;
}

void ClaudeLedger::settle(const claude::Result& result) {
  const Sum seen = unsettled();
  if (result.total_cost) cost_told_ = true;
  name_model(result);
  if (result.turn_usage || (result.session_usage && !result.session_usage->empty())) {
    tokens_told_ = true;
    settle_by_model(result, seen);
  } else {
    settle_by_total(result, seen);
  }
  total_ = result.total_cost.value_or(total_);
  older_ = {};
  recent_.clear();
}

void ClaudeLedger::settle_by_model(const claude::Result& result, const Sum& seen) {
  Tokens of_turn;
  if (result.turn_usage) {
    Sum told = sum_of(*result.turn_usage);
    // A turn costs no more than its session, whatever a price makes of a model whose cost is not told.
    if (const auto& total = result.total_cost) told.cost = std::min(told.cost.value_or(less(*total, total_)), *total);
    settled_ += told;
    of_turn = told.tokens;
  } else {
    settled_ = sum_of(*result.session_usage);
    if (result.total_cost) settled_.cost = result.total_cost;
    of_turn = beyond(settled_.tokens, session_);
    session_ = settled_.tokens;
  }
  if (!may_leave_out(result, of_turn)) return;
  const Tokens missing = beyond(seen.tokens, of_turn);
  if (missing.total() > 0) cut_off_ += {missing, prices_->cost_of(last_model_, missing)};
}

/// Nothing is told by model.
void ClaudeLedger::settle_by_total(const claude::Result& result, Sum seen) {
  const Tokens told = result.turn_tokens.value_or(Tokens{});
  const bool says_none = result.session_usage || (result.turn_tokens && result.total_cost == Cost{0});
  tokens_told_ = tokens_told_ || told.total() > 0 || says_none;
  if (result.total_cost == Cost{0} && told.total() == 0 && may_leave_out(result, told)) {
    cut_off_ += seen;
    seen = {};
  }
  if (const Tokens more = beyond(told, seen.tokens); more.total() > 0) {
    const std::int64_t long_write = std::min(result.turn_cache_write_1h, more.cache_write);
    const std::string& model = answering_model_.empty() ? last_model_ : answering_model_;
    seen += {more, prices_->cost_of(model, more, long_write)};
  }
  settled_ += seen;
  if (result.total_cost) settled_.cost = result.total_cost;
}

void ClaudeLedger::name_model(const claude::Result& result) {
  if (!answering_model_.empty() || !result.session_usage || result.session_usage->empty()) return;
  answering_model_ = result.session_usage->front().model;
}

Usage ClaudeLedger::usage() const {
  Sum sum = settled_;
  sum += cut_off_;
  sum += unsettled();
  Usage usage{sum.tokens, sum.cost, messages_, !tokens_told_, answering_model_};
  if (!tokens_told_ && !cost_told_) usage.cost.reset();
  return usage;
}

}  // namespace baton
