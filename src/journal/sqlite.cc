#include "journal/sqlite.h"

#include <sqlite3.h>

#include <fmt/core.h>

#include "base/ensure.h"

namespace baton {
namespace {

Fault fault_of(sqlite3* db) {
  const int code = sqlite3_errcode(db);
  const std::string why = sqlite3_errmsg(db);
  switch (code & 0xFF) {
    case SQLITE_FULL:
      return {"disk-full", "the disk is full: the journal could not be written",
              "make room and go on with 'baton resume'; what was recorded before is safe"};
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return {"journal-corrupt", fmt::format("the journal is damaged: {}", why),
              "nothing was changed; restore baton.db with its -wal from a backup, or move the .baton folder away to "
              "begin anew"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {"journal-busy", fmt::format("the journal is in use: {}", why), "try again in a moment"};
    default:
      break;
  }
  return {"journal-failed", fmt::format("the journal could not be read or written: {}", why),
          "the run stays as it was recorded; look at the disk, then 'baton resume'"};
}

}  // namespace

Statement::Statement(sqlite3* db, std::string_view sql) : db_(db) {
  ok_ = sqlite3_prepare_v3(db, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT, &statement_,
                           nullptr) == SQLITE_OK;
}
Statement::~Statement() { sqlite3_finalize(statement_); }

void Statement::reset() {
  if (statement_ != nullptr) sqlite3_reset(statement_);
}

void Statement::bind_one(int n, std::int64_t value) {
  if (statement_ != nullptr) sqlite3_bind_int64(statement_, n, value);
}
void Statement::bind_one(int n, std::string_view value) {
  // The caller's text outlives the step: bind() and row()/run() are always in one expression or function.
  if (statement_ != nullptr) {
    sqlite3_bind_text64(statement_, n, value.data(), value.size(), SQLITE_STATIC, SQLITE_UTF8);
  }
}
void Statement::bind_one(int n, const std::optional<std::int64_t>& value) {
  if (statement_ == nullptr) return;
  if (value) {
    sqlite3_bind_int64(statement_, n, *value);
  } else {
    sqlite3_bind_null(statement_, n);
  }
}

bool Statement::row() {
  if (statement_ == nullptr) return false;
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return ok_ = true;  // also where it failed the last time
  ok_ = code == SQLITE_DONE;
  if (ok_) reset();
  return false;
}

Status Statement::run() {
  while (row()) {
  }
  if (ok_) return {};
  Fault failed = error();
  reset();
  return std::unexpected(std::move(failed));
}

Fault Statement::error() const { return fault_of(db_); }
std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_, column); }
std::string Statement::text(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  return bytes == nullptr ? std::string{}
                          : std::string{bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}
bool Statement::is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

Expected<std::unique_ptr<Database>> Database::open(const std::string& path, Mode mode) {
  sqlite3* db = nullptr;
  const int flags = (mode == Mode::read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) |
                    SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOFOLLOW;
  const int code = sqlite3_open_v2(path.c_str(), &db, flags, nullptr);
  std::unique_ptr<Database> database{new Database(db)};
  if (code != SQLITE_OK) return std::unexpected(database->error());
  sqlite3_busy_timeout(db, 10'000);
  // Checkpoints are the journal's to make, under its lock; and a file that is refused stays as it is.
  sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  return database;
}

Database::~Database() { sqlite3_close_v2(db_); }

Status Database::execute(const char* sql) {
  if (sqlite3_exec(db_, sql, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return std::unexpected(error());
}

Fault Database::error() const { return fault_of(db_); }
int Database::changes() const { return sqlite3_changes(db_); }
std::int64_t Database::last_id() const { return sqlite3_last_insert_rowid(db_); }

}  // namespace baton
