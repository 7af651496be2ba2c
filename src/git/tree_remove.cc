// Taking away what prepare() made.
#include <fmt/core.h>

#include <filesystem>
#include <set>

#include "base/text.h"
#include "git/landing/lock.h"
#include "git/stale_locks.h"
#include "git/survey.h"
#include "git/tree.h"
#include "git/tree_mark.h"
#include "git/tree_open.h"
#include "git/worktrees.h"

namespace baton::git {
namespace {

namespace fs = std::filesystem;

Expected<bool> is_there(const Git& git, const std::string& branch) {
  return git.holds({"show-ref", "--verify", "--quiet", "refs/heads/" + branch});
}

Status delete_branch_of_ours(const std::string& root, const std::string& common, const std::string& tree,
                             const std::string& branch) {
  if (!branch.starts_with("baton/")) {
    return fault("tree-not-ours", fmt::format("branch '{}' is none that Baton made", branch), "delete it yourself");
  }
  const Git git{root};
  auto there = is_there(git, branch);
  if (!there) return std::unexpected(there.error());
  if (!*there) return {};
  const auto elsewhere = other_place_of(common, branch, {});
  if (elsewhere) return std::unexpected(branch_in_use(branch, *elsewhere));
  std::vector<std::string> notes;
  if (auto freed = remove_stale_locks(tree, {branch_lock(common, branch)}, notes); !freed) return freed;
  auto lock = LandingLock::take(common);
  if (!lock) return std::unexpected(lock.error());
  if (Status noted = lock->note({{packed_refs_lock(common)}}); !noted) return noted;
  auto deleted = git.holding(lock->descriptor()).must({"update-ref", "-d", "refs/heads/" + branch});
  if (deleted) return {};
  // A git whose starter was killed may have been quicker.
  there = is_there(git, branch);
  return there && !*there ? Status{} : std::unexpected(deleted.error());
}

Status remove_folder(const std::string& path, const std::string& common) {
  std::error_code error;
  const bool there = fs::exists(fs::symlink_status(path, error));
  if (!fs::exists(fs::symlink_status(mark_path(path), error))) {
    if (!there) return {};
    return fault("tree-not-ours", fmt::format("{} is no worktree that Baton made", path),
                 "only what Baton made does it commit to or remove");
  }
  auto mark = TreeMark::take(path);
  if (!mark) return std::unexpected(mark.error());
  // A mark of a tree that was never begun: whatever is there now is somebody else's.
  if (mark->stage() == TreeMark::Stage::none || (there && !fs::is_directory(fs::symlink_status(path, error)))) {
    return there ? std::unexpected(in_the_way(path)) : Status{};
  }
  if (mark->stage() == TreeMark::Stage::making) {
    if (auto alone = wait_for_git(path); !alone) return alone;
  }
  if (auto deleted = delete_tree(path); !deleted) return deleted;
  if (!common.empty()) {
    auto list = FolderLock::take(fs::path{path}.parent_path().string());
    if (!list) return std::unexpected(list.error());
    const std::string record = record_of(common, path);
    if (!record.empty()) {
      if (auto forgotten = forget(record); !forgotten) return forgotten;
    }
    for (const std::string& unfinished : unfinished_records(common, path)) {
      if (auto forgotten = forget(unfinished); !forgotten) return forgotten;
    }
  }
  return mark->set(TreeMark::Stage::none);
}

/// Names of a run's trees, of which a folder or just a mark is left.
std::set<std::string> trees_of(const std::string& worktrees, const std::string& run) {
  std::set<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it{worktrees, error}, end; !error && it != end; it.increment(error)) {
    std::string name = it->path().filename().string();
    constexpr std::string_view ending = ".tree";
    if (name.starts_with('.') && name.ends_with(ending)) name = name.substr(1, name.size() - 1 - ending.size());
    if (name == run || name.starts_with(run + "--")) names.insert(std::move(name));
  }
  return names;
}

Status remove_now(const std::string& root, const std::string& tree, const std::string& branch, bool delete_branch) {
  // A repository that is gone or broken keeps nobody from taking our own folder away.
  const auto common = look_for_repository(root);
  const bool in_git = common && !common->empty();
  if (auto removed = remove_folder(real_path(tree), in_git ? *common : ""); !removed) return removed;
  return delete_branch && in_git ? delete_branch_of_ours(root, *common, real_path(tree), branch) : Status{};
}

}  // namespace

Status remove(const std::string& root, const std::string& tree, const std::string& branch, bool delete_branch) {
  return again_if_killed([&] { return remove_now(root, tree, branch, delete_branch); });
}

Status remove_all(const std::string& root, const std::string& worktrees, const std::string& run, bool delete_branches) {
  Status first;
  for (const std::string& name : trees_of(worktrees, run)) {
    auto removed = remove(root, fmt::format("{}/{}", worktrees, name), "baton/" + name, delete_branches);
    if (!removed && first) first = removed;
  }
  return first;
}

}  // namespace baton::git
