#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fault.h"
#include "base/time.h"

namespace baton::team {

/// A role as the session's register has it.
struct RoleEntry {
  std::string name;
  std::string prefix;
  std::string file;  ///< as it is written: role_spec, else role_file; may be empty
  bool is_spec = false;
  std::string responsibility;
  std::optional<bool> inner_loop = {};
};

/// A worker that was at work when the file was written, as far as its entry says.
struct ActiveWorker {
  std::string task;
  std::string role;
  std::string worker_id;
  std::optional<int> pid = {};
  std::optional<Time> started = {};
};

/// What team-session.json says.
struct TeamFile {
  std::string id;
  std::string description;
  std::string status;
  std::string team_name;
  std::string completion_action = "interactive";
  std::vector<RoleEntry> roles;
  std::vector<ActiveWorker> workers;
  std::vector<std::string> completed;
  std::optional<Time> created = {};
};

/// The file and everything that is wrong with it, in the order of the checks.
struct TeamFileRead {
  std::optional<TeamFile> file;  ///< nothing if it is no JSON object
  Faults faults;
};

/// `file`: its path, for the places of faults. Codes: team-file-corrupt, team-field-missing.
TeamFileRead read_team_file(std::string_view text, const std::string& file);

/// What every refusal of a session ends with.
extern const char* const rerun_hint;

}  // namespace baton::team
