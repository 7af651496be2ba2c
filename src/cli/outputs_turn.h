#pragma once

#include <memory>
#include <string>

#include "cli/context.h"
#include "core/run.h"
#include "journal/turn_lock.h"

namespace baton::cli {

/// One run at a time begins or goes on that writes files of the project, until that is on record: two that did so at
/// once would not see each other. Null where a run writes none.
using OutputsTurn = std::shared_ptr<TurnLock>;

/// It goes on without anybody asking it to, or something of it is there that may write.
bool is_at_work(SqliteJournal& journal, const std::string& id, const Run& run);

/// A new run writes no file that another run is at work on. `sandbox` is its own. Fault: outputs-collide.
Expected<OutputsTurn> outputs_of_new_run(const Project& project, SqliteJournal& journal, const Plan& plan,
                                         const std::string& sandbox);

/// The same for a run that goes on, unless it is at work already.
Expected<OutputsTurn> outputs_of_run(const Project& project, SqliteJournal& journal, const std::string& id,
                                     const Run& run);

}  // namespace baton::cli
