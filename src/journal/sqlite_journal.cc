#include "journal/sqlite_journal.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <unistd.h>

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <initializer_list>

#include "io/files.h"
#include "journal/event_rows.h"
#include "journal/lease_fault.h"
#include "journal/projection.h"
#include "journal/schema.h"
#include "journal/sqlite.h"
#include "journal/sqlite_shares.h"
#include "journal/turn_lock.h"
#include "journal/wal_file.h"

namespace baton {
namespace {

enum class Found { nothing, ours, older, too_new, foreign };

/// Looks at the file's first bytes without SQLite: a database that is not ours is not even opened.
Found look_at(const std::string& path) {
  const Descriptor file = open_file(path, O_RDONLY | O_NOFOLLOW);
  if (!file) return errno == ENOENT ? Found::nothing : Found::foreign;
  std::array<unsigned char, 100> head{};
  const ssize_t size = ::read(file.get(), head.data(), head.size());
  if (size == 0) return Found::nothing;
  if (size < 100 || std::memcmp(head.data(), "SQLite format 3", 16) != 0) return Found::foreign;
  const auto number = [&](std::size_t at) {
    return head[at] << 24U | head[at + 1] << 16U | head[at + 2] << 8U | head[at + 3];
  };
  constexpr std::size_t user_version_at = 60;
  constexpr std::size_t application_id_at = 68;
  if (number(application_id_at) != schema_application_id) return Found::foreign;
  const auto version = number(user_version_at);
  if (version > schema_version) return Found::too_new;
  return version < schema_version ? Found::older : Found::ours;
}

}  // namespace

struct SqliteJournal::Parts {
  Parts(std::unique_ptr<Database> opened, const std::string& path, const std::string& lock_path, bool may_write)
      : db(std::move(opened)), lock(lock_path), wal(*db, path), writes(may_write), projection(*db), events(*db) {}

  std::unique_ptr<Database> db;
  TurnLock lock;
  WalFile wal;
  bool writes;
  Projection projection;
  EventRows events;
  std::optional<SqliteShares> shares;
  Statement begin{db->handle(), "BEGIN IMMEDIATE"};
  Statement commit{db->handle(), "COMMIT"};
  Statement find_lease{db->handle(), "SELECT owner,host,pid,epoch,expires FROM leases WHERE run=?"};
  Statement delete_request{db->handle(), "DELETE FROM control WHERE id=?"};

