// The file itself: what is refused, what is noticed, what survives.
#include "journal/sqlite_journal.h"

#include <sqlite3.h>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "journal/schema.h"
#include "journal/shares.h"
#include "support/draws.h"
#include "support/recorded.h"
#include "support/scratch.h"

namespace baton::test {
namespace {

constexpr auto read_write = SqliteJournal::Mode::read_write;
constexpr auto read_only = SqliteJournal::Mode::read_only;

std::unique_ptr<SqliteJournal> open_at(const Scratch& folder) {
  return SqliteJournal::open(folder.path(), read_write).value();
}

/// Speaks to the file behind the journal's back.
void tamper(const Scratch& folder, const std::string& sql) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(folder.file("baton.db").c_str(), &db), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db) << ": " << sql;
  sqlite3_close(db);
}

/// A journal on disk with one run `r1` of some length, closed again, and all of it in the one file.
void write_some(const Scratch& folder, int pauses = 20) {
  auto journal = open_at(folder);
  Recorded recorded{*journal, "r1", "a; b: a"};
  ASSERT_TRUE(recorded.take());
  recorded.story.begin().begins("a");
  ASSERT_TRUE(recorded.store());
  for (int n = 0; n < pauses; ++n) {
    recorded.story.after(Millis{3}).happens(event::PauseAsked{"somebody"}).happens(event::ResumeAsked{});
    ASSERT_TRUE(recorded.store());
  }
  journal.reset();
  tamper(folder, "PRAGMA wal_checkpoint(TRUNCATE)");
}

void expect_refused(const Scratch& folder, const std::string& code) {
  const std::string before = bytes_of(folder.file("baton.db"));
  for (const auto mode : {read_write, read_only}) {
    const auto opened = SqliteJournal::open(folder.path(), mode);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, code);
    EXPECT_FALSE(opened.error().help.empty());
  }
  EXPECT_EQ(bytes_of(folder.file("baton.db")), before) << "it has to be left as it is";
}

