#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include "base/ensure.h"
#include "base/text.h"
#include "git/land.h"
#include "git/landing/finish.h"
#include "git/landing/index.h"
#include "git/landing/site.h"
#include "git/tree.h"
#include "git/tree_mark.h"
#include "git/worktrees.h"

namespace baton::git {
namespace {

namespace fs = std::filesystem;

/// A linked working tree has a file where a repository has its folder.
bool has_link(const std::string& tree) {
  std::error_code ignored;
  return fs::is_regular_file(tree + "/.git", ignored);
}

/// A run's trees and branches on their way out, with everything in them kept beneath refs/baton/.
class Retirement {
 public:
  Retirement(const Site& site, const std::string& trees, const std::string& run, const std::string& branch,
             std::string keep)
      : site_{site}, trees_{trees}, run_{run}, branch_{"refs/heads/" + branch}, keep_{std::move(keep)} {}

  Status carry_out() {
    for (const auto step : {&Retirement::find, &Retirement::keep_branches, &Retirement::keep_leftovers,
                            &Retirement::remove_trees, &Retirement::remove_branches}) {
      if (Status done = (this->*step)(); !done) return done;
    }
    return {};
  }

 private:
  struct Branch {
    std::string ref;
    std::string tip;
    std::string kept;  ///< the ref that keeps it
  };

  /// RUN or RUN--SLUG.
  [[nodiscard]] bool is_name(std::string_view name) const { return name == run_ || name.starts_with(run_ + "--"); }

  /// Those that lie there, whatever git knows of them.
  [[nodiscard]] std::vector<std::string> folders() const {
    std::vector<std::string> found;
    std::error_code error;
    for (fs::directory_iterator it{trees_, error}, end; !error && it != end; it.increment(error)) {
      const bool is_folder = fs::is_directory(it->symlink_status(error));
      if (is_folder && is_name(it->path().filename().string())) found.push_back(it->path().string());
    }
    return found;
  }

  /// Git's list. Of a project that was moved it still has the trees where they were, until it is told.
  [[nodiscard]] Expected<std::vector<WorkTree>> work_trees() const {
    auto listed = site_.work_trees();
    if (!listed) return listed;
    std::vector<std::string> repair{"worktree", "repair"};
    const std::size_t words = repair.size();
    for (const std::string& folder : folders()) {
      std::error_code error;
      const bool is_known =
          std::ranges::any_of(*listed, [&](const WorkTree& tree) { return real_path(tree.path) == real_path(folder); });
      if (!is_known && fs::is_regular_file(folder + "/.git", error)) repair.push_back(folder);
    }
    if (repair.size() == words) return listed;
    // What cannot be repaired stays what it was.
    if (const auto done = site_.git().run(repair); !done) return std::unexpected(done.error());
    return site_.work_trees();
  }

  Status find() {
    const auto listed = work_trees();
    if (!listed) return std::unexpected(listed.error());
    const fs::path ours = fs::path{real_path(trees_ + "/" + run_)}.parent_path();
    for (const WorkTree& tree : *listed) {
      const fs::path path = real_path(tree.path);
      if (path.parent_path() == ours && is_name(path.filename().string())) {
        trees_found_.insert(tree.path);
      } else {
        in_use_.insert(tree.branch);
      }
    }
    for (const std::string& folder : folders()) trees_found_.insert(folder);
    const auto refs = site_.git().must({"for-each-ref", "--format=%(refname) %(objectname)", branch_, branch_ + "--*"});
    if (!refs) return std::unexpected(refs.error());
    for (const std::string_view line : split(*refs, '\n')) {
      const auto blank = line.find(' ');
      if (blank == std::string_view::npos) continue;
      const std::string ref{line.substr(0, blank)};
      branches_.push_back(
          {.ref = ref, .tip = std::string{line.substr(blank + 1)}, .kept = keep_ + run_ + ref.substr(branch_.size())});
    }
    return {};
  }