  void checkpoint(int kind) {
    sqlite3_wal_checkpoint_v2(db->handle(), nullptr, kind, nullptr, nullptr);
    wal.begins_anew();
  }
  Status sync();
};

/// After a failed sync the system takes what it could not write for written, and others read it already. So all of it
/// is written once more, to the database itself, while it is still in memory. Twice: of one failure each descriptor is
/// told, and SQLite has one of its own.
Status SqliteJournal::Parts::sync() {
  Status synced = wal.sync();
  if (!synced && lock.take()) {
    checkpoint(SQLITE_CHECKPOINT_TRUNCATE);
    checkpoint(SQLITE_CHECKPOINT_TRUNCATE);
    lock.give();
  }
  return synced;
}

SqliteJournal::SqliteJournal(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

SqliteJournal::~SqliteJournal() {
  // A few pages are left for the next writer: it adds to them sooner than it would begin anew.
  constexpr int pages_left_max = 64;
  if (!parts_ || !parts_->writes || parts_->wal.pages() <= pages_left_max || !parts_->lock.try_take()) return;
  parts_->checkpoint(SQLITE_CHECKPOINT_TRUNCATE);
  parts_->lock.give();
}

namespace {

Status prepare(Database& db) {
  // No checkpoint but our own, under the lock; no mmap, so that a failing disk is an error and not a signal. SQLite
  // syncs for checkpoints only: commits are synced by us, when the lock is somebody else's (WalFile::sync).
  if (auto s = db.execute(
          "PRAGMA synchronous=NORMAL; PRAGMA mmap_size=0; PRAGMA wal_autocheckpoint=0; PRAGMA cache_size=-16000");
      !s)
    return s;
  return {};
}

Status sync(const std::string& path, int how) {
  const Descriptor file = open_file(path, how);
  if (file && ::fsync(file.get()) == 0) return {};
  return fault("journal-failed", fmt::format("cannot make {} durable: {}", path, std::strerror(errno)));
}

Status fill(const std::string& path) {
  auto db = Database::open(path, Database::Mode::read_write);
  if (!db) return std::unexpected(db.error());
  ::chmod(path.c_str(), 0600);
  // Nobody sees it before it has its name, and then it is whole on the disk: one sync is enough.
  const std::string sql = fmt::format(
      "PRAGMA synchronous=OFF; PRAGMA journal_mode=MEMORY; BEGIN IMMEDIATE; {} {} PRAGMA application_id={}; "
      "PRAGMA user_version={}; COMMIT; PRAGMA journal_mode=WAL",
      schema_sql, shares_sql, schema_application_id, schema_version);
  if (auto filled = (*db)->execute(sql.c_str()); !filled) return filled;
  db->reset();
  return sync(path, O_RDWR);
}

bool is_gone(int pid, const std::string& host) {
  std::array<char, 256> here{};
  return ::gethostname(here.data(), here.size() - 1) == 0 && host == here.data() && pid > 0 && ::kill(pid, 0) != 0 &&
         errno == ESRCH;
}

/// While a Baton of its version drives a run, the tables stay as that one knows them.
Status check_nobody_drives(Database& db) {
  const auto now = std::chrono::time_point_cast<Millis>(std::chrono::system_clock::now());
  Statement driven{db.handle(), "SELECT run,pid,host FROM leases WHERE owner<>'' AND expires>?"};
  driven.bind(to_ms(now));
  while (driven.row()) {
    const auto pid = static_cast<int>(driven.integer(1));
    if (is_gone(pid, driven.text(2))) continue;
    return fault("journal-busy",
                 fmt::format("run {} is driven by an older Baton (process {} on {}), and its journal has to be renewed",
                             driven.text(0), pid, driven.text(2)),
                 fmt::format("let that run end, or stop its driver (kill -TERM {}) and go on with 'baton resume {}'",
                             pid, driven.text(0)));
  }
  return driven.ok() ? Status{} : std::unexpected(driven.error());
}

/// Who looks at the file's head, and not into the WAL, has to see what version this is: an older Baton, and ourselves.
Status write_home(Database& db) {
  sqlite3_wal_checkpoint_v2(db.handle(), nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  sqlite3_busy_timeout(db.handle(), 0);  // whoever reads now need not be waited for
  sqlite3_wal_checkpoint_v2(db.handle(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  return {};
}

/// Makes a database of an older version one of ours, in one transaction. REQUIRES: the lock is held.
Status renew_schema(Database& db) {
  Statement s{db.handle(), "PRAGMA user_version"};
  s.bind();
  const std::int64_t version = s.row() ? s.integer(0) : schema_version;
  s.reset();
  if (version >= schema_version) return write_home(db);
  if (auto free = check_nobody_drives(db); !free) return free;
  const char* chains = version < chained_version ? chain_sql : "";  // what came later are further kinds of events
  const std::string sql =
      fmt::format("BEGIN IMMEDIATE; {} {} PRAGMA user_version={}; COMMIT", shares_sql, chains, schema_version);
  if (auto renewed = db.execute(sql.c_str()); !renewed) {
    (void)db.execute("ROLLBACK");
    return renewed;
  }
  return write_home(db);
}

/// REQUIRES: the lock is held.
Status make_current(const std::string& path) {
  auto db = Database::open(path, Database::Mode::read_write);
  if (!db) return std::unexpected(db.error());
  if (auto ready = prepare(**db); !ready) return ready;
  return renew_schema(**db);
}

/// Made beside and renamed: a process that is killed here leaves nothing that the next one would have to refuse.
Status make(const std::string& path) {
  const std::string beside = path + ".new";
  const auto clear = [](const std::string& base, std::initializer_list<const char*> endings) {
    for (const char* ending : endings) ::unlink((base + ending).c_str());
  };
  clear(beside, {"", "-journal", "-wal", "-shm"});
  if (auto filled = fill(beside); !filled) {
    clear(beside, {"", "-journal", "-wal", "-shm"});
    return filled;
  }
  clear(path, {"-journal", "-wal", "-shm"});  // left by a database that somebody removed: not of this one
  if (const int error = move_file(beside, path); error != 0) {
    return fault("journal-failed", fmt::format("cannot make {}: {}", path, std::strerror(error)));
  }
  return {};
}

}  // namespace

Expected<std::unique_ptr<SqliteJournal>> SqliteJournal::open(const std::string& state_dir, Mode mode) {
  const std::string path = state_dir + "/baton.db";
  const bool writes = mode == Mode::read_write;
  TurnLock lock{state_dir + "/db.lock"};
  if (writes || look_at(path) == Found::older) {
    if (auto taken = lock.take(); !taken) return std::unexpected(taken.error());
  }
  const Found found = look_at(path);
  if (found == Found::foreign) {
    return fault("journal-corrupt", fmt::format("{} is not a journal of Baton, or it is damaged", path),
                 "it was left as it is; restore it with its -wal from a backup, or move both away to begin anew");
  }
  if (found == Found::too_new) {
    return fault("journal-too-new", fmt::format("{} was written by a newer Baton", path),
                 "it was left as it is; use that version, or another --state-dir");
  }
  if (found == Found::nothing && !writes) return fault("journal-missing", "there are no runs here yet");
  if (found == Found::nothing) {
    if (auto made = make(path); !made) return std::unexpected(made.error());
  }
  // A log that a power cut takes away with its name takes all that was synced into it.
  if (writes && WalFile::make(path)) {
    if (auto kept = sync(state_dir, O_RDONLY | O_DIRECTORY); !kept) return std::unexpected(kept.error());
  }
  if (found == Found::older) {
    if (auto renewed = make_current(path); !renewed) return std::unexpected(renewed.error());
  }
  auto db = Database::open(path, writes ? Database::Mode::read_write : Database::Mode::read_only);
  if (!db) return std::unexpected(db.error());
  if (auto ready = prepare(**db); !ready) return std::unexpected(ready.error());
  auto parts = std::make_unique<Parts>(std::move(*db), path, state_dir + "/db.lock", writes);
  if (!parts->find_lease.ok() || !parts->events.ok() || !parts->projection.ok()) {
    return fault("journal-corrupt", fmt::format("the tables of {} are not those of this version", path),
                 "it was left as it is; restore it with its -wal from a backup, or move both away to begin anew");
  }
  sqlite3_wal_hook(
      parts->db->handle(),
      [](void* p, sqlite3*, const char*, int pages) {
        static_cast<Parts*>(p)->wal.has(pages);
        return SQLITE_OK;
      },
      parts.get());
  return std::unique_ptr<SqliteJournal>{new SqliteJournal(std::move(parts))};
}

template <class Body>
auto SqliteJournal::write(Lasting lasting, Body body) -> decltype(body()) {
  constexpr int wal_pages_max = 4000;
  Parts& p = *parts_;
  if (auto taken = p.lock.take(); !taken) return std::unexpected(taken.error());
  auto answer = [&]() -> decltype(body()) {
    if (auto begun = p.begin.bind().run(); !begun) return std::unexpected(begun.error());
    auto result = body();
    if (!result) {
      (void)p.db->execute("ROLLBACK");
      return result;
    }
    if (auto committed = p.commit.bind().run(); !committed) {
      // Never a second try: nobody knows what the disk has. The process stops and reads anew.
      (void)p.db->execute("ROLLBACK");
      Fault failed = committed.error();
      if (failed.code == "journal-failed") failed.code = "journal-unknown";
      return std::unexpected(std::move(failed));
    }
    if (p.wal.pages() > wal_pages_max) p.checkpoint(SQLITE_CHECKPOINT_PASSIVE);
    p.wal.make_room();
    return result;
  }();
  p.lock.give();
  if (answer && lasting == Lasting::always) {
    if (auto synced = p.sync(); !synced) return std::unexpected(synced.error());
  }
  return answer;
}

Status SqliteJournal::check_lease(const Lease& lease) {
  Statement& s = parts_->find_lease.bind(lease.run);
  const bool held = s.row() && s.text(0) == lease.owner && static_cast<std::uint64_t>(s.integer(3)) == lease.epoch;
  s.reset();
  if (!s.ok()) return std::unexpected(s.error());
  if (held) return {};
  return fault("lease-lost", fmt::format("run {} is driven by another process now", lease.run),
               "this process stopped without writing; 'baton show' tells who drives the run");
}

Status SqliteJournal::append_all(std::span<const Addition> additions) {
  return write(Lasting::always, [&]() -> Status {
    for (const Addition& addition : additions) {
      if (auto added = add(addition); !added) return added;
    }
    return {};
  });
}

Status SqliteJournal::add(const Addition& addition) {
  const std::string& id = addition.lease.run;
  if (auto held = check_lease(addition.lease); !held) return held;
  auto end = parts_->projection.end_of(id);
  if (end && end->run == 0) end = parts_->projection.begin(id, addition.run);
  if (!end) return std::unexpected(end.error());
  const auto expected = static_cast<std::int64_t>(addition.expected);
  if (end->events != expected) {
    return fault("journal-conflict", fmt::format("run {} has {} events, not {}", id, end->events, expected));
  }
  for (const Event& event : addition.events) {
    if (auto added = parts_->events.add(id, *end, event); !added) return added;
  }
  for (const std::int64_t request : addition.consumed) {
    if (auto done = parts_->delete_request.bind(request).run(); !done) return done;
  }
  return parts_->projection.update(*end, id, addition.run);
}

Expected<std::vector<Event>> SqliteJournal::load(const std::string& run) {
  auto events = load_after(run, 0);
  if (events && events->empty())
    return fault("unknown-run", fmt::format("there is no run '{}'", run), "'baton list' shows all runs");
  return events;
}

Expected<std::vector<Event>> SqliteJournal::load_after(const std::string& run, std::size_t seen) {
  const auto end = parts_->projection.end_of(run);
  if (!end) return std::unexpected(end.error());
  return parts_->events.after(run, *end, seen);
}

Expected<std::vector<RunSummary>> SqliteJournal::list() { return parts_->projection.list(""); }

Expected<RunSummary> SqliteJournal::summary(const std::string& run) {
  auto found = parts_->projection.list(run);
  if (!found) return std::unexpected(found.error());
  if (found->empty())
    return fault("unknown-run", fmt::format("there is no run '{}'", run), "'baton list' shows all runs");
  return found->front();
}

Expected<Lease> SqliteJournal::acquire(const Lease& wanted, Time now, Millis lasts, bool (*is_dead)(const Lease&)) {
  return write(Lasting::until_power_fails, [&]() -> Expected<Lease> {
    auto held = holder_of(wanted.run);
    if (!held) return std::unexpected(held.error());
    Lease lease = wanted;
    lease.epoch = 1;
    lease.expires = now + lasts;
    if (*held) {
      const Lease& other = **held;
      const bool free = other.owner.empty() || other.owner == wanted.owner || other.expires <= now || is_dead(other);
      if (!free) return std::unexpected(driven_by(other));
      lease.epoch = other.epoch + 1;
    }
    Statement s{parts_->db->handle(), "INSERT OR REPLACE INTO leases VALUES(?,?,?,?,?,?)"};
    auto done = s.bind(lease.run, lease.owner, lease.host, lease.pid, lease.epoch, to_ms(lease.expires)).run();
    if (!done) return std::unexpected(done.error());
    return lease;
  });
}

Status SqliteJournal::renew(Lease& lease, Time now, Millis lasts) {
  auto done = write(Lasting::until_power_fails, [&]() -> Status {
    if (auto held = check_lease(lease); !held) return held;
    Statement s{parts_->db->handle(), "UPDATE leases SET expires=? WHERE run=?"};
    return s.bind(to_ms(now + lasts), lease.run).run();
  });
  if (done) lease.expires = now + lasts;
  return done;
}

Status SqliteJournal::release(const Lease& lease) {
  return write(Lasting::until_power_fails, [&]() -> Status {
    if (!check_lease(lease)) return {};
    // The row stays, with its epoch: epochs only ever rise.
    Statement s{parts_->db->handle(), "UPDATE leases SET owner='',pid=0,expires=0 WHERE run=?"};
    return s.bind(lease.run).run();
  });
}

Expected<std::optional<Lease>> SqliteJournal::holder_of(const std::string& run) {
  Statement& s = parts_->find_lease.bind(run);
  std::optional<Lease> lease;
  if (s.row()) {
    lease = Lease{run,
                  s.text(0),
                  s.text(1),
                  static_cast<int>(s.integer(2)),
                  static_cast<std::uint64_t>(s.integer(3)),
                  time_from_ms(s.integer(4))};
    s.reset();
  }
  if (!s.ok()) return std::unexpected(s.error());
  return lease;
}

Expected<std::int64_t> SqliteJournal::request(const ControlRequest& request) {
  return write(Lasting::always, [&]() -> Expected<std::int64_t> {
    Statement s{parts_->db->handle(), "INSERT INTO control(run,kind,argument,at) VALUES(?,?,?,?)"};
    auto done = s.bind(request.run, request.kind, request.argument, to_ms(request.at)).run();
    if (!done) return std::unexpected(done.error());
    return parts_->db->last_id();
  });
}

Expected<std::vector<ControlRequest>> SqliteJournal::requests(const std::string& run) {
  Statement s{parts_->db->handle(), "SELECT id,kind,argument,at FROM control WHERE run=? ORDER BY id"};
  std::vector<ControlRequest> found;
  s.bind(run);
  while (s.row()) found.push_back({s.integer(0), run, s.text(1), s.text(2), time_from_ms(s.integer(3))});
  if (!s.ok()) return std::unexpected(s.error());
  return found;
}

Expected<bool> SqliteJournal::withdraw(std::int64_t request) {
  return write(Lasting::always, [&]() -> Expected<bool> {
    if (auto done = parts_->delete_request.bind(request).run(); !done) return std::unexpected(done.error());
    return parts_->db->changes() > 0;
  });
}

Shares& SqliteJournal::shares() {
  if (!parts_->shares) {
    using Body = std::function<Status()>;
    const SqliteShares::Ways ways{
        .transact = [this](const Body& body) { return write(Lasting::until_power_fails, body); },
        .transact_lastingly = [this](const Body& body) { return write(Lasting::always, body); },
        .check_lease = [this](const Lease& lease) { return check_lease(lease); },
    };
    parts_->shares.emplace(*parts_->db, ways);
  }
  return *parts_->shares;
}

Expected<std::vector<RunSummary>> SqliteJournal::list_before(std::int64_t number, std::int64_t count) {
  return parts_->projection.list_before(number, count);
}

Expected<std::vector<RunSummary>> SqliteJournal::list_changed(Time since) {
  return parts_->projection.list_changed(since);
}

Expected<std::vector<RunSummary>> SqliteJournal::list_open() { return parts_->projection.list_open(); }

Expected<std::vector<Time>> SqliteJournal::event_times(std::int64_t number, std::int64_t count) {
  const auto end = parts_->projection.end_of(number);
  if (!end) return std::unexpected(end.error());
  return parts_->events.times(*end, static_cast<std::size_t>(std::max<std::int64_t>(count, 0)));
}

std::int64_t SqliteJournal::data_version() {
  Statement s{parts_->db->handle(), "PRAGMA data_version"};
  s.bind();
  return s.row() ? s.integer(0) : -1;
}

}  // namespace baton
