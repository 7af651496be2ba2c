// The engine is killed at every single system call of a short run, one after the other. Long: only in soak.
#include <stdlib.h>

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>

#include "support/programs.h"

namespace baton::test {
namespace {

class SyscallSweep : public Outside {
 protected:
  void SetUp() override {
    if (::getenv("BATON_SYSCALL_SWEEP") == nullptr) GTEST_SKIP() << "set BATON_SYSCALL_SWEEP=1: it takes minutes";
    place.env["BATON_HOLDER_IDLE_MS"] = "300";
    place.env["BATON_LIMITS__RETRY_DELAY"] = "1ms";
    const std::string mark = "echo $BATON_STEP.$BATON_ATTEMPT >> \"$BATON_FOLDER/ran\"";
    place.workflow("w", {step("a", mark + "; echo '{\"title\": \"t\"}' > \"$BATON_OUTPUT\"",
                              "output: ${{ sandbox }}/outputs/a.json\nvalidate:\n  required_fields: [title]"),
                         step("b", mark + "; [ $BATON_ATTEMPT = 2 ] || exit 3", "needs: [a]\nretries: 1"),
                         step("c", mark, "needs: [a]"), step("d", mark, "needs: [b, c]")});
  }

  std::vector<std::string> args(const std::string& state_dir, std::vector<std::string> verb) const {
    verb.insert(verb.end(), {"-q", "--state-dir", state_dir});
    return verb;
  }

  /// How often a whole run makes each system call.
  std::map<std::string, int> count_calls() {
    const std::string trace = place.file("trace");
    Process run = place.start_under({"strace", "-o", trace}, args(place.file("state-calm"), {"run", "w"}));
    const Outcome ran = run.wait();
    EXPECT_EQ(ran.code, 0) << ran;
    std::map<std::string, int> calls;
    std::smatch found;
    for (const std::string& line : lines_of(read_text(trace))) {
      if (std::regex_search(line, found, std::regex{R"(^(\w+)\()"})) ++calls[found[1]];
    }
    return calls;
  }

  /// After a kill: what is on record is finished by `resume`, with every attempt run exactly once.
  void expect_recovers(const std::string& state_dir) {
    if (!file_exists(state_dir + "/baton.db") || runs_in(state_dir) == 0) return expect_nothing_ran(state_dir);
    const Outcome resumed = place.baton(args(state_dir, {"resume", "last"}));
    EXPECT_TRUE(resumed.code == 0 || (resumed.code == 2 && says_error(resumed, "run-is-over"))) << resumed;
    const Outcome text = place.baton({"show", "last", "--json", "--state-dir", state_dir});
    ASSERT_EQ(text.code, 0) << text;
    const json::object shown = parse_json(text.out).as_object();
    EXPECT_EQ(text_at(shown, "state"), "completed") << text.out;
    auto ran = lines_of(read_text(text_at(shown, "folder") + "/ran"));
    std::ranges::sort(ran);
    EXPECT_EQ(ran, (std::vector<std::string>{"a.1", "b.1", "b.2", "c.1", "d.1"}));
    EXPECT_EQ(number_at(attempt_of(shown, "b", 1), "exit"), 3);
  }

  std::size_t runs_in(const std::string& state_dir) {
    const Outcome listed = place.baton({"list", "--json", "--state-dir", state_dir});
    EXPECT_EQ(listed.code, 0) << listed;
    return listed.code == 0 ? parse_json(listed.out).as_array().size() : 0;
  }

  /// A run that is not on record did nothing, and the next one is not disturbed by what it left.
  void expect_nothing_ran(const std::string& state_dir) {
    std::error_code error;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(state_dir, error)) {
      EXPECT_NE(entry.path().filename(), "ran") << entry.path();
    }
    const Outcome ran = place.baton(args(state_dir, {"run", "w"}));
    EXPECT_EQ(ran.code, 0) << ran;
  }
};

TEST_F(SyscallSweep, AKillAtEverySystemCallIsSurvived) {
  int kills = 0;
  for (const auto& [call, count] : count_calls()) {
    if (call == "exit_group" || call == "execve") continue;
    for (int n = 1; n <= count + 20; ++n) {
      SCOPED_TRACE(fmt::format("killed at {} number {}", call, n));
      const std::string state_dir = place.file(fmt::format("state-{}-{}", call, n));
      Process run = place.start_under({"strace", "-o", "/dev/null", "-e", "trace=" + call, "-e",
                                       fmt::format("inject={}:signal=KILL:when={}", call, n)},
                                      args(state_dir, {"run", "w"}));
      const Outcome ran = run.wait();
      const bool survived = ran.code == 0;
      if (!survived) {
        ++kills;
        EXPECT_EQ(ran.code, 137) << ran;
        expect_recovers(state_dir);
      }
      if (HasFailure()) return;  // the folders stay as they are until the test ends
      std::error_code ignored;
      std::filesystem::remove_all(state_dir, ignored);
      std::filesystem::remove_all(place.file("sandbox"), ignored);
      if (survived) break;
    }
  }
  std::cout << kills << " system calls, killed at each\n";
  EXPECT_GT(kills, 200);
}

}  // namespace
}  // namespace baton::test
