#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/verbs.h"

namespace baton::cli {

/// What `team` takes beside a run's terms.
struct TeamOptions {
  std::string session;
  std::string action;              ///< empty: begin, or go on
  std::vector<std::string> words;  ///< TASK of retry and skip, FILE of extend
  std::string role;
  std::string task;
  std::string kind;
  std::optional<int> attempt;
  std::string id;
  std::string message;
  std::string data;  ///< a JSON object
  std::string severity;
  std::string from;
  std::string to;
  std::string type;
  std::size_t last = 20;
};

/// One operation on a team session, then stop.
int team_verb(const Common& common, const TeamOptions& options, const RunOptions& terms);

/// `run` of a team session: all of it, in the foreground.
int run_team(Project project, const RunOptions& options);

/// `check` and `plan` of a team session: its faults, and the plan if it has no errors.
std::expected<Plan, Faults> team_definition(const Project& project, const std::string& target, Faults& warnings);

/// `mcp --team`: the calls of a team's workers as tools, by JSON-RPC over standard input and output.
int mcp_verb(const Common& common, const std::string& session);

}  // namespace baton::cli
