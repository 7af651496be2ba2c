#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "git/report.h"

namespace baton::cli {

/// A task of a session, for a held process of our own.
struct TaskToPrepare {
  std::string root;    ///< the project
  std::string folder;  ///< the session's, from there
  std::string id;
  std::string file;  ///< absolute; prepare: where the record of it is kept; commit: what the agent said last
};

/// `baton task prepare …` and `baton task commit …`.
std::vector<std::string> prepare_argv(const Project& project, const TaskToPrepare& task);
std::vector<std::string> commit_argv(const Project& project, const TaskToPrepare& task);

/// Carries out the steps of the task's preparation, one after the other, and keeps what they gave. What goes wrong with
/// them is in the record; only a record that cannot be kept is a fault.
git::TreeReport prepare_task(const Project& project, const TaskToPrepare& task);

/// The same without running anything: files are read, and every command stands as one that was not run.
Status rehearse_preparation(const TaskToPrepare& task);

/// A commit of what the task's summary (or else its agent's last words) names as changed, and of nothing else. What
/// goes wrong is a note: the work is done whether it is committed or not.
git::TreeReport commit_task(const TaskToPrepare& task);

}  // namespace baton::cli
