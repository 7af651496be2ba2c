#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fault.h"
#include "dialect/team/team_file.h"

namespace baton::team {

/// A role that workers are started for.
struct Role {
  std::string name;
  std::string prefix;  ///< of its tasks, without the hyphen
  std::vector<std::string> more_prefixes;
  std::string file;  ///< from the session's folder: `roles/NAME.md` or `role-specs/NAME.md`
  std::string responsibility;
  bool inner_loop = false;
  std::string success_type;  ///< of its message when a task is done: `draft_complete`
  std::string error_type;    ///< of its message when one is not
  bool is_there = true;      ///< its file
  std::string body;          ///< what a worker is told: the file without its front matter
};

struct RoleRead {
  Role role;
  Faults faults;
};

/// Where the role's file is, from the session's folder. `has_specs`: there is a folder role-specs/. `session_folder`:
/// the session's own, from the project's, as paths in the register may begin with it. Codes: bad-role-path.
Expected<std::string> role_path(const RoleEntry& entry, bool has_specs, const std::string& session_folder);

/// Reads a role's file. `place`: its path for the places of faults. Code: bad-role-file.
RoleRead read_role(const RoleEntry& entry, std::string_view text, const std::string& path, const std::string& place);

/// The role whose prefix the task's id begins with; the longest one counts. nullptr if there is none.
const Role* role_by_prefix(const std::vector<Role>& roles, std::string_view task);

const Role* find_role(const std::vector<Role>& roles, std::string_view name);

}  // namespace baton::team
