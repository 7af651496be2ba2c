#pragma once

#include <map>
#include <string>
#include <vector>

#include "git/land.h"
#include "support/scratch.h"

namespace baton::git::test {

/// All that a landing must not lose: files with their kinds and modes, index, refs, stash, and what git makes of it.
struct Picture {
  std::map<std::string, std::string> files;
  std::string index;
  std::string status;
  std::string refs;
  std::string stash;

  bool operator==(const Picture&) const = default;
};
void PrintTo(const Picture& picture, std::ostream* out);

/// A user's repository with a run's branch and tree in it, and a home of its own without any other settings.
class LandWorld {
 public:
  explicit LandWorld(std::string target = "main");
  ~LandWorld();
  LandWorld(const LandWorld&) = delete;
  LandWorld& operator=(const LandWorld&) = delete;

  [[nodiscard]] std::string repo() const { return scratch_.file("repo"); }
  [[nodiscard]] std::string trees() const { return repo() + "/.baton/worktrees"; }
  [[nodiscard]] std::string run_tree() const { return trees() + "/r1"; }
  [[nodiscard]] std::string file(const std::string& name) const { return repo() + "/" + name; }
  [[nodiscard]] std::string elsewhere(const std::string& name) const { return scratch_.file(name); }

  /// A shell's output; the test fails if it does not end well.
  std::string sh(const std::string& script) const { return sh_in(repo(), script); }
  std::string in_run(const std::string& script) const { return sh_in(run_tree(), script); }
  static std::string sh_in(const std::string& folder, const std::string& script);
  static bool succeeds(const std::string& folder, const std::string& script);

  /// A commit of all there is: in the run's tree, in the user's.
  void run_commits(const std::string& script) const;
  void user_commits(const std::string& script) const;
  /// One on the target that the user's checkout, on it, has as well.
  void move_target() const { user_commits("echo more >> moved.txt"); }

  /// The order for the run as it stands.
  [[nodiscard]] LandOrder order(LandOrder::Strategy strategy = LandOrder::Strategy::merge) const;
  [[nodiscard]] const std::string& base() const { return base_; }
  [[nodiscard]] const std::string& target() const { return target_; }

  [[nodiscard]] Picture picture() const { return picture_of(repo()); }
  static Picture picture_of(const std::string& tree);
  /// What a landing leaves besides its refs: no tree, no record, no lock, no index of its own.
  [[nodiscard]] std::vector<std::string> litter() const;
  /// The content of a file at a commit.
  [[nodiscard]] std::string at(const std::string& commit, const std::string& path) const;

 private:
  baton::test::Scratch scratch_;
  std::string target_;
  std::string base_;
  std::map<std::string, std::string> environment_;  // as it was
};

/// The landing in a process of its own that is killed when the phase is reached for the n-th time; true if it was.
bool land_until(LandOrder order, LandPhase phase, int times = 1);

}  // namespace baton::git::test
