// What runs share, as every journal keeps it.
#include "journal/shares.h"

#include <sqlite3.h>

#include <gtest/gtest.h>

#include <set>

#include "journal/memory_journal.h"
#include "journal/schema.h"
#include "journal/sqlite_journal.h"
#include "support/recorded.h"
#include "support/scratch.h"

namespace baton::test {
namespace {

struct InMemory {
  MemoryJournal journal;
  Journal& get() { return journal; }
};
struct InSqlite {
  Scratch folder;
  std::unique_ptr<SqliteJournal> journal = SqliteJournal::open(folder.path(), SqliteJournal::Mode::read_write).value();
  Journal& get() { return *journal; }
};

std::set<std::string> the_dead;
bool is_dead(const Lease& lease) { return the_dead.contains(lease.owner); }

template <class Kind>
class SharesConformance : public testing::Test {
 protected:
  SharesConformance() { the_dead.clear(); }

  /// A run on record as queued, driven by a process of its own.
  Recorded& run(const std::string& id) {
    auto& made = runs_.emplace_back(std::make_unique<Recorded>(journal, id, "a"));
    made->story.now = now;
    EXPECT_TRUE(made->take("driver-of-" + id));
    made->story.happens(event::RunCreated{std::make_shared<const Plan>(made->story.plan), made->story.settings});
    made->story.happens(event::DriverTook{1, "here", 1, true});
    EXPECT_TRUE(made->store());
    return *made;
  }
  Shares::Asker asker(const Recorded& r) { return {r.lease, now, limits, is_dead}; }
  bool takes(Recorded& r) {
    const auto answer = shares.take_place(asker(r));
    EXPECT_TRUE(answer) << answer.error().message;
    before = answer ? answer->before : 0;
    if (!answer || !answer->taken) return false;
    r.story.happens(event::PlaceTaken{});
    EXPECT_TRUE(r.store());
    return true;
  }
  void ends(Recorded& r) {
    r.story.happens(event::CancelAsked{"me"});
    EXPECT_TRUE(r.store());
    EXPECT_TRUE(shares.give_place(asker(r)));
  }
  std::string calls(const Recorded& r) {
    std::string text;
    const auto called = shares.calls(asker(r));
    for (const Call& c : *called) text += c.run + (c.driven ? " " : "! ");
    return text;
  }
  std::string slot_calls(const Recorded& r) {
    std::string text;
    const auto called = shares.slot_calls(asker(r));
    for (const Call& c : *called) text += c.run + " ";
    return text;
  }
  int slots(const Recorded& r, int used, int wanted) { return shares.take_slots(asker(r), used, wanted).value(); }

  Kind kind;
  Journal& journal = kind.get();
  Shares& shares = journal.shares();
  SharedLimits limits{.concurrent_runs = 1, .concurrent_steps = 2};
  Time now = time_from_ms(1'000'000);
  std::size_t before = 0;

