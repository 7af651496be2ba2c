#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "core/run.h"
#include "dialect/team/bus.h"
#include "dialect/team/reconcile.h"
#include "dialect/team/team.h"
#include "io/file_lock.h"

namespace baton::cli {

/// A team session's folder and its files, as they are now.
class TeamFiles {
 public:
  /// `root`: the project's folder; `folder`: the session's, from there.
  TeamFiles(std::string root, std::string folder) : root_(std::move(root)), folder_(std::move(folder)) {}

  [[nodiscard]] const std::string& folder() const { return folder_; }
  [[nodiscard]] std::string path() const { return root_ + "/" + folder_; }  ///< absolute
  [[nodiscard]] std::string path(const std::string& inside) const { return path() + "/" + inside; }
  /// The last part of its folder's name: what its runs are called after.
  [[nodiscard]] std::string name() const { return folder_.substr(folder_.find_last_of('/') + 1); }

  /// A file of the session; nullopt if it is not there or cannot be read.
  [[nodiscard]] std::optional<std::string> text(const std::string& inside) const;
  /// A file of the session that is there, is no folder, and lies beneath it.
  [[nodiscard]] bool exists(const std::string& inside) const;
  [[nodiscard]] std::function<bool(const std::string&)> existence() const;

  /// All that is in them. `shown`: as the user named the session. `instead`: stands in for team-session.json.
  [[nodiscard]] team::TeamRead read(const std::string& shown, std::optional<std::string> instead = {}) const;

  [[nodiscard]] team::Reality reality() const;

  /// Puts these on the bus, in one piece and with numbers of their own, whoever else writes to it.
  Status append(std::vector<team::Message> messages) const;
  [[nodiscard]] std::vector<team::Message> messages() const;

  /// team-session.json as the run's record has it.
  [[nodiscard]] std::string recorded(const std::string& id, const Run& run) const;
  /// Keeps a broken team-session.json aside and writes one from the run's record. Answers where the broken one is.
  Expected<std::string> rebuild(const std::string& id, const Run& run) const;

 private:
  std::string root_;
  std::string folder_;
};

/// The files of the session that a run is of.
TeamFiles team_files_of(const Run& run, const std::string& root);

/// True if TARGET of `run`, `check` or `plan` means a team session.
bool means_team(const Project& project, const std::string& target);

/// The session's folder, by path or by name; not looked into yet. `outside`: set if it is not in the project, absolute.
struct TeamPlace {
  std::string folder;  ///< from the project's; empty if it lies elsewhere
  std::string path;    ///< absolute
};
TeamPlace find_team(const Project& project, const std::string& named);

/// The newest run of the session, if there is one.
struct NewestTeamRun {
  std::string id;
  Run run;
};
Expected<std::optional<NewestTeamRun>> run_of_team(const Project& project, const TeamFiles& files);

/// How long the lock of a session, or of its bus, is waited for: its owner may be stopped.
constexpr Millis team_patience{10'000};

}  // namespace baton::cli