TEST(SqliteJournal, IsMadeForItsOwnerOnly) {
  const Scratch folder;
  (void)open_at(folder);
  struct stat info{};
  ASSERT_EQ(::stat(folder.file("baton.db").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
}

TEST(SqliteJournal, RefusesGarbage) {
  const Scratch folder;
  write_bytes(folder.file("baton.db"), std::string(5000, 'x'));
  expect_refused(folder, "journal-corrupt");
}

TEST(SqliteJournal, RefusesAFileTooShortToBeOne) {
  const Scratch folder;
  write_bytes(folder.file("baton.db"), "SQLite format 3");
  expect_refused(folder, "journal-corrupt");
}

TEST(SqliteJournal, RefusesADatabaseOfSomebodyElse) {
  const Scratch folder;
  tamper(folder, "CREATE TABLE t(x); PRAGMA application_id=77");
  expect_refused(folder, "journal-corrupt");
}

TEST(SqliteJournal, RefusesANewerSchema) {
  const Scratch folder;
  write_some(folder);
  tamper(folder, "PRAGMA user_version=" + std::to_string(schema_version + 1) + "; PRAGMA wal_checkpoint(TRUNCATE)");
  expect_refused(folder, "journal-too-new");
}

TEST(SqliteJournal, RefusesADamagedFirstPage) {
  const Scratch folder;
  write_some(folder);
  std::string bytes = bytes_of(folder.file("baton.db"));
  ASSERT_GT(bytes.size(), 4096U);
  bytes.replace(100, 3996, std::string(3996, '\xEE'));
  write_bytes(folder.file("baton.db"), bytes);
  expect_refused(folder, "journal-corrupt");
}

TEST(SqliteJournal, ACrashWhileItIsMadeLeavesNothingInTheWay) {
  const Scratch folder;
  write_bytes(folder.file("baton.db.new"), "half of a database");
  write_bytes(folder.file("baton.db.new-journal"), "half of a journal");
  write_some(folder);
  EXPECT_TRUE(open_at(folder)->load("r1"));
}

TEST(SqliteJournal, TheLogOfARemovedDatabaseIsNotTakenForItsOwn) {
  const Scratch folder;
  std::string wal;
  {
    const auto journal = open_at(folder);
    Recorded recorded{*journal, "r1", "a"};
    ASSERT_TRUE(recorded.take());
    recorded.story.begin();
    ASSERT_TRUE(recorded.store());
    wal = bytes_of(folder.file("baton.db-wal"));
  }
  ASSERT_FALSE(wal.empty());
  ASSERT_EQ(::unlink(folder.file("baton.db").c_str()), 0);
  write_bytes(folder.file("baton.db-wal"), wal);
  EXPECT_EQ(open_at(folder)->load("r1").error().code, "unknown-run");
}

TEST(SqliteJournal, AMissingFolderIsNamed) {
  const std::string missing = "/nonexistent/baton-state";
  const auto written = SqliteJournal::open(missing, read_write);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, "journal-failed");
  EXPECT_NE(written.error().message.find(missing), std::string::npos);
  EXPECT_EQ(SqliteJournal::open(missing, read_only).error().code, "journal-missing");
}

TEST(SqliteJournal, SeesEveryFlippedBitOfAnEvent) {
  const Scratch folder;
  write_some(folder, 3);
  const std::vector<Event> whole = open_at(folder)->load("r1").value();
  Draws draws{42};
  for (std::size_t seq = 1; seq <= whole.size(); ++seq) {
    const std::string where = " WHERE seq=" + std::to_string(seq);
    const std::string kind{kind_of(whole[seq - 1].body)};
    const std::string body = encode(whole[seq - 1].body);
    const auto quoted = [](std::string text) {
      std::string hex = "CAST(x'";
      for (const char c : text) hex += "0123456789abcdef"[(c >> 4) & 15], hex += "0123456789abcdef"[c & 15];
      return hex + "' AS TEXT)";
    };
    const auto flipped = [&](std::string text) {
      const std::size_t bit = draws.below(text.size() * 8);
      text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << (bit % 8)));
      return text;
    };
    const std::int64_t at = to_ms(whole[seq - 1].at);
    std::vector<std::pair<std::string, std::string>> changes = {
        {"at=" + std::to_string(at ^ (std::int64_t{1} << draws.below(40))), "at=" + std::to_string(at)},
        {"kind=" + quoted(flipped(kind)), "kind=" + quoted(kind)},
        {"checksum=checksum+1", "checksum=checksum-1"},
    };
    for (int n = 0; n < 8; ++n) changes.emplace_back("body=" + quoted(flipped(body)), "body=" + quoted(body));
    for (const auto& [damage, repair] : changes) {
      tamper(folder, "UPDATE events SET " + damage + where);
      const auto loaded = SqliteJournal::open(folder.path(), read_only).value()->load("r1");
      ASSERT_FALSE(loaded) << damage << where;
      EXPECT_EQ(loaded.error().code, "journal-corrupt");
      tamper(folder, "UPDATE events SET " + repair + where);
    }
  }
  EXPECT_EQ(written(open_at(folder)->load("r1").value()), written(whole));
  tamper(folder, "DELETE FROM events WHERE seq=2");
  EXPECT_EQ(open_at(folder)->load("r1").error().code, "journal-corrupt") << "a gap";
}

TEST(SqliteJournal, FlippedBytesAnywhereInTheFileAreNeverTakenForEvents) {
  const Scratch folder;
  write_some(folder, 60);
  const std::string good = bytes_of(folder.file("baton.db"));
  const std::string truth = written(open_at(folder)->load("r1").value());
  Draws draws{7};
  int refused = 0;
  for (int n = 0; n < 300; ++n) {
    std::string bytes = good;
    const std::size_t at = 100 + draws.below(bytes.size() - 100);
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << draws.below(8)));
    ::unlink(folder.file("baton.db-wal").c_str());
    ::unlink(folder.file("baton.db-shm").c_str());
    write_bytes(folder.file("baton.db"), bytes);
    const auto journal = SqliteJournal::open(folder.path(), read_only);
    const auto loaded = journal ? (*journal)->load("r1") : std::unexpected(journal.error());
    if (!loaded) {
      ++refused;
      continue;
    }
    // What still loads must be what was written; losing the newest events to a damaged page is the worst there may be.
    ASSERT_TRUE(truth.starts_with(written(*loaded))) << "byte " << at;
  }
  EXPECT_GT(refused, 20);
}

