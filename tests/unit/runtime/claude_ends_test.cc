// Ends that nobody recorded: the recorded runs cut, spliced and changed, with exits and last words of their own.
#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "base/text.h"
#include "claude_recorded.h"
#include "support/claude_told.h"
#include "support/draws.h"

namespace baton {
namespace {

/// Members as one finds them, and what becomes of them: told otherwise, or not told at all.
const std::vector<std::pair<std::string, std::string>> changes = {
    {R"("subtype":"success",)", ""},
    {R"("subtype":"success")", R"("subtype":"error_during_execution")"},
    {R"("is_error":false)", R"("is_error":true)"},
    {R"("is_error":true)", R"("is_error":false)"},
    {R"("is_error":false)", R"("is_error":"true")"},
    {R"("is_error":false,)", ""},
    {R"("is_error":true,)", ""},
    {R"("api_error_status":null)", R"("api_error_status":429)"},
    {R"("terminal_reason":"completed")", R"("terminal_reason":"api_error")"},
    {R"("terminal_reason":"completed",)", ""},
    {R"("model_usage_since_last_result")", R"("told_before")"},
    {R"("modelUsage")", R"("byModel")"},
    {R"("usage")", R"("used")"},
    {R"("total_cost_usd")", R"("costs")"},
    {R"("total_cost_usd":0)", R"("total_cost_usd":1)"},
    {R"("costUSD")", R"("costEUR")"},
    {"claude-opus-5-5", "house-model"},
    {R"("type":"result")", R"("type":"end")"},
    {R"("result":")", R"("result":"You've hit your weekly limit · resets Nov 18 7:42pm )"},
    {R"("result":")", R"("result":"Request rejected (429) )"},
    {R"("output_tokens":)", R"("output_tokens":9)"},
    {R"("id":"msg_)", R"("id":"again_)"},
};

struct MadeUp {
  std::string bytes;
  Ended end;
  ClaudeSettings settings;
  bool has_output = true;
};

class Maker {
 public:
  Maker(std::uint64_t seed, const std::vector<RecordedClaude>& runs) : draws_{seed}, runs_{runs} {}

  MadeUp make() {
    const RecordedClaude& run = draws_.one_of(runs_);
    MadeUp made{run.bytes, run.end, run.settings, draws_.chance(0.7)};
    for (std::size_t n = draws_.below(5); n > 0; --n) change(made.bytes);
    if (draws_.chance(0.5)) end_otherwise(made.end);
    return made;
  }

 private:
  void change(std::string& bytes) {
    switch (draws_.below(7)) {
      case 0:
        return bytes.resize(draws_.below(bytes.size() + 1));
      case 1:
        return lines_anew(bytes);
      case 2:
        return splice(bytes);
      case 3:
        if (!bytes.empty()) bytes[draws_.below(bytes.size())] = static_cast<char>(draws_.between(' ', '~'));
        return;
      default:
        return tell_otherwise(bytes);
    }
  }

  /// One is left out, told twice or comes at another time.
  void lines_anew(std::string& bytes) {
    std::vector<std::string_view> lines = split(bytes, '\n');
    const std::size_t from = draws_.below(lines.size());
    const std::size_t to = draws_.below(lines.size());
    const std::string_view moved = lines[from];
    if (draws_.chance(0.7)) lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(from));
    if (draws_.chance(0.7))
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(std::min(to, lines.size())), moved);
    bytes = join(std::vector<std::string>(lines.begin(), lines.end()), "\n");
  }

  /// The beginning of one run, the end of another.
  void splice(std::string& bytes) {
    const std::string& other = draws_.one_of(runs_).bytes;
    const std::size_t cut = bytes.find('\n', draws_.below(bytes.size() + 1));
    const std::size_t from = other.find('\n', draws_.below(other.size() + 1));
    bytes = bytes.substr(0, cut) + (from == std::string::npos ? "\n" : other.substr(from));
  }

  /// Here, or wherever it stands.
  void tell_otherwise(std::string& bytes) {
    const auto& [before, after] = draws_.one_of(changes);
    const bool everywhere = draws_.chance(0.5);
    std::size_t at = bytes.find(before, draws_.chance(0.5) ? 0 : draws_.below(bytes.size() + 1));
    while (at != std::string::npos) {
      bytes.replace(at, before.size(), after);
      if (!everywhere) return;
      at = bytes.find(before, at + after.size());
    }
  }

  void end_otherwise(Ended& end) {
    end.record.exit.reset();
    end.record.signal.reset();
    switch (draws_.below(8)) {
      case 0:
        end.record.signal = static_cast<int>(draws_.between(1, 15));
        break;
      case 1:
        end.record.spawn_error = "no such program";
        break;
      case 2:
        end.record.deadline = true;
        end.record.signal = 9;
        break;
      case 3:
        end.record.stopped = true;
        end.record.exit = 143;
        break;
      default:
        end.record.exit = draws_.one_of(std::vector<int>{0, 0, 1, 129, 134, 143});
    }
    end.last_error = draws_.one_of(std::vector<std::string>{
        "", "segfault", "API Error: 429", "You've hit your session limit · resets 3pm", "the weekly limit page"});
  }

  test::Draws draws_;
  const std::vector<RecordedClaude>& runs_;
};

struct Tally {
  int clear = 0;
  int successes = 0;
  int bounded = 0;
  int unknown = 0;
};

void hold_against_what_was_told(const MadeUp& made, Tally& tally) {
  const PlayedClaude played = play_claude(made.bytes, made.end, {4096}, made.settings, made.has_output);
  const ExitRecord& exit = made.end.record;
  const test::ClaudeTold told = test::ClaudeToldReader{}.read(made.bytes);
  const bool is_success = !played.finish.failure;
  if (is_success) {
    EXPECT_TRUE(exit.spawn_error.empty() && !exit.deadline);
    EXPECT_TRUE(exit.exit == 0 || exit.stopped);
  }
  if (played.finish.failure) {
    EXPECT_FALSE(played.finish.failure->code.empty());
    EXPECT_EQ(played.finish.failure->used_up, played.finish.failure->code == "agent-usage-limit");
  }
  const Usage used = played.spent.value_or(Usage{{}, {}, 0, true});
  EXPECT_TRUE(!used.tokens_unknown || used.tokens == Tokens{}) << "what is not known is in no sum";
  EXPECT_GE(used.cost.value_or(Cost{}).nano_usd, 0);
  if (!used.cost) ++tally.unknown;
  if (told.is_unclear) return;
  ++tally.clear;
  if (is_success) {
    ++tally.successes;
    EXPECT_TRUE(told.is_success) << "no marks of a success";
  }
  if (!exit.spawn_error.empty() || !told.nano_most || !used.cost) return;
  ++tally.bounded;
  EXPECT_LE(used.cost->nano_usd, *told.nano_most) << "more than was told";
}

TEST(ClaudeEnds, given_ten_thousand_made_up_ends_then_none_succeeds_without_its_marks_or_costs_more_than_it_told) {
  const std::vector<RecordedClaude> runs = all_recorded_claude();
  Tally tally;
  for (std::uint64_t seed = 0; seed < 10'000; ++seed) {
    const MadeUp made = Maker{seed, runs}.make();
    hold_against_what_was_told(made, tally);
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed << ":\n" << made.bytes;
  }
  // The draws are worth something only if they bring forth all of it.
  EXPECT_GT(tally.clear, 7000);
  EXPECT_GT(tally.successes, 1000);
  EXPECT_GT(tally.bounded, 4000);
  EXPECT_GT(tally.unknown, 300);
}

}  // namespace
}  // namespace baton
