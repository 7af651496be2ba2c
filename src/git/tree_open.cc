#include "git/tree_open.h"

#include <string.h>

#include <fmt/core.h>

#include <filesystem>
#include <set>

#include "git/stale_locks.h"
#include "git/worktrees.h"
#include "io/files.h"

namespace baton::git {
namespace {

namespace fs = std::filesystem;

bool is_folder(const std::string& path) {
  std::error_code error;
  return fs::is_directory(fs::symlink_status(path, error));
}

bool holds_only(const std::string& folder, const std::string& name) {
  std::error_code error;
  fs::directory_iterator it{folder, error};
  return !error && it != fs::directory_iterator{} && it->path().filename() == name &&
         it.increment(error) == fs::directory_iterator{} && !error;
}

/// The record of a tree that is there; made anew where somebody deleted it ('git worktree prune' while it was away).
Expected<std::string> record_for(const std::string& path, const TreeMark& mark, std::vector<std::string>& notes) {
  std::string record = record_of(mark.common(), path);
  const Link link = link_of(path, record);
  if (link == Link::elsewhere) {
    return fault("tree-broken", fmt::format("{}/.git does not lead to the project's repository any more", path),
                 fmt::format("move {0}/.git away; Baton writes the right one when the run is resumed", path));
  }
  if (!record.empty()) {
    if (link == Link::right) return record;
    notes.push_back(fmt::format("{}/.git was missing; it is back", path));
    auto wrote = write_link(path, record);
    if (!wrote) return std::unexpected(wrote.error());
    return record;
  }
  notes.push_back("git had forgotten the worktree; it knows it again, its files are untouched");
  return write_record(mark.common(), path, mark.branch());
}

/// The files are as they were; only what git knew of them is gone.
Status read_index_anew(const OpenTree& tree) {
  std::error_code error;
  if (fs::exists(tree.record + "/index", error)) return {};
  auto head = tree.git.commit_of("HEAD");
  if (!head) return std::unexpected(head.error());
  if (head->empty()) return {};
  auto read = tree.git.must({"read-tree", *head});
  if (!read) return std::unexpected(read.error());
  return {};
}

/// Git commits a merge first and then forgets that there was one. Killed in between, it would commit it once more.
Status forget_concluded_merge(const OpenTree& tree) {
  std::error_code error;
  const auto is_there = [&](const char* name) { return fs::exists(tree.record + "/" + name, error); };
  auto other = tree.git.commit_of("MERGE_HEAD");
  if (!other) return std::unexpected(other.error());
  if (other->empty() && (is_there("AUTO_MERGE") || is_there("MERGE_MSG"))) {
    // Conflicts are open of what leaves no word of a merge: of `git stash pop`, of `git merge --squash`.
    auto unmerged = tree.git.must({"ls-files", "--unmerged"});
    if (!unmerged) return std::unexpected(unmerged.error());
    if (!unmerged->empty()) return {};
  }
  auto has_it = other->empty() ? Expected<bool>{!is_there("CHERRY_PICK_HEAD") && !is_there("REVERT_HEAD") &&
                                                !is_there("sequencer") && is_there("MERGE_MSG")}
                               : tree.git.holds({"merge-base", "--is-ancestor", *other, "HEAD"});
  if (!has_it) return std::unexpected(has_it.error());
  if (!*has_it) {
    // What a merge wrote of itself goes last, and alone it stands for nothing.
    const bool is_at_other_work = is_there("CHERRY_PICK_HEAD") || is_there("REVERT_HEAD") || is_there("sequencer") ||
                                  is_there("rebase-merge") || is_there("rebase-apply");
    if (other->empty() && !is_at_other_work) {
      fs::remove(tree.record + "/AUTO_MERGE", error);
    }
    return {};
  }
  auto quit = tree.git.must({"merge", "--quit"});
  if (!quit) return std::unexpected(quit.error());
  return {};
}

}  // namespace

Fault in_the_way(const std::string& path) {
  return {"tree-in-the-way", fmt::format("{} is there, but is no worktree that Baton made", path),
          "move it away and try again"};
}

Expected<OpenTree> open_tree(const std::string& path, const TreeMark& mark, std::vector<std::string>& notes) {
  auto record = record_for(path, mark, notes);
  if (!record) return std::unexpected(record.error());
  auto freed = remove_stale_locks(path, locks_of(*record, mark.common(), mark.branch()), notes);
  if (!freed) return std::unexpected(freed.error());
  OpenTree tree{path, *record, mark.common(), mark.branch(), mark.start(), mark.held_by(git_for(path, *record))};
  auto indexed = read_index_anew(tree);
  if (!indexed) return std::unexpected(indexed.error());
  auto back = return_to_branch(tree, notes);
  if (!back) return std::unexpected(back.error());
  auto forgotten = forget_concluded_merge(tree);
  if (!forgotten) return std::unexpected(forgotten.error());
  return tree;
}

Status clear_half_made(const std::string& path, const std::string& common) {
  std::error_code error;
  const std::string record = record_of(common, path);
  if (is_folder(path) && !fs::is_empty(path, error)) {
    // `worktree add` writes .git before any file: files without it are not from there.
    const Link link = link_of(path, record);
    const bool just_begun = link == Link::missing && holds_only(path, ".git");
    if (link != Link::right && link != Link::pruned && !just_begun) return std::unexpected(in_the_way(path));
    if (auto deleted = delete_tree(path); !deleted) return deleted;
  }
  if (is_folder(gone_path(path))) {
    if (auto deleted = delete_folder(gone_path(path)); !deleted) return deleted;
  }
  if (!record.empty()) {
    if (auto forgotten = forget(record); !forgotten) return forgotten;
  }
  for (const std::string& unfinished : unfinished_records(common, path)) {
    if (auto forgotten = forget(unfinished); !forgotten) return forgotten;
  }
  return {};
}

Status delete_tree(const std::string& path) {
  const std::string gone = gone_path(path);
  if (auto deleted = delete_folder(gone); !deleted) return deleted;
  if (!is_folder(path)) return {};
  if (const int error = move_file(path, gone); error != 0) {
    return fault("file-failed", fmt::format("cannot move {} away: {}", path, strerrordesc_np(error)));
  }
  return delete_folder(gone);
}

Expected<std::vector<std::string>> changed_since(const Git& git, const std::string& start) {
  std::set<std::string> names;
  for (const std::vector<std::string>& args :
       {std::vector<std::string>{"diff", "--name-only", "--no-ext-diff", "--ignore-submodules=dirty", "-z", start,
                                 "--"},
        std::vector<std::string>{"ls-files", "--others", "--exclude-standard", "-z"}}) {
    auto listed = git.must(args);
    if (!listed) return std::unexpected(listed.error());
    for (std::string& name : zero_separated(*listed)) names.insert(std::move(name));
  }
  std::vector<std::string> first;
  for (const std::string& name : names) {
    if (first.size() == names_max) break;
    first.push_back(name);
  }
  return first;
}

}  // namespace baton::git
