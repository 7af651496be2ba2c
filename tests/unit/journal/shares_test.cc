// What runs share, as every journal keeps it.
#include "journal/shares.h"

#include <sqlite3.h>

#include <gtest/gtest.h>

#include <set>

#include "journal/schema.h"
#include "support/recorded.h"
#include "unit/journal/both_journals.h"

namespace baton::test {
namespace {

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

int version_in_head(const std::string& path) {
  std::array<char, 100> head{};
  FILE* file = std::fopen(path.c_str(), "rb");
  EXPECT_EQ(std::fread(head.data(), 1, head.size(), file), head.size());
  std::fclose(file);
  return head[63];
}

/// Makes a journal of ours one of version 3, or of version 1.
void make_old(const std::string& path, int version) {
  execute(path,
          "ALTER TABLE events RENAME TO chained; "
          "CREATE TABLE events(run INTEGER NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL, kind TEXT NOT NULL, "
          "body TEXT NOT NULL, checksum INTEGER NOT NULL, PRIMARY KEY(run, seq)) STRICT, WITHOUT ROWID; "
          "INSERT INTO events SELECT run,seq,at,kind,body,checksum FROM chained; DROP TABLE chained; "
          "ALTER TABLE runs DROP COLUMN events; ALTER TABLE runs DROP COLUMN last_event; "
          "CREATE TABLE steps(run INTEGER NOT NULL, step INTEGER NOT NULL, id TEXT NOT NULL, state TEXT NOT NULL, "
          "attempts INTEGER NOT NULL, PRIMARY KEY(run, step)) STRICT, WITHOUT ROWID; "
          "INSERT INTO steps SELECT run,step,id,'running',1 FROM at_work; "
          "CREATE TABLE attempts(run INTEGER NOT NULL, step INTEGER NOT NULL, attempt INTEGER NOT NULL, "
          "state TEXT NOT NULL, runtime TEXT NOT NULL, model TEXT NOT NULL, exit INTEGER, signal INTEGER, "
          "error TEXT NOT NULL, started INTEGER NOT NULL, finished INTEGER NOT NULL, input INTEGER NOT NULL, "
          "output INTEGER NOT NULL, cache_read INTEGER NOT NULL, cache_write INTEGER NOT NULL, nano_usd INTEGER, "
          "PRIMARY KEY(run, step, attempt)) STRICT, WITHOUT ROWID; "
          "INSERT INTO attempts VALUES(1,0,1,'running','claude','',NULL,NULL,'',5000,0,0,0,0,0,700), "
          "(1,0,2,'running','rehearsal','',NULL,NULL,'',5000,0,0,0,0,0,11), "
          "(1,0,3,'running','claude','',NULL,NULL,'',4000,0,0,0,0,0,13), "
          "(2,0,1,'running','command','',NULL,NULL,'',5000,0,0,0,0,0,NULL); "
          "DROP TABLE at_work; DROP TABLE costs; PRAGMA user_version=3");
  if (version == 1) {
    execute(path, "DROP TABLE places; DROP TABLE slots; DROP TABLE cooldowns; PRAGMA user_version=1");
  }
  execute(path, "PRAGMA wal_checkpoint(TRUNCATE)");
}

/// Two runs at work, told by turns; what they wrote down.
std::vector<std::string> write_two(const Scratch& folder) {
  auto journal = SqliteJournal::open(folder.path(), SqliteJournal::Mode::read_write).value();
  Recorded first{*journal, "r1", "a; b"};
  Recorded second{*journal, "r2", "c"};
  for (Recorded* r : {&first, &second}) {
    EXPECT_TRUE(r->take());
    r->story.begin();
    EXPECT_TRUE(r->store());
  }
  first.story.begins("a");
  EXPECT_TRUE(first.store());
  second.story.begins("c");
  EXPECT_TRUE(second.store());
  return {written(first.story.history), written(second.story.history)};
}

TEST(OldJournal, IsRenewedWithAllItsRunsByWhoeverOpensItFirst) {
  for (const int version : {1, 3, 4}) {
    for (const auto mode : {SqliteJournal::Mode::read_only, SqliteJournal::Mode::read_write}) {
      const Scratch folder;
      const std::string path = folder.path() + "/baton.db";
      const std::vector<std::string> told = write_two(folder);
      make_old(path, version);
      {
        auto journal = SqliteJournal::open(folder.path(), mode);
        ASSERT_TRUE(journal) << journal.error().message;
        EXPECT_EQ(written((*journal)->load("r1").value()), told[0]);
        EXPECT_EQ(written((*journal)->load("r2").value()), told[1]);
        EXPECT_EQ((*journal)->summary("r1")->current, std::vector<std::string>{"a"});
        EXPECT_EQ((*journal)->event_times((*journal)->summary("r2")->number, 2)->size(), 2U);
      }
      EXPECT_EQ(version_in_head(path), schema_version)
          << "an older Baton sees in the file's head that it is not for it";

      auto journal = SqliteJournal::open(folder.path(), SqliteJournal::Mode::read_write).value();
      EXPECT_EQ(journal->shares().spent_since(time_from_ms(4500))->nano_usd, 700) << "what is rehearsed costs nothing";
      EXPECT_TRUE(journal->shares().cool_down({"claude", time_from_ms(5000)}));
      Recorded third{*journal, "r3", "a"};
      ASSERT_TRUE(third.take());
      third.story.begin();
      EXPECT_TRUE(third.store()) << "it goes on";
      EXPECT_EQ(written(journal->load("r1").value()), told[0]);
    }
  }
}

TEST(OldJournal, OfManyRunsAndSomeWithoutEventsIsRenewed) {
  const Scratch folder;
  const std::string path = folder.path() + "/baton.db";
  const std::vector<std::string> told = write_two(folder);
  make_old(path, 3);
  // Were the ends sought for each run among all of them, this would not come to an end.
  execute(
      path,
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<50000) "
      "INSERT INTO runs SELECT key+i,id||i,workflow,dialect,state,task,error_code,error,done,total,created,started,"
      "finished,updated,nano_usd,input,output,cache_read,cache_write,folder,sandbox FROM runs,n WHERE key=2; "
      "INSERT INTO events SELECT r.key,seq,at,kind,body,checksum FROM events e,runs r WHERE e.run=2 AND r.key>1000; "
      "PRAGMA wal_checkpoint(TRUNCATE)");
  auto journal = SqliteJournal::open(folder.path(), SqliteJournal::Mode::read_only);
  ASSERT_TRUE(journal) << journal.error().message;
  EXPECT_EQ(written((*journal)->load("r1").value()), told[0]);
  EXPECT_EQ((*journal)->load("r2500").error().code, "unknown-run") << "it never had events";
  EXPECT_EQ((*journal)->load("r240000").error().code, "journal-corrupt") << "its events are another's";
}

TEST(OldJournal, WhoseRenewalWasCutOffBeforeItCameHomeIsBroughtThere) {
  const Scratch folder;
  const std::string path = folder.path() + "/baton.db";
  const std::vector<std::string> told = write_two(folder);
  execute(path, "PRAGMA user_version=3; PRAGMA wal_checkpoint(TRUNCATE)");
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
  sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  const std::string renew = "PRAGMA wal_autocheckpoint=0; PRAGMA user_version=" + std::to_string(schema_version);
  ASSERT_EQ(sqlite3_exec(db, renew.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(db);
  ASSERT_EQ(version_in_head(path), 3);
  const auto journal = SqliteJournal::open(folder.path(), SqliteJournal::Mode::read_only);
  ASSERT_TRUE(journal) << journal.error().message;
  EXPECT_EQ(written((*journal)->load("r1").value()), told[0]);
  EXPECT_EQ(version_in_head(path), schema_version);
}

TEST(OldJournal, IsLeftAloneWhileAnOlderBatonDrivesARun) {
  const Scratch folder;
  const std::string path = folder.path() + "/baton.db";
  (void)write_two(folder);
  make_old(path, 3);
  const auto now = std::chrono::time_point_cast<Millis>(std::chrono::system_clock::now());
  execute(path, "UPDATE leases SET owner='other',pid=7,host='there',expires=" + std::to_string(to_ms(now) + 60'000) +
                    " WHERE run='r2'");
  for (const auto mode : {SqliteJournal::Mode::read_only, SqliteJournal::Mode::read_write}) {
    const auto refused = SqliteJournal::open(folder.path(), mode);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, "journal-busy");
    EXPECT_NE(refused.error().message.find("r2"), std::string::npos) << refused.error().message;
  }
  std::array<char, 256> host{};
  ASSERT_EQ(::gethostname(host.data(), host.size() - 1), 0);
  const pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(gone, nullptr, 0), gone);
  execute(path, "UPDATE leases SET host='" + std::string{host.data()} + "',pid=" + std::to_string(gone));
  EXPECT_TRUE(SqliteJournal::open(folder.path(), SqliteJournal::Mode::read_only)) << "its driver was killed";
}

}  // namespace
}  // namespace baton::test
