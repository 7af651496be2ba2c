#include "journal/sqlite_shares.h"

namespace baton {
namespace {

/// REQUIRES: owner, host, pid, epoch, expires from column 1 on.
Lease lease_of(const Statement& s, const std::string& run) {
  return {run,
          s.text(1),
          s.text(2),
          static_cast<int>(s.integer(3)),
          static_cast<std::uint64_t>(s.integer(4)),
          time_from_ms(s.integer(5))};
}

}  // namespace

Expected<std::vector<SqliteShares::PlaceRow>> SqliteShares::place_rows() {
  // Few leases have an owner, and few runs a row of their own: those lead, and the runs are looked up.
  Statement s{
      db_.handle(),
      "SELECT l.run,l.owner,l.host,l.pid,l.epoch,l.expires,r.key,r.state,ifnull(p.place,0),ifnull(p.call_ends,0) "
      "FROM leases l CROSS JOIN runs r ON r.id=l.run LEFT JOIN places p ON p.run=l.run "
      "WHERE l.owner<>'' AND r.state IN ('queued','running') "
      "UNION SELECT l.run,l.owner,l.host,l.pid,l.epoch,l.expires,r.key,r.state,p.place,p.call_ends "
      "FROM places p CROSS JOIN leases l ON l.run=p.run CROSS JOIN runs r ON r.id=p.run"};
  std::vector<PlaceRow> rows;
  s.bind();
  while (s.row()) {
    rows.push_back({lease_of(s, s.text(0)), s.integer(6), run_state(s.text(7)).value_or(RunState::queued),
                    static_cast<Place>(s.integer(8)), time_from_ms(s.integer(9))});
  }
  if (!s.ok()) return std::unexpected(s.error());
  return rows;
}

Status SqliteShares::put_place(const std::string& run, Place place, Time call_ends) {
  if (place == Place::none) return Statement{db_.handle(), "DELETE FROM places WHERE run=?"}.bind(run).run();
  return Statement{db_.handle(), "INSERT OR REPLACE INTO places VALUES(?,?,?)"}
      .bind(run, static_cast<int>(place), to_ms(call_ends))
      .run();
}

Expected<std::vector<SqliteShares::SlotRow>> SqliteShares::slot_rows() {
  Statement s{db_.handle(),
              "SELECT s.run,l.owner,l.host,l.pid,l.epoch,l.expires,s.used,s.ticket "
              "FROM slots s CROSS JOIN leases l ON l.run=s.run"};
  std::vector<SlotRow> rows;
  s.bind();
  while (s.row()) {
    const std::string run = s.text(0);
    rows.push_back({lease_of(s, run), {run, static_cast<int>(s.integer(6)), s.integer(7)}});
  }
  if (!s.ok()) return std::unexpected(s.error());
  return rows;
}

Status SqliteShares::put_slots(const SlotEntry& entry) {
  if (entry.used == 0 && entry.ticket == 0) {
    return Statement{db_.handle(), "DELETE FROM slots WHERE run=?"}.bind(entry.run).run();
  }
  return Statement{db_.handle(), "INSERT OR REPLACE INTO slots VALUES(?,?,?)"}
      .bind(entry.run, entry.used, entry.ticket)
      .run();
}

Expected<std::vector<CoolDown>> SqliteShares::cool_down_rows() {
  Statement& s = cool_downs_.bind();
  std::vector<CoolDown> rows;
  while (s.row()) rows.push_back({s.text(0), time_from_ms(s.integer(1)), time_from_ms(s.integer(2))});
  if (!s.ok()) return std::unexpected(s.error());
  return rows;
}

Status SqliteShares::put_cool_down(const CoolDown& cool_down) {
  if (cool_down.until == Time{}) {
    return Statement{db_.handle(), "DELETE FROM cooldowns WHERE runtime=?"}.bind(cool_down.runtime).run();
  }
  return Statement{db_.handle(), "INSERT OR REPLACE INTO cooldowns VALUES(?,?,?)"}
      .bind(cool_down.runtime, to_ms(cool_down.until), to_ms(cool_down.guessed))
      .run();
}

Expected<Cost> SqliteShares::spent_since(Time since) {
  Statement s{db_.handle(), "SELECT ifnull(sum(nano_usd),0) FROM costs WHERE started>=?"};
  s.bind(to_ms(since));
  const Cost spent{s.row() ? s.integer(0) : 0};
  if (!s.ok()) return std::unexpected(s.error());
  return spent;
}

/// The table is made when the first thing is to be remembered: a journal of runs that ask no API never has it.
Expected<std::string> SqliteShares::governor_row(const std::string& name) {
  if (!find_governor_) {
    Statement& there = has_governors_.bind();
    const bool is_there = there.row();
    there.reset();
    if (!there.ok()) return std::unexpected(there.error());
    if (!is_there) return std::string{};
    find_governor_.emplace(db_.handle(), "SELECT state FROM governors WHERE name=?");
    if (!find_governor_->ok()) {
      Fault why = find_governor_->error();
      find_governor_.reset();
      return std::unexpected(std::move(why));
    }
  }
  Statement& s = find_governor_->bind(name);
  std::string state = s.row() ? s.text(0) : std::string{};
  s.reset();
  if (!s.ok()) return std::unexpected(s.error());
  return state;
}

Status SqliteShares::put_governor(const std::string& name, const std::string& state) {
  if (auto made =
          db_.execute("CREATE TABLE IF NOT EXISTS governors(name TEXT PRIMARY KEY, state TEXT NOT NULL) STRICT, "
                      "WITHOUT ROWID");
      !made) {
    return made;
  }
  return Statement{db_.handle(), "INSERT OR REPLACE INTO governors VALUES(?,?)"}.bind(name, state).run();
}

}  // namespace baton
