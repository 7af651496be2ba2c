#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fault.h"
#include "config/config.h"
#include "journal/sqlite_journal.h"

namespace baton::cli {

/// The exit codes of cli.md.
enum Exit : int {
  exit_done = 0,
  exit_failed = 1,
  exit_refused = 2,
  exit_waiting = 3,
  exit_paused = 4,
  exit_cancelled = 5,
  exit_parked = 75,
};

/// Options that every verb takes.
struct Common {
  std::string directory;  ///< -C
  std::string state_dir;  ///< --state-dir
  std::string color = "auto";
  bool quiet = false;
  int verbose = 0;
  bool json = false;
  std::vector<std::string> sets;  ///< --set
};

/// The project a command works on: its root, its settings, its journal.
class Project {
 public:
  /// Finds the root upwards from the working directory (after -C). Reads no file but the configuration's.
  static std::expected<Project, Faults> open(const Common& common);

  [[nodiscard]] const std::string& root() const { return root_; }
  [[nodiscard]] const std::string& state_dir() const { return state_dir_; }
  [[nodiscard]] const Config& config() const { return config_; }
  [[nodiscard]] const Common& common() const { return common_; }
  /// The configuration under a run's recorded settings; what this command line says anew counts more.
  [[nodiscard]] std::expected<Config, Faults> config_with(const std::vector<std::string>& recorded) const;

  /// The folder of the runs' worktrees, absolute: `git.worktree_path`, else in the state folder.
  [[nodiscard]] std::string worktrees() const;

  /// For reading only; a project without runs is a fault `journal-missing`.
  [[nodiscard]] Expected<std::unique_ptr<SqliteJournal>> journal_to_read() const;
  /// The same for whoever looks for a run of that name: where there are no runs, a fault `unknown-run`.
  [[nodiscard]] Expected<std::unique_ptr<SqliteJournal>> journal_with(const std::string& run) const;
  /// Makes the state folder (0700) and the journal if there are none.
  [[nodiscard]] Expected<std::unique_ptr<SqliteJournal>> journal_to_write() const;

  /// The folder for what this project keeps: private, and no business of a repository's. One that is there is left as
  /// it is.
  static Status make_state_folder(const std::string& path);

  /// `path` relative to the root where it lies beneath it, for people to read.
  [[nodiscard]] std::string shown(const std::string& path) const;

 private:
  Common common_;
  std::string root_;
  std::string state_dir_;
  Config config_;
};

/// RUN of cli.md: an id, a unique prefix of one, or `last`. Faults: unknown-run, ambiguous-run.
Expected<std::string> resolve_run(Journal& journal, std::string_view name);

/// Prints faults on stderr, as text or as JSON lines.
void print(const Common& common, const Faults& faults);
void print(const Common& common, const Fault& fault);

/// True if colours and signs that move may be used on this descriptor.
bool use_color(const Common& common, int fd);

}  // namespace baton::cli
