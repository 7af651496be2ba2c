#pragma once

#include <map>
#include <string>
#include <vector>

#include "dialect/session/todo_edit.h"
#include "engine/mirror.h"

namespace baton::cli {

/// Keeps the files of a session true while it is run: tasks' status and history, boxes and links of the list,
/// summaries, the session's own status. Of a session that is not where it was nothing is written.
///
/// A task is looked at again only when something happened to it; a list of thousands is not read through for each.
class SessionMirror final : public Mirror {
 public:
  [[nodiscard]] bool shows(const Run& run, StepIndex step) const override;
  [[nodiscard]] Expected<std::vector<FileEdit>> edits(const std::string& id, const Run& run,
                                                      const Read& read) const override;

 private:
  /// What its files were last made to say, and whether they were seen to say it.
  struct Seen {
    StepState state = StepState::pending;
    std::size_t attempts = 0;
    std::size_t failed = 0;
    bool holds = true;

    [[nodiscard]] bool is_like(const Seen& other) const {
      return state == other.state && attempts == other.attempts && failed == other.failed;
    }
  };
  struct Round;
  std::vector<Seen>& seen_of(const std::string& id, const Run& run, const std::string& todo) const;

  mutable std::map<std::string, std::vector<Seen>> seen_;  ///< by run
};

}  // namespace baton::cli
