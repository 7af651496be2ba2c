// The journal as a file among others: damaged, too new, on a disk without room.
#include <signal.h>
#include <sqlite3.h>
#include <unistd.h>

#include <fmt/core.h>
#include <sys/mount.h>

#include <filesystem>
#include <fstream>

#include "support/programs.h"

namespace baton::test {
namespace {

class JournalFile : public Outside {
 protected:
  JournalFile() { place.workflow("w", {step("a", "echo a >> ran")}); }

  void change(const std::string& sql) {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(place.state("baton.db").c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
    sqlite3_wal_checkpoint_v2(db, nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
    sqlite3_close(db);
  }
  /// Every verb that opens the journal refuses it with this code and leaves the file as it is.
  void expect_refused(const std::string& code) {
    const std::string before = read_text(place.state("baton.db"));
    for (const auto& args : std::vector<std::vector<std::string>>{
             {"list"}, {"show", "last"}, {"run", "w"}, {"resume", "last"}, {"cancel", "last"}, {"clean"}}) {
      const Outcome refused = place.baton(args);
      EXPECT_EQ(refused.code, 2) << args.front() << refused;
      EXPECT_TRUE(says_error(refused, code)) << args.front() << refused;
    }
    EXPECT_EQ(read_text(place.state("baton.db")), before) << "left untouched";
    EXPECT_FALSE(place.exists("ran"));
  }
};

TEST_F(JournalFile, NotADatabase) {
  write_text(place.state("baton.db"), std::string(5000, 'x'));
  expect_refused("journal-corrupt");
}

TEST_F(JournalFile, CutShort) {
  write_text(place.state("baton.db"), "SQLite format 3");
  expect_refused("journal-corrupt");
}

TEST_F(JournalFile, SomebodyElsesDatabase) {
  std::filesystem::create_directories(place.state());
  change("CREATE TABLE t(x); INSERT INTO t VALUES(1)");
  expect_refused("journal-corrupt");
}

TEST_F(JournalFile, FromANewerBaton) {
  ASSERT_EQ(place.baton({"run", "w"}).code, 0);
  ASSERT_TRUE(eventually([&] { return place.living().empty(); }));
  std::filesystem::remove(place.file("ran"));
  change("PRAGMA user_version=99");
  expect_refused("journal-too-new");
}

TEST_F(JournalFile, ADamagedEventIsNoticed) {
  place.workflow("w", {step("a", "exit 1")});
  ASSERT_EQ(place.baton({"run", "w"}).code, 1);
  const std::string other = text_at(place.show(), "run");
  ASSERT_EQ(place.baton({"run", "w"}).code, 1);
  change("UPDATE events SET body=replace(body, '1', '2') WHERE seq=3 AND run=(SELECT max(key) FROM runs)");
  const std::int64_t before = query_number(place.state("baton.db"), "SELECT count(*) FROM events");
  for (const char* verb : {"show", "resume", "retry"}) {
    const Outcome refused = place.baton({verb, "last"});
    EXPECT_NE(refused.code, 0) << verb << refused;
    EXPECT_TRUE(says_error(refused, "journal-corrupt")) << refused;
  }
  EXPECT_EQ(query_number(place.state("baton.db"), "SELECT count(*) FROM events"), before);
  EXPECT_EQ(place.run_state(other), "failed") << "other runs are not harmed";
}

TEST_F(JournalFile, ClosedDescriptorsDoNotLeadIntoIt) {
  Process run = place.start_under({"/bin/sh", "-c", "exec \"$@\" <&- >&- 2>&-", "sh"}, {"run", "w", "--json"});
  EXPECT_EQ(run.wait().code, 0);
  EXPECT_EQ(place.run_state(), "completed");
  EXPECT_EQ(place.read("ran"), "a\n");
  for (const char* file : {"baton.db", "baton.db-wal"}) {
    EXPECT_FALSE(has(read_text(place.state(file)), "run.finished\",\"time")) << file;
  }
}

// --- On the disk before anything is done about it ---------------------------------------------------------------

class SyncedJournal : public JournalFile {
 protected:
  void SetUp() override {
    place.workflow("w", {step("a", "true"), step("b", "true", "needs: [a]"), step("c", "true", "needs: [b]")});
    place.write("quickly.yaml", "default: {delay: 0s}\n");
    ASSERT_EQ(place.baton({"run", "w", "--rehearse=quickly.yaml", "-q"}).code, 0);  // the journal is there
  }
  Outcome run_under(std::vector<std::string> tracing) {
    std::vector<std::string> strace = {"strace", "-o", place.file("trace")};
    strace.insert(strace.end(), tracing.begin(), tracing.end());
    place.env["ASAN_OPTIONS"] = "detect_leaks=0";  // which traces, too, and only one can
    return place.start_under(strace, {"run", "w", "--rehearse=quickly.yaml", "-q"}).wait();
  }
};

TEST_F(SyncedJournal, WhatAStepSaysComesAfterItsAdmissionIsSynced) {
  const Outcome ran = run_under({"-y", "-e", "trace=pwrite64,fdatasync,openat,link"});
  ASSERT_EQ(ran.code, 0) << ran;
  bool synced = true;
  int commits = 0;
  int logs = 0;
  for (const std::string& line : lines_of(read_text(place.file("trace")))) {
    if (line.starts_with("pwrite64(") && has(line, "baton.db-wal>")) synced = false;
    if (line.starts_with("fdatasync(") && has(line, "baton.db-wal>")) {
      synced = true;
      ++commits;
    }
    if (!has(line, "/logs/") || !has(line, ".1.out")) continue;
    EXPECT_TRUE(synced) << line;
    ++logs;
  }
  EXPECT_GE(logs, 3);
  EXPECT_GE(commits, 4) << "one before each step, and one at the end";
}

TEST_F(SyncedJournal, TheNameOfAnEmptyLogIsSyncedBeforeAnythingIsInIt) {
  for (const bool is_there : {false, true}) {  // whoever made it may have been killed before it had synced the folder
    change("SELECT 1");                        // and brings all home
    std::filesystem::remove(place.state("baton.db-wal"));
    if (is_there) write_text(place.state("baton.db-wal"), "");
    const Outcome ran = run_under({"-y", "-e", "trace=pwrite64,fsync"});
    ASSERT_EQ(ran.code, 0) << ran;
    bool synced = false;
    int commits = 0;
    for (const std::string& line : lines_of(read_text(place.file("trace")))) {
      if (line.starts_with("fsync(") && has(line, "/.baton>")) synced = true;
      if (!line.starts_with("pwrite64(") || !has(line, "baton.db-wal>")) continue;
      EXPECT_TRUE(synced) << line;
      ++commits;
    }
    EXPECT_GT(commits, 0);
  }
}

TEST_F(SyncedJournal, AFailedSyncStopsTheProcessAndTheRunGoesOnLater) {
  const Outcome ran = run_under({"-e", "trace=fdatasync", "-e", "inject=fdatasync:error=EIO:when=2"});
  EXPECT_EQ(ran.code, 1) << ran;
  EXPECT_TRUE(says_error(ran, "journal-unknown")) << ran;
  EXPECT_EQ(text_at(place.show(), "state"), "running");
  const std::string run = text_at(place.show(), "run");
  const Outcome resumed = place.baton({"resume", run, "-q"});
  EXPECT_EQ(resumed.code, 0) << resumed;
  EXPECT_EQ(place.run_state(run), "completed");
}

TEST_F(SyncedJournal, WhatCouldNotBeSyncedIsWrittenToTheDatabaseItself) {
  ASSERT_EQ(run_under({"-e", "trace=fdatasync", "-e", "inject=fdatasync:error=EIO:when=2"}).code, 1);
  const std::string run = text_at(place.show(), "run");
  std::filesystem::remove(place.state("baton.db-wal"));
  std::filesystem::remove(place.state("baton.db-shm"));
  EXPECT_EQ(place.run_state(run), "running") << "it is not in the log alone";
}

// --- A disk without room ----------------------------------------------------------------------------------------

class FullDisk : public Outside {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can mount the small disk that this needs";
    disk_ = place.file("disk");
    std::filesystem::create_directories(disk_);
    if (::mount("tmpfs", disk_.c_str(), "tmpfs", 0, "size=1m") != 0) GTEST_SKIP() << "a tmpfs cannot be mounted here";
    mounted_ = true;
  }
  void TearDown() override {
    if (!mounted_) return;
    place.kill_all("baton");
    place.kill_all("baton-holder");
    eventually([&] {
      for (const pid_t pid : place.living()) ::kill(pid, SIGKILL);
      return place.living().empty();
    });
    ::umount2(disk_.c_str(), MNT_DETACH);
  }
  /// Takes all the room there is, to the last byte.
  void fill() const {
    std::ofstream out{disk_ + "/filler", std::ios::binary | std::ios::app};
    const std::string block(4096, 'x');
    while (out << block && out.flush()) continue;
    std::ofstream rest{disk_ + "/filler2", std::ios::binary | std::ios::app};
    while (rest << 'x' && rest.flush()) continue;
  }
  void make_room() const {
    std::filesystem::remove(disk_ + "/filler");
    std::filesystem::remove(disk_ + "/filler2");
  }
  std::vector<std::string> on_disk(std::vector<std::string> args) const {
    args.insert(args.end(), {"--state-dir", disk_ + "/state"});
    return args;
  }
  /// After all steps have run: each side effect once, and the journal whole.
  void expect_whole() {
    for (int i = 0; i < chain_length; ++i) EXPECT_EQ(count_lines(place.file("ran"), fmt::format("s{}", i)), 1) << i;
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open((disk_ + "/state/baton.db").c_str(), &db), SQLITE_OK);
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &statement, nullptr);
    ASSERT_EQ(sqlite3_step(statement), SQLITE_ROW);
    EXPECT_STREQ(reinterpret_cast<const char*>(sqlite3_column_text(statement, 0)), "ok");
    sqlite3_finalize(statement);
    sqlite3_close(db);
  }
  static constexpr int chain_length = 20;

