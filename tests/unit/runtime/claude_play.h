// An attempt by claude, played from bytes. Shared by the tests of its runtime.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/claude.h"

namespace baton {

struct PlayedClaude {
  std::vector<std::string> said;
  std::optional<Usage> spent;
  Finish finish;
  ClaudeSeen seen;
};

inline Step claude_step() {
  return {.id = "summary",
          .needs = {},
          .work = std::make_shared<Work>(Work{.skill = "writer", .mission = "Write.", .output = "out/a.json"}),
          .policy = {},
          .final = false};
}

inline Assignment claude_assignment(const Step& step) {
  Assignment assignment;
  assignment.key = {"r1", step.id, 1};
  assignment.step = &step;
  assignment.prompt_path = "/run/prompts/summary.1.md";
  assignment.output_path = "/project/out/a.json";
  assignment.began = time_from_ms(1'700'000'000'000);
  return assignment;
}

inline ExitRecord exited(int code) {
  ExitRecord record;
  record.pid = 1;
  record.exit = code;
  record.finished = time_from_ms(1'700'000'100'000);
  return record;
}

/// `cuts` gives the sizes of the pieces, from the first on and again from the first.
inline PlayedClaude play_claude(std::string_view bytes, const Ended& end, const std::vector<std::size_t>& cuts,
                                ClaudeSettings settings = {}, bool has_output = true) {
  ClaudeRuntime runtime{std::move(settings)};
  const Step step = claude_step();
  Assignment assignment = claude_assignment(step);
  if (!has_output) assignment.output_path.clear();
  (void)runtime.begin(assignment);
  PlayedClaude played;
  const auto take = [&](Actions actions) {
    for (Action& action : actions) {
      if (auto* say = std::get_if<Say>(&action)) played.said.push_back(std::move(say->text));
      if (const auto* spend = std::get_if<Spend>(&action)) played.spent = spend->usage;
      if (auto* finish = std::get_if<Finish>(&action)) played.finish = std::move(*finish);
    }
  };
  for (std::size_t i = 0; !bytes.empty(); ++i) {
    // Each piece in memory of its own size, so that a look beyond its end is seen by AddressSanitizer.
    const std::size_t size = std::min(bytes.size(), cuts[i % cuts.size()]);
    const auto piece = std::make_unique<char[]>(size);
    std::copy_n(bytes.data(), size, piece.get());
    take(runtime.next(Printed{{piece.get(), size}}));
    bytes.remove_prefix(size);
  }
  take(runtime.next(end));
  played.seen = runtime.seen();
  return played;
}

}  // namespace baton
