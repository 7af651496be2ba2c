#include "runtime/api/error_code.h"

#include <algorithm>
#include <array>

namespace baton::api {
namespace {

using enum ErrorCode;

constexpr std::array<ErrorCodeFacts, 17> codes = {{
    {skill_not_found, "skill-not-found", "SKILL_NOT_FOUND", false},
    {context_not_found, "context-not-found", "CONTEXT_NOT_FOUND", false},
    {input_not_found, "input-not-found", "INPUT_NOT_FOUND", false},
    {api_error, "api-error", "API_ERROR", true},
    {api_rate_limited, "api-rate-limited", "API_RATE_LIMITED", true},
    {api_overloaded, "api-overloaded", "API_OVERLOADED", true},
    {api_timeout, "api-timeout", "API_TIMEOUT", true},
    {response_empty, "response-empty", "RESPONSE_EMPTY", false},
    {response_truncated, "response-truncated", "RESPONSE_TRUNCATED", false},
    {workspace_write_failed, "workspace-write-failed", "WORKSPACE_WRITE_FAILED", false},
    {task_not_executable, "task-not-executable", "TASK_NOT_EXECUTABLE", false},
    {aborted, "aborted", "ABORTED", false},
    {unknown, "unknown", "UNKNOWN", false},
    {refused, "refused", "REFUSED", false},
    {context_exceeded, "context-exceeded", "CONTEXT_EXCEEDED", false},
    {budget_exhausted, "budget-exhausted", "BUDGET_EXHAUSTED", false},
    {tool_loop_limit, "tool-loop-limit", "TOOL_LOOP_LIMIT", false},
}};

}  // namespace

std::span<const ErrorCodeFacts> error_codes() { return codes; }

const ErrorCodeFacts& facts_of(ErrorCode code) { return codes.at(static_cast<std::size_t>(code)); }

std::optional<ErrorCode> error_code(std::string_view name) {
  const auto found =
      std::ranges::find_if(codes, [&](const ErrorCodeFacts& f) { return f.kebab == name || f.seed_name == name; });
  if (found == codes.end()) return std::nullopt;
  return found->code;
}

}  // namespace baton::api
