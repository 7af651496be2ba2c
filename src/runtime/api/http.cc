#include "runtime/api/http.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/letters.h"
#include "base/text.h"

namespace baton::api {
namespace {

std::string source_json(const KeySource& source) {
  if (const auto* env = std::get_if<KeyFromEnvironment>(&source)) {
    return fmt::format(R"({{"env":{}}})", json_quote(env->name));
  }
  if (const auto* file = std::get_if<KeyFromFile>(&source)) {
    return fmt::format(R"({{"file":{}}})", json_quote(file->path));
  }
  std::vector<std::string> words;
  for (const std::string& word : std::get<KeyFromCommand>(source).argv) words.push_back(json_quote(word));
  return fmt::format(R"({{"command":[{}]}})", join(words, ","));
}

/// The text of a member whose value is a string, as far as the line goes on.
std::string member(std::string_view line, std::string_view name) {
  const std::string mark = fmt::format("\"{}\":\"", name);
  const auto at = line.find(mark);
  if (at == std::string_view::npos) return {};
  std::string value;
  for (std::size_t i = at + mark.size(); i < line.size() && line[i] != '"'; ++i) {
    if (line[i] == '\\' && i + 1 < line.size()) ++i;
    value += line[i];
  }
  return value;
}

constexpr std::array<std::pair<std::string_view, Transfer>, 11> transfers = {{
    {"complete", Transfer::complete},
    {"timeout-idle", Transfer::timeout_idle},
    {"timeout-deadline", Transfer::timeout_deadline},
    {"timeout-connect", Transfer::timeout_connect},
    {"dns", Transfer::dns},
    {"refused", Transfer::refused},
    {"tls", Transfer::tls},
    {"reset", Transfer::reset},
    {"partial", Transfer::partial},
    {"cancelled", Transfer::cancelled},
    {"other", Transfer::other},
}};

}  // namespace

std::string request_file(const HttpRequest& request, std::string_view body_file) {
  std::vector<std::string> headers;
  for (const auto& [name, value] : request.headers) {
    headers.push_back(fmt::format("[{},{}]", json_quote(name), json_quote(value)));
  }
  std::string text = fmt::format(R"({{"version":1,"method":{},"url":{},"headers":[{}])", json_quote(request.method),
                                 json_quote(request.url), join(headers, ","));
  if (!request.headers_variable.empty()) {
    text += fmt::format(R"(,"headers_env":{})", json_quote(request.headers_variable));
  }
  if (request.auth) {
    text += fmt::format(R"(,"auth":{{"header":{},"prefix":{},"source":{}}})", json_quote(request.auth->header),
                        json_quote(request.auth->prefix), source_json(request.auth->source));
  }
  if (!body_file.empty()) {
    text += fmt::format(R"(,"body_file":{})", json_quote(body_file));
  } else {
    text += R"(,"body_file":null)";
    if (!request.body.empty()) text += fmt::format(R"(,"body":{})", json_quote(request.body));
  }
  text += fmt::format(R"(,"connect_timeout_ms":{},"idle_timeout_ms":{},"deadline_ms":{})",
                      request.connect_timeout.count(), request.idle_timeout.count(), request.deadline.count());
  if (request.first_timeout) text += fmt::format(R"(,"first_timeout_ms":{})", request.first_timeout->count());
  if (!request.idle_events.empty()) {
    std::vector<std::string> names;
    for (const std::string& name : request.idle_events) names.push_back(json_quote(name));
    text += fmt::format(R"(,"idle_events":[{}])", join(names, ","));
  }
  if (!request.proxy.empty()) text += fmt::format(R"(,"proxy":{})", json_quote(request.proxy));
  if (!request.ca_file.empty()) text += fmt::format(R"(,"ca_file":{})", json_quote(request.ca_file));
  return text + "}\n";
}

std::string_view ResponseHead::header(std::string_view name) const {
  const auto found = std::ranges::find(headers, name, [](const auto& h) { return std::string_view{h.first}; });
  return found == headers.end() ? std::string_view{} : std::string_view{found->second};
}

std::string ResponseHead::media_type() const {
  const std::string_view type = header("content-type");
  return lower(trim(type.substr(0, type.find(';'))));
}

std::string_view ResponseHead::request_id() const {
  const std::string_view own = header("request-id");
  return own.empty() ? header("x-request-id") : own;
}

std::optional<TransferEnd> transfer_end(std::string_view line) {
  const std::string how = member(line, "transfer");
  const auto found = std::ranges::find(transfers, std::string_view{how}, &std::pair<std::string_view, Transfer>::first);
  if (found == transfers.end()) return std::nullopt;
  return TransferEnd{found->second, member(line, "message")};
}

std::string url_of(std::string_view base, std::string_view path) {
  while (base.ends_with('/')) base.remove_suffix(1);
  while (path.starts_with('/')) path.remove_prefix(1);
  return fmt::format("{}/{}", base, path);
}

}  // namespace baton::api
