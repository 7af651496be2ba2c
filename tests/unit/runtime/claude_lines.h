// Lines as Claude Code prints them. Shared by the tests of its runtime.
#pragma once

#include <string>

#include "claude_play.h"

namespace baton::claude_lines {

inline const std::string init = R"({"type":"system","subtype":"init","session_id":"s1","model":"claude-opus-5-5"})"
                                "\n";

inline std::string message(const std::string& id, int input, int output, const std::string& model = "claude-opus-5-5",
                           const std::string& text = "working") {
  return R"({"type":"assistant","message":{"id":")" + id + R"(","model":")" + model +
         R"(","content":[{"type":"text","text":")" + text + R"("}],"usage":{"input_tokens":)" + std::to_string(input) +
         R"(,"output_tokens":)" + std::to_string(output) + "}}}\n";
}

/// `members` come first, so that they may overrule nothing.
inline std::string result(const std::string& members = {}, bool is_error = false,
                          const std::string& subtype = "success") {
  return R"({"type":"result","subtype":")" + subtype + R"(","is_error":)" + (is_error ? "true" : "false") +
         (members.empty() ? "" : "," + members) + "}\n";
}

inline PlayedClaude play_claude(const std::string& bytes, ExitRecord record = exited(0),
                                const std::string& last_error = {}, ClaudeSettings settings = {},
                                bool has_output = true) {
  return baton::play_claude(bytes, Ended{std::move(record), last_error}, {4096}, std::move(settings), has_output);
}

}  // namespace baton::claude_lines
