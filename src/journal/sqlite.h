#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/fault.h"

struct sqlite3;
struct sqlite3_stmt;

namespace baton {

/// A prepared statement. Bind with `bind`, step with `row` or `run`; it is reset for the next use by either's end.
class Statement {
 public:
  Statement(sqlite3* db, std::string_view sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  template <class... Values>
  Statement& bind(const Values&... values) {
    reset();
    int n = 0;
    (bind_one(++n, values), ...);
    return *this;
  }

  /// True while there is a row to read; check `ok()` after the last one.
  bool row();
  /// For statements without rows.
  Status run();
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] Fault error() const;

  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] bool is_null(int column) const;
  void reset();

 private:
  void bind_one(int n, std::int64_t value);
  void bind_one(int n, int value) { bind_one(n, static_cast<std::int64_t>(value)); }
  void bind_one(int n, std::uint64_t value) { bind_one(n, static_cast<std::int64_t>(value)); }
  void bind_one(int n, std::string_view value);
  void bind_one(int n, const std::string& value) { bind_one(n, std::string_view{value}); }
  void bind_one(int n, const std::optional<std::int64_t>& value);

  sqlite3* db_;
  sqlite3_stmt* statement_ = nullptr;
  bool ok_ = true;
};

/// A connection. Every failure of SQLite becomes one of a few faults of ours.
class Database {
 public:
  enum class Mode { read_write, read_only };

  static Expected<std::unique_ptr<Database>> open(const std::string& path, Mode mode);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  Status execute(const char* sql);
  [[nodiscard]] Fault error() const;
  [[nodiscard]] sqlite3* handle() const { return db_; }
  [[nodiscard]] int changes() const;
  [[nodiscard]] std::int64_t last_id() const;

 private:
  explicit Database(sqlite3* db) : db_(db) {}
  sqlite3* db_;
};

}  // namespace baton
