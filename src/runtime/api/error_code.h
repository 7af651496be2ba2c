#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace baton::api {

/// Everything that can become of a task that goes to a model's API. A closed list: the seed's thirteen, and four that
/// it had mistaken for others.
enum class ErrorCode : std::uint8_t {
  skill_not_found,
  context_not_found,  ///< never raised: a context that is missing is said in the prompt
  input_not_found,
  api_error,
  api_rate_limited,
  api_overloaded,
  api_timeout,
  response_empty,
  response_truncated,  ///< a warning: the attempt is completed
  workspace_write_failed,
  task_not_executable,
  aborted,
  unknown,
  refused,
  context_exceeded,
  budget_exhausted,
  tool_loop_limit,
};

struct ErrorCodeFacts {
  ErrorCode code;
  std::string_view kebab;      ///< in `show` and faults
  std::string_view seed_name;  ///< in the library
  bool may_retry;              ///< unless the error itself says otherwise
};

std::span<const ErrorCodeFacts> error_codes();
const ErrorCodeFacts& facts_of(ErrorCode code);
std::optional<ErrorCode> error_code(std::string_view kebab_or_seed_name);

inline std::string_view kebab(ErrorCode code) { return facts_of(code).kebab; }

}  // namespace baton::api
