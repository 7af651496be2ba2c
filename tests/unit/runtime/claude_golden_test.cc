// Every recorded run of the real program, judged. tools/record-claude.py has what was asked of each run; each line of
// the golden file was checked by hand against that.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/hash.h"
#include "claude_recorded.h"

namespace baton {
namespace {

const std::string golden = test::source_folder() + "/tests/unit/runtime/golden/claude_transcripts.txt";

std::string summary(const RecordedClaude& run, const PlayedClaude& played) {
  const auto& failure = played.finish.failure;
  const Usage usage = played.spent.value_or(Usage{});
  std::string line = fmt::format("{}: {}", run.name, failure ? failure->code : "ok");
  if (failure) line += failure->may_retry ? " retry" : " no-retry";
  if (failure && failure->retry_after) line += fmt::format(" after={}ms", failure->retry_after->count());
  if (failure && failure->parked_until) line += " parked=" + rfc3339(*failure->parked_until);
  if (played.finish.note) line += " note=" + played.finish.note->code;
  line += fmt::format(" in={} out={} read={} write={}", usage.tokens.input, usage.tokens.output,
                      usage.tokens.cache_read, usage.tokens.cache_write);
  line += usage.cost ? fmt::format(" nano_usd={}", usage.cost->nano_usd) : " cost=unknown";
  const auto& result = played.seen.result;
  line += fmt::format(" session={} turns={} denials={} said={}",
                      played.seen.session.empty() ? "-" : played.seen.session.substr(played.seen.session.size() - 4),
                      result ? fmt::format("{}", result->turns) : "-", result ? result->denials.size() : 0,
                      played.said.size());
  return line;
}

TEST(ClaudeTranscripts, given_every_recorded_run_then_outcome_usage_and_cost_are_right) {
  std::string all;
  for (const RecordedClaude& run : all_recorded_claude()) {
    all += summary(run, play_claude(run.bytes, run.end, {65536}, run.settings)) + "\n";
  }
  if (std::getenv("BATON_WRITE_GOLDEN") != nullptr) std::ofstream{golden} << all;
  EXPECT_EQ(all, contents_of(golden))
      << "BATON_WRITE_GOLDEN=1 writes it anew; check each line of the difference by hand";
}

TEST(ClaudeTranscripts, given_a_run_cut_anywhere_then_nothing_changes) {
  for (const RecordedClaude& run : all_recorded_claude()) {
    const PlayedClaude whole = play_claude(run.bytes, run.end, {run.bytes.size() + 1}, run.settings);
    std::vector<std::vector<std::size_t>> ways = {{1}, {7}, {63, 1}, {64}, {65}, {1000}, {4096}};
    std::uint64_t chance = hash64(run.name);
    for (int i = 0; i < 5; ++i) {
      std::vector<std::size_t> drawn;
      for (int j = 0; j < 40; ++j) drawn.push_back(1 + static_cast<std::size_t>((chance = mix(chance)) % 900));
      ways.push_back(drawn);
    }
    for (const auto& way : ways) {
      const PlayedClaude cut = play_claude(run.bytes, run.end, way, run.settings);
      EXPECT_EQ(summary(run, cut), summary(run, whole)) << "cut into pieces of " << way.front();
      EXPECT_EQ(cut.said, whole.said) << run.name;
      EXPECT_EQ(cut.finish.failure, whole.finish.failure) << run.name;
    }
  }
}

/// Two pieces, cut at every byte.
TEST(ClaudeTranscripts, given_small_runs_cut_in_two_at_every_byte_then_nothing_changes) {
  for (const RecordedClaude& run : all_recorded_claude()) {
    if (run.bytes.size() > 5000) continue;
    const std::string whole = summary(run, play_claude(run.bytes, run.end, {run.bytes.size() + 1}, run.settings));
    for (std::size_t at = 1; at < run.bytes.size(); ++at) {
      ASSERT_EQ(summary(run, play_claude(run.bytes, run.end, {at, run.bytes.size()}, run.settings)), whole) << at;
    }
  }
}

}  // namespace
}  // namespace baton
