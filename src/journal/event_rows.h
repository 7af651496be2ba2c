#pragma once

#include <functional>
#include <string_view>

#include "core/event.h"
#include "journal/sqlite.h"

namespace baton {

/// Where the record of a run ends.
struct RecordEnd {
  std::int64_t run = 0;     ///< its number in the tables
  std::int64_t events = 0;  ///< how many it has
  std::int64_t last = 0;    ///< the row of the last one; 0: none
};

/// The table of events. All runs add to its end, so that a commit writes a page or two however many runs have something
/// to record; each row names the one before it of its run, and so a run is read from its end backwards.
class EventRows {
 public:
  explicit EventRows(Database& db)
      : db_(db),
        insert_(db.handle(), "INSERT INTO events(before,run,seq,at,kind,body,checksum) VALUES(?,?,?,?,?,?,?)") {}

  /// False if the table is not what it should be.
  [[nodiscard]] bool ok() const { return insert_.ok(); }

  /// Adds an event of the run with this id, and moves the end on. REQUIRES: inside a transaction.
  Status add(std::string_view id, RecordEnd& end, const Event& event);
  /// The events after the first `seen`. Every one is compared with its checksum. Faults: journal-corrupt.
  Expected<std::vector<Event>> after(std::string_view id, const RecordEnd& end, std::size_t seen);
  /// When the last `count` were, newest first.
  Expected<std::vector<Time>> times(const RecordEnd& end, std::size_t count);

 private:
  /// One row, as far as it was asked for.
  using Visit = std::function<bool(const Statement& row)>;
  Status walk_back(const RecordEnd& end, const Visit& visit);

  Database& db_;
  Statement insert_;
};

}  // namespace baton
