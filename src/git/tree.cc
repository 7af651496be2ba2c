#include "git/tree.h"

#include <fmt/core.h>

#include <filesystem>

#include "base/text.h"
#include "git/identity.h"
#include "git/include_files.h"
#include "git/staging.h"
#include "git/stale_locks.h"
#include "git/submodules.h"
#include "git/survey.h"
#include "git/tree_mark.h"
#include "git/tree_open.h"
#include "git/worktrees.h"

namespace baton::git {
namespace {

namespace fs = std::filesystem;

bool is_link(const std::string& path) {
  std::error_code error;
  return fs::is_symlink(fs::symlink_status(path, error));
}

/// True if something is there that is not just an empty folder.
bool holds_something(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (!fs::exists(status)) return false;
  return !fs::is_directory(status) || !fs::is_empty(path, error);
}

/// One call of prepare().
class Preparation {
 public:
  Preparation(const TreeOrder& order, std::string path, std::string common, TreeMark mark)
      : order_{order},
        path_{std::move(path)},
        common_{std::move(common)},
        mark_{std::move(mark)},
        user_{mark_.held_by(Git{order.root})} {}

  Expected<TreeState> run() {
    if (auto there = make_sure_it_is_there(); !there) return std::unexpected(there.error());
    auto tree = open_tree(path_, mark_, state_.notes);
    if (!tree) return std::unexpected(tree.error());
    if (auto merged = merge_all(*tree); !merged) return std::unexpected(merged.error());
    auto head = tree->git.commit_of("HEAD");
    if (!head) return std::unexpected(head.error());
    state_.head = *head;
    auto changed = changed_since(tree->git, start_);
    if (!changed) return std::unexpected(changed.error());
    state_.changed = std::move(*changed);
    return std::move(state_);
  }

 private:
  Status make_sure_it_is_there() {
    auto start = user_.commit_of(order_.start);
    if (!start) return std::unexpected(start.error());
    start_ = *start;
    if (start_.empty()) {
      return fault("git-commit-missing", fmt::format("there is no commit '{}' in the repository", order_.start),
                   "it may have been removed by 'git gc'; start a new run");
    }
    const auto elsewhere = other_place_of(common_, order_.branch, path_);
    if (elsewhere) return std::unexpected(branch_in_use(order_.branch, *elsewhere));
    if (is_link(path_)) return std::unexpected(in_the_way(path_));
    if (mark_.stage() == TreeMark::Stage::making) {
      if (auto alone = wait_for_git(path_); !alone) return alone;
      auto list = lock_worktrees(folder());
      if (!list) return std::unexpected(list.error());
      if (auto cleared = clear_half_made(path_, mark_.common()); !cleared) return cleared;
    }
    if (!holds_something(path_)) return make();
    if (!mark_.is_made() || mark_.branch() != order_.branch) return std::unexpected(in_the_way(path_));
    if (mark_.common() == common_) return {};
    mark_.about(order_.branch, common_, start_);  // the project was moved since
    return mark_.set(mark_.stage());
  }

  /// The folder is not there, or empty; the branch may be.
  Status make() {
    auto list = lock_worktrees(folder());
    if (!list) return std::unexpected(list.error());
    clear_other_half_made();
    if (auto cleared = forget_old_record(); !cleared) return cleared;
    mark_.about(order_.branch, common_, start_);
    if (auto marked = mark_.set(TreeMark::Stage::making); !marked) return marked;
    if (auto made = make_branch(); !made) return made;
    // Forced past records of the branch in places that are gone: one that is there was refused above.
    auto added =
        user_.holding(list->descriptor()).must({"worktree", "add", "--quiet", "--force", "--", path_, order_.branch});
    if (!added) return std::unexpected(added.error());
    auto top = user_.run({"rev-parse", "--show-toplevel"});
    if (!top) return std::unexpected(top.error());
    const std::string state = fs::path{folder()}.parent_path().string();
    if (top->ok()) {
      std::string folder = top->out;
      if (folder.ends_with('\n')) folder.pop_back();
      if (auto included = include_files(folder, state, path_, state_.notes); !included) return included;
    }
    check_out_submodules(path_, common_, record_of(common_, path_), state_.notes);
    return mark_.set(TreeMark::Stage::made);
  }

  [[nodiscard]] std::string folder() const { return fs::path{path_}.parent_path().string(); }

  /// Who holds the folder's lock is the only one that makes a tree: others in the making were left so. Git would
  /// stumble over what is left of them. One that cannot be cleared is its own step's concern.
  void clear_other_half_made() const {
    std::error_code error;
    for (fs::directory_iterator it{folder(), error}, end; !error && it != end; it.increment(error)) {
      const std::string name = it->path().filename().string();
      constexpr std::string_view ending = ".tree";
      if (!name.starts_with('.') || !name.ends_with(ending)) continue;
      const std::string tree = folder() + "/" + name.substr(1, name.size() - 1 - ending.size());
      if (tree == path_ || TreeMark::stage_at(it->path().string()) != TreeMark::Stage::making) continue;
      if (wait_for_git(tree)) (void)clear_half_made(tree, common_);
    }
  }

