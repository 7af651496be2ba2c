// kill -9 of the engine at random instants, hundreds of times, over a graph of thirty steps.
#include <fmt/core.h>

#include <random>

#include "crash/kills.h"

namespace baton::test {
namespace {

constexpr int step_count = 30;

/// Five layers of six; some steps fail with 3 once or twice and are retried. None fails for good: a failed run that is
/// resumed tries its failed steps again, so that its end would depend on the number of resumes.
std::vector<std::string> graph() {
  std::vector<std::string> steps;
  for (int i = 0; i < step_count; ++i) {
    const int failures = i % 5 == 2 ? 1 : i % 7 == 3 ? 2 : 0;
    std::string shell = "echo $BATON_STEP.$BATON_ATTEMPT >> \"$BATON_FOLDER/ran\"; sleep 0.00" + std::to_string(i % 4);
    if (failures > 0) shell += fmt::format("; [ $BATON_ATTEMPT -gt {} ] || exit 3", failures);
    std::string needs;
    if (i >= 6) needs = fmt::format("needs: [s{}, s{}]\n", i - 6, i % 6 == 5 ? i - 11 : i - 5);
    steps.push_back(step(fmt::format("s{}", i), shell, needs + fmt::format("retries: {}", failures)));
  }
  return steps;
}

/// What has to come out the same however often the engine was killed: every step's state and its attempts' exits.
std::vector<std::string> result_of(const json::object& shown) {
  std::vector<std::string> result{text_at(shown, "state")};
  for (const json::value& value : shown.at("steps").as_array()) {
    const json::object& one = value.as_object();
    std::string line = text_at(one, "id") + " " + text_at(one, "state");
    for (const json::value& a : one.at("attempts").as_array()) {
      line += fmt::format(" {}:{}:{}", number_at(a.as_object(), "n"), text_at(a.as_object(), "state"),
                          number_at(a.as_object(), "exit"));
    }
    result.push_back(line);
  }
  return result;
}

class RandomKills : public Outside {
 protected:
  RandomKills() {
    place.workflow("graph", graph());
    place.env["BATON_LIMITS__RETRY_DELAY"] = "5ms";
  }

  /// Every attempt left its line exactly once: none ran twice, none was made up.
  void expect_each_once(const json::object& shown) {
    const std::string ran = text_at(shown, "folder") + "/ran";
    std::map<std::string, int> lines;
    for (const std::string& line : lines_of(read_text(ran))) ++lines[line];
    std::size_t attempts = 0;
    for (const json::value& value : shown.at("steps").as_array()) {
      const std::string id = text_at(value.as_object(), "id");
      for (std::size_t n = 1; n <= value.at("attempts").as_array().size(); ++n, ++attempts) {
        EXPECT_EQ(lines[fmt::format("{}.{}", id, n)], 1) << id << " attempt " << n;
      }
    }
    EXPECT_EQ(lines.size(), attempts);
  }
};

TEST_F(RandomKills, TheEndIsTheSameAsWithout) {
  const std::uint64_t kills_wanted = number_from("BATON_KILLS", 200);
  const std::uint64_t seed = number_from("BATON_KILL_SEED", 1);
  SCOPED_TRACE(fmt::format("repeat with BATON_KILL_SEED={} BATON_KILLS={}", seed, kills_wanted));
  std::mt19937_64 chance{seed};

  const auto began = std::chrono::steady_clock::now();
  const Outcome calm = place.baton({"run", "graph", "--jobs", "4", "-q"});
  EXPECT_EQ(calm.code, 0) << calm;
  const auto takes = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - began);
  const json::object calm_shown = place.show();
  const auto expected = result_of(calm_shown);
  expect_each_once(calm_shown);

  std::uint64_t kills = 0;
  for (int round = 0; kills < kills_wanted && !HasFailure(); ++round) {
    // From the first microseconds of a start to about as long as a third of a run takes.
    std::uniform_int_distribution<std::int64_t> pause{0, takes.count() / 3};
    const std::size_t runs_before = parse_json(place.baton({"list", "--json"}).out).as_array().size();
    Process first = place.start({"run", "graph", "--jobs", "4", "-q"});
    kills += end_within(first, std::chrono::microseconds{pause(chance)}) ? 1 : 0;
    if (parse_json(place.baton({"list", "--json"}).out).as_array().size() == runs_before)
      continue;  // not recorded: not begun
    const std::string id = text_at(place.show(), "run");
    for (int again = 0; again < 12 && kills < kills_wanted; ++again) {
      Process resumed = place.start({"resume", id, "-q"});
      if (!end_within(resumed, std::chrono::microseconds{pause(chance)})) break;
      ++kills;
    }
    // A run that is over refuses; then it ended before one of the kills, or by a wake.
    const Outcome last = place.baton({"resume", id, "-q"});
    EXPECT_TRUE(last.code == 0 || (last.code == 2 && says_error(last, "run-is-over"))) << last;
    const json::object shown = place.show(id);
    EXPECT_EQ(result_of(shown), expected) << "round " << round << ", run " << id;
    expect_each_once(shown);
  }
  std::cout << kills << " kills of the engine with seed " << seed << "\n";
}

}  // namespace
}  // namespace baton::test