TEST(SqliteJournal, AReaderSeesWhatIsCommittedAndNothingElse) {
  const Scratch folder;
  const auto journal = open_at(folder);
  Recorded recorded{*journal, "r1", "a"};
  ASSERT_TRUE(recorded.take());
  recorded.story.begin();
  const auto reader = SqliteJournal::open(folder.path(), read_only).value();
  EXPECT_EQ(reader->load("r1").error().code, "unknown-run");
  const std::int64_t before = reader->data_version();
  ASSERT_TRUE(recorded.store());
  EXPECT_NE(reader->data_version(), before);
  EXPECT_EQ(reader->load("r1")->size(), 2U);
  EXPECT_EQ(reader->summary("r1")->state, RunState::running);
  EXPECT_FALSE(reader->request({0, "r1", "pause", "", {}})) << "a reader cannot write";
}

TEST(SqliteJournal, KnowsWhatIsAtWorkAndWhatItCost) {
  const Scratch folder;
  const auto journal = open_at(folder);
  Recorded recorded{*journal, "r1", "a; b"};
  recorded.story.policy("a").retries = 1;
  recorded.story.with_output("a");
  ASSERT_TRUE(recorded.take());
  const auto used = [&](const char* step, int attempt, std::int64_t nano_usd) {
    recorded.story.happens(
        event::AttemptUsed{*find_step(recorded.story.plan, step), attempt, Usage{{}, Cost{nano_usd}}});
  };
  const auto current = [&] { return journal->summary("r1")->current; };
  const auto spent = [&] { return journal->shares().spent_since(Time{})->nano_usd; };
  recorded.story.begin().begins("a").begins("b");
  ASSERT_TRUE(recorded.store());
  EXPECT_EQ(current(), (std::vector<std::string>{"a", "b"}));
  used("a", 1, 500);
  recorded.story.ends("a");
  ASSERT_TRUE(recorded.store());
  EXPECT_EQ(spent(), 500);
  // The end of an attempt and the beginning of the next in one commit.
  recorded.story.checked("a", false).begins("a");
  used("a", 2, 30);
  used("b", 1, 4);
  recorded.story.ends("b");
  ASSERT_TRUE(recorded.store());
  EXPECT_EQ(current(), std::vector<std::string>{"a"});
  EXPECT_EQ(spent(), 534);
}

TEST(SqliteJournal, ReadsRunsThatWereToldByTurns) {
  const Scratch folder;
  const auto journal = open_at(folder);
  std::vector<std::unique_ptr<Recorded>> all;
  for (const char* id : {"r1", "r2", "r3"}) {
    all.push_back(std::make_unique<Recorded>(*journal, id, "a"));
    ASSERT_TRUE(all.back()->take());
    all.back()->story.begin();
    ASSERT_TRUE(all.back()->store());
  }
  Draws draws{3};
  for (int n = 0; n < 200; ++n) {
    Recorded& one = *all[draws.below(all.size())];
    for (std::size_t more = draws.below(4) + 1; more > 0; --more) one.story.happens(event::PauseAsked{"x"});
    ASSERT_TRUE(one.store());
  }
  for (std::size_t n = 0; n < all.size(); ++n) {
    const std::string id = "r" + std::to_string(n + 1);
    const std::vector<Event>& told = all[n]->story.history;
    EXPECT_EQ(written(journal->load(id).value()), written(told));
    for (const std::size_t seen : {std::size_t{1}, told.size() - 1, told.size(), told.size() + 5}) {
      const std::size_t from = std::min(seen, told.size());
      EXPECT_EQ(written(journal->load_after(id, seen).value()),
                written({told.begin() + static_cast<std::ptrdiff_t>(from), told.end()}));
    }
    const std::vector<Time> times = journal->event_times(journal->summary(id)->number, 5).value();
    ASSERT_EQ(times.size(), 5U);
    EXPECT_EQ(times[0], told.back().at);
    EXPECT_EQ(times[4], told[told.size() - 5].at);
  }
}

