#pragma once

#include <cstdint>
#include <string>

#include "base/fault.h"
#include "core/event.h"
#include "core/shares.h"

namespace baton {

/// What happens to a step whose dollars nobody could count, where a cap counts dollars.
enum class Unpriced : std::uint8_t {
  warned_of,  ///< the run began when nobody asked: it goes on
  refused,
  allowed,
};

/// What the run's options say of that. Recorded with it, so that it holds for `resume`, `retry` and wakes.
Unpriced unpriced_of(const RunSettings& settings);
void set_unpriced(RunSettings& settings, Unpriced what);

/// The cap that counts the dollars of this work, in words; empty: none does.
std::string dollar_cap(const RunSettings& settings, const Work& work, bool in_workspace, const SharedLimits& shared);

/// Nobody knows what the step's model costs, and `cap` counts dollars.
Fault unpriced_model(const std::string& step, const std::string& runtime, const std::string& model,
                     const std::string& cap);

}  // namespace baton
