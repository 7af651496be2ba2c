// kill -9 in the middle of a session: it ends like one that nobody disturbed, and no file of it is ever half written.
#include <gmock/gmock.h>

#include <atomic>
#include <random>
#include <thread>

#include "cli/session_place.h"
#include "crash/kills.h"

namespace baton::test {
namespace {

using std::chrono::microseconds;
using ::testing::ElementsAre;

constexpr int session_task_count = 100;

std::string session_task_id(int n) { return fmt::format("IMPL-{:03}", n); }

/// Looks at a session's files all the time: each of them has to be whole whenever it is looked at.
class Reader {
 public:
  explicit Reader(std::string folder) : folder_(std::move(folder)), thread_([this] { read_on(); }) {}
  ~Reader() {
    stop_ = true;
    thread_.join();
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  [[nodiscard]] std::string first_half() const { return half_; }
  [[nodiscard]] int rounds() const { return rounds_; }

 private:
  void look_at(const std::string& name) {
    const std::string text = read_text(folder_ + "/" + name);
    boost::system::error_code error;
    const json::value value = json::parse(text, error);
    if ((error || !value.is_object()) && half_.empty()) half_ = name + ": " + text;
  }
  void read_on() {
    while (!stop_) {
      look_at("workflow-session.json");
      for (int n = 0; n < session_task_count; ++n) look_at(".task/" + session_task_id(n) + ".json");
      const std::string list = read_text(folder_ + "/TODO_LIST.md");
      if (!list.ends_with("= Completed\n") && half_.empty()) half_ = "TODO_LIST.md: " + list;
      ++rounds_;
    }
  }

  std::string folder_;
  std::string half_;
  std::atomic<int> rounds_ = 0;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

class SessionKilled : public WithSession {
 protected:
  SessionKilled() {
    std::vector<std::string> ids;
    for (int n = 0; n < session_task_count; ++n) ids.push_back(session_task_id(n));
    list(ids);
    for (int n = 0; n < session_task_count; ++n) {
      std::string more = n % 3 == 0 ? std::string{} : fmt::format(R"("parallel_group": {})", n % 3);
      const auto add = [&](const std::string& member) { more += (more.empty() ? "" : ", ") + member; };
      if (n % 10 == 9) {
        add(needs({session_task_id(n - 3), session_task_id(n - 7)}));
      } else if (n % 4 == 1) {
        add(needs({session_task_id(n - 1)}));
      }
      if (n % 20 == 2) {
        add(R"j("pre_analysis": [{"step": "a", "command": "bash(echo ready)", "output_to": "a", "on_error": "fail"}])j");
      }
      task(session_task_id(n), more);
    }
    place.env["BATON_HOLDER_IDLE_MS"] = "2000";
  }

  static std::vector<std::string> the_run() { return {"run", "--resume-session", "WFS-x", "--no-archive", "-q"}; }

  /// What the files say in the end, without the times.
  void expect_all_done() {
    const std::string todo = place.read(in("TODO_LIST.md"));
    for (int n = 0; n < session_task_count; ++n) {
      const std::string id = session_task_id(n);
      EXPECT_TRUE(has(todo, fmt::format("- [x] **{0}**: Do {0} → [📋](./.task/{0}.json) | "
                                        "[✅](./.summaries/{0}-summary.md)\n",
                                        id)))
          << id;
      std::vector<std::string> history;
      const json::object file = task_file(id);
      for (const json::value& entry : file.at("status_history").as_array()) {
        history.push_back(text_at(entry.as_object(), "to"));
      }
      EXPECT_EQ(text_at(file, "status"), "completed") << id;
      EXPECT_THAT(history, ElementsAre("in_progress", "completed")) << id;
      EXPECT_TRUE(has(place.read(in(".summaries/" + id + "-summary.md")), "Done as told.")) << id;
    }
    EXPECT_EQ(session_status(), "completed");
    for (const auto& [name, text] : files_beneath(place.file(folder))) {
      EXPECT_FALSE(name.ends_with(".tmp")) << name << " is left of a write that was cut off";
    }
  }
};

TEST_F(SessionKilled, AtRandomInstantsEndsLikeOneThatNobodyDisturbed) {
  const std::uint64_t seed = number_from("BATON_KILL_SEED", std::random_device{}());
  SCOPED_TRACE(fmt::format("BATON_KILL_SEED={}", seed));
  std::mt19937_64 chance{seed};
  std::uniform_int_distribution<int> wait{5'000, 150'000};
  const std::uint64_t kills = number_from("BATON_SESSION_KILLS", 50);
  {
    const Reader reader{place.file(folder)};
    for (std::uint64_t n = 0; n < kills; ++n) {
      Process process = place.start(the_run());
      if (!end_within(process, microseconds{wait(chance)})) break;
      place.kill_all("baton");
    }
    const Outcome ran = place.baton(the_run());
    EXPECT_EQ(ran.code, 0) << ran;
    EXPECT_EQ(reader.first_half(), "");
    EXPECT_GT(reader.rounds(), 0);
  }
  expect_all_done();
  std::map<std::string, int> starts;
  for (const std::string& whom : claude.started()) ++starts[whom.substr(0, whom.find('.'))];
  EXPECT_EQ(starts.size(), static_cast<std::size_t>(session_task_count));
  for (const auto& [id, count] : starts) EXPECT_EQ(count, 1) << id << ": what is at work goes on under the holder";
}

TEST_F(SessionKilled, NobodyDisturbedThisOne) {
  const Outcome ran = place.baton(the_run());
  ASSERT_EQ(ran.code, 0) << ran;
  expect_all_done();
}

}  // namespace
}  // namespace baton::test
