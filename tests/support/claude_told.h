// What a stream of Claude Code's tells, read a second time and in another way than the runtime does: what its judgement
// is held against.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/boost_json.h"
#include "base/text.h"
#include "price/prices.h"

namespace baton::test {

struct ClaudeTold {
  /// A line that matters is no JSON, or none that both readers must read alike: nothing can be said.
  bool is_unclear = false;
  bool has_result = false;
  bool is_success = false;                ///< the last result bears the marks of one
  std::optional<std::int64_t> nano_most;  ///< no cost may be above this; nothing where results leave costs out
};

/// Reads line by line, and forgets what was read.
class ClaudeToldReader {
 public:
  ClaudeTold read(std::string_view bytes) {
    told_.nano_most = 0;
    for (const std::string_view line : split(bytes, '\n')) {
      boost::system::error_code error;
      const boost::json::value value = boost::json::parse(line, error);
      if (!error && value.is_object()) {
        take(value.as_object());
      } else if (line.find("result") != std::string_view::npos || line.find("usage") != std::string_view::npos) {
        told_.is_unclear = true;
      }
    }
    if (told_.nano_most) *told_.nano_most += cut_off_ + priced();
    return told_;
  }

 private:
  struct Message {
    std::string model;
    Tokens tokens;
    std::int64_t long_write = 0;
  };

  static std::string word(const boost::json::object& o, const char* key) {
    const auto* value = o.if_contains(key);
    return value != nullptr && value->is_string() ? std::string{value->as_string()} : std::string{};
  }
  static const boost::json::object* part(const boost::json::object& o, const char* key) {
    const auto* value = o.if_contains(key);
    return value == nullptr ? nullptr : value->if_object();
  }
  /// Dollars, where they are told as a number; what else stands there is unclear.
  std::optional<std::int64_t> nano(const boost::json::object& o, const char* key) {
    const auto* value = o.if_contains(key);
    if (value == nullptr || value->is_null()) return std::nullopt;
    const double usd = value->is_number() ? value->to_number<double>() : -1;
    told_.is_unclear = told_.is_unclear || usd < 0 || usd > 1e6;
    return usd < 0 || usd > 1e6 ? std::nullopt : std::optional<std::int64_t>{std::llround(usd * 1e9)};
  }
  std::int64_t count(const boost::json::object& o, const char* key) {
    const auto* value = o.if_contains(key);
    if (value == nullptr || value->is_null()) return 0;
    const bool is_plain = value->is_int64() && value->as_int64() >= 0 && value->as_int64() < 1'000'000'000'000;
    told_.is_unclear = told_.is_unclear || !is_plain;
    return is_plain ? value->as_int64() : 0;
  }

  void take(const boost::json::object& line) {
    const std::string type = word(line, "type");
    if (type == "result") return take_result(line);
    if (type == "assistant") {
      if (const auto* message = part(line, "message")) used(word(*message, "id"), word(*message, "model"), *message);
    } else if (type == "stream_event") {
      if (const auto* event = part(line, "event")) used(word(line, "api_message_id"), "", *event);
    }
  }

  void used(const std::string& id, const std::string& model, const boost::json::object& around) {
    const auto* usage = part(around, "usage");
    if (usage == nullptr) return;
    Message& m = messages_[id];
    if (m.model.empty()) m.model = model;
    m.tokens.input = std::max(m.tokens.input, count(*usage, "input_tokens"));
    m.tokens.output = std::max(m.tokens.output, count(*usage, "output_tokens"));
    m.tokens.cache_read = std::max(m.tokens.cache_read, count(*usage, "cache_read_input_tokens"));
    m.tokens.cache_write = std::max(m.tokens.cache_write, count(*usage, "cache_creation_input_tokens"));
    if (const auto* kinds = part(*usage, "cache_creation")) {
      m.long_write = std::max(m.long_write, count(*kinds, "ephemeral_1h_input_tokens"));
    }
  }

  /// What went by since the last result, by list prices.
  [[nodiscard]] std::int64_t priced() const {
    std::int64_t sum = 0;
    for (const auto& [id, m] : messages_) {
      const auto cost = Prices::built_in().cost_of(m.model, m.tokens, m.long_write);
      sum += cost.value_or(Cost{}).nano_usd;
    }
    return sum;
  }

  void take_result(const boost::json::object& r) {
    told_.has_result = true;
    told_.is_success = bears_marks(r);
    const auto total = nano(r, "total_cost_usd");
    if (!total) told_.nano_most.reset();
    if (told_.nano_most) {
      *told_.nano_most = part(r, "model_usage_since_last_result") == nullptr ? *total : *told_.nano_most + *total;
    }
    // A request that was cut off is paid for, and left out.
    const bool was_interrupted =
        word(r, "terminal_reason").starts_with("aborted") || word(r, "subtype") == "error_during_execution";
    const auto* is_error = r.if_contains("is_error");
    const bool failed = is_error != nullptr && !is_error->is_null() && *is_error != false;
    if (was_interrupted || (failed && !names_tokens(r))) cut_off_ += priced();
    messages_.clear();
  }

  static bool names_tokens(const boost::json::object& r) {
    if (const auto* turn = part(r, "model_usage_since_last_result")) return !turn->empty();
    if (const auto* session = part(r, "modelUsage"); session != nullptr && !session->empty()) return true;
    const auto* usage = part(r, "usage");
    return usage != nullptr && std::ranges::any_of(*usage, [](const auto& member) {
             return member.key().ends_with("_tokens") && member.value().is_int64() && member.value().as_int64() > 0;
           });
  }

  static bool bears_marks(const boost::json::object& r) {
    const auto* is_error = r.if_contains("is_error");
    const bool tells_error = is_error != nullptr && !is_error->is_null();
    if (tells_error && (!is_error->is_bool() || is_error->as_bool())) return false;
    if (const auto* status = r.if_contains("api_error_status"); status != nullptr && status->is_int64()) {
      if (status->as_int64() >= 400) return false;
    }
    if (word(r, "terminal_reason") == "api_error") return false;
    const std::string subtype = word(r, "subtype");
    if (!subtype.empty()) return subtype == "success";
    return tells_error || !word(r, "result").empty() || r.contains("structured_output");
  }

  ClaudeTold told_;
  std::map<std::string, Message> messages_;
  std::int64_t cut_off_ = 0;
};

}  // namespace baton::test
