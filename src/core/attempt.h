#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/failure.h"
#include "core/states.h"
#include "core/usage.h"
#include "plan/check.h"

namespace baton {

/// One try at one step, as far as the journal knows.
struct Attempt {
  enum class Stopping : std::uint8_t { no, timed_out, stalled, cancelled };

  /// Kept apart because most attempts of a large plan have none of it.
  struct Detail {
    std::optional<Failure> failure;
    Usage usage;
    std::vector<CheckResult> checks;
    bool checked = false;
    Time checked_at{};  ///< when its output was checked last
    int times_checked = 0;
    int looks = 0;                   ///< those of them since anything was admitted
    std::uint64_t checked_turn = 0;  ///< when it was checked last, in the order of events
    std::string digest;
    std::string boot;
    std::string before;  ///< what lay at its output's path when it was admitted
    bool quiet_told = false;
  };

  std::int32_t n = 0;
  AttemptState state = AttemptState::admitted;
  Stopping stopping = Stopping::no;
  std::uint16_t runtime = 0;  ///< Run::interned
  std::uint16_t model = 0;    ///< Run::interned
  bool ahead = false;         ///< admitted on a condition, and the attempt that it waits for has not ended
  bool followed = false;      ///< another was admitted on the condition that this one ends well
  bool ran = false;           ///< it began, or its end is unknown and it may have begun
  bool told = false;          ///< what it used was told, at least in part
  std::int32_t after = 0;     ///< set: admitted on the condition that this attempt of the step's one need ends well
  std::int32_t pid = 0;
  std::optional<int> exit;
  std::optional<int> signal;
  std::uint64_t admitted_turn = 0;  ///< in the order of events
  Time admitted{};
  Time started{};
  Time finished{};
  std::shared_ptr<Detail> detail;
};

}  // namespace baton
