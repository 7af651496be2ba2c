#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fault.h"
#include "base/time.h"
#include "core/failure.h"
#include "core/usage.h"
#include "plan/plan.h"

namespace baton {

/// How one attempt at a step goes in rehearsal. What a script does not say is made up.
struct RehearsedAttempt {
  enum class Output : std::uint8_t { made_up, none, given };

  std::optional<std::string> answer = {};  ///< said at the end; for a text output without `output` also what is written
  Output output = Output::made_up;
  std::string output_text = {};
  std::optional<Millis> delay = {};
  std::optional<Usage> usage = {};
  std::optional<Failure> failure = {};
  bool hang = false;   ///< never ends by itself
  bool crash = false;  ///< ends as a program does that fell over
};

struct RehearsedStep {
  std::vector<RehearsedAttempt> attempts;  ///< the last one holds for all further attempts
  bool real = false;                       ///< its command is run in earnest
  Place place;
};

/// A rehearsal as a user wrote it:
///
///     speed: 10                  # ten times as fast
///     default: {delay: 2s}
///     steps:
///       summary:
///         attempts:
///           - {fail: transient, message: try again}
///           - output: {headline: Hello, bullets: [a, b]}
///             usage: {input: 1200, output: 300, cost_usd: 0.01}
///       publish: {real: true}
///
/// A step with one attempt may leave `attempts` out.
struct RehearsalScript {
  std::map<std::string, RehearsedStep, std::less<>> steps;
  RehearsedStep fallback;
  double speed = 1;

  /// True if the step's own command is to be run instead of being stood in for.
  [[nodiscard]] bool wants_real(std::string_view step) const;

  /// What is written for this attempt (from 1).
  [[nodiscard]] RehearsedAttempt attempt(std::string_view step, int number) const;
};

std::expected<RehearsalScript, Faults> read_rehearsal_script(std::string_view text, const std::string& file);

/// Steps of the script that the plan does not have.
Faults check_rehearsal_script(const RehearsalScript& script, const Plan& plan);

}  // namespace baton
