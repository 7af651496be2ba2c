#include "dialect/team/mcp.h"

#include <fmt/core.h>

#include "base/boost_json.h"
#include "text/json_members.h"
#include "text/json_value.h"

namespace baton::team {
namespace {

namespace json = boost::json;

constexpr const char* protocol_version = "2025-06-18";

constexpr const char* tools_text = R"json([
{"name":"team_callback","description":"Tell the executor of your team how your task goes. complete is a claim: the task is done when you have ended and its artifacts are there.",
 "inputSchema":{"type":"object","properties":{
  "kind":{"type":"string","enum":["complete","progress","error","blocker","capability_gap","consensus_blocked"]},
  "summary":{"type":"string","description":"less than 200 characters"},
  "task":{"type":"string","description":"its id; default: the task you were started for"},
  "role":{"type":"string","description":"default: your own"},
  "attempt":{"type":"integer"},"id":{"type":"string","description":"said twice with one id, it counts once"},
  "severity":{"type":"string","enum":["HIGH","MEDIUM","LOW"],"description":"of consensus_blocked"},
  "data":{"type":"object","description":"divergences, action_items, suggested_capability and the like"}},
  "required":["kind"]}},
{"name":"team_message","description":"Put a message on the bus of your team.",
 "inputSchema":{"type":"object","properties":{"to":{"type":"string"},"type":{"type":"string"},"summary":{"type":"string"},
  "from":{"type":"string","description":"default: your role"},"data":{"type":"object"}},"required":["summary"]}},
{"name":"team_messages","description":"The last messages on the bus of your team.",
 "inputSchema":{"type":"object","properties":{"from":{"type":"string"},"to":{"type":"string"},"type":{"type":"string"},
  "last":{"type":"integer","minimum":1,"maximum":100}}}},
{"name":"team_status","description":"How far your team is: which tasks are done, at work, to come.",
 "inputSchema":{"type":"object","properties":{}}}
])json";

std::optional<int> whole_number(const json::object& o, std::string_view key) {
  const json::value* value = value_at(o, key);
  return value != nullptr && value->is_int64() ? std::optional{static_cast<int>(value->as_int64())} : std::nullopt;
}

ToolCall call_of(const json::object& params) {
  ToolCall call;
  call.tool = text_at(params, {"name"});
  const json::value* given = value_at(params, "arguments");
  if (given == nullptr || !given->is_object()) return call;
  const json::object& o = given->as_object();
  call.kind = text_at(o, {"kind"});
  call.role = text_at(o, {"role"});
  call.task = text_at(o, {"task"});
  call.attempt = whole_number(o, "attempt");
  call.id = text_at(o, {"id"});
  call.summary = text_at(o, {"summary", "message", "text"});
  call.severity = text_at(o, {"severity"});
  call.from = text_at(o, {"from"});
  call.to = text_at(o, {"to"});
  call.type = text_at(o, {"type"});
  call.last = whole_number(o, "last");
  if (const json::value* data = value_at(o, "data"); data != nullptr && data->is_object()) {
    call.data = written_json(*data);
  }
  return call;
}

bool is_tool(std::string_view name) {
  return name == "team_callback" || name == "team_message" || name == "team_messages" || name == "team_status";
}

std::string error_line(const json::value& id, int code, std::string_view message) {
  return written_json(
      json::object{{"jsonrpc", "2.0"}, {"id", id}, {"error", json::object{{"code", code}, {"message", message}}}});
}

std::string result_line(const json::value& id, json::value result) {
  return written_json(json::object{{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
}

}  // namespace

std::optional<std::string> answer_line(std::string_view line, const std::string& version,
                                       const std::function<ToolAnswer(const ToolCall&)>& call) {
  const auto request = parse_json(line);
  if (!request) return error_line(nullptr, -32700, "this is no JSON");
  if (!request->is_object()) return error_line(nullptr, -32600, "this is no request");
  const json::object& o = request->as_object();
  const std::string method = text_at(o, {"method"});
  const json::value* id = o.if_contains("id");
  if (id == nullptr) return std::nullopt;  // a notification
  if (method.empty()) return error_line(*id, -32600, "a request has a method");
  const json::value* params = value_at(o, "params");
  const json::object none;
  const json::object& given = params != nullptr && params->is_object() ? params->as_object() : none;
  if (method == "initialize") {
    const std::string asked = text_at(given, {"protocolVersion"});
    return result_line(*id, json::object{{"protocolVersion", asked.empty() ? protocol_version : asked},
                                         {"capabilities", json::object{{"tools", json::object{}}}},
                                         {"serverInfo", json::object{{"name", "baton"}, {"version", version}}}});
  }
  if (method == "ping") return result_line(*id, json::object{});
  if (method == "tools/list") return result_line(*id, json::object{{"tools", json::parse(tools_text)}});
  if (method != "tools/call") return error_line(*id, -32601, fmt::format("there is no method '{}'", method));
  const ToolCall asked = call_of(given);
  if (!is_tool(asked.tool)) return error_line(*id, -32602, fmt::format("there is no tool '{}'", asked.tool));
  const ToolAnswer answer = call(asked);
  return result_line(*id, json::object{{"content", json::array{json::object{{"type", "text"}, {"text", answer.text}}}},
                                       {"isError", answer.is_error}});
}

}  // namespace baton::team