 private:
  std::vector<std::unique_ptr<Recorded>> runs_;
};
using Kinds = testing::Types<InMemory, InSqlite>;
TYPED_TEST_SUITE(SharesConformance, Kinds);

TYPED_TEST(SharesConformance, WhatOneLearnsOfAProviderHoldsForAll) {
  const std::string name = "https://api.example.org model";
  EXPECT_EQ(this->shares.take_permit(name, {}, this->now)->at, this->now) << "nothing is known";
  governor::Outcome outcome;
  outcome.at = this->now;
  EXPECT_TRUE(this->shares.learned(name, outcome));
  outcome.kind = governor::Outcome::Kind::limited;
  outcome.retry_after = Millis{3000};
  EXPECT_TRUE(this->shares.learned(name, outcome));
  EXPECT_EQ(this->shares.take_permit("another", {}, this->now)->at, this->now);
  const auto first = this->shares.take_permit(name, {}, this->now);
  EXPECT_EQ(first->at, this->now + Millis{3000});
  EXPECT_TRUE(first->kept);
  EXPECT_EQ(this->shares.take_permit(name, {}, this->now)->at, this->now + Millis{3250}) << "its own moment for each";
  EXPECT_EQ(this->shares.keep_permit(name, {}, first->at)->at, first->at);
  outcome.retry_after = Millis{60'000};
  EXPECT_TRUE(this->shares.learned(name, outcome));
  EXPECT_GT(this->shares.keep_permit(name, {}, first->at)->at, first->at) << "it asked for time since";
}

TYPED_TEST(SharesConformance, PlacesGoInOrderOfCreation) {
  Recorded& first = this->run("z");
  Recorded& second = this->run("m");
  Recorded& third = this->run("a");
  EXPECT_FALSE(this->takes(third)) << "the others are queued, though they have not asked yet";
  EXPECT_EQ(this->before, 2U);
  EXPECT_TRUE(this->takes(first));
  EXPECT_FALSE(this->takes(third));
  EXPECT_FALSE(this->takes(second));
  EXPECT_EQ(this->before, 1U);
  this->ends(first);
  EXPECT_EQ(this->calls(first), "m ");
  EXPECT_FALSE(this->takes(third));
  EXPECT_TRUE(this->takes(second));
  this->limits.concurrent_runs = 2;
  EXPECT_TRUE(this->takes(third));
}

TYPED_TEST(SharesConformance, ARunThatWasLetRunWithoutAPlaceCountsToo) {
  Recorded& unlimited = this->run("r1");
  unlimited.story.happens(event::DriverTook{1, "here", 1, false});
  ASSERT_TRUE(unlimited.store());
  EXPECT_FALSE(this->takes(this->run("r2")));
}

TYPED_TEST(SharesConformance, WhatTheDeadHadIsFree) {
  Recorded& first = this->run("r1");
  Recorded& second = this->run("r2");
  ASSERT_TRUE(this->takes(first));
  ASSERT_FALSE(this->takes(second));
  the_dead = {"driver-of-r1"};
  ASSERT_TRUE(this->takes(second));
  // Whoever takes the dead one's run up does not find its place again.
  const Lease stale = first.lease;
  ASSERT_TRUE(first.take("another", is_dead));
  first.story.happens(event::DriverTook{2, "here", 2, true});
  ASSERT_TRUE(first.store());
  EXPECT_FALSE(this->takes(first));
  EXPECT_EQ(this->shares.take_place({stale, this->now, this->limits, is_dead}).error().code, "lease-lost");
}

TYPED_TEST(SharesConformance, WhatAnEarlierDriverTookIsFreeWhenTheRunEndsWithoutIt) {
  Recorded& first = this->run("r1");
  Recorded& second = this->run("r2");
  ASSERT_TRUE(this->takes(first));
  the_dead = {"driver-of-r1"};
  ASSERT_TRUE(first.take("another", is_dead));
  first.story.happens(event::DriverTook{2, "here", 2, true}).happens(event::CancelAsked{"me"});
  ASSERT_TRUE(first.store());
  EXPECT_TRUE(this->takes(second));
}

TYPED_TEST(SharesConformance, SoIsWhatTheSilentHad) {
  ASSERT_TRUE(this->takes(this->run("r1")));
  this->now += Millis{999};
  Recorded& second = this->run("r2");
  EXPECT_FALSE(this->takes(second));
  this->now += Millis{1};
  EXPECT_TRUE(this->takes(second)) << "its lease has expired";
}

TYPED_TEST(SharesConformance, ADeadDriversRunDoesNotStandInTheQueue) {
  (void)this->run("r1");
  Recorded& second = this->run("r2");
  EXPECT_FALSE(this->takes(second));
  the_dead = {"driver-of-r1"};
  EXPECT_TRUE(this->takes(second));
}

TYPED_TEST(SharesConformance, ARunLeftInTheQueueIsCalledOnceAndPassedOverIfItDoesNotCome) {
  Recorded& left = this->run("r1");
  ASSERT_TRUE(this->shares.keep_in_queue(this->asker(left)));
  ASSERT_TRUE(this->journal.release(left.lease));
  Recorded& other = this->run("r2");
  EXPECT_FALSE(this->takes(other)) << "it stays before those that came later";
  EXPECT_EQ(this->calls(other), "r1! ");
  EXPECT_EQ(this->calls(other), "") << "it is on its way";
  this->now += comes_within - Millis{1};
  other.lease.expires = this->now + Millis{1000};
  ASSERT_TRUE(this->journal.renew(other.lease, this->now, Millis{60'000}));
  EXPECT_FALSE(this->takes(other));
  this->now += Millis{1};
  EXPECT_TRUE(this->takes(other)) << "it did not come";
  // It comes at last, finds no place, and leaves again: the next time it is called as any other.
  left.story.now = this->now;
  ASSERT_TRUE(left.take("again", is_dead));
  EXPECT_FALSE(this->takes(left));
  ASSERT_TRUE(this->journal.release(left.lease));
  this->ends(other);
  EXPECT_EQ(this->calls(other), "r1! ");
}

TYPED_TEST(SharesConformance, WhoGivesUpItsPlaceInTheQueueIsNotCalled) {
  Recorded& left = this->run("r1");
  ASSERT_TRUE(this->shares.keep_in_queue(this->asker(left)));
  ASSERT_TRUE(this->shares.give_place(this->asker(left)));
  ASSERT_TRUE(this->journal.release(left.lease));
  Recorded& other = this->run("r2");
  EXPECT_EQ(this->calls(other), "");
  EXPECT_TRUE(this->takes(other));
}

TYPED_TEST(SharesConformance, SlotsAreCountedOverAllLivingRuns) {
  Recorded& first = this->run("r1");
  Recorded& second = this->run("r2");
  EXPECT_EQ(this->slots(first, 0, 2), 2);
  EXPECT_EQ(this->slots(second, 0, 1), 0);
  EXPECT_EQ(this->slot_calls(first), "") << "none is free";
  ASSERT_TRUE(this->shares.set_slots(this->asker(first), 1));
  EXPECT_EQ(this->slot_calls(first), "r2 ");
  EXPECT_EQ(this->slots(first, 1, 1), 1) << "the second has waited longer";
  EXPECT_EQ(this->slots(second, 0, 1), 1);
  the_dead = {"driver-of-r2"};
  EXPECT_EQ(this->slots(first, 1, 1), 2);
  EXPECT_EQ(this->shares.take_slots({lease_for("r9"), this->now, this->limits, is_dead}, 0, 1).error().code,
            "lease-lost");
}

TYPED_TEST(SharesConformance, GivingSlotsBackKeepsThePlaceInTheLine) {
  Recorded& first = this->run("r1");
  Recorded& second = this->run("r2");
  EXPECT_EQ(this->slots(first, 0, 3), 2) << "and waits for one more";
  EXPECT_EQ(this->slots(second, 0, 1), 0);
  ASSERT_TRUE(this->shares.set_slots(this->asker(first), 1));
  EXPECT_EQ(this->slot_calls(second), "r1 ");
  EXPECT_EQ(this->slots(second, 0, 1), 0);
  EXPECT_EQ(this->slots(first, 1, 1), 2);
}

TYPED_TEST(SharesConformance, ACoolDownIsSeenByAllAndNeverShortened) {
  EXPECT_TRUE(this->shares.cool_downs(this->now)->empty());
  ASSERT_TRUE(this->shares.cool_down({"claude", this->now + Millis{500}}));
  ASSERT_TRUE(this->shares.cool_down({"claude", this->now + Millis{400}}));
  ASSERT_TRUE(this->shares.cool_down({"codex", this->now + Millis{900}}));
  const auto known = this->shares.cool_downs(this->now).value();
  ASSERT_EQ(known.size(), 2U);
  EXPECT_EQ(known[0].runtime, "claude");
  EXPECT_EQ(known[0].until, this->now + Millis{500});
  EXPECT_EQ(this->shares.cool_downs(this->now + Millis{500})->size(), 1U) << "it ends by itself";
  ASSERT_TRUE(this->shares.answered("claude", this->now + Millis{1}));
  EXPECT_EQ(this->shares.cool_downs(this->now)->size(), 2U) << "the provider said how long";
}

TYPED_TEST(SharesConformance, AGuessedCoolDownEndsWhenAnAttemptThatBeganLaterGoesWell) {
  ASSERT_TRUE(this->shares.cool_down({"claude", this->now + Millis{60'000}, this->now}));
  ASSERT_TRUE(this->shares.answered("claude", this->now - Millis{1}));
  EXPECT_EQ(this->shares.cool_downs(this->now)->size(), 1U) << "that one began before";
  ASSERT_TRUE(this->shares.answered("codex", this->now));
  EXPECT_EQ(this->shares.cool_downs(this->now)->size(), 1U);
  ASSERT_TRUE(this->shares.answered("claude", this->now));
  EXPECT_TRUE(this->shares.cool_downs(this->now)->empty());
}

// --- Databases of an older version ------------------------------------------------------------------------------

void execute(const std::string& path, const std::string& sql) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
  sqlite3_close(db);
}

TEST(OldJournal, GetsTheTablesAndKeepsItsRuns) {
  the_dead.clear();
  Scratch folder;
  const std::string path = folder.path() + "/baton.db";
  {
    auto journal = SqliteJournal::open(folder.path(), SqliteJournal::Mode::read_write).value();
    Recorded recorded{*journal, "r1", "a"};
    ASSERT_TRUE(recorded.take());
    recorded.story.begin();
    ASSERT_TRUE(recorded.store());
  }
  execute(path,
          "DROP TABLE places; DROP TABLE slots; DROP TABLE cooldowns; PRAGMA user_version=1; "
          "PRAGMA wal_checkpoint(TRUNCATE)");
  {
    auto reading = SqliteJournal::open(folder.path(), SqliteJournal::Mode::read_only);
    ASSERT_TRUE(reading) << "looking changes nothing and needs none of it";
    EXPECT_EQ((*reading)->list()->size(), 1U);
  }
  for (int times = 0; times < 2; ++times) {
    auto journal = SqliteJournal::open(folder.path(), SqliteJournal::Mode::read_write);
    ASSERT_TRUE(journal) << journal.error().message;
    EXPECT_EQ((*journal)->load("r1")->size(), 2U);
    EXPECT_TRUE((*journal)->shares().cool_down({"claude", time_from_ms(5000)}));
    EXPECT_EQ((*journal)->shares().cool_downs(time_from_ms(0))->size(), 1U);
  }
  std::string head = std::string(100, '\0');
  FILE* file = std::fopen(path.c_str(), "rb");
  ASSERT_EQ(std::fread(head.data(), 1, head.size(), file), head.size());
  std::fclose(file);
  EXPECT_EQ(head[63], schema_version) << "an older Baton sees in the file's head that it is not for it";
}

}  // namespace
}  // namespace baton::test
