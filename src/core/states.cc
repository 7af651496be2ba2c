#include "core/states.h"

#include <array>

namespace baton {
namespace {

constexpr std::array<std::string_view, 10> run_names = {"queued",    "running", "paused",    "parked",   "reviewing",
                                                        "completed", "failed",  "cancelled", "accepted", "rejected"};
constexpr std::array<std::string_view, step_states> step_names = {
    "pending", "ready", "running", "checking", "waiting", "completed", "failed", "skipped", "blocked", "cancelled"};
constexpr std::array<std::string_view, 6> attempt_names = {"queued", "running", "completed",
                                                           "failed", "unknown", "cancelled"};

}  // namespace

std::string_view name(RunState state) { return run_names.at(static_cast<std::size_t>(state)); }
std::string_view name(StepState state) { return step_names.at(static_cast<std::size_t>(state)); }
std::string_view name(AttemptState state) { return attempt_names.at(static_cast<std::size_t>(state)); }

std::optional<RunState> run_state(std::string_view name) {
  for (std::size_t i = 0; i < run_names.size(); ++i) {
    if (run_names.at(i) == name) return static_cast<RunState>(i);
  }
  return std::nullopt;
}

}  // namespace baton
