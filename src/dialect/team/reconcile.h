#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/run.h"
#include "dialect/team/team.h"
#include "dialect/team/turns.h"

namespace baton::team {

/// Something that reconciling found and that is said on the bus, once.
struct Note {
  std::string type;  ///< warning or error
  std::string task;
  std::string summary;

  bool operator==(const Note&) const = default;
};
std::string to_json(const std::vector<Note>& notes);
std::vector<Note> notes_from_json(std::string_view text);

/// What there is, looked up by whoever asks.
struct Reality {
  Time now{};
  std::function<bool(const std::string& artifact)> exists;  ///< from the session's folder
  std::function<bool(int pid)> lives;
};

/// What a session begins from when no run of it is on record here: its file against what there is.
struct Beginning {
  std::vector<std::string> completed;  ///< these are not done again
  std::vector<Claim> claims;           ///< somebody else is at work on these, or may be
  std::vector<Note> notes;
};
Beginning begin_from(const Team& team, const Reality& real);

/// What a session's file says against the record of its run.
struct Difference {
  std::vector<StepIndex> done;                         ///< the file says they are completed, and so they may be
  std::vector<std::string> added;                      ///< the record has them as completed, the file does not
  std::vector<Task> missing;                           ///< tasks that the run does not have yet
  std::vector<std::pair<StepIndex, StepIndex>> joins;  ///< who is to wait for whom too; counted on by the missing ones
  std::vector<Note> notes;                             ///< what is taken out of the file
  [[nodiscard]] bool is_nothing() const { return done.empty() && missing.empty() && joins.empty() && notes.empty(); }
};
Difference differ(const Run& run, const Team& team, const Reality& real);

}  // namespace baton::team