  Status keep_branches() {
    std::vector<RefMove> moves;
    moves.reserve(branches_.size());
    for (const Branch& branch : branches_) moves.push_back({.ref = branch.kept, .to = branch.tip});
    return site_.move_refs(moves, "baton: keep");
  }

  /// What is in a tree and on no branch.
  Status keep_leftovers() {
    for (const std::string& path : trees_found_) {
      const SteadyGit tree = site_.git().in(path);
      // Without a link of its own, git would take the folder for part of the user's checkout around it.
      const auto top = tree.run({"rev-parse", "--show-toplevel"});
      if (!top) return std::unexpected(top.error());
      if (!top->ok() || !has_link(path) || real_path(top->line()) != real_path(path)) continue;
      const auto leftover = snapshot(tree, path);
      if (!leftover) return std::unexpected(leftover.error());
      if (leftover->empty()) continue;
      const std::string kept = keep_ + fs::path{path}.filename().string() + "--leftover";
      if (Status done = site_.move_refs({{.ref = kept, .to = *leftover}}, "baton: keep"); !done) return done;
    }
    return {};
  }

  /// A commit with all that differs from HEAD, or HEAD itself if no branch of the run has it; empty if there is no
  /// need.
  [[nodiscard]] Expected<std::string> snapshot(const SteadyGit& tree, const std::string& path) const {
    const auto head = tree.run({"rev-parse", "--verify", "--quiet", "HEAD"});
    if (!head) return std::unexpected(head.error());
    const auto status = tree.run({"status", "--porcelain", "-z", "--untracked-files=all", "--ignore-submodules=dirty"});
    if (!status) return std::unexpected(status.error());
    if (!head->ok() || !status->ok()) return std::string{};
    if (status->out.empty()) {
      bool known = false;
      for (const Branch& branch : branches_) {
        const auto contained = site_.is_ancestor(head->line(), branch.tip);
        if (!contained) return std::unexpected(contained.error());
        known = known || *contained;
      }
      return known || path.ends_with("--_landing") || branches_.empty() ? std::string{} : head->line();
    }
    if (path.ends_with("--_landing")) return std::string{};
    return commit_all(tree, head->line());
  }

  /// With an index of our own: that of the tree may be locked by a git that was killed.
  [[nodiscard]] Expected<std::string> commit_all(const SteadyGit& tree, const std::string& head) const {
    const auto git_dir = tree.must({"rev-parse", "--absolute-git-dir"});
    if (!git_dir) return std::unexpected(git_dir.error());
    const std::string dir{trim(*git_dir)};
    const std::string index = dir + "/baton-index";
    std::error_code ignored;
    fs::remove(index + ".lock", ignored);
    copy_index(dir + "/index", index);
    const std::vector<std::string> env{"GIT_INDEX_FILE=" + index, "GIT_AUTHOR_NAME=Baton",
                                       "GIT_AUTHOR_EMAIL=baton@localhost", "GIT_COMMITTER_NAME=Baton",
                                       "GIT_COMMITTER_EMAIL=baton@localhost"};
    const auto added = tree.must({"add", "--all", "--", "."}, {}, env);
    if (!added) return std::unexpected(added.error());
    const auto written = tree.must({"write-tree"}, {}, env);
    if (!written) return std::unexpected(written.error());
    const auto made =
        tree.must({"commit-tree", std::string{trim(*written)}, "-p", head, "-m", "What was not committed"}, {}, env);
    if (!made) return std::unexpected(made.error());
    return std::string{trim(*made)};
  }

