#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "git/git.h"
#include "git/landing/lock.h"

namespace baton::git {

/// Git in one folder, without those settings of the user that would change what a landing does.
class SteadyGit {
 public:
  explicit SteadyGit(std::string folder) : git_{std::move(folder)} {}

  /// The same in another folder. What is held stays held.
  [[nodiscard]] SteadyGit in(const std::string& folder) const { return SteadyGit{git_.in(folder)}; }
  /// As Git::holding().
  [[nodiscard]] SteadyGit holding(int fd, std::shared_ptr<bool> killed) const {
    return SteadyGit{git_.holding(fd, std::move(killed))};
  }
  [[nodiscard]] const std::string& folder() const { return git_.folder(); }
  [[nodiscard]] Expected<Output> run(const std::vector<std::string>& args, const std::string& input = {},
                                     const std::vector<std::string>& env = {}) const;
  /// What it printed; a fault as of git_failed() if it did not end well.
  [[nodiscard]] Expected<std::string> must(const std::vector<std::string>& args, const std::string& input = {},
                                           const std::vector<std::string>& env = {}) const;

 private:
  explicit SteadyGit(Git git) : git_{std::move(git)} {}

  Git git_;
};

/// True if there is something, be it a link into nowhere.
bool is_there(const std::string& path);

/// One line of a transaction on refs.
struct RefMove {
  std::string ref;
  std::string to;         ///< empty: the ref goes
  std::string from = {};  ///< what it must be now; empty: whatever it is
};

/// A working tree as git knows it.
struct WorkTree {
  std::string path;
  std::string branch;   ///< the full name; empty: detached
  std::string git_dir;  ///< its own part of the repository; empty if it cannot be found
  bool bare = false;
  bool locked = false;
  bool there = false;  ///< its folder exists
};

/// The repository a project is in.
class Site {
 public:
  static Expected<Site> open(const std::string& root);

  /// Every git from now on keeps the lock open too, so that nobody else lands while one lives that outlived us; and
  /// which locks it may take is noted in it. REQUIRES: the lock lives as long as the site is used. Faults: file-failed.
  [[nodiscard]] Status hold(LandingLock& lock);

  [[nodiscard]] const SteadyGit& git() const { return git_; }
  /// What all its working trees share.
  [[nodiscard]] const std::string& common_dir() const { return common_dir_; }

  /// The commit a full ref name stands for.
  [[nodiscard]] Expected<std::optional<std::string>> tip(const std::string& ref) const;
  /// The ref a branch stands for: itself, unless it is another name of one.
  [[nodiscard]] Expected<std::string> ref_of(const std::string& branch) const;
  [[nodiscard]] Expected<bool> is_ancestor(const std::string& older, const std::string& younger) const;
  [[nodiscard]] Expected<std::vector<WorkTree>> work_trees() const;
  /// All of them or none, but for a kill in their midst. Faults: git-locked, git-killed, git-failed.
  [[nodiscard]] Status move_refs(const std::vector<RefMove>& moves, const std::string& why) const;
  /// Takes a working tree away, whatever is in it and whether or not its folder is still there. A folder of that name
  /// which is no working tree of this repository goes too.
  [[nodiscard]] Status remove_tree(const std::string& path) const;

 private:
  /// What git may lock for these moves.
  [[nodiscard]] std::vector<LeftLock> ref_locks(const std::vector<RefMove>& moves) const;

  Site(SteadyGit git, std::string common_dir, std::string git_dir)
      : git_{std::move(git)}, common_dir_{std::move(common_dir)}, git_dir_{std::move(git_dir)} {}

  SteadyGit git_;
  std::string common_dir_;
  std::string git_dir_;  ///< of the working tree the project is in
  LandingLock* lock_ = nullptr;
};

}  // namespace baton::git