  /// Of a tree that somebody deleted by hand. Commits that only its record leads to must not go with it.
  Status forget_old_record() {
    const std::string record = record_of(common_, path_);
    if (record.empty()) return {};
    const Git git{common_, {"GIT_DIR=" + record}};
    auto head = git.commit_of("HEAD");
    if (!head && is_killed(head.error())) return std::unexpected(head.error());
    if (head && !head->empty()) {  // one that is damaged leads to nothing
      auto kept = git.must({"for-each-ref", "--count=1", "--contains", *head, "--format=%(refname)"});
      if (!kept) return std::unexpected(kept.error());
      if (trim(*kept).empty()) {
        return fault(
            "commits-would-be-lost",
            fmt::format("the worktree {} was deleted, and no branch has its commit {}", path_, *head),
            fmt::format("keep it with 'git branch NAME {}', or let it go with 'git worktree prune', and resume "
                        "the run",
                        head->substr(0, 12)));
      }
    }
    state_.notes.push_back(fmt::format("the worktree was gone; it was made anew from branch '{}'", order_.branch));
    return forget(record);
  }

  Status make_branch() {
    const std::string ref = "refs/heads/" + order_.branch;
    auto freed = remove_stale_locks(path_, {branch_lock(common_, order_.branch)}, state_.notes);
    if (!freed) return freed;
    auto there = user_.commit_of(ref);
    if (!there) return std::unexpected(there.error());
    if (!there->empty()) return {};
    auto made = user_.run({"update-ref", "-m", "branch: made by Baton", ref, start_, std::string(start_.size(), '0')});
    if (!made) return std::unexpected(made.error());
    if (made->ok()) return {};
    if (made->err.find("exists; cannot create") != std::string::npos) {
      return fault(
          "branch-name-taken",
          fmt::format("branch '{}' cannot be made beside another: {}", order_.branch, printable(trim(made->err))),
          "rename the branch that is in the way ('git branch -m OLD NEW')");
    }
    return std::unexpected(git_failed({"update-ref"}, *made));
  }

  Status merge_all(const OpenTree& tree) {
    if (auto undone = undo_cut_off_merge(tree.git); !undone) return undone;
    if (auto concluded = conclude_merge(tree); !concluded) return concluded;
    for (const std::string& branch : order_.merge) {
      if (state_.kind == TreeState::Kind::conflict) return {};
      auto other = tree.git.commit_of("refs/heads/" + branch);
      if (!other) return std::unexpected(other.error());
      if (other->empty()) {
        return fault("git-commit-missing", fmt::format("there is no branch '{}' to merge", branch),
                     "somebody deleted it; retry the step that made it");
      }
      auto has_it = tree.git.holds({"merge-base", "--is-ancestor", *other, "HEAD"});
      if (!has_it) return std::unexpected(has_it.error());
      if (*has_it) continue;
      if (auto merged = merge(tree.git, branch); !merged) return merged;
    }
    return {};
  }

  /// One of ours that was killed may have come any part of the way, and what it wrote looks like work. But nobody has
  /// worked in the tree since it began, and before that all was committed.
  Status undo_cut_off_merge(const Git& git) {
    if (mark_.stage() != TreeMark::Stage::merging) return {};
    if (auto dropped = drop_changes(git); !dropped) return dropped;
    state_.notes.emplace_back("a merge that was cut off was taken back, to be made again");
    return mark_.set(TreeMark::Stage::made);
  }

  /// A merge that an earlier call, or an agent, left in progress.
  Status conclude_merge(const OpenTree& tree) {
    const Git& git = tree.git;
    auto other = git.commit_of("MERGE_HEAD");
    if (!other) return std::unexpected(other.error());
    auto open = unresolved(git);
    if (!open) return std::unexpected(open.error());
    if (!open->empty()) return tell_conflict(git, *other, *open);
    if (other->empty()) return {};
    if (auto staged = stage_all(git, state_.notes); !staged) return staged;
    // Git's own words for it are missing where it was killed before it had written them.
    const bool has_words = !trim(small_file(tree.record + "/MERGE_MSG")).empty();
    return commit_staged(git, has_words ? std::string{} : fmt::format("Merge commit {}", *other));
  }

  Status tell_conflict(const Git& git, const std::string& other, const std::vector<std::string>& files) {
    state_.kind = TreeState::Kind::conflict;
    state_.conflicts = files;
    state_.with = other;
    for (const std::string& branch : order_.merge) {
      auto tip = git.commit_of("refs/heads/" + branch);
      if (!tip) return std::unexpected(tip.error());
      if (*tip == other) state_.with = branch;
    }
    return {};
  }

