// Taking away what prepare() made.
#include <fmt/core.h>

#include <filesystem>
#include <set>

#include "git/git.h"
#include "git/stale_locks.h"
#include "git/survey.h"
#include "git/tree.h"
#include "git/tree_mark.h"
#include "git/tree_open.h"
#include "git/worktrees.h"

namespace baton::git {
namespace {

namespace fs = std::filesystem;

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
    auto list = lock_worktrees(fs::path{path}.parent_path().string());
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

Status remove_now(const std::string& root, const std::string& tree) {
  // A repository that is gone or broken keeps nobody from taking our own folder away.
  const auto common = look_for_repository(root);
  return remove_folder(real_path(tree), common ? *common : "");
}

}  // namespace

Status remove(const std::string& root, const std::string& tree) {
  return again_if_killed([&] { return remove_now(root, tree); });
}

Status remove_all(const std::string& root, const std::string& worktrees, const std::string& run) {
  Status first;
  for (const std::string& name : trees_of(worktrees, run)) {
    auto removed = remove(root, fmt::format("{}/{}", worktrees, name));
    if (!removed && first) first = removed;
  }
  return first;
}

}  // namespace baton::git
