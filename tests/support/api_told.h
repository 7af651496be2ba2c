// What a response of a model's API tells, read a second time and in another way than the runtime does: what its
// judgement is held against.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/boost_json.h"
#include "base/text.h"
#include "price/prices.h"
#include "runtime/api/answer.h"

namespace baton::test {

struct ApiTold {
  bool is_unclear = false;  ///< something is no JSON, or none that both readers must read alike: nothing can be said
  bool is_success = false;  ///< it bears the marks of one
};

/// Reads one log as the courier writes it, and forgets what was read.
class ApiToldReader {
 public:
  explicit ApiToldReader(api::Protocol protocol) : is_chat_{protocol == api::Protocol::chat} {}

  ApiTold read(std::string_view log) {
    const auto end = log.find("\n\n");
    const std::string_view head = log.substr(0, end);
    if (end == std::string_view::npos || !head.starts_with("baton-http/1 2")) return told_;
    const std::string_view body = log.substr(end + 2);
    std::vector<std::string_view> types = split(head, '\n');
    std::erase_if(types, [](std::string_view line) { return !line.starts_with("content-type:"); });
    const bool streams = types == std::vector<std::string_view>{"content-type: text/event-stream"};
    const bool is_known = streams || types == std::vector<std::string_view>{"content-type: application/json"};
    // Another line end, or a byte order mark.
    told_.is_unclear = !is_known || log.find_first_of("\r\xEF") != std::string_view::npos;
    if (streams) {
      read_events(body);
    } else {
      read_document(body);
    }
    told_.is_success = is_complete_ && !has_failed_ && (is_chat_ || stop_ != "refusal");
    if (is_chat_) {
      constexpr std::array<std::string_view, 5> bad = {"content_filter", "refusal", "abort", "error", "cancelled"};
      told_.is_success = told_.is_success && !has_refused_ && std::ranges::find(bad, stop_) == bad.end();
    }
    return told_;
  }

 private:
  using Object = boost::json::object;

  static bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
  }
  static std::string word(const Object& o, const char* key) {
    const auto* value = o.if_contains(key);
    return value != nullptr && value->is_string() ? std::string{value->as_string()} : std::string{};
  }
  static const Object* part(const Object& o, const char* key) {
    const auto* value = o.if_contains(key);
    return value == nullptr ? nullptr : value->if_object();
  }
  static std::int64_t index_of(const Object& o) {
    const auto* value = o.if_contains("index");
    if (value == nullptr || !value->is_number()) return 0;
    return static_cast<std::int64_t>(std::clamp(value->to_number<double>(), 0.0, 1e12));
  }
  static bool tells_error(const Object& o) {
    const auto* error = o.if_contains("error");
    if (error == nullptr) return false;
    return error->is_object() ? !error->as_object().empty() : error->is_string() && !error->as_string().empty();
  }

  void read_document(std::string_view body) {
    boost::system::error_code error;
    const boost::json::value value = boost::json::parse({body.data(), body.size()}, error);
    told_.is_unclear = told_.is_unclear || error;
    if (error || !value.is_object()) return;
    const Object& root = value.as_object();
    has_failed_ = tells_error(root) || word(root, is_chat_ ? "object" : "type") == "error";
    if (is_chat_) {
      is_complete_ = read_choices(root);
    } else {
      const auto* content = root.if_contains("content");
      is_complete_ = content != nullptr && content->is_array();
      stop_ = word(root, "stop_reason");
    }
  }

  void read_events(std::string_view body) {
    std::string name;
    std::string data;
    for (const std::string_view line : split(body, '\n')) {
      if (line.starts_with("event:")) {
        name = line.substr(6 + (line.substr(6).starts_with(' ') ? 1 : 0));
      } else if (line.starts_with("data:")) {
        if (!data.empty()) told_.is_unclear = true;  // two lines of data, or one that is blank: not worth a reader
        data = line.substr(5 + (line.substr(5).starts_with(' ') ? 1 : 0));
      } else if (line.empty() && !data.empty()) {
        take(name, data);
        data.clear();
        name.clear();
      } else if (line.empty()) {
        name.clear();
      }
    }
    if (!data.empty()) take_last(name, data);
    if (is_chat_) {
      is_complete_ = is_complete_ || !stop_.empty();
    } else {
      is_complete_ = is_complete_ || (has_begun_ && open_.empty() && !stop_.empty() && !is_broken_);
    }
  }

  /// What nothing ended counts only if it makes sense.
  void take_last(const std::string& name, const std::string& data) {
    boost::system::error_code error;
    (void)boost::json::parse(data, error);
    if (!error || trim(data) == "[DONE]") return take(name, data);
    told_.is_unclear = told_.is_unclear || contains(data, "\\u") || !is_plain(data);
  }
  static bool is_plain(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  }

