#include "git/landing/site.h"

#include <fmt/core.h>

#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "git/tree_open.h"
#include "git/worktrees.h"

namespace baton::git {
namespace {

namespace fs = std::filesystem;

/// What a user may have set for daily work and would make a landing sign, stash, move other branches, or reach into
/// submodules.
const std::vector<std::string> landing_settings =
    {
        "commit.gpgSign=false",   "merge.autoStash=false",     "merge.verifySignatures=false",
        "rebase.autoStash=false", "rebase.autoSquash=false",   "rebase.updateRefs=false",
        "rerere.enabled=false",   "i18n.commitEncoding=UTF-8", "submodule.recurse=false",
        "core.quotePath=false",   "core.fsync=committed",  // a ref must not reach the disk before what it names
};

/// The folder a linked working tree's `.git` file names.
std::string linked_git_dir(const std::string& tree) {
  std::ifstream in{tree + "/.git"};
  std::string line;
  if (!std::getline(in, line) || !line.starts_with("gitdir: ")) return {};
  return (fs::path{tree} / line.substr(8)).lexically_normal().string();
}

WorkTree read_work_tree(const std::vector<std::string_view>& lines) {
  WorkTree tree;
  for (const std::string_view line : lines) {
    if (line.starts_with("worktree ")) tree.path = line.substr(9);
    if (line.starts_with("branch ")) tree.branch = line.substr(7);
    if (line == "bare") tree.bare = true;
    if (line.starts_with("locked")) tree.locked = true;
  }
  return tree;
}

}  // namespace

bool is_there(const std::string& path) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(path, ignored));
}

Expected<Output> SteadyGit::run(const std::vector<std::string>& args, const std::string& input,
                                const std::vector<std::string>& env) const {
  std::vector<std::string> all;
  for (const std::string& setting : landing_settings) all.insert(all.end(), {"-c", setting});
  all.insert(all.end(), args.begin(), args.end());
  return git_.run(all, input, env);
}

Expected<std::string> SteadyGit::must(const std::vector<std::string>& args, const std::string& input,
                                      const std::vector<std::string>& env) const {
  auto output = run(args, input, env);
  if (!output) return std::unexpected(output.error());
  if (!output->ok()) return std::unexpected(git_failed(args, *output));
  return std::move(output->out);
}

Expected<Site> Site::open(const std::string& root) {
  SteadyGit git{root};
  const auto common = git.must({"rev-parse", "--path-format=absolute", "--git-common-dir"});
  if (!common) return std::unexpected(common.error());
  const auto own = git.must({"rev-parse", "--path-format=absolute", "--git-dir"});
  if (!own) return std::unexpected(own.error());
  return Site{std::move(git), std::string{trim(*common)}, std::string{trim(*own)}};
}

Status Site::hold(LandingLock& lock) {
  git_ = git_.holding(lock.descriptor(), lock.git_was_killed());
  lock_ = &lock;
  return lock.note(ref_locks({}));
}

Expected<std::optional<std::string>> Site::tip(const std::string& ref) const {
  const auto output = git_.run({"rev-parse", "--verify", "--quiet", ref + "^{commit}"});
  if (!output) return std::unexpected(output.error());
  if (output->exit > 1) return std::unexpected(git_failed({"rev-parse"}, *output));
  if (!output->ok()) return std::nullopt;
  return output->line();
}

Expected<std::string> Site::ref_of(const std::string& branch) const {
  std::string ref = "refs/heads/" + branch;
  for (int hops = 0; hops < 5; ++hops) {
    const auto behind = git_.run({"symbolic-ref", "--quiet", ref});
    if (!behind) return std::unexpected(behind.error());
    if (!behind->ok() || !behind->line().starts_with("refs/")) break;
    ref = behind->line();
  }
  return ref;
}

Expected<bool> Site::is_ancestor(const std::string& older, const std::string& younger) const {
  const auto output = git_.run({"merge-base", "--is-ancestor", older, younger});
  if (!output) return std::unexpected(output.error());
  if (output->exit > 1) return std::unexpected(git_failed({"merge-base"}, *output));
  return output->ok();
}

Expected<std::vector<WorkTree>> Site::work_trees() const {
  const auto listed = git_.must({"worktree", "list", "--porcelain", "-z"});
  if (!listed) return std::unexpected(listed.error());
  std::vector<WorkTree> trees;
  std::vector<std::string_view> lines;
  for (const std::string_view line : split(*listed, '\0')) {
    if (!line.empty()) {
      lines.push_back(line);
    } else if (!lines.empty()) {
      trees.push_back(read_work_tree(std::exchange(lines, {})));
    }
  }
  for (WorkTree& tree : trees) {
    const bool is_main = &tree == &trees.front();
    if (is_main && !tree.bare && !is_there(tree.path + "/.git")) {
      // A repository that lies apart from its files: git names the repository. Ours may be the tree that belongs to it.
      const auto own = git_.run({"rev-parse", "--path-format=absolute", "--git-dir", "--show-toplevel"});
      if (own && own->ok() && own->line() == common_dir_) tree.path = trim(own->out.substr(own->out.find('\n') + 1));
    }
    tree.git_dir = is_main ? common_dir_ : linked_git_dir(tree.path);
    tree.there = is_there(tree.path + "/.git") && !tree.git_dir.empty();
  }
  return trees;
}

std::vector<LeftLock> Site::ref_locks(const std::vector<RefMove>& moves) const {
  // Deletions lock and rewrite the list of packed refs, also those of refs of its own, as at the end of a rebase. A
  // branch that is checked out has its HEAD's log written.
  std::vector<LeftLock> locks{{packed_refs_lock(common_dir_)},
                              {common_dir_ + "/packed-refs.new", std::string{anything_at_all}},
                              {git_dir_ + "/HEAD.lock"}};
  for (const RefMove& move : moves) {
    locks.push_back({.path = fmt::format("{}/{}.lock", common_dir_, move.ref), .writes = move.to});
  }
  return locks;
}

Status Site::move_refs(const std::vector<RefMove>& moves, const std::string& why) const {
  if (moves.empty()) return {};
  std::string script = "start\n";
  for (const RefMove& move : moves) {
    script += move.to.empty() ? fmt::format("delete {}", move.ref) : fmt::format("update {} {}", move.ref, move.to);
    script += move.from.empty() ? "\n" : fmt::format(" {}\n", move.from);
  }
  script += "prepare\ncommit\n";
  if (lock_ != nullptr) {
    if (Status noted = lock_->note(ref_locks(moves)); !noted) return noted;
  }
  const auto done = git_.must({"update-ref", "-m", why, "--stdin"}, script);
  if (!done) return std::unexpected(done.error());
  return {};
}

Status Site::remove_tree(const std::string& path) const {
  const std::string tree = real_path(path);
  // Moved aside first: half a tree is never taken for one whose files somebody deleted. And its record last, which
  // leads whoever comes after a kill here again.
  if (Status gone = delete_tree(tree); !gone) return gone;
  std::error_code error;
  fs::remove(tree, error);  // a file or a link of that name
  if (is_there(tree)) return fault("file-failed", fmt::format("cannot remove {}: {}", path, error.message()));
  std::vector<std::string> records = unfinished_records(common_dir_, tree);
  if (std::string record = record_of(common_dir_, tree); !record.empty()) records.push_back(std::move(record));
  for (const std::string& record : records) {
    if (Status gone = forget(record); !gone) return gone;
  }
  return {};
}

}  // namespace baton::git
