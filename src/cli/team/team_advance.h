#pragma once

#include <string>
#include <vector>

#include "cli/team/team_files.h"
#include "cli/verbs.h"

namespace baton::cli {

/// A session that was looked over and found good.
struct OpenTeam {
  TeamFiles files;
  team::Team team;
  std::optional<NewestTeamRun> run;  ///< the newest one, if there is one

  /// There is no run that could go on.
  [[nodiscard]] bool is_gone() const {
    return !run || run->run.state() == RunState::cancelled || run->run.state() == RunState::rejected;
  }
};

enum class Looking { only, and_mending };

/// Finds and validates the session; what is wrong with it is all said. A broken team-session.json of a run that is
/// known is rebuilt from its record, which is said; by those who only look, just as they see it.
std::expected<OpenTeam, Faults> open_team(const Project& project, const std::string& named, Looking looking,
                                          Faults& warnings);

/// Begins a run of the session, or goes on with the one there is, with these words to it first. Does what can be done
/// now and leaves. The answer is the verb's exit code.
int advance(const Project& project, OpenTeam& open, const RunOptions& options, const std::vector<EventBody>& asks);

/// Who wants a run to go on. What is paused, or waits for a decision, waits for a person's word.
enum class Asker { nobody, person };

/// What brings a run in line with the session's files, and lets it go on.
std::vector<EventBody> asks_to_go_on(const Project& project, const OpenTeam& open, Faults& faults,
                                     const RunOptions& options, Asker asker);

/// Another process has kept the session to itself for too long.
Fault held_fault(const TeamFiles& files);

/// Begins a run in the foreground, or goes on with it there.
int run_through(Project project, OpenTeam& open, const RunOptions& options);

/// What the status, the banner or a stall is at this moment, as text for people.
std::string shown(const Project& project, const OpenTeam& open);

/// The run as it is now.
Status refresh(const Project& project, OpenTeam& open);

/// How long and how often a task is tried, as the configuration says.
Policy team_policy(const Config& config);

}  // namespace baton::cli
