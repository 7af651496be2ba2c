#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dialect/team/analysis.h"
#include "dialect/team/role.h"
#include "dialect/team/team_file.h"

namespace baton::team {

/// A session whose files were found good: every task has a role that is there, and nobody waits in a circle.
struct Team {
  std::string folder;  ///< the session's, from the project's
  TeamFile file;
  std::vector<Role> roles;
  std::vector<Task> tasks;  ///< with their role's name, and with a word on the inner loop
  std::vector<Capability> capabilities;

  [[nodiscard]] const Task* find(std::string_view id) const;
};

/// What there is in a session's folder, as text.
struct TeamTexts {
  bool is_folder = false;
  std::optional<std::string> session = {};
  std::optional<std::string> analysis = {};
  bool has_roles = false;                              ///< a folder roles/
  bool has_specs = false;                              ///< a folder role-specs/
  std::map<std::string, std::string> role_files = {};  ///< `roles/NAME.md` and `role-specs/NAME.md` by these paths
};

struct TeamRead {
  Team team;  ///< as much of it as could be read
  Faults faults;

  [[nodiscard]] bool is_good() const { return !has_errors(faults); }
};

/// Validates a session: all that is wrong with it at once, in the order in which it is looked at. Nothing is repaired.
/// `folder`: from the project's; `shown`: as the user named it.
TeamRead read_team(const TeamTexts& texts, const std::string& folder, const std::string& shown);

/// Some role does not have its file, here and now. For runs that go on. Code: role-file-missing.
Fault role_missing(const Role& role);

/// The tasks with their roles and needs looked over. Codes: task-without-role, unknown-dependency (a warning),
/// dependency-cycle. `loop_roles`: see Analysis.
std::vector<Task> settled(std::vector<Task> tasks, const std::vector<Role>& roles,
                          const std::vector<std::string>& loop_roles, const std::string& file, Faults& faults);

}  // namespace baton::team
