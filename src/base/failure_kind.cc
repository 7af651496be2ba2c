#include "base/failure_kind.h"

#include <array>
#include <utility>

namespace baton {
namespace {

using KindOfCode = std::pair<std::string_view, FailureKind>;
constexpr std::array<KindOfCode, 10> kinds_of_codes = {{{"checks-failed", FailureKind::checks},
                                                        {"agent-rate-limited", FailureKind::agent_rate_limit},
                                                        {"api-rate-limited", FailureKind::api_rate_limit},
                                                        {"agent-overloaded", FailureKind::overloaded},
                                                        {"api-overloaded", FailureKind::overloaded},
                                                        {"agent-empty-answer", FailureKind::empty_answer},
                                                        {"response-empty", FailureKind::empty_answer},
                                                        {"response-truncated", FailureKind::cut_off},
                                                        {"attempt-timed-out", FailureKind::timed_out},
                                                        {"budget-exhausted", FailureKind::budget}}};

}  // namespace

FailureKind kind_of(std::string_view code) {
  for (const auto& [known, kind] : kinds_of_codes) {
    if (known == code) return kind;
  }
  return FailureKind::other;
}

}  // namespace baton