  void take(const std::string& name, const std::string& data) {
    if (is_complete_ || is_broken_ || has_failed_) return;
    if (is_chat_ && trim(data) == "[DONE]") {
      is_complete_ = true;
      return;
    }
    if (!is_chat_ && name == "ping") return;
    boost::system::error_code error;
    const boost::json::value value = boost::json::parse(data, error);
    if (error || !value.is_object()) {
      told_.is_unclear = true;
    } else if (is_chat_) {
      take_chunk(name, value.as_object());
    } else {
      const std::string type = word(value.as_object(), "type");
      take_event(type.empty() ? name : type, value.as_object());
    }
  }

  void take_event(const std::string& type, const Object& event) {
    if (type == "message_start") {
      is_broken_ = has_begun_;
      has_begun_ = true;
      if (const auto* message = part(event, "message")) note_stop(*message);
    } else if (type == "content_block_start") {
      if (part(event, "content_block") != nullptr) open_.insert(index_of(event));
    } else if (type == "content_block_delta") {
      constexpr std::array<std::string_view, 5> known = {"text_delta", "thinking_delta", "signature_delta",
                                                         "citations_delta", "input_json_delta"};
      const auto* delta = part(event, "delta");
      const std::string kind = delta == nullptr ? "" : word(*delta, "type");
      if (std::ranges::find(known, kind) != known.end()) open_.insert(index_of(event));
    } else if (type == "content_block_stop") {
      open_.erase(index_of(event));
    } else if (type == "message_delta") {
      if (const auto* delta = part(event, "delta")) note_stop(*delta);
    } else if (type == "message_stop") {
      (has_begun_ ? is_complete_ : is_broken_) = true;
    } else if (type == "error" || (type.empty() && tells_error(event))) {
      has_failed_ = true;
    }
  }

  void note_stop(const Object& o) {
    if (const std::string told = word(o, "stop_reason"); !told.empty()) stop_ = told;
  }

  void take_chunk(const std::string& name, const Object& chunk) {
    has_failed_ = tells_error(chunk) || name == "error" || word(chunk, "object") == "error";
    if (!has_failed_) (void)read_choices(chunk);
  }

  /// Whether there is one.
  bool read_choices(const Object& root) {
    const auto* choices = root.if_contains("choices");
    if (choices == nullptr || !choices->is_array() || choices->as_array().empty()) return false;
    const Object* first = choices->as_array().front().if_object();
    if (first == nullptr) return false;
    if (index_of(*first) != 0) return true;
    if (const std::string told = word(*first, "finish_reason"); !told.empty()) stop_ = told;
    has_failed_ = has_failed_ || tells_error(*first);
    const Object* message = part(*first, part(*first, "delta") != nullptr ? "delta" : "message");
    has_refused_ = has_refused_ || (message != nullptr && !word(*message, "refusal").empty());
    return true;
  }

  bool is_chat_;
  ApiTold told_;
  bool has_begun_ = false;
  bool is_complete_ = false;
  bool is_broken_ = false;
  bool has_failed_ = false;
  bool has_refused_ = false;
  std::string stop_;
  std::set<std::int64_t> open_;  ///< blocks
};

/// The greatest number that is told of `key`, wherever it stands.
inline std::int64_t greatest_told(std::string_view log, std::string_view key) {
  constexpr double most = 1e12;
  const std::string mark = "\"" + std::string{key} + "\"";
  const auto behind_blanks = [&](std::size_t at) { return std::min(log.find_first_not_of(" \t\r\n", at), log.size()); };
  std::int64_t greatest = 0;
  for (auto at = log.find(mark); at != std::string_view::npos; at = log.find(mark, at + 1)) {
    const std::size_t colon = behind_blanks(at + mark.size());
    if (colon == log.size() || log[colon] != ':') continue;
    double number = 0;
    const auto told = std::from_chars(log.data() + behind_blanks(colon + 1), log.data() + log.size(), number);
    if (told.ec == std::errc::result_out_of_range) number = most;
    greatest = std::max(greatest, static_cast<std::int64_t>(std::clamp(number, 0.0, most)));
  }
  return greatest;
}

/// No cost may be above this: what is told of tokens, at the highest of the list's prices for `model`, or for any model
/// where that is empty. Of what was cut off the bytes that came count, where that is more than was told until then.
inline std::int64_t nano_most(std::string_view log, const std::string& model, bool is_cut) {
  Tokens most{
      .input = greatest_told(log, "input_tokens") + greatest_told(log, "prompt_tokens"),
      .output = std::max(greatest_told(log, "output_tokens"), greatest_told(log, "completion_tokens")),
      .cache_read = std::max(greatest_told(log, "cache_read_input_tokens"), greatest_told(log, "cached_tokens")),
      .cache_write =
          std::max(greatest_told(log, "cache_creation_input_tokens"), greatest_told(log, "cache_write_tokens"))};
  if (is_cut) most.output = std::max(most.output, static_cast<std::int64_t>(log.size()));
  const Prices& prices = Prices::built_in();
  std::int64_t nano = 0;
  for (const auto& [id, price] : prices.models()) {
    const std::string any = id.substr(0, id.find('*'));
    const auto cost = prices.cost_of(model.empty() ? any : model, most, most.cache_write);
    if (cost) nano = std::max(nano, cost->nano_usd);
  }
  return nano;
}

}  // namespace baton::test
