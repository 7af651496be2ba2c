#pragma once

#include <string>
#include <vector>

#include "journal/journal.h"
#include "journal/sqlite.h"

namespace baton {

/// The tables that are made from a run's state: runs, steps, attempts. REQUIRES for all but list(): inside a
/// transaction.
class Projection {
 public:
  explicit Projection(Database& db);

  /// False if the tables are not what they should be.
  [[nodiscard]] bool ok() const { return insert_run_.ok() && update_run_.ok() && step_.ok() && attempt_.ok(); }

  /// The run's number in the tables; a run seen for the first time gets its rows.
  Expected<std::int64_t> key_of(const std::string& id, const Run& run);
  /// Writes what changed since the last call.
  Status update(std::int64_t key, const std::string& id, Run& run);
  /// All runs, newest first, or just the one with this id.
  Expected<std::vector<RunSummary>> list(const std::string& id);
  /// Some of them, newest first.
  Expected<std::vector<RunSummary>> list_before(std::int64_t number, std::int64_t count);
  Expected<std::vector<RunSummary>> list_changed(Time since);
  /// Those that are not over.
  Expected<std::vector<RunSummary>> list_open();

 private:
  Status write_step(std::int64_t key, const Run& run, StepIndex i);
  Status write_attempt(std::int64_t key, const Run& run, StepIndex i, const Attempt& attempt);
  template <class... Values>
  Expected<std::vector<RunSummary>> list_where(const std::string& rest, const Values&... values);

  Database& db_;
  Statement find_;
  Statement insert_run_;
  Statement update_run_;
  Statement step_;
  Statement attempt_;
};

}  // namespace baton
