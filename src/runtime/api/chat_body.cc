#include <fmt/core.h>

#include "base/text.h"
#include "runtime/api/ask.h"
#include "runtime/api/model_facts.h"
#include "runtime/api/schema_fit.h"

namespace baton::api {
namespace {

std::string joined(const std::vector<std::string_view>& texts) {
  std::string all;
  for (const std::string_view text : texts) {
    if (trim(text).empty()) continue;
    if (!all.empty()) all += "\n\n";
    all += text;
  }
  return all;
}

std::string message(std::string_view role, std::string_view content) {
  return fmt::format(R"({{"role":"{}","content":{}}})", role, json_quote(content));
}

std::string turn_messages(const Turn& turn) {
  const std::string text = turn.answer.text();
  std::vector<std::string> calls;
  for (const ToolCall& call : turn.answer.calls()) {
    const std::string arguments = is_json_object(call.input) ? call.input : "{}";
    calls.push_back(fmt::format(R"({{"id":{},"type":"function","function":{{"name":{},"arguments":{}}}}})",
                                json_quote(call.id), json_quote(call.name), json_quote(arguments)));
  }
  std::string messages = fmt::format(R"(,{{"role":"assistant","content":{})", text.empty() ? "null" : json_quote(text));
  if (!calls.empty()) messages += fmt::format(R"(,"tool_calls":[{}])", join(calls, ","));
  messages += "}";
  for (const ToolResult& r : turn.results) {
    messages += fmt::format(R"(,{{"role":"tool","tool_call_id":{},"content":{}}})", json_quote(r.id),
                            json_quote(r.is_error ? "Error: " + r.content : r.content));
  }
  return messages;
}

std::string chat_messages_json(const Ask& ask) {
  std::vector<std::string_view> system{ask.prompt.skill};
  for (const std::string& reference : ask.prompt.references) system.emplace_back(reference);
  std::string messages;
  if (const std::string text = joined(system); !text.empty()) messages = message("system", text) + ",";
  const std::string user = joined({ask.prompt.context, ask.prompt.task});
  messages += message("user", user.empty() ? "Begin." : user);
  for (const Turn& turn : ask.turns) messages += turn_messages(turn);
  return messages;
}

std::string chat_tools_json(const Ask& ask) {
  std::vector<std::string> tools;
  for (const ToolSpec& tool : ask.tools) {
    tools.push_back(fmt::format(R"({{"type":"function","function":{{"name":{},"description":{},"parameters":{}}}}})",
                                json_quote(tool.name), json_quote(tool.description), tool.input_schema));
  }
  return join(tools, ",");
}

}  // namespace

std::string chat_body(const Ask& ask, bool is_openai) {
  std::string body = fmt::format(
      R"({{"model":{},"messages":[{}],"{}":{})", json_quote(ask.model), chat_messages_json(ask),
      takes_completion_tokens(ask.model).value_or(is_openai) ? "max_completion_tokens" : "max_tokens", ask.max_tokens);
  if (streams(ask)) body += R"(,"stream":true,"stream_options":{"include_usage":true})";
  if (ask.temperature) body += fmt::format(R"(,"temperature":{})", *ask.temperature);
  if (!ask.effort.empty()) body += fmt::format(R"(,"reasoning_effort":{})", json_quote(ask.effort));
  if (!ask.tools.empty()) body += fmt::format(R"(,"tools":[{}])", chat_tools_json(ask));
  // A schema of anything but an object is refused.
  if (const auto schema = ask.schema.empty() ? std::nullopt : fitted_schema(ask.schema);
      schema && is_object_schema(*schema)) {
    body += fmt::format(
        R"(,"response_format":{{"type":"json_schema","json_schema":{{"name":"answer","schema":{},"strict":{}}}}})",
        *schema, is_strict_schema(*schema));
  }
  return body + "}";
}

}  // namespace baton::api
