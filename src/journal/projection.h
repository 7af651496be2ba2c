#pragma once

#include <string>
#include <vector>

#include "journal/event_rows.h"
#include "journal/journal.h"
#include "journal/sqlite.h"

namespace baton {

/// The tables that are made from a run's state: runs, at_work, costs. Only what is asked for without reading events is
/// in them. REQUIRES for what writes: inside a transaction.
class Projection {
 public:
  explicit Projection(Database& db);

  /// False if the tables are not what they should be.
  [[nodiscard]] bool ok() const {
    return find_.ok() && insert_run_.ok() && update_run_.ok() && works_.ok() && rests_.ok() && cost_.ok();
  }

  /// Where the run's record ends; of a run that is not there, nowhere (its number is 0).
  Expected<RecordEnd> end_of(const std::string& id);
  Expected<RecordEnd> end_of(std::int64_t run);
  /// Gives a new run its row, and says where its record is to end.
  Expected<RecordEnd> begin(const std::string& id, const Run& run);
  /// Writes what changed since the last call, and where the record ends now.
  Status update(const RecordEnd& end, const std::string& id, Run& run);
  /// All runs, newest first, or just the one with this id.
  Expected<std::vector<RunSummary>> list(const std::string& id);
  /// Some of them, newest first.
  Expected<std::vector<RunSummary>> list_before(std::int64_t number, std::int64_t count);
  Expected<std::vector<RunSummary>> list_changed(Time since);
  /// Those that are not over.
  Expected<std::vector<RunSummary>> list_open();

 private:
  Status write_work(std::int64_t key, const Run& run, StepIndex i);
  Status write_costs(std::int64_t key, const Run& run, StepIndex i);
  template <class... Values>
  Expected<std::vector<RunSummary>> list_where(const std::string& rest, const Values&... values);

  Database& db_;
  Statement find_;
  Statement insert_run_;
  Statement update_run_;
  Statement works_;
  Statement rests_;
  Statement cost_;
};

}  // namespace baton
