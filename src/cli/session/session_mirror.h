#pragma once

#include <map>
#include <string>
#include <vector>

#include "dialect/session/todo_edit.h"
#include "engine/dialect_run.h"

namespace baton::cli {

/// Keeps the files of a session true while it is run: tasks' status and history, boxes and links of the list,
/// summaries, the session's own status. Of a session that is not where it was nothing is written.
///
/// A task is looked at again only when something happened to it; a list of thousands is not read through for each.
class SessionMirror {
 public:
  Expected<DialectRun::Shown> files(const Run& run, const DialectRun::Read& read);

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
  void begin(const Run& run, const std::string& todo);

  std::optional<std::vector<Seen>> seen_;  ///< by step
};

}  // namespace baton::cli
