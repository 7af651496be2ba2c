#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/fault.h"

namespace baton::git {

struct CommitState;
struct TreeState;

/// The one line that `baton tree` prints. `outcome` says which of the others mean something:
/// ready (head, changed), conflict (files, with), committed (commit, files), nothing, unresolved (files),
/// fault (fault); notes with any but the last.
struct TreeReport {
  std::string outcome;
  std::string head;
  std::vector<std::string> changed;
  std::vector<std::string> files;
  std::vector<std::string> notes;
  std::string with;
  std::string commit;
  Fault fault;
};

/// One JSON object without a newline. Bytes of names that are not UTF-8 become U+FFFD.
std::string to_json(const TreeReport& report);
/// Faults: bad-tree-report.
Expected<TreeReport> read_report(std::string_view line);

TreeReport report_of(const Expected<TreeState>& state);
TreeReport report_of(const Expected<CommitState>& state);

}  // namespace baton::git
