#pragma once

#include <cstdint>
#include <string>

#include "base/fault.h"
#include "io/descriptor.h"

namespace baton {

class Database;

/// The write-ahead log of a database, seen from beside SQLite: that it is there, that there is room ahead of its
/// frames, and that what was committed is on the disk.
class WalFile {
 public:
  /// `path` is the database's.
  WalFile(Database& db, const std::string& path) : db_(db), path_(path + "-wal") {}

  /// Makes an empty one if there is none, as SQLite would. True if it is empty: then the folder is to be synced, as
  /// whoever made it may have been killed before that. REQUIRES: the journal's lock is held.
  static bool make(const std::string& database_path);

  /// After a commit of ours: how many frames SQLite says there are now.
  void has(int pages);
  /// After a checkpoint.
  void begins_anew();
  [[nodiscard]] int pages() const { return pages_; }

  /// REQUIRES: the journal's lock is held.
  void make_room();

  /// All that was committed before, by whomever, is on the disk. The journal's lock is not needed for it: processes
  /// that sync at once are served together.
  Status sync();

 private:
  Database& db_;
  std::string path_;
  Descriptor file_;
  int pages_ = 0;
  int commits_ = 0;
  std::int64_t room_ = 0;  ///< how long the file is at least
};

}  // namespace baton
