#include "view/words.h"

#include <fmt/core.h>

#include "base/text.h"

namespace baton {

std::string_view sign(StepState state) {
  switch (state) {
    case StepState::pending:
      return "·";
    case StepState::ready:
      return "○";
    case StepState::running:
      return "▶";
    case StepState::checking:
      return "?";
    case StepState::waiting:
      return "↻";
    case StepState::completed:
      return "✓";
    case StepState::failed:
      return "✗";
    case StepState::skipped:
      return "–";
    case StepState::blocked:
      return "⊘";
    case StepState::cancelled:
      return "■";
  }
  return " ";
}

std::string_view sign(RunState state) {
  switch (state) {
    case RunState::queued:
      return "·";
    case RunState::running:
      return "▶";
    case RunState::paused:
      return "‖";
    case RunState::parked:
      return "‖";
    case RunState::reviewing:
      return "?";
    case RunState::completed:
      return "✓";
    case RunState::failed:
      return "✗";
    case RunState::cancelled:
      return "■";
    case RunState::accepted:
      return "✓";
    case RunState::rejected:
      return "■";
  }
  return " ";
}

std::string counted(std::size_t n, std::string_view noun) { return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s"); }

std::string waits_for_place(std::size_t before) {
  return fmt::format("waits for a free place: {} before it", counted(before, "run"));
}

std::string tally(const Run& run) {
  std::vector<std::string> parts;
  for (const StepState s : {StepState::completed, StepState::failed, StepState::skipped, StepState::blocked,
                            StepState::cancelled, StepState::waiting}) {
    if (run.count(s) > 0) parts.push_back(fmt::format("{} {}", run.count(s), name(s)));
  }
  return parts.empty() ? "nothing done" : join(parts, ", ");
}

std::string short_number(std::int64_t n) {
  if (n < 1000) return fmt::format("{}", n);
  if (n < 1'000'000) return fmt::format("{:.1f}k", static_cast<double>(n) / 1e3);
  return fmt::format("{:.1f}M", static_cast<double>(n) / 1e6);
}

std::string money(const std::optional<Cost>& cost) { return cost ? money(*cost) : "cost unknown"; }

std::string money(const std::optional<Cost>& cost, Cost known) {
  return !cost && known.nano_usd > 0 ? "at least " + money(known) : money(cost);
}

}  // namespace baton
