// kill -9 in the middle of a workspace's tasks: each is done once or its run still has it, and no result is half
// written.
#include <gmock/gmock.h>

#include <filesystem>
#include <map>
#include <random>

#include "cli/workspace_place.h"
#include "crash/kills.h"

namespace baton::test {
namespace {

using std::chrono::microseconds;

constexpr int workspace_task_count = 24;

std::string workspace_task_id(int n) { return fmt::format("t-{:02}", n); }

class WorkspaceKilled : public WithWorkspace {
 protected:
  WorkspaceKilled() {
    for (int n = 0; n < workspace_task_count; ++n) {
      WorkspaceTask t{.id = workspace_task_id(n), .priority = fmt::format("P{}", n % 4)};
      if (n % 5 == 4) t.inputs = {output_of({.id = workspace_task_id(n - 2)})};
      task(t);
    }
    place.env["BATON_HOLDER_IDLE_MS"] = "2000";
  }

  /// The name of a half-written file or a lock that is still there.
  std::string left_behind() {
    for (const auto& entry : std::filesystem::recursive_directory_iterator{place.file("workspace")}) {
      const std::string name = entry.path().filename().string();
      if (name.ends_with(".tmp") || name.ends_with(".lock")) return name;
    }
    return "";
  }

  /// Nobody is left behind: what is in progress belongs to a run that can be taken up.
  void expect_owners() {
    const std::string state = place.run_state();
    const bool open = state == "running" || state == "queued" || state == "paused";
    for (int n = 0; n < workspace_task_count; ++n) {
      // Of a run that was killed after its last word was on record, the holder wakes one that writes it down.
      if (!open) {
        EXPECT_TRUE(eventually([&] { return status(workspace_task_id(n)) != "in_progress"; }))
            << workspace_task_id(n) << ", run " << state;
      }
      const std::string now = status(workspace_task_id(n));
      EXPECT_TRUE(now == "pending" || now == "completed" || (now == "in_progress" && open))
          << workspace_task_id(n) << ": " << now;
      const std::string path = "workspace/" + output_of({.id = workspace_task_id(n)});
      if (place.exists(path)) {
        EXPECT_EQ(place.read(path), "# Copy\n\nAs it was asked for.") << workspace_task_id(n);
      }
      EXPECT_TRUE(now != "completed" || place.exists(path)) << workspace_task_id(n);
    }
  }
};

TEST_F(WorkspaceKilled, AtRandomInstantsNoTaskIsLeftBehind) {
  const std::uint64_t seed = number_from("BATON_KILL_SEED", std::random_device{}());
  SCOPED_TRACE(fmt::format("BATON_KILL_SEED={}", seed));
  std::mt19937_64 chance{seed};
  std::uniform_int_distribution<int> wait{5'000, 120'000};
  const std::uint64_t kills = number_from("BATON_WORKSPACE_KILLS", 30);
  bool begun = false;
  for (std::uint64_t n = 0; n < kills; ++n) {
    Process process = begun ? place.start({"resume", "last", "-q"}) : place.start({"run", "workspace", "-q"});
    const bool killed = end_within(process, microseconds{wait(chance)});
    place.kill_all("baton");
    begun = begun || !place.run_state().empty();
    expect_owners();
    if (!killed && place.run_state() == "completed") break;
  }
  if (place.run_state() != "completed") {
    const Outcome last = begun ? place.baton({"resume", "last"}) : place.baton({"run", "workspace"});
    EXPECT_EQ(last.code, 0) << last;
  }
  for (int n = 0; n < workspace_task_count; ++n)
    EXPECT_EQ(status(workspace_task_id(n)), "completed") << workspace_task_id(n);
  std::map<std::string, int> answers;
  for (const std::string& name : claude.started()) ++answers[name];
  for (const auto& [name, count] : answers) EXPECT_EQ(count, 1) << name << " was paid for twice";
  expect_owners();
  // A wake of the holder may still be at work in it, with a lock in its hand.
  EXPECT_TRUE(eventually([&] { return left_behind().empty(); })) << left_behind() << " is left behind";
}

}  // namespace
}  // namespace baton::test
