// A task over a model's API that is cancelled, times out, is paused or loses its engine at any moment, again and again:
// nobody is left in progress without an owner, nothing is half written, and what was spent is known.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <random>

#include "cli/api_place.h"
#include "crash/kills.h"

namespace baton::test {
namespace {

using std::chrono::microseconds;

constexpr const char* answer = "# Copy\\n\\nAs it was asked for, and all of it.";
constexpr const char* written_answer = "# Copy\n\nAs it was asked for, and all of it.";

enum class Act { nothing, kill, interrupt, cancel, pause };

class ApiRounds : public WithApi {
 protected:
  ApiRounds() { place.env["BATON_HOLDER_IDLE_MS"] = "2000"; }

  static std::string good(const std::string& more = "") {
    return fmt::format(R"({{"answer":{{"text":"{}","usage":{{"input_tokens":100,"output_tokens":20}}}}{}}})", answer,
                       more);
  }
  /// What the server does in a round: well, slowly, or badly first.
  std::string script(std::mt19937_64& chance) {
    const std::array<std::string, 7> scripts = {
        good(),
        good(R"(,"split":60,"pause":3)"),
        good(R"(,"delay":60)"),
        R"({"cut":500,"end":"reset"},)" + good(),
        R"({"status":500,"error":{}},)" + good(R"(,"split":100,"pause":2)"),
        R"({"cut":300,"end":"silence"},)" + good(),
        R"({"events_max":4},)" + good(),
    };
    return "[" + scripts[chance() % scripts.size()] + "]";
  }

  void act(Act what, Process& driver) {
    switch (what) {
      case Act::nothing:
        break;
      case Act::kill:
        driver.kill(SIGKILL);
        break;
      case Act::interrupt:
        driver.kill(SIGTERM);
        break;
      case Act::cancel:
        (void)place.baton({"cancel", "last"});
        break;
      case Act::pause:
        (void)place.baton({"pause", "last"});
        break;
    }
  }

  [[nodiscard]] static bool is_over(const std::string& state) {
    return state == "completed" || state == "failed" || state == "cancelled";
  }

  /// The task's work may be done, and the run cancelled in the very moment after it.
  [[nodiscard]] std::string end_of(const std::string& id, const std::string& run) {
    const bool is_done = text_at(step_of(place.show(run), id), "state") == "completed";
    return is_done ? "completed" : place.run_state(run);
  }

  void expect_sound(const std::string& id, const std::string& run) {
    const std::string state = end_of(id, run);
    const bool open = state == "running" || state == "queued" || state == "paused" || state == "parked";
    // Of a run that was killed after its last word was on record, the holder wakes one that writes it down.
    if (!open) {
      EXPECT_TRUE(eventually([&] { return status(id) != "in_progress"; })) << "its run is " << state;
    }
    const std::string now = status(id);
    EXPECT_TRUE(now != "completed" || state == "completed" || open) << state;
    const std::string path = "workspace/" + output_of({.id = id});
    if (place.exists(path)) {
      EXPECT_EQ(place.read(path), written_answer);
    } else {
      EXPECT_NE(now, "completed");
    }
  }

  /// Whatever a log says was used is in the record of its attempt, also of one that failed.
  void expect_accounted(const std::string& run) {
    const json::object shown = place.show(run);
    std::int64_t all = 0;
    for (const json::value& step : shown.at("steps").as_array()) {
      for (const json::value& attempt : step.at("attempts").as_array()) {
        const json::object* told = attempt.at("tokens").if_object();  // of one that said nothing, nothing is known
        const std::int64_t input = told == nullptr ? 0 : number_at(*told, "input");
        all += input;
        const auto* log = attempt.as_object().if_contains("log");
        if (log == nullptr || !log->is_string()) continue;
        // What comes after the first event: that one, which tells what was read, is whole.
        if (has(read_text(std::string{log->as_string()}), "event: content_block_start")) {
          EXPECT_GT(input, 0) << json::serialize(attempt);
        }
      }
    }
    EXPECT_EQ(number_at(shown.at("tokens").as_object(), "input"), all);
  }
};

TEST_F(ApiRounds, LeaveNothingHalfDone) {
  const std::uint64_t seed = number_from("BATON_KILL_SEED", std::random_device{}());
  const std::uint64_t rounds = number_from("BATON_API_ROUNDS", 25);
  SCOPED_TRACE(fmt::format("BATON_KILL_SEED={} BATON_API_ROUNDS={}", seed, rounds));
  std::mt19937_64 chance{seed};
  std::uniform_int_distribution<int> wait{1'000, 250'000};
  for (std::uint64_t n = 0; n < rounds && !HasFailure(); ++n) {
    const std::string id = fmt::format("t-{}", n);
    task({.id = id});
    const std::string doing = script(chance);
    server.script(doing);
    const Act what = static_cast<Act>(chance() % 5);
    SCOPED_TRACE(fmt::format("round {}, act {}, {}", n, static_cast<int>(what), doing));
    const std::string before = place.run_state().empty() ? "" : text_at(place.show(), "run");
    std::vector<std::string> args = {"run", "workspace/tasks/" + id + ".md", "-q", "--runtime", "anthropic"};
    args.insert(args.end(), {"--set", "limits.retry_delay=10ms", "--set", "runtime.anthropic.idle_timeout=150ms"});
    args.insert(args.end(), {"--set", "runtime.anthropic.first_timeout=5s"});
    if (chance() % 4 == 0) args.insert(args.end(), {"--timeout", "200ms"});
    Process driver = place.start(args);
    (void)outlasts(driver, microseconds{wait(chance)});
    const bool begun = !place.run_state().empty() && text_at(place.show(), "run") != before;
    if (begun || what == Act::kill || what == Act::interrupt) act(what, driver);
    (void)driver.wait();
    if (place.run_state().empty() || text_at(place.show(), "run") == before) {
      EXPECT_EQ(status(id), "pending") << "there is no run, so nobody has it";
      continue;
    }
    const std::string run = text_at(place.show(), "run");
    expect_sound(id, run);
    for (int tries = 0; tries < 5 && !is_over(place.run_state(run)); ++tries) {
      (void)place.baton({"resume", run, "-q", "--timeout", "60s"});
      expect_sound(id, run);
    }
    const std::string end = place.run_state(run);
    EXPECT_TRUE(is_over(end)) << end;
    EXPECT_TRUE(eventually([&] { return status(id) == end_of(id, run); })) << status(id) << ", and its run is " << end;
    expect_accounted(run);
  }
  for (const auto& entry : std::filesystem::recursive_directory_iterator{place.file("workspace")}) {
    const std::string name = entry.path().filename().string();
    EXPECT_FALSE(name.ends_with(".tmp") || name.ends_with(".lock")) << name << " is left behind";
  }
}

}  // namespace
}  // namespace baton::test
