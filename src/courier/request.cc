#include "courier/request.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/boost_json.h"
#include "base/text.h"

namespace baton::courier {
namespace {

namespace json = boost::json;

constexpr std::int64_t time_max = std::int64_t{366} * 24 * 3600 * 1000;

bool is_token_character(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte > 0x20 && byte < 0x7F && std::string_view{"\"(),/:;<=>?@[\\]{}"}.find(c) == std::string_view::npos;
}

bool is_token(std::string_view text) { return !text.empty() && std::ranges::all_of(text, is_token_character); }

/// Takes the members of a request apart; the first thing that is wrong stays on record.
class RequestReader {
 public:
  explicit RequestReader(const json::object& object) : object_(object) {}

  std::string text(const char* name, std::string otherwise) {
    const json::value* const value = member(name);
    if (value == nullptr) return otherwise;
    if (const auto* text = value->if_string()) return {text->data(), text->size()};
    wrong(fmt::format("'{}' is not a text", name));
    return {};
  }
  std::optional<std::string> maybe_text(const char* name) {
    if (member(name) == nullptr) return std::nullopt;
    return text(name, {});
  }
  std::int64_t time(const char* name, std::int64_t otherwise) {
    const json::value* const value = member(name);
    if (value == nullptr) return otherwise;
    const auto* const number = value->if_int64();
    if (number != nullptr && *number >= 0 && *number <= time_max) return *number;
    wrong(fmt::format("'{}' is not a number of milliseconds", name));
    return otherwise;
  }
  std::optional<std::int64_t> maybe_time(const char* name) {
    if (member(name) == nullptr) return std::nullopt;
    return time(name, 0);
  }
  std::vector<std::string> texts(const char* name) {
    std::vector<std::string> all;
    const json::value* const value = member(name);
    if (value == nullptr) return all;
    if (!value->is_array()) return wrong(fmt::format("'{}' is not a list", name)), all;
    for (const json::value& text : value->get_array()) {
      if (!text.is_string()) return wrong(fmt::format("'{}' holds what is not a text", name)), all;
      all.emplace_back(text.get_string());
    }
    return all;
  }
  std::vector<HeaderField> headers() {
    std::vector<HeaderField> fields;
    const json::value* const value = member("headers");
    if (value == nullptr) return fields;
    const json::array* const list = value->if_array();
    if (list == nullptr) return wrong("'headers' is not a list"), fields;
    for (const json::value& entry : *list) {
      const json::array* const pair = entry.if_array();
      const bool whole = pair != nullptr && pair->size() == 2 && (*pair)[0].is_string() && (*pair)[1].is_string();
      if (!whole) return wrong("a header is not a pair of texts"), fields;
      fields.emplace_back(std::string{(*pair)[0].get_string()}, std::string{(*pair)[1].get_string()});
    }
    return fields;
  }
  std::optional<Auth> auth() {
    const json::value* const value = member("auth");
    if (value == nullptr) return std::nullopt;
    const json::object* const object = value->if_object();
    if (object == nullptr) return wrong("'auth' is not an object"), std::nullopt;
    RequestReader reader{*object};
    Auth auth{.header = reader.text("header", "authorization"), .prefix = reader.text("prefix", {}), .source = {}};
    const json::value* const source = reader.member("source");
    if (source == nullptr || !source->is_object()) return wrong("'auth' has no source"), std::nullopt;
    auth.source = reader.source(source->get_object());
    if (reader.trouble_) return wrong(*reader.trouble_), std::nullopt;
    return auth;
  }
  void wrong(std::string what) {
    if (!trouble_) trouble_ = std::move(what);
  }
  const std::optional<std::string>& trouble() const { return trouble_; }

