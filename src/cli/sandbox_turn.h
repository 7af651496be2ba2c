#pragma once

#include <string>

#include "cli/context.h"
#include "io/file_lock.h"

namespace baton::cli {

/// One process at a time decides what is incomplete in a sandbox: two that did so at once would begin two runs there,
/// or ask for the same step twice. Kept as long as this lives; a process that dies gives it back.
class SandboxTurn {
 public:
  /// Returns when it is this process's turn, or when whoever has it drives a run there and what it asked for is on
  /// record: then there is one to hand requests to. Fault: run-is-driven, where neither comes in good time.
  /// REQUIRES: find_sandbox().
  Status await(const Project& project, const std::string& sandbox);

 private:
  FileLock folder_;  ///< the sandbox's own folder, locked
};

}  // namespace baton::cli
