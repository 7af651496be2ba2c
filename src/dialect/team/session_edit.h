#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fault.h"
#include "core/run.h"
#include "dialect/team/bus.h"
#include "dialect/team/team.h"

namespace baton::team {

/// What team-session.json is to say.
struct SessionState {
  std::string status;  ///< active, paused, completed
  std::vector<std::string> completed;
  std::vector<ActiveWorker> workers;
  std::size_t total = 0;
  std::vector<std::string> known;  ///< every task of the run; what the file says of others stays
  std::optional<Time> finished = {};
  Time updated{};
};
/// As the run's record has it. `id`: the run's. `completion`: what the session wants to become of itself at its end.
SessionState state_of(const std::string& id, const Run& run, const std::string& completion);

/// The text with that in it: keys that are not ours, blanks and order stay. What says so already comes back the same.
Expected<std::string> edited(std::string_view text, const std::string& file, const SessionState& state);

/// team-session.json anew, for a run that is known and whose file is broken: what it was when the run began (`first`)
/// with what has become of it since. Without that, from the run alone.
std::string rebuilt(std::string_view first, const std::string& folder, const Run& run, const SessionState& state);

/// What is on record of a run and has to be said on the bus, in order, each with a key of its own. `roles` give the
/// messages' types.
std::vector<Message> messages_of(const std::string& id, const Run& run, const Team& team);

/// task-analysis.json with further tasks. REQUIRES: it was read.
std::string with_tasks(std::string_view analysis, const std::vector<Task>& tasks);

}  // namespace baton::team
