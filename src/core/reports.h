#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "core/event.h"

namespace baton {

/// Something a worker said of a task.
struct Report {
  event::WorkerReported said;
  Time at{};
  bool current = false;  ///< of the attempt that was at work then; another's is only taken note of
};

/// What the workers of a run said, each thing once, in the order it was heard.
class Reports {
 public:
  /// False if a report with this id was heard before: then it is not noted again.
  bool note(const event::WorkerReported& said, Time at, bool current);

  [[nodiscard]] const std::vector<Report>& all() const { return all_; }
  [[nodiscard]] bool has_heard(const std::string& id) const { return ids_.contains(id); }

 private:
  std::vector<Report> all_;
  std::unordered_set<std::string> ids_;
};

}  // namespace baton