  /// What prepare() made goes as it came, by its mark: moved aside first, so that, cut off in the midst of it, half a
  /// tree is not taken for one whose files somebody deleted.
  Status remove_trees() {
    std::error_code error;
    for (const std::string& path : trees_found_) {
      if (fs::exists(mark_path(path), error)) continue;
      if (Status gone = site_.remove_tree(path); !gone) return gone;
    }
    for (const std::string& record : unfinished_records(site_.common_dir())) {
      if (!is_name(fs::path{record}.filename().string())) continue;
      if (Status gone = forget(record); !gone) return gone;
    }
    Status gone = remove_all(site_.git().folder(), trees_, run_);
    // What lies in a tree's place and is not ours stays.
    if (!gone && gone.error().code == "tree-not-ours") return {};
    return gone;
  }

  Status remove_branches() {
    std::vector<RefMove> moves;
    for (const Branch& branch : branches_) {
      if (!in_use_.contains(branch.ref)) moves.push_back({.ref = branch.ref, .to = {}, .from = branch.tip});
    }
    return site_.move_refs(moves, "baton: tidy");
  }

  const Site& site_;
  const std::string& trees_;
  const std::string& run_;
  std::string branch_;
  std::string keep_;
  std::set<std::string> trees_found_;
  std::set<std::string> in_use_;
  std::vector<Branch> branches_;
};

/// Lets go of what is kept at these refs without need, because `holder` has it too.
Status forget_contained(const Site& site, const std::vector<std::string>& patterns, const std::string& holder) {
  std::vector<std::string> args{"for-each-ref", "--format=%(refname) %(objectname)", "--merged=" + holder};
  args.insert(args.end(), patterns.begin(), patterns.end());
  const auto refs = site.git().must(args);
  if (!refs) return std::unexpected(refs.error());
  std::vector<RefMove> moves;
  for (const std::string_view line : split(*refs, '\n')) {
    const auto blank = line.find(' ');
    if (blank == std::string_view::npos) continue;
    moves.push_back({.ref = std::string{line.substr(0, blank)}, .to = {}, .from = std::string{line.substr(blank + 1)}});
  }
  return site.move_refs(moves, "baton: tidy");
}

/// The target has what was merged; and the branch, where that is kept, its sub-tasks.
Status forget_accepted(const Site& site, const LandOrder& order) {
  const std::string kept = accepted_ref(order.run);
  const auto ref = site.ref_of(order.target);
  if (!ref) return std::unexpected(ref.error());
  const auto target = site.tip(*ref);
  if (!target) return std::unexpected(target.error());
  if (*target) {
    if (Status done = forget_contained(site, {kept, kept + "--*"}, **target); !done) return done;
  }
  const auto branch = site.tip(kept);
  if (!branch) return std::unexpected(branch.error());
  if (!*branch) return {};
  return forget_contained(site, {kept + "--*"}, **branch);
}

/// Does `work` in the repository while nobody else lands there. It may be done again if git is killed on the way.
Status alone_in(const std::string& root, const std::function<Status(const Site&)>& work) {
  return again_if_killed([&]() -> Status {
    auto site = Site::open(root);
    if (!site) return std::unexpected(site.error());
    auto lock = LandingLock::take(site->common_dir());
    if (!lock) return std::unexpected(lock.error());
    if (Status held = site->hold(*lock); !held) return std::unexpected(held.error());
    return work(*site);
  });
}

}  // namespace

Status tidy_after(const LandOrder& order) {
  BATON_ENSURE(is_id(order.run), "not the id of a run", order.run);
  return alone_in(order.root, [&](const Site& site) -> Status {
    Retirement retirement{site, order.trees, order.run, order.branch, "refs/baton/accepted/"};
    if (Status done = retirement.carry_out(); !done) return done;
    return forget_accepted(site, order);
  });
}

Status discard(const std::string& root, const std::string& trees, const std::string& run, const std::string& branch) {
  BATON_ENSURE(is_id(run), "not the id of a run", run);
  return alone_in(root, [&](const Site& site) -> Status {
    if (Status finished = finish_landings(site, trees, run); !finished) return finished;
    return Retirement{site, trees, run, branch, "refs/baton/rejected/"}.carry_out();
  });
}

}  // namespace baton::git