TEST(SqliteJournal, LeavesAFewPagesInTheLogAndBringsManyHome) {
  for (const int pauses : {1, 200}) {
    const Scratch folder;
    {
      const auto journal = open_at(folder);
      Recorded recorded{*journal, "r1", "a"};
      ASSERT_TRUE(recorded.take());
      recorded.story.begin();
      for (int n = 0; n < pauses; ++n) {
        recorded.story.happens(event::PauseAsked{"somebody"});
        ASSERT_TRUE(recorded.store());
      }
    }
    EXPECT_EQ(bytes_of(folder.file("baton.db-wal")).empty(), pauses > 1) << pauses;
    EXPECT_EQ(open_at(folder)->load("r1")->size(), static_cast<std::size_t>(pauses) + 2);
  }
}

TEST(SqliteJournal, SeesARecordThatLeadsAstray) {
  const Scratch folder;
  write_some(folder, 3);
  for (const char* damage : {"UPDATE events SET before=id WHERE seq=3", "UPDATE events SET before=before+1 WHERE seq=4",
                             "UPDATE events SET before=0 WHERE seq=3", "UPDATE events SET run=run+1 WHERE seq=2",
                             "UPDATE runs SET events=events+1", "UPDATE runs SET last_event=last_event-1",
                             "UPDATE runs SET last_event=0", "DELETE FROM events WHERE seq=1"}) {
    const std::string good = bytes_of(folder.file("baton.db"));
    tamper(folder, damage);
    const auto loaded = SqliteJournal::open(folder.path(), read_only).value()->load("r1");
    ASSERT_FALSE(loaded) << damage;
    EXPECT_EQ(loaded.error().code, "journal-corrupt") << damage;
    tamper(folder, "PRAGMA wal_checkpoint(TRUNCATE)");
    write_bytes(folder.file("baton.db"), good);
  }
  EXPECT_TRUE(open_at(folder)->load("r1"));
}

/// Appends to its own run as fast as it can. The exit code of a process: 0 if all went well.
int append_many(const std::string& folder, const std::string& run, int times) {
  const auto journal = SqliteJournal::open(folder, read_write);
  if (!journal) return 1;
  Recorded recorded{**journal, run, "a"};
  if (!recorded.take()) return 2;
  recorded.story.begin();
  for (int n = 0; n < times; ++n) {
    recorded.story.happens(event::PauseAsked{run}).happens(event::ResumeAsked{});
    if (!recorded.store()) return 3;
  }
  return 0;
}

TEST(SqliteJournal, ProcessesTakeTurns) {
  const Scratch folder;
  constexpr int writers = 3;
  constexpr int times = 60;
  std::vector<pid_t> children;
  for (int n = 0; n < writers; ++n) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) ::_exit(append_many(folder.path(), "r" + std::to_string(n), times));
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
  const auto journal = open_at(folder);
  for (int n = 0; n < writers; ++n) {
    EXPECT_EQ(journal->load("r" + std::to_string(n))->size(), 2U + 2U * times);
  }
}

TEST(SqliteJournal, TwoConnectionsOfOneProcessTakeTurns) {
  const Scratch folder;
  const auto first = open_at(folder);
  const auto second = open_at(folder);
  Recorded a{*first, "r1", "a"};
  Recorded b{*second, "r2", "a"};
  ASSERT_TRUE(a.take());
  ASSERT_TRUE(b.take());
  a.story.begin();
  b.story.begin();
  for (int n = 0; n < 50; ++n) {
    a.story.happens(event::PauseAsked{"x"});
    b.story.happens(event::PauseAsked{"y"});
    ASSERT_TRUE(a.store());
    ASSERT_TRUE(b.store());
  }
  EXPECT_EQ(first->load("r2")->size(), 52U);
  EXPECT_EQ(second->load("r1")->size(), 52U);
  EXPECT_EQ(b.take("other").error().code, "run-is-driven");
}

