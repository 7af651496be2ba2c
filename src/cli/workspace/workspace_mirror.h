#pragma once

#include <map>
#include <string>

#include "dialect/workspace/status.h"
#include "engine/dialect_run.h"

namespace baton::cli {

/// Keeps the statuses of a workspace's tasks true while they are run. A task is written to only as long as its file
/// says what the run wrote last: whoever else has had a hand in it since is right.
class WorkspaceMirror {
 public:
  Expected<DialectRun::Shown> files(const Run& run, const DialectRun::Read& read);

 private:
  std::map<std::string, workspace::TaskStatus> seen_;  ///< what tasks' files were seen to say
};

}  // namespace baton::cli
