#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <charconv>
#include <string_view>

#include "sim/simulation.h"

namespace baton::test {
namespace {

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* text = ::getenv(name);
  if (text == nullptr) return otherwise;
  const std::string_view digits{text};
  std::from_chars(digits.data(), digits.data() + digits.size(), otherwise);
  return otherwise;
}

std::string how_to_repeat(std::uint64_t seed) {
  return fmt::format("seed {}; to repeat: BATON_SIM_SEED={} <build>/tests/sim", seed, seed);
}

/// A broken invariant of the core itself ends the process: even then the seed is told.
std::string last_words;
void on_abort(int /*signal*/) { (void)!::write(STDERR_FILENO, last_words.data(), last_words.size()); }

struct Simulated {
  std::string text;
  Reached reached;
  std::string violation;
};

Simulated simulate(std::uint64_t seed, bool verbose = false) {
  last_words = "in the simulation of " + how_to_repeat(seed) + "\n";
  Simulation simulation{seed, verbose};
  Simulated result;
  try {
    simulation.run();
  } catch (const Violation& v) {
    result.violation = v.what();
  }
  result.text = simulation.text();
  result.reached = simulation.reached();
  return result;
}

TEST(Simulator, KeepsEveryPromiseForEverySeed) {
  ::signal(SIGABRT, on_abort);
  if (const std::uint64_t seed = setting("BATON_SIM_SEED", 0); seed != 0) {
    const Simulated result = simulate(seed, true);
    fmt::print("{}{}\n", result.text, result.reached.summary());
    EXPECT_EQ(result.violation, "") << how_to_repeat(seed);
    return;
  }
  const std::uint64_t first = setting("BATON_SIM_FIRST_SEED", 1);
  const std::uint64_t seeds = setting("BATON_SIM_SEEDS", 5000);
  constexpr std::uint64_t twice_every = 10;
  constexpr int failures_max = 5;
  Reached reached;
  int failures = 0;
  for (std::uint64_t seed = first; seed < first + seeds && failures < failures_max; ++seed) {
    const Simulated result = simulate(seed);
    reached.add(result.reached);
    EXPECT_EQ(result.violation, "") << how_to_repeat(seed);
    bool failed = !result.violation.empty();
    if (seed % twice_every == 0) {
      const bool same = simulate(seed).text == result.text;
      EXPECT_TRUE(same) << "the same seed gave another journal: " << how_to_repeat(seed);
      failed = failed || !same;
    }
    failures += failed ? 1 : 0;
  }
  fmt::print("{} seeds: {}\n", seeds, reached.summary());
}

}  // namespace
}  // namespace baton::test
