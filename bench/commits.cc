// The floor of durable steps: rows of an event's size into SQLite, synchronous = FULL, WAL, PER_COMMIT rows a commit.
// Usage: bench_commits FOLDER COUNT PER_COMMIT. Prints: rows a second.
#include <sqlite3.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

void must(sqlite3* db, const char* sql) {
  if (sqlite3_exec(db, sql, nullptr, nullptr, nullptr) != SQLITE_OK) std::puts(sqlite3_errmsg(db)), std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::string folder = argv[1];
  const long count = std::strtol(argv[2], nullptr, 10);
  const long per_commit = std::strtol(argv[3], nullptr, 10);
  sqlite3* db = nullptr;
  if (sqlite3_open((folder + "/commits.db").c_str(), &db) != SQLITE_OK) return 1;
  must(db, "PRAGMA journal_mode = WAL");
  must(db, "PRAGMA synchronous = FULL");
  must(db, "CREATE TABLE events (run INTEGER, seq INTEGER, body TEXT, PRIMARY KEY (run, seq)) WITHOUT ROWID");
  sqlite3_stmt* insert = nullptr;
  if (sqlite3_prepare_v2(db, "INSERT INTO events VALUES (1, ?, ?)", -1, &insert, nullptr) != SQLITE_OK) return 1;
  const std::string body(200, 'x');
  const auto start = std::chrono::steady_clock::now();
  for (long i = 0; i < count; ++i) {
    if (i % per_commit == 0) must(db, "BEGIN IMMEDIATE");
    sqlite3_bind_int64(insert, 1, i);
    sqlite3_bind_text(insert, 2, body.data(), static_cast<int>(body.size()), SQLITE_STATIC);
    if (sqlite3_step(insert) != SQLITE_DONE) return 1;
    sqlite3_reset(insert);
    if ((i + 1) % per_commit == 0 || i + 1 == count) must(db, "COMMIT");
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  sqlite3_finalize(insert);
  sqlite3_close(db);
  std::printf("%.1f\n", static_cast<double>(count) / seconds);
  return 0;
}
