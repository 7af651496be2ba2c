#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace baton::team {

/// What an agent asks of the team with a tool.
struct ToolCall {
  std::string tool;  ///< team_callback, team_message, team_messages, team_status
  std::string kind;
  std::string role;
  std::string task;
  std::optional<int> attempt = {};
  std::string id;
  std::string summary;
  std::string data;  ///< a JSON object; may be empty
  std::string severity;
  std::string from;
  std::string to;
  std::string type;
  std::optional<int> last = {};
};

struct ToolAnswer {
  std::string text;
  bool is_error = false;
};

/// Answers one line of JSON-RPC, as the Model Context Protocol has it over standard input and output: initialize, ping,
/// tools/list, tools/call. Nothing for what wants no answer. `call` does what a tool is for.
std::optional<std::string> answer_line(std::string_view line, const std::string& version,
                                       const std::function<ToolAnswer(const ToolCall&)>& call);

}  // namespace baton::team
