#pragma once

#include <string>
#include <vector>

#include "base/fault.h"

namespace baton::git {

/// How a git command ended and what it printed.
struct Output {
  int exit = 0;
  std::string out;
  std::string err;

  [[nodiscard]] bool ok() const { return exit == 0; }
  /// The first line of what it printed, without blanks around it.
  [[nodiscard]] std::string line() const;
};

/// Git in one folder. Runs no hooks, asks nothing, opens no editor and speaks English; what the environment says of
/// another repository (GIT_DIR and its like) does not count.
class Git {
 public:
  explicit Git(std::string folder) : folder_{std::move(folder)} {}

  [[nodiscard]] const std::string& folder() const { return folder_; }
  /// Faults: git-missing (it cannot be started). What git itself refuses is in the output.
  [[nodiscard]] Expected<Output> run(const std::vector<std::string>& args) const;
  [[nodiscard]] Expected<Output> run(const std::vector<std::string>& args, const std::string& input) const;
  /// With further environment, NAME=VALUE.
  [[nodiscard]] Expected<Output> run(const std::vector<std::string>& args, const std::string& input,
                                     const std::vector<std::string>& env) const;
  /// What it printed, whole; a fault `git-failed` with git's own words if it did not end well.
  [[nodiscard]] Expected<std::string> must(const std::vector<std::string>& args) const;

 private:
  std::string folder_;
};

}  // namespace baton::git