  Status merge(const Git& git, const std::string& branch) {
    auto who = identity(git);
    if (!who) return std::unexpected(who.error());
    const auto dashes = branch.rfind("--");
    const std::string name = dashes == std::string::npos ? branch : branch.substr(dashes + 2);
    // Work of an attempt that was killed, in no commit. It is kept as one, and from then on all such is the merge's.
    auto kept = commit_all(git, fmt::format("wip: found before merging sub-task {}", name), state_.notes);
    if (!kept) return std::unexpected(kept.error());
    if (*kept) state_.notes.emplace_back("changes that were in no commit were committed before the merge");
    const std::vector<std::string> args{"merge",
                                        "--quiet",
                                        "--no-ff",
                                        "--no-edit",
                                        "--no-stat",
                                        "--no-autostash",
                                        "--no-verify",
                                        "--no-verify-signatures",
                                        "--no-squash",
                                        "--commit",
                                        "-m",
                                        fmt::format("Merge sub-task {}", name),
                                        "refs/heads/" + branch};
    if (auto marked = mark_.set(TreeMark::Stage::merging); !marked) return marked;
    auto merged = git.run(args, {}, *who);
    if (!merged) return std::unexpected(merged.error());
    auto ended = merged->ok() ? Status{} : merge_stopped(git, args, *merged);
    // Whatever it came to, git has said so: from here on the tree is somebody's to work in.
    if (ended || !is_killed(ended.error())) {
      if (auto marked = mark_.set(TreeMark::Stage::made); !marked) return marked;
    }
    return ended;
  }

  /// Either it stands in the tree with its conflicts, or git refused it.
  Status merge_stopped(const Git& git, const std::vector<std::string>& args, const Output& merged) {
    auto other = git.commit_of("MERGE_HEAD");
    if (!other) return std::unexpected(other.error());
    if (other->empty()) return std::unexpected(git_failed(args, merged));
    auto open = unresolved(git);
    if (!open) return std::unexpected(open.error());
    if (!open->empty()) return tell_conflict(git, *other, *open);
    return commit_staged(git, {});
  }

  const TreeOrder& order_;
  std::string path_;
  std::string common_;
  std::string start_;
  TreeMark mark_;
  Git user_;  ///< from the user's checkout; only what does not touch it
  TreeState state_;
};

Expected<TreeState> prepare_now(const TreeOrder& order) {
  auto common = common_folder(order.root);
  if (!common) return std::unexpected(common.error());
  const std::string path = real_path(order.tree);
  std::error_code error;
  fs::create_directories(fs::path{path}.parent_path(), error);
  if (error) return fault("file-failed", fmt::format("cannot make the folder of {}: {}", path, error.message()));
  auto mark = TreeMark::take(path);
  if (!mark) return std::unexpected(mark.error());
  if (auto noted = mark->note_work(); !noted) return std::unexpected(noted.error());
  return Preparation{order, path, *common, std::move(*mark)}.run();
}

Expected<CommitState> commit_now(const std::string& tree, const std::string& message) {
  const std::string path = real_path(tree);
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (status.type() == fs::file_type::not_found) {
    return fault("tree-gone", fmt::format("the working tree {} is gone, and with it what was not committed", path),
                 "run the step again: the tree is made anew from its branch");
  }
  const bool there = fs::is_directory(status) && fs::exists(mark_path(path), error);
  const auto not_ours = [&] {
    return fault("tree-not-ours", fmt::format("{} is no worktree that Baton made", path),
                 "only what Baton made does it commit to or remove");
  };
  if (!there) return not_ours();
  auto mark = TreeMark::take(path);
  if (!mark) return std::unexpected(mark.error());
  if (!mark->is_made()) return not_ours();
  if (auto noted = mark->note_work(); !noted) return std::unexpected(noted.error());
  CommitState state;
  auto open = open_tree(path, *mark, state.notes);
  if (!open) return std::unexpected(open.error());
  auto conflicts = unresolved(open->git);
  if (!conflicts) return std::unexpected(conflicts.error());
  state.unresolved = std::move(*conflicts);
  if (!state.unresolved.empty()) return state;
  auto committed = commit_all(open->git, trim(message).empty() ? "work" : message, state.notes);
  if (!committed) return std::unexpected(committed.error());
  if (!*committed) return state;
  auto head = open->git.commit_of("HEAD");
  if (!head) return std::unexpected(head.error());
  state.commit = *head;
  auto files = open->git.must({"diff", "--name-only", "--no-ext-diff", "-z", "HEAD^1", "HEAD", "--"});
  if (!files) return std::unexpected(files.error());
  state.files = zero_separated(*files);
  if (state.files.size() > names_max) state.files.resize(names_max);
  return state;
}

}  // namespace

Expected<TreeState> prepare(const TreeOrder& order) {
  return again_if_killed([&] { return prepare_now(order); });
}

Expected<CommitState> commit(const std::string& tree, const std::string& message) {
  return again_if_killed([&] { return commit_now(tree, message); });
}

}  // namespace baton::git
