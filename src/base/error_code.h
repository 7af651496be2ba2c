#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace baton {

/// The closed list of what can go wrong with a task. In faults and in `show` they are written in kebab-case
/// (`api-rate-limited`), in the library by the names of its first users (`API_RATE_LIMITED`).
enum class ErrorCode : std::uint8_t {
  skill_not_found,
  context_not_found,  ///< never raised: a context that is missing is told to the agent
  input_not_found,
  api_error,
  api_rate_limited,
  api_overloaded,
  api_timeout,
  response_empty,
  response_truncated,  ///< of a completed task: a warning
  workspace_write_failed,
  task_not_executable,
  aborted,
  unknown,
  refused,
  context_exceeded,
  budget_exhausted,
  tool_loop_limit,
};
constexpr std::size_t error_codes = 17;

std::string_view name(ErrorCode code);   ///< API_RATE_LIMITED
std::string_view kebab(ErrorCode code);  ///< api-rate-limited
/// From either form.
std::optional<ErrorCode> error_code(std::string_view text);

/// Trying again may help where nobody knows more. An `api_error` alone does not say: 401 may not, 500 may.
bool may_retry(ErrorCode code);

/// A text that is nothing but blanks is no answer.
bool is_empty_answer(std::string_view answer);

}  // namespace baton