  void write_chain(const std::string& gate) {
    std::vector<std::string> steps;
    for (int i = 0; i < chain_length; ++i) {
      steps.push_back(step(fmt::format("s{}", i), (i == 3 ? gate + "; " : "") + "echo $BATON_STEP >> ran",
                           i == 0 ? "" : fmt::format("needs: [s{}]", i - 1)));
    }
    place.workflow("chain", steps);
  }

  std::string disk_;
  bool mounted_ = false;
};

TEST_F(FullDisk, TheRunStopsAndGoesOnOnceThereIsRoom) {
  write_chain("touch here; " + await_file("go"));
  Process run = place.start(on_disk({"run", "chain"}));
  ASSERT_TRUE(eventually([&] { return place.exists("here"); }));
  fill();
  place.write("go", "");
  const Outcome stopped = run.wait();
  EXPECT_EQ(stopped.code, 1) << stopped;
  EXPECT_FALSE(stopped.killed);
  EXPECT_TRUE(has(stopped.err, "error[")) << "a clear message: " << stopped;
  EXPECT_TRUE(has(stopped.err, "disk") || has(stopped.err, "space")) << stopped;
  const Outcome shown = place.baton(on_disk({"show", "last", "--json"}));
  EXPECT_EQ(shown.code, 0) << "reading needs no room: " << shown;
  const Outcome refused = place.baton(on_disk({"resume", "last"}));
  EXPECT_NE(refused.code, 0) << "there is still no room: " << refused;
  EXPECT_TRUE(has(refused.err, "error[")) << refused;
  make_room();
  // The holder may have woken the run as soon as there was room, so that it is over by now.
  const Outcome resumed = place.baton(on_disk({"resume", "last"}));
  EXPECT_TRUE(resumed.code == 0 || says_error(resumed, "run-is-over")) << resumed;
  expect_whole();
}

TEST_F(FullDisk, ARunThatCannotBeginSaysSo) {
  write_chain("true");
  fill();
  const Outcome refused = place.baton(on_disk({"run", "chain"}));
  EXPECT_TRUE(refused.code == 1 || refused.code == 2) << refused;
  EXPECT_TRUE(has(refused.err, "error[")) << refused;
  EXPECT_FALSE(place.exists("ran"));
  make_room();
  const Outcome ran = place.baton(on_disk({"run", "chain"}));
  EXPECT_EQ(ran.code, 0) << ran;
  expect_whole();
}

TEST_F(FullDisk, AtAnyMomentOfARun) {
  // The disk fills up while steps run freely, at a different moment each time round.
  for (int round = 0; round < 6; ++round) {
    std::filesystem::remove(place.file("ran"));
    std::filesystem::remove_all(disk_ + "/state");
    write_chain("true");
    Process run = place.start(on_disk({"run", "chain"}));
    EXPECT_TRUE(eventually([&] { return lines_of(place.read("ran")).size() >= static_cast<std::size_t>(3 * round); }));
    fill();
    const Outcome first = run.wait();
    EXPECT_FALSE(first.killed) << first;
    make_room();
    if (first.code != 0 && place.baton(on_disk({"show", "last"})).code == 0) {
      // The holder may have woken the run as soon as there was room, so that it is over by now.
      const Outcome resumed = place.baton(on_disk({"resume", "last"}));
      EXPECT_TRUE(resumed.code == 0 || says_error(resumed, "run-is-over")) << "round " << round << first << resumed;
    } else if (first.code != 0) {
      EXPECT_FALSE(place.exists("ran")) << "a run without a record did something: " << first;
      EXPECT_EQ(place.baton(on_disk({"run", "chain"})).code, 0);
    }
    expect_whole();
    ASSERT_TRUE(eventually([&] { return place.living().empty(); }));
  }
}

}  // namespace
}  // namespace baton::test
