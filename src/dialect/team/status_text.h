#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/run.h"
#include "dialect/team/team.h"

namespace baton::team {

/// A task as it is shown.
struct TaskLine {
  enum class State : std::uint8_t { done, running, pending, failed, left_out, not_created };

  std::string id;
  std::string role;
  State state = State::pending;
  std::vector<std::string> needs = {};
  std::string note = {};             ///< why it failed, or what it waits for a person for
  std::optional<Time> started = {};  ///< of the worker at work
  bool leads_loop = false;
  std::size_t loop_done = 0;
  std::size_t loop_total = 0;
  std::vector<std::string> artifacts = {};  ///< those that are there, without their folder
};

/// A team session as it is shown.
struct TeamView {
  std::string folder;
  std::vector<std::string> roles;
  std::vector<TaskLine> tasks;
  Millis duration{0};
  std::string stopped = {};  ///< why the run stands still; empty: it does not
  RunState state = RunState::running;
  bool has_run = false;

  [[nodiscard]] std::size_t done() const;
  [[nodiscard]] std::size_t running() const;
  /// All is done or was left out: also what is in the analysis and not in the run.
  [[nodiscard]] bool is_whole() const;
  /// Tasks that may start now.
  [[nodiscard]] std::vector<const TaskLine*> ready() const;
};

/// Tasks of the run as its record has them; of tasks that it does not have yet, that they are not created.
/// `exists`: whether an artifact is there, by its path from the session's folder.
TeamView view_of(const Run& run, const Team& team, Time now, const std::function<bool(const std::string&)>& exists);
/// The same where there is no run yet.
TeamView view_of(const Team& team, const std::function<bool(const std::string&)>& exists);

/// The status with its graph, every line tagged.
std::string status_text(const TeamView& view, Time now);

/// The banner of a pipeline that is complete.
std::string banner(const TeamView& view);

/// Nothing runs, nothing may start, and not all is done: what waits for what.
std::string stall_text(const TeamView& view);

/// What a person can do next, as commands.
std::string next_commands(const TeamView& view, const std::string& session);

/// The first lines that say something of a discussion or of wisdom: `- NAME: line`.
std::string summary_line(const std::string& name, std::string_view text);

}  // namespace baton::team
