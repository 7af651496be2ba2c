#include "git/landing/merge.h"

#include <fmt/core.h>

#include <string_view>
#include <vector>

#include "base/text.h"

namespace baton::git {
namespace {

using Strategy = LandOrder::Strategy;

/// Who signs: the user as git knows them, or Baton where it knows nobody.
Expected<std::vector<std::string>> identity(const SteadyGit& git) {
  std::vector<std::string> env;
  for (const char* role : {"AUTHOR", "COMMITTER"}) {
    const auto known = git.run({"var", fmt::format("GIT_{}_IDENT", role)});
    if (!known) return std::unexpected(known.error());
    if (known->ok()) continue;
    env.push_back(fmt::format("GIT_{}_NAME=Baton", role));
    env.push_back(fmt::format("GIT_{}_EMAIL=baton@localhost", role));
  }
  return env;
}

std::unexpected<Fault> conflict(const LandOrder& order, std::string_view listed, bool only_rebase) {
  constexpr std::size_t named_max = 10;
  std::vector<std::string> paths;
  for (const std::string_view path : split(listed, '\0')) {
    if (!path.empty()) paths.push_back(printable(path));
  }
  const std::size_t all = paths.size();
  if (all > named_max) paths.resize(named_max);
  const std::string more = all > named_max ? fmt::format(" and {} more", all - named_max) : "";
  return fault(
      "accept-conflict",
      fmt::format("{} and {} changed the same places: {}{}", order.branch, order.target, join(paths, ", "), more),
      fmt::format(
          "nothing was changed; in {}/{} do 'git merge {}', settle the conflicts and commit, then 'baton accept {}' "
          "again; {}or 'baton reject {}'",
          order.trees, order.run, order.target, order.run,
          only_rebase ? "or accept with --set git.merge=squash, which has no conflict; " : "", order.run));
}

/// A working tree for one merge, gone when that is over.
class MergingTree {
 public:
  static Expected<MergingTree> make(const Site& site, const std::string& path, const std::string& commit) {
    // A crash may have left one.
    if (Status gone = site.remove_tree(path); !gone) return std::unexpected(gone.error());
    const auto made = site.git().must({"worktree", "add", "--quiet", "--force", "--detach", path, commit});
    if (!made) {
      (void)site.remove_tree(path);
      return std::unexpected(made.error());
    }
    return MergingTree{site, path};
  }

  MergingTree(MergingTree&& other) noexcept : site_{other.site_}, git_{std::move(other.git_)}, made_{other.made_} {
    other.made_ = false;
  }
  MergingTree& operator=(MergingTree&&) = delete;
  MergingTree(const MergingTree&) = delete;
  MergingTree& operator=(const MergingTree&) = delete;
  ~MergingTree() {
    if (made_) (void)site_.remove_tree(git_.folder());  // if it cannot: the next landing removes it
  }

  [[nodiscard]] const SteadyGit& git() const { return git_; }
  [[nodiscard]] Expected<std::string> conflicts() const {
    return git_.must({"diff", "--name-only", "--diff-filter=U", "-z"});
  }

 private:
  MergingTree(const Site& site, const std::string& path) : site_{site}, git_{site.git().in(path)} {}

  const Site& site_;
  SteadyGit git_;
  bool made_ = true;
};

/// What a merge or rebase that did not end well comes to.
std::unexpected<Fault> broken_off(const MergingTree& tree, const LandOrder& order, const std::string& command,
                                  const Output& output) {
  const auto paths = tree.conflicts();
  if (!paths) return std::unexpected(paths.error());
  if (paths->empty()) return std::unexpected(git_failed({command}, output));
  return conflict(order, *paths, command == "rebase");
}

class Maker {
 public:
  Maker(const Site& site, const LandOrder& order, const MergeEnds& ends, std::vector<std::string> identity)
      : site_{site}, order_{order}, ends_{ends}, identity_{std::move(identity)} {}

  Expected<std::optional<std::string>> make() {
    const auto ahead = site_.is_ancestor(ends_.onto, ends_.tip);
    if (!ahead) return std::unexpected(ahead.error());
    if (*ahead) return without_merging();
    const auto begin = anchor();
    if (!begin) return std::unexpected(begin.error());
    auto tree = MergingTree::make(site_, merging_tree(order_), *begin);
    if (!tree) return std::unexpected(tree.error());
    if (order_.at) order_.at(LandPhase::tree_made);
    const auto merged = merge_in(*tree);
    if (!merged) return std::unexpected(merged.error());
    const auto changed = differs(*merged);
    if (!changed) return std::unexpected(changed.error());
    if (!*changed) return std::nullopt;
    return order_.strategy == Strategy::rebase ? rebase_in(*tree, *merged) : commit(*merged);
  }

