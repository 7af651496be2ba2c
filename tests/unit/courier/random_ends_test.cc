// Engines, couriers and holders that die at random moments, and calls that are cancelled at others: whatever is said of
// a call in the end is true.

#include <signal.h>

#include <map>
#include <random>
#include <set>

#include "unit/courier/courier_world.h"

namespace baton::test {
namespace {

using namespace std::chrono_literals;
using test::ScriptedHttp;

class RandomEnds : public CourierWorld {
 protected:
  void go_through(std::uint32_t seed, int acts) {
    std::mt19937 chance{seed};
    const auto draw = [&](int below) { return static_cast<int>(chance() % static_cast<std::uint32_t>(below)); };
    for (int act = 0; act < acts; ++act) {
      switch (draw(10)) {
        case 0:
          engine_.reset();
          break;
        case 1:
          if (const pid_t courier = courier_pid(); courier > 0) ::kill(courier, SIGKILL);
          break;
        case 2:
          if (const pid_t holder = holder_pid(); holder > 0 && draw(3) == 0) ::kill(holder, SIGKILL);
          break;
        case 3:
          the_engine();
          if (!open_.empty())
            engine_->client->stop(*std::next(open_.begin(), draw(static_cast<int>(open_.size()))), 1s);
          break;
        default: {
          const AttemptKey fresh = next_key();
          open_.insert(fresh);
          the_engine().spawn(call_spec(fresh, request(url_)));
        }
      }
      if (engine_) {
        engine_->loop.restart();
        engine_->loop.run_for(std::chrono::milliseconds{draw(12)});
        hear();
      }
    }
  }

  // What an engine does with what it finds and hears: it writes it down, then acknowledges it.
  Engine& the_engine() {
    if (engine_) return *engine_;
    engine_ = std::make_unique<Engine>(call_options());
    auto seen = engine_->client->attach("r");
    while (!seen) seen = engine_->client->attach("r");
    std::set<AttemptKey> alive;
    for (const Sighting& sighting : *seen) {
      alive.insert(sighting.key);
      if (sighting.kind == Sighting::Kind::exited) ended(sighting.record);
    }
    for (const AttemptKey& its : open_) {
      if (alive.contains(its)) continue;
      if (engine_->client->was_started(its)) {
        engine_->client->stop(its, 1s);
      } else {
        engine_->spawn(call_spec(its, request(url_)));
      }
    }
    return *engine_;
  }
  void hear() {
    for (const HostNotice& notice : std::exchange(engine_->notices, {})) {
      if (const auto* exited = std::get_if<AttemptExitedNotice>(&notice)) ended(exited->record);
      if (const auto* lost = std::get_if<AttemptLostNotice>(&notice)) {
        EXPECT_FALSE(ends_.contains(lost->key)) << "a known end cannot be lost: " << lost->key.attempt;
        lost_.insert(lost->key);
        open_.erase(lost->key);
        engine_->client->acknowledge(lost->key);
      }
    }
  }
  void ended(const ExitRecord& record) {
    EXPECT_FALSE(lost_.contains(record.key)) << "what was lost has no end: " << record.key.attempt;
    const auto [place, fresh] = ends_.emplace(record.key, record);
    EXPECT_EQ(place->second.exit, record.exit) << "an end does not change";
    open_.erase(record.key);
    engine_->client->acknowledge(record.key);
  }

  std::unique_ptr<Engine> engine_;
  std::set<AttemptKey> open_;
  std::set<AttemptKey> lost_;
  std::map<AttemptKey, ExitRecord> ends_;
  std::string url_;
};

TEST_F(RandomEnds, OfACallAreTrueWhoeverDies) {
  ScriptedHttp server{R"([{"times":0,"split":60,"pause":1}])"};
  url_ = server.url();
  for (std::uint32_t seed = 1; seed <= 8; ++seed) go_through(seed, 60);
  ASSERT_TRUE(the_engine().until([&] {
    hear();
    return open_.empty();
  })) << open_.size()
      << " have no end";
  int complete = 0;
  for (const auto& [its, record] : ends_) {
    const Outcome outcome = this->outcome(its, &record);
    if (record.never_ran() || !record.spawn_error.empty()) continue;
    EXPECT_EQ(outcome.exit == 0, outcome.word() == "complete") << outcome.err;
    if (outcome.exit != 0) continue;
    ++complete;
    EXPECT_NE(outcome.body().find("event: message_stop"), std::string::npos);
    EXPECT_FALSE(record.stopped && outcome.word() != "complete");
  }
  EXPECT_GT(complete, 20);
  EXPECT_GT(lost_.size(), 5U);
  RecordProperty("complete", complete);
  server.until_idle();
}

}  // namespace
}  // namespace baton::test
