// Thousands of calls at once, in one process.

#include <algorithm>

#include "unit/courier/courier_world.h"

namespace baton::test {
namespace {

using test::ScriptedHttp;

class ManyCalls : public CourierWorld {
 protected:
  std::vector<AttemptKey> begin_many(int count, const json::object& members) {
    const SpawnSpec one = call_spec({"r", "s", 0}, members);
    std::vector<AttemptKey> keys;
    for (int i = 0; i < count; ++i) {
      SpawnSpec spec = shell(next_key(), "");
      spec.request_path = one.request_path;
      driver().spawn(spec);
      keys.push_back(spec.key);
    }
    return keys;
  }
  std::size_t ended() {
    return static_cast<std::size_t>(std::ranges::count_if(driver().notices, [](const HostNotice& notice) {
      return std::holds_alternative<AttemptExitedNotice>(notice);
    }));
  }
  static long threads(pid_t pid) { return status_kb(pid, "Threads"); }
};

TEST_F(ManyCalls, TwoThousandAreInFlightInOneProcessAndFewThreads) {
  constexpr int count = 2000;
  ScriptedHttp server{R"([{"wait":"go","answer":{"text":"done"},"times":0}])"};
  std::string url = server.url();
  url.replace(url.find("127.0.0.1"), 9, "localhost");
  const auto keys = begin_many(count, request(url));
  ASSERT_TRUE(driver().until([&] {
    return std::ranges::count_if(driver().notices, [](const HostNotice& notice) {
             return std::holds_alternative<AttemptStartedNotice>(notice);
           }) == count;
  }));
  const json::value stats = json::parse(server.until_requests(count));
  EXPECT_EQ(stats.at("in_flight").as_int64(), count);
  const pid_t courier = courier_pid();
  EXPECT_LE(threads(courier), 3);
#if !defined(__SANITIZE_ADDRESS__)
  EXPECT_LT(status_kb(courier, "VmRSS"), 80'000);
#endif
  server.go("go");
  ASSERT_TRUE(driver().until([&] { return ended() == count; }));
  for (const AttemptKey& its : keys) {
    const Outcome outcome = this->outcome(its, driver().exit_of(its));
    ASSERT_EQ(outcome.exit, 0);
    ASSERT_EQ(outcome.word(), "complete");
    ASSERT_NE(outcome.body().find("message_stop"), std::string::npos);
  }
}

TEST_F(ManyCalls, ANameIsLookedUpOnceForAllAndTheFailureIsEverybodys) {
  const auto keys = begin_many(200, request("http://no-such-host.invalid/"));
  ASSERT_TRUE(driver().until([&] { return ended() == keys.size(); }));
  for (const AttemptKey& its : keys) {
    EXPECT_EQ(outcome(its, driver().exit_of(its)).word(), "dns");
  }
}

TEST_F(ManyCalls, AreCancelledTogether) {
  ScriptedHttp server{R"([{"split":40,"middle":"never","times":0}])"};
  const auto keys = begin_many(300, request(server.url()));
  server.until_requests(150);
  for (const AttemptKey& its : keys) driver().client->stop(its, std::chrono::seconds{5});
  ASSERT_TRUE(driver().until([&] { return ended() == keys.size(); }));
  for (const AttemptKey& its : keys) {
    const Outcome ended = outcome(its, driver().exit_of(its));
    EXPECT_EQ(ended.word(), "cancelled");
    EXPECT_EQ(ended.exit, 1);
  }
  server.until_idle();
}

}  // namespace
}  // namespace baton::test