 private:
  const json::value* member(const char* name) const {
    const json::value* const value = object_.if_contains(name);
    return value == nullptr || value->is_null() ? nullptr : value;
  }
  KeySource source(const json::object& object) {
    RequestReader reader{object};
    KeySource found;
    if (auto name = reader.maybe_text("env")) {
      found = {.kind = KeySource::Kind::environment, .name = *name};
    } else if (auto path = reader.maybe_text("file")) {
      found = {.kind = KeySource::Kind::file, .name = *path};
    } else if (const json::value* command = reader.member("command"); command != nullptr && command->is_array()) {
      found.kind = KeySource::Kind::command;
      for (const json::value& word : command->get_array()) {
        if (!word.is_string()) reader.wrong("a word of the key's command is not a text");
        if (word.is_string()) found.argv.emplace_back(word.get_string());
      }
    }
    if (found.name.empty() && found.argv.empty())
      reader.wrong("'auth' has a source that is none of env, file, command");
    if (reader.trouble_) wrong(*reader.trouble_);
    return found;
  }

  const json::object& object_;
  std::optional<std::string> trouble_;
};

/// What follows from the body, and is not for a request file to say.
bool is_ours(std::string name) {
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 32) : c; });
  return name == "content-length" || name == "transfer-encoding";
}

std::optional<std::string> fault_of(const Request& request) {
  if (!is_token(request.method)) return "'method' is no HTTP method";
  if (!request.url.starts_with("http://") && !request.url.starts_with("https://")) return "'url' is not http or https";
  if (!is_header_value(request.url)) return "'url' has control characters";
  for (const auto& [name, value] : request.headers) {
    if (!is_token(name) || is_ours(name)) return fmt::format("'{}' cannot be a header here", shorten(name, 100));
    if (!is_header_value(value)) return fmt::format("the header '{}' has control characters", name);
  }
  if (request.auth && (!is_token(request.auth->header) || !is_header_value(request.auth->prefix))) {
    return "'auth' names no header";
  }
  if (!request.body_file.empty() && request.body) return "both 'body' and 'body_file' are there";
  for (const std::string& path : {request.body_file, request.ca_file}) {
    if (!path.empty() && path.front() != '/') return fmt::format("'{}' is not a whole path", path);
  }
  return std::nullopt;
}

}  // namespace

std::vector<HeaderField> header_lines(std::string_view text) {
  std::vector<HeaderField> fields;
  for (const std::string_view line : split(text, '\n')) {
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string name{trim(line.substr(0, colon))};
    const std::string_view value = trim(line.substr(colon + 1));
    if (is_token(name) && !is_ours(name) && is_header_value(value)) fields.emplace_back(name, value);
  }
  return fields;
}

bool is_header_value(std::string_view text) {
  return std::ranges::none_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7F;
  });
}

std::expected<Request, std::string> read_request(std::string_view text) {
  boost::system::error_code error;
  const json::value value = json::parse({text.data(), text.size()}, error);
  if (error || !value.is_object()) return std::unexpected("the request file is not a JSON object");
  const json::object& object = value.get_object();
  const json::value* const version = object.if_contains("version");
  if (version == nullptr || *version != 1) return std::unexpected("the request file is of another version");
  RequestReader reader{object};
  Request request{.method = reader.text("method", "POST"), .url = reader.text("url", {})};
  request.headers = reader.headers();
  request.headers_env = reader.text("headers_env", {});
  request.auth = reader.auth();
  request.body_file = reader.text("body_file", {});
  request.body = reader.maybe_text("body");
  request.proxy = reader.maybe_text("proxy");
  request.ca_file = reader.text("ca_file", {});
  request.idle_timeout_ms = reader.time("idle_timeout_ms", request.idle_timeout_ms);
  request.first_timeout_ms = reader.maybe_time("first_timeout_ms");
  request.idle_events = reader.texts("idle_events");
  request.deadline_ms = reader.time("deadline_ms", request.deadline_ms);
  request.connect_timeout_ms = reader.time("connect_timeout_ms", request.connect_timeout_ms);
  if (reader.trouble()) return std::unexpected(*reader.trouble());
  if (auto wrong = fault_of(request)) return std::unexpected(std::move(*wrong));
  return request;
}

}  // namespace baton::courier