TEST(SqliteJournal, AfterAPowerCutWhatLoadsIsABeginningOfWhatWasWritten) {
  const Scratch folder;
  std::string db;
  std::string wal;
  std::string truth;
  {
    const auto journal = open_at(folder);
    Recorded recorded{*journal, "r1", "a; b: a"};
    ASSERT_TRUE(recorded.take());
    recorded.story.begin();
    ASSERT_TRUE(recorded.store());
    for (int n = 0; n < 8; ++n) {
      recorded.story.after(Millis{1}).happens(event::PauseAsked{"x"}).happens(event::ResumeAsked{});
      ASSERT_TRUE(recorded.store());
    }
    truth = written(recorded.story.history);
    db = bytes_of(folder.file("baton.db"));
    wal = bytes_of(folder.file("baton.db-wal"));
  }
  ASSERT_GT(wal.size(), 8U * 4096U);
  std::size_t longest = 0;
  Draws draws{3};
  for (std::size_t cut = 0; cut <= wal.size(); cut += 1 + draws.below(700)) {
    const Scratch other;
    write_bytes(other.file("baton.db"), db);
    std::string torn = wal.substr(0, cut);
    if (draws.chance(0.3)) torn += std::string(draws.below(5000), '\x5A');  // blocks that never were written
    write_bytes(other.file("baton.db-wal"), torn);
    const auto journal = open_at(other);
    const auto loaded = journal->load("r1");
    if (!loaded) {
      ASSERT_EQ(loaded.error().code, "unknown-run") << cut;
      continue;
    }
    ASSERT_TRUE(truth.starts_with(written(*loaded))) << cut;
    ASSERT_GE(loaded->size(), longest) << "a longer log cannot hold less";
    longest = loaded->size();
    // And it goes on from there.
    Recorded next{*journal, "r2", "a"};
    ASSERT_TRUE(next.take());
    next.story.begin();
    ASSERT_TRUE(next.store());
  }
  EXPECT_GT(longest, 10U);
}

/// A file system so small that it is soon full. Needs root.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& path) : path_(path) {
    mounted_ = ::mount("tmpfs", path.c_str(), "tmpfs", 0, "size=512k") == 0;
  }
  ~SmallDisk() {
    if (mounted_) ::umount2(path_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  [[nodiscard]] bool mounted() const { return mounted_; }

 private:
  std::string path_;
  bool mounted_;
};

TEST(SqliteJournal, AFullDiskIsSaidAndAfterRoomIsMadeItGoesOn) {
  const Scratch folder;
  const SmallDisk disk{folder.path()};
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small tmpfs needs root";
  write_bytes(folder.file("ballast"), std::string(100'000, 'b'));
  std::string truth;
  std::string seen;
  {
    const auto journal = open_at(folder);
    Recorded recorded{*journal, "r1", "a"};
    ASSERT_TRUE(recorded.take());
    recorded.story.begin();
    ASSERT_TRUE(recorded.store());
    Status done;
    for (int n = 0; n < 1000 && done; ++n) {
      truth = written(recorded.story.history);
      recorded.story.happens(event::PauseAsked{std::string(2000, 'x')});
      done = recorded.store();
    }
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, "disk-full");
    seen = written(journal->load("r1").value());
  }
  EXPECT_EQ(seen, truth);
  ASSERT_EQ(::unlink(folder.file("ballast").c_str()), 0);
  const auto journal = open_at(folder);
  const auto events = journal->load("r1");
  ASSERT_TRUE(events) << events.error().message;
  EXPECT_EQ(written(*events), truth) << "all that was recorded, and nothing of what was refused";
  baton::Run run;
  for (const Event& e : *events) (void)run.apply(e);
  const Event next{time_from_ms(1'000'000), event::ResumeAsked{}};
  (void)run.apply(next);
  const auto lease = journal->acquire(lease_for("r1"), next.at, Millis{1000}, everybody_is_dead);
  ASSERT_TRUE(lease) << lease.error().message;
  EXPECT_TRUE(journal->append(*lease, static_cast<Seq>(events->size()), {next}, run, {}));
}

}  // namespace
}  // namespace baton::test
