#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fault.h"
#include "base/time.h"

namespace baton::team {

/// A task as the files of a session have it, from wherever in them.
struct Task {
  std::string id;
  std::string subject;
  std::string description;
  std::string role;  ///< as it is named; empty: by the prefix of its id
  std::vector<std::string> needs;
  std::vector<std::string> steps;
  std::vector<std::string> key_files;
  std::vector<std::string> upstream;
  std::vector<std::string> success_criteria;
  std::vector<std::string> constraints;
  std::vector<std::string> artifacts;  ///< declared: from the session's folder
  std::optional<bool> inner_loop = {};
  std::string status;                ///< as it is written; may be empty
  std::optional<Time> claimed = {};  ///< when somebody began it, if the file says so
};

/// What somebody in the team can do.
struct Capability {
  std::string name;
  std::string prefix;
  std::string role;
};

/// What task-analysis.json says.
struct Analysis {
  std::vector<Task> tasks;  ///< in the order of the file: `tasks`, then `capabilities`, then the graph
  std::vector<Capability> capabilities;
  std::vector<std::string> loop_roles;  ///< roles that it says have an inner loop
};

struct AnalysisRead {
  std::optional<Analysis> analysis;  ///< nothing if it is no JSON object
  Faults faults;
};

/// `graph`: the dependency graph that team-session.json has, as JSON, where the analysis has none; may be empty.
/// Codes: team-file-corrupt, team-field-missing, team-without-tasks, duplicate-task, bad-step-id, path-leaves-folder.
AnalysisRead read_analysis(std::string_view text, const std::string& file, std::string_view graph);

/// The graph in team-session.json (`pipeline.dependency_graph`), as JSON; empty if there is none.
std::string graph_of_session(std::string_view team_file);

/// The path of an artifact from the session's folder: `report.md` is `artifacts/report.md`. A fault if it leads out of
/// the session.
Expected<std::string> artifact_path(std::string_view named);

}  // namespace baton::team
