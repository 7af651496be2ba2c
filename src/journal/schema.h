#pragma once

namespace baton {

/// The version of the schema below, kept in SQLite's user_version. A reader meeting a higher one refuses.
constexpr int schema_version = 5;
/// "BATO": says whose file it is.
constexpr int schema_application_id = 0x4241544F;

/// Events are the truth; runs, at_work and costs are projections of them, written in the same transaction.
constexpr const char* schema_sql = R"sql(
CREATE TABLE runs(
  key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, workflow TEXT NOT NULL, dialect TEXT NOT NULL, state TEXT NOT NULL,
  task TEXT NOT NULL, error_code TEXT NOT NULL, error TEXT NOT NULL, done INTEGER NOT NULL, total INTEGER NOT NULL, created INTEGER NOT NULL,
  started INTEGER NOT NULL, finished INTEGER NOT NULL, updated INTEGER NOT NULL, nano_usd INTEGER, input INTEGER NOT NULL,
  output INTEGER NOT NULL, cache_read INTEGER NOT NULL, cache_write INTEGER NOT NULL, folder TEXT NOT NULL,
  sandbox TEXT NOT NULL, events INTEGER NOT NULL DEFAULT 0, last_event INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE events(
  id INTEGER PRIMARY KEY, before INTEGER NOT NULL, run INTEGER NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL,
  kind TEXT NOT NULL, body TEXT NOT NULL, checksum INTEGER NOT NULL) STRICT;
CREATE TABLE at_work(
  run INTEGER NOT NULL, step INTEGER NOT NULL, id TEXT NOT NULL, PRIMARY KEY(run, step)) STRICT, WITHOUT ROWID;
CREATE TABLE costs(
  run INTEGER NOT NULL, step INTEGER NOT NULL, attempt INTEGER NOT NULL, started INTEGER NOT NULL,
  nano_usd INTEGER NOT NULL, PRIMARY KEY(run, step, attempt)) STRICT, WITHOUT ROWID;
CREATE TABLE leases(
  run TEXT PRIMARY KEY, owner TEXT NOT NULL, host TEXT NOT NULL, pid INTEGER NOT NULL, epoch INTEGER NOT NULL,
  expires INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE control(
  id INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL, kind TEXT NOT NULL, argument TEXT NOT NULL,
  at INTEGER NOT NULL) STRICT;
)sql";

/// What version 2 has beyond version 1: what runs share (row_shares.h). Version 1 had none of it, so a database of it
/// becomes one of version 2 by these tables alone.
/// Version 3 has further kinds of events (worker.reported, step.decided) and no further table.
constexpr const char* shares_sql = R"sql(
CREATE TABLE IF NOT EXISTS places(
  run TEXT PRIMARY KEY, place INTEGER NOT NULL, call_ends INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS slots(
  run TEXT PRIMARY KEY, used INTEGER NOT NULL, ticket INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS cooldowns(
  runtime TEXT PRIMARY KEY, until INTEGER NOT NULL, guessed INTEGER NOT NULL) STRICT, WITHOUT ROWID;
)sql";

/// The first version whose events lie in one chain. Version 5 has further kinds of events (output.doubted,
/// outputs.stand) and is otherwise the same.
constexpr int chained_version = 4;

/// Makes version 4 of what went before: events lie in the order in which they were recorded, whatever their run, and
/// of steps and attempts only what is asked for without reading events is kept.
constexpr const char* chain_sql = R"sql(
ALTER TABLE runs ADD COLUMN events INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN last_event INTEGER NOT NULL DEFAULT 0;
ALTER TABLE events RENAME TO events_3;
CREATE TABLE events(
  id INTEGER PRIMARY KEY, before INTEGER NOT NULL, run INTEGER NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL,
  kind TEXT NOT NULL, body TEXT NOT NULL, checksum INTEGER NOT NULL) STRICT;
INSERT INTO events SELECT n, CASE seq WHEN 1 THEN 0 ELSE n-1 END, run, seq, at, kind, body, checksum
  FROM (SELECT row_number() OVER (ORDER BY run, seq) AS n, * FROM events_3);
UPDATE runs SET events=e.n, last_event=e.last
  FROM (SELECT run, max(seq) AS n, max(id) AS last FROM events GROUP BY run) AS e WHERE e.run=runs.key;
DROP TABLE events_3;
CREATE TABLE at_work(
  run INTEGER NOT NULL, step INTEGER NOT NULL, id TEXT NOT NULL, PRIMARY KEY(run, step)) STRICT, WITHOUT ROWID;
INSERT INTO at_work SELECT run, step, id FROM steps WHERE state IN ('running', 'checking');
CREATE TABLE costs(
  run INTEGER NOT NULL, step INTEGER NOT NULL, attempt INTEGER NOT NULL, started INTEGER NOT NULL,
  nano_usd INTEGER NOT NULL, PRIMARY KEY(run, step, attempt)) STRICT, WITHOUT ROWID;
INSERT INTO costs SELECT run, step, attempt, started, nano_usd FROM attempts
  WHERE nano_usd IS NOT NULL AND runtime<>'rehearsal';
DROP TABLE steps;
DROP TABLE attempts;
)sql";

}  // namespace baton
