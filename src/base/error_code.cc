#include "base/error_code.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace baton {
namespace {

constexpr std::array<std::string_view, error_codes> names{"SKILL_NOT_FOUND",
                                                          "CONTEXT_NOT_FOUND",
                                                          "INPUT_NOT_FOUND",
                                                          "API_ERROR",
                                                          "API_RATE_LIMITED",
                                                          "API_OVERLOADED",
                                                          "API_TIMEOUT",
                                                          "RESPONSE_EMPTY",
                                                          "RESPONSE_TRUNCATED",
                                                          "WORKSPACE_WRITE_FAILED",
                                                          "TASK_NOT_EXECUTABLE",
                                                          "ABORTED",
                                                          "UNKNOWN",
                                                          "REFUSED",
                                                          "CONTEXT_EXCEEDED",
                                                          "BUDGET_EXHAUSTED",
                                                          "TOOL_LOOP_LIMIT"};
constexpr std::array<std::string_view, error_codes> kebabs{"skill-not-found",
                                                           "context-not-found",
                                                           "input-not-found",
                                                           "api-error",
                                                           "api-rate-limited",
                                                           "api-overloaded",
                                                           "api-timeout",
                                                           "response-empty",
                                                           "response-truncated",
                                                           "workspace-write-failed",
                                                           "task-not-executable",
                                                           "aborted",
                                                           "unknown",
                                                           "refused",
                                                           "context-exceeded",
                                                           "budget-exhausted",
                                                           "tool-loop-limit"};

}  // namespace

std::string_view name(ErrorCode code) { return names.at(static_cast<std::size_t>(code)); }
std::string_view kebab(ErrorCode code) { return kebabs.at(static_cast<std::size_t>(code)); }

std::optional<ErrorCode> error_code(std::string_view text) {
  for (std::size_t i = 0; i < error_codes; ++i) {
    if (names.at(i) == text || kebabs.at(i) == text) return static_cast<ErrorCode>(i);
  }
  return std::nullopt;
}

bool may_retry(ErrorCode code) {
  return code == ErrorCode::api_error || code == ErrorCode::api_rate_limited || code == ErrorCode::api_overloaded ||
         code == ErrorCode::api_timeout;
}

bool is_empty_answer(std::string_view answer) { return trim(answer).empty(); }

}  // namespace baton
