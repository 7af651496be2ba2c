#pragma once

#include <cstdint>
#include <string_view>

namespace baton {

/// What kind of failure it is, as far as something is decided by that. A failure's code is finer, and for people.
enum class FailureKind : std::uint8_t {
  other,
  checks,            ///< an output failed its checks
  agent_rate_limit,  ///< an agent's program was told that it asks too often
  api_rate_limit,    ///< we were told so ourselves: how fast we may ask is the governor's to find out (core/governor.h)
  overloaded,        ///< the provider has too much to do
  empty_answer,
  cut_off,    ///< the answer ended at the model's limit
  timed_out,  ///< the attempt was still at work when its time was up
  budget,     ///< of the project or a workspace: all of it is spent
};

FailureKind kind_of(std::string_view code);

constexpr bool is_rate_limit(FailureKind kind) {
  return kind == FailureKind::agent_rate_limit || kind == FailureKind::api_rate_limit;
}

}  // namespace baton