 private:
  /// The target stands where the branch began, or is part of it: the branch's own tree is the merge.
  Expected<std::optional<std::string>> without_merging() {
    const auto tree = tree_of(ends_.tip);
    if (!tree) return std::unexpected(tree.error());
    const auto changed = differs(*tree);
    if (!changed) return std::unexpected(changed.error());
    if (!*changed) return std::nullopt;
    if (order_.strategy == Strategy::rebase) return ends_.tip;
    return commit(*tree);
  }

  /// What the branch is merged into: the target, or a stand-in that knows what was landed of the branch before.
  [[nodiscard]] Expected<std::string> anchor() const {
    if (ends_.landed.empty()) return ends_.onto;
    const auto tree = tree_of(ends_.onto);
    if (!tree) return std::unexpected(tree.error());
    const auto made = commit_tree(*tree, {ends_.onto, ends_.landed}, "Landed before");
    if (!made) return std::unexpected(made.error());
    return **made;
  }

  [[nodiscard]] Expected<std::string> tree_of(const std::string& commit) const {
    const auto tree = site_.git().must({"rev-parse", "--verify", commit + "^{tree}"});
    if (!tree) return std::unexpected(tree.error());
    return std::string{trim(*tree)};
  }

  [[nodiscard]] Expected<bool> differs(const std::string& tree) const {
    const auto onto = tree_of(ends_.onto);
    if (!onto) return std::unexpected(onto.error());
    return *onto != tree;
  }

  /// The tree of target and branch together.
  [[nodiscard]] Expected<std::string> merge_in(const MergingTree& tree) const {
    const auto merged =
        tree.git().run({"merge", "--quiet", "--no-ff", "--no-commit", "--no-stat", ends_.tip}, {}, identity_);
    if (!merged) return std::unexpected(merged.error());
    if (!merged->ok()) return broken_off(tree, order_, "merge", *merged);
    const auto written = tree.git().must({"write-tree"});
    if (!written) return std::unexpected(written.error());
    return std::string{trim(*written)};
  }

  [[nodiscard]] Expected<std::optional<std::string>> rebase_in(const MergingTree& tree,
                                                               const std::string& merged) const {
    const auto there = tree.git().must({"checkout", "--quiet", "--force", "--detach", ends_.tip});
    if (!there) return std::unexpected(there.error());
    const std::string& since = ends_.landed.empty() ? ends_.onto : ends_.landed;
    const auto rebased = tree.git().run(
        {"rebase", "--quiet", "--no-fork-point", "--no-stat", "--onto", ends_.onto, since}, {}, identity_);
    if (!rebased) return std::unexpected(rebased.error());
    if (!rebased->ok()) return broken_off(tree, order_, "rebase", *rebased);
    const auto head = tree.git().must({"rev-parse", "--verify", "HEAD"});
    if (!head) return std::unexpected(head.error());
    std::string tip{trim(*head)};
    const auto came_to = tree_of(tip);
    if (!came_to) return std::unexpected(came_to.error());
    if (*came_to == merged) return tip;
    // A rebase leaves out merges, and with them what was settled in them. It is not to be lost.
    return commit_tree(merged, {tip}, fmt::format("Settle {} on {}", order_.branch, order_.target));
  }

  [[nodiscard]] Expected<std::optional<std::string>> commit(const std::string& tree) const {
    std::vector<std::string> parents{ends_.onto};
    if (order_.strategy == Strategy::merge) parents.push_back(ends_.tip);
    return commit_tree(tree, parents, order_.message.empty() ? fmt::format("Merge {}", order_.branch) : order_.message);
  }

  [[nodiscard]] Expected<std::optional<std::string>> commit_tree(const std::string& tree,
                                                                 const std::vector<std::string>& parents,
                                                                 const std::string& message) const {
    std::vector<std::string> args{"commit-tree", tree};
    for (const std::string& parent : parents) args.insert(args.end(), {"-p", parent});
    args.insert(args.end(), {"-F", "-"});
    const auto made = site_.git().must(args, message.ends_with('\n') ? message : message + "\n", identity_);
    if (!made) return std::unexpected(made.error());
    return std::string{trim(*made)};
  }

  const Site& site_;
  const LandOrder& order_;
  const MergeEnds& ends_;
  std::vector<std::string> identity_;
};

}  // namespace

std::string merging_tree(const LandOrder& order) { return fmt::format("{}/{}--_landing", order.trees, order.run); }

Expected<std::optional<std::string>> make_landing_commit(const Site& site, const LandOrder& order,
                                                         const MergeEnds& ends) {
  auto env = identity(site.git());
  if (!env) return std::unexpected(env.error());
  return Maker{site, order, ends, std::move(*env)}.make();
}

}  // namespace baton::git
