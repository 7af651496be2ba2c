#pragma once

#include <memory>

#include "journal/memory_journal.h"
#include "journal/sqlite_journal.h"
#include "support/scratch.h"

namespace baton::test {

/// The two journals, for tests that hold both to the same words.
struct InMemory {
  MemoryJournal journal;
  Journal& get() { return journal; }
};
struct InSqlite {
  Scratch folder;
  std::unique_ptr<SqliteJournal> journal = SqliteJournal::open(folder.path(), SqliteJournal::Mode::read_write).value();
  Journal& get() { return *journal; }
};

}  // namespace baton::test
