#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "runtime/claude.h"
#include "support/claude_told.h"

namespace {

using namespace baton;

struct Outcome {
  std::string said;
  std::optional<Usage> spent;
  std::optional<Failure> failure;

  bool operator==(const Outcome&) const = default;
};

/// Each piece in memory of its own size: a look beyond its end is seen.
Outcome play(const std::uint8_t* data, std::size_t size, std::size_t piece_max) {
  static const Step step = {.id = "s", .needs = {}, .work = std::make_shared<Work>(), .policy = {}, .final = false};
  ClaudeRuntime runtime{ClaudeSettings{}};
  Assignment assignment;
  assignment.step = &step;
  (void)runtime.begin(assignment);
  Outcome outcome;
  const auto take = [&](const Actions& actions) {
    for (const Action& action : actions) {
      if (const auto* say = std::get_if<Say>(&action)) outcome.said += say->text + "\n";
      if (const auto* spend = std::get_if<Spend>(&action)) outcome.spent = spend->usage;
      if (const auto* finish = std::get_if<Finish>(&action)) outcome.failure = finish->failure;
    }
  };
  for (std::size_t at = 0; at < size;) {
    const std::size_t piece = std::min(piece_max, size - at);
    const auto copy = std::make_unique<char[]>(piece);
    std::memcpy(copy.get(), data + at, piece);
    take(runtime.next(Printed{{copy.get(), piece}}));
    at += piece;
  }
  Ended end;
  end.record.exit = 0;
  take(runtime.next(end));
  return outcome;
}

}  // namespace

/// However the bytes are cut, the outcome is the same, and no better than what was told: no success without the marks
/// of one, no cost above what was named. The first byte says how they are cut.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t piece = 1 + data[0];
  const Outcome whole = play(data + 1, size - 1, size);
  if (!(whole == play(data + 1, size - 1, piece))) std::abort();
  const test::ClaudeTold told = test::ClaudeToldReader{}.read({reinterpret_cast<const char*>(data + 1), size - 1});
  if (told.is_unclear) return 0;
  if (!whole.failure && !told.is_success) std::abort();
  const auto cost = whole.spent ? whole.spent->cost : std::nullopt;
  if (cost && told.nano_most && cost->nano_usd > *told.nano_most) std::abort();
  return 0;
}
