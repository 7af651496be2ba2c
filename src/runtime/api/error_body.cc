#include "runtime/api/error_body.h"

#include <algorithm>

#include "base/text.h"
#include "runtime/api/json_reading.h"

namespace baton::api {

namespace json = boost::json;

namespace {

constexpr std::size_t error_bytes_max = 500;

/// One line of what a page or a plain text says: tags and white space apart.
std::string words_of(std::string_view body) {
  std::string words;
  bool in_tag = false;
  for (const char c : body.substr(0, 16U << 10U)) {
    if (c == '<') in_tag = true;
    const bool blank = c == ' ' || c == '\n' || c == '\r' || c == '\t' || in_tag;
    if (c == '>') in_tag = false;
    if (!blank) words += c;
    if (blank && !words.empty() && words.back() != ' ') words += ' ';
    if (words.size() > error_bytes_max) break;
  }
  return shorten(trim(words), error_bytes_max);
}

void read_inner(const json::object& inner, ServerError& error) {
  error.type = string_at(inner, "type");
  error.code = number_or_text_at(inner, "code");
  error.message = shorten(string_at(inner, "message"), error_bytes_max);
  if (const auto* details = object_at(inner, "details")) {
    if (std::string code = number_or_text_at(*details, "error_code"); !code.empty()) error.code = std::move(code);
  }
  // Routers wrap what the provider behind them said.
  if (const auto* meta = object_at(inner, "metadata")) {
    if (const auto raw = string_at(*meta, "raw"); !raw.empty()) error.message += ": " + shorten(raw, error_bytes_max);
  }
}

/// FastAPI: a text, or a list of what is wrong with the request.
std::string detail_of(const json::object& object) {
  if (const auto text = string_at(object, "detail"); !text.empty()) return shorten(text, error_bytes_max);
  const auto* list = array_at(object, "detail");
  if (list == nullptr || list->empty() || !list->front().is_object()) return {};
  return shorten(string_at(list->front().get_object(), "msg"), error_bytes_max);
}

}  // namespace

bool tells_error(const json::object& object) {
  const json::value* error = object.if_contains("error");
  if (error == nullptr) return false;
  if (error->is_object()) return !error->get_object().empty();
  return error->is_string() && !error->get_string().empty();
}

ServerError error_in(const json::object& object) {
  ServerError error;
  if (const auto* inner = object_at(object, "error")) {
    read_inner(*inner, error);
  } else if (const auto text = string_at(object, "error"); !text.empty()) {
    error.message = shorten(text, error_bytes_max);
  } else {
    read_inner(object, error);
    if (error.message.empty()) error.message = detail_of(object);
    if (const auto* list = array_at(object, "errors"); error.message.empty() && list != nullptr && !list->empty()) {
      if (list->front().is_object())
        error.message = shorten(string_at(list->front().get_object(), "message"), error_bytes_max);
    }
  }
  error.request_id = shorten(string_at(object, "request_id"), 200);
  return error;
}

ServerError error_body(int status, std::string_view body) {
  ServerError error;
  const auto value = read_json(trim(body));
  if (value && value->is_object()) {
    error = error_in(value->get_object());
  } else if (value && value->is_array() && !value->get_array().empty() && value->get_array().front().is_object()) {
    error = error_in(value->get_array().front().get_object());  // some gateways put a list around it
  }
  if (error.message.empty()) error.message = words_of(body);
  error.status = status;
  return error;
}

}  // namespace baton::api
