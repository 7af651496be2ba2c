#include "view/json_text.h"

namespace baton {

JsonObject& JsonObject::maybe(std::string_view key, const std::optional<Failure>& value) {
  if (!value) return *this;
  return raw(key, JsonObject{}.text("code", value->code).text("message", value->message).done());
}

std::string json_of(const Tokens& t) {
  return JsonObject{}
      .number("input", t.input)
      .number("output", t.output)
      .number("cache_read", t.cache_read)
      .number("cache_write", t.cache_write)
      .done();
}

std::string json_of(const std::optional<Tokens>& tokens) { return tokens ? json_of(*tokens) : "null"; }

std::string json_of(const std::optional<Cost>& cost) {
  if (!cost) return "null";
  // Nine digits are exact; the tail of zeros says nothing.
  std::string text = fmt::format("{}.{:09}", cost->nano_usd / 1'000'000'000, cost->nano_usd % 1'000'000'000);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string json_of(const std::vector<std::string>& texts) {
  std::vector<std::string> quoted;
  for (const std::string& t : texts) quoted.push_back(json_quote(t));
  return "[" + join(quoted, ",") + "]";
}

std::string json_of(const std::vector<CheckResult>& checks) {
  std::vector<std::string> items;
  for (const CheckResult& c : checks) {
    items.push_back(JsonObject{}.text("name", c.name).flag("passed", c.passed).text("message", c.message).done());
  }
  return "[" + join(items, ",") + "]";
}

}  // namespace baton
