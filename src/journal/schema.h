#pragma once

namespace baton {

/// The version of the schema below, kept in SQLite's user_version. A reader meeting a higher one refuses.
constexpr int schema_version = 3;
/// "BATO": says whose file it is.
constexpr int schema_application_id = 0x4241544F;

/// Events are the truth; runs, steps and attempts are projections of them, written in the same transaction.
constexpr const char* schema_sql = R"sql(
CREATE TABLE runs(
  key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, workflow TEXT NOT NULL, dialect TEXT NOT NULL, state TEXT NOT NULL,
  task TEXT NOT NULL, error_code TEXT NOT NULL, error TEXT NOT NULL, done INTEGER NOT NULL, total INTEGER NOT NULL, created INTEGER NOT NULL,
  started INTEGER NOT NULL, finished INTEGER NOT NULL, updated INTEGER NOT NULL, nano_usd INTEGER, input INTEGER NOT NULL,
  output INTEGER NOT NULL, cache_read INTEGER NOT NULL, cache_write INTEGER NOT NULL, folder TEXT NOT NULL,
  sandbox TEXT NOT NULL) STRICT;
CREATE TABLE events(
  run INTEGER NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
  checksum INTEGER NOT NULL, PRIMARY KEY(run, seq)) STRICT, WITHOUT ROWID;
CREATE TABLE steps(
  run INTEGER NOT NULL, step INTEGER NOT NULL, id TEXT NOT NULL, state TEXT NOT NULL, attempts INTEGER NOT NULL,
  PRIMARY KEY(run, step)) STRICT, WITHOUT ROWID;
CREATE TABLE attempts(
  run INTEGER NOT NULL, step INTEGER NOT NULL, attempt INTEGER NOT NULL, state TEXT NOT NULL, runtime TEXT NOT NULL,
  model TEXT NOT NULL, exit INTEGER, signal INTEGER, error TEXT NOT NULL, started INTEGER NOT NULL,
  finished INTEGER NOT NULL, input INTEGER NOT NULL, output INTEGER NOT NULL, cache_read INTEGER NOT NULL,
  cache_write INTEGER NOT NULL, nano_usd INTEGER, PRIMARY KEY(run, step, attempt)) STRICT, WITHOUT ROWID;
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

}  // namespace baton
