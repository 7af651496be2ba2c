#pragma once

#include <fmt/core.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "base/time.h"
#include "core/failure.h"
#include "core/usage.h"
#include "plan/check.h"

namespace baton {

/// Writes one JSON object, key by key, in the order given.
class JsonObject {
 public:
  JsonObject& raw(std::string_view key, std::string_view json) {
    text_ += text_.size() > 1 ? "," : "";
    text_ += json_quote(key);
    text_ += ':';
    text_ += json;
    return *this;
  }
  JsonObject& text(std::string_view key, std::string_view value) { return raw(key, json_quote(value)); }
  JsonObject& number(std::string_view key, std::int64_t value) { return raw(key, fmt::format("{}", value)); }
  JsonObject& flag(std::string_view key, bool value) { return raw(key, value ? "true" : "false"); }
  JsonObject& time(std::string_view key, Time value) {
    return value == Time{} ? raw(key, "null") : text(key, rfc3339(value));
  }
  /// Leaves the key out where there is no value.
  JsonObject& maybe(std::string_view key, const std::optional<std::string>& value) {
    return value && !value->empty() ? text(key, *value) : *this;
  }
  JsonObject& maybe(std::string_view key, const std::optional<int>& value) {
    return value ? number(key, *value) : *this;
  }
  JsonObject& maybe(std::string_view key, const std::optional<Failure>& value);
  [[nodiscard]] std::string done() const { return text_ + "}"; }

 private:
  std::string text_ = "{";
};

std::string json_of(const Tokens& tokens);
/// Tokens and costs that are not known are null, never 0.
std::string json_of(const std::optional<Tokens>& tokens);
std::string json_of(const std::optional<Cost>& cost);
std::string json_of(const std::vector<std::string>& texts);
std::string json_of(const std::vector<CheckResult>& checks);

}  // namespace baton
