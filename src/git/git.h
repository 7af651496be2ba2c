#pragma once

#include <memory>
#include <string>
#include <string_view>
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

/// Git in one folder. Runs no hooks, asks nothing, opens no editor, signs nothing and speaks English; what the
/// environment says of another repository (GIT_DIR and its like) does not count.
class Git {
 public:
  /// `env` (NAME=VALUE) goes to every command.
  explicit Git(std::string folder, std::vector<std::string> env = {})
      : folder_{std::move(folder)}, env_{std::move(env)} {}

  [[nodiscard]] const std::string& folder() const { return folder_; }
  /// The same in another folder.
  [[nodiscard]] Git in(const std::string& folder) const;
  /// The same with further environment.
  [[nodiscard]] Git with(const std::vector<std::string>& env) const;
  /// The same, where every command keeps this descriptor open too: a lock held by it stays until the last one is gone,
  /// also if we are killed meanwhile. `killed` becomes true where a command ends with git-killed.
  [[nodiscard]] Git holding(int fd, std::shared_ptr<bool> killed = {}) const;
  /// Faults: git-missing (it cannot be started), git-killed (it, or a git it started, was ended by a signal: how far it
  /// came nobody knows), git-failed (nobody can tell how it ended). What git itself refuses is in the output.
  [[nodiscard]] Expected<Output> run(const std::vector<std::string>& args) const;
  [[nodiscard]] Expected<Output> run(const std::vector<std::string>& args, const std::string& input) const;
  /// With further environment, NAME=VALUE.
  [[nodiscard]] Expected<Output> run(const std::vector<std::string>& args, const std::string& input,
                                     const std::vector<std::string>& env) const;
  /// What it printed, whole; a fault `git-failed` with git's own words if it did not end well.
  [[nodiscard]] Expected<std::string> must(const std::vector<std::string>& args) const;
  /// True if it ended with 0, false if with 1; anything else is `git-failed`. For questions like `diff --quiet`.
  [[nodiscard]] Expected<bool> holds(const std::vector<std::string>& args) const;
  /// The commit that `revision` stands for; "" if there is none, which only a git that says so is believed.
  [[nodiscard]] Expected<std::string> commit_of(const std::string& revision) const;

 private:
  std::string folder_;
  std::vector<std::string> env_;
  struct Held {
    int fd;
    std::shared_ptr<bool> killed;  ///< nobody asks where it is null
  };
  std::vector<Held> held_;
};

/// The parts of a list that `-z` separates.
std::vector<std::string> zero_separated(std::string_view text);

/// A fault `git-failed` in git's own words, or `git-locked` if a lock kept it from its work.
Fault git_failed(const std::vector<std::string>& args, const Output& output);

/// True if how far git came is not known. What is safe to do again may be done again.
inline bool is_killed(const Fault& fault) { return fault.code == "git-killed"; }

/// Does `work`, and does it again if git was killed under its hands, a few times at most.
/// REQUIRES: it may be done again from wherever it was cut off.
template <class Work>
auto again_if_killed(const Work& work) {
  constexpr int tries_max = 4;
  auto done = work();
  for (int tries = 1; !done && is_killed(done.error()) && tries < tries_max; ++tries) done = work();
  return done;
}

}  // namespace baton::git
