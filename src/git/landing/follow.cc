#include "git/landing/follow.h"

#include <fmt/core.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "git/landing/index.h"
#include "git/worktrees.h"

namespace baton::git {
namespace {

namespace fs = std::filesystem;

/// The first few of them, for a message.
std::string named(const std::set<std::string>& paths) {
  constexpr std::size_t named_max = 10;
  std::string text;
  std::size_t n = 0;
  for (const std::string& path : paths) {
    if (n++ == named_max) return text + fmt::format(" and {} more", paths.size() - named_max);
    text += (text.empty() ? "" : ", ") + printable(path);
  }
  return text;
}

std::unexpected<Fault> would_overwrite(const Checkout& checkout, const TargetMove& move,
                                       const std::set<std::string>& paths) {
  return fault(
      "accept-would-overwrite",
      fmt::format("run {} changes what you have changed too, or have lying in its way, in {}: {}", move.run,
                  checkout.top, named(paths)),
      fmt::format("nothing was changed; commit, stash or move these there, then 'baton accept {}' again", move.run));
}

/// What git's refusal comes to. It names the files it stopped at in quotes.
std::unexpected<Fault> refused(const Checkout& checkout, const TargetMove& move, const Output& output) {
  std::set<std::string> paths;
  for (const std::string_view line : split(output.err, '\n')) {
    const auto first = line.find('\'');
    const auto last = line.rfind('\'');
    if (line.starts_with("error: ") && first < last && last != std::string_view::npos) {
      paths.emplace(line.substr(first + 1, last - first - 1));
    }
  }
  const bool is_refusal = output.err.find("Cannot merge") != std::string::npos ||
                          output.err.find("overwritten") != std::string::npos ||
                          output.err.find("would lose") != std::string::npos;
  if (is_refusal && !paths.empty()) return would_overwrite(checkout, move, paths);
  return std::unexpected(git_failed({"read-tree"}, output));
}

/// What the index has at every path; of an unmerged one nothing.
Expected<std::map<std::string, TreeEntry>> entries(const SteadyGit& tree, const std::vector<std::string>& env = {}) {
  const auto listed = tree.must({"ls-files", "--stage", "-z"}, {}, env);
  if (!listed) return std::unexpected(listed.error());
  std::map<std::string, TreeEntry> found;
  for (const std::string_view record : split(*listed, '\0')) {
    const auto tab = record.find('\t');
    if (tab == std::string_view::npos) continue;
    const std::vector<std::string_view> fields = split(record.substr(0, tab), ' ');
    if (fields.size() != 3 || fields[2] != "0") continue;
    found[std::string{record.substr(tab + 1)}] = {.mode = std::string{fields[0]}, .oid = std::string{fields[1]}};
  }
  return found;
}

TreeEntry entry_at(const std::map<std::string, TreeEntry>& entries, const std::string& path) {
  const auto it = entries.find(path);
  return it == entries.end() ? TreeEntry{} : it->second;
}

bool same(const TreeEntry& one, const TreeEntry& other) {
  return one.present() == other.present() && (!one.present() || one == other);
}

/// True if something that git could add by itself is there: no folder, nor beyond a link.
bool is_plain(const std::string& top, const std::string& path) {
  std::error_code ignored;
  for (auto at = path.find('/'); at != std::string::npos; at = path.find('/', at + 1)) {
    if (!fs::is_directory(fs::symlink_status(top + "/" + path.substr(0, at), ignored))) return false;
  }
  const fs::file_status status = fs::symlink_status(top + "/" + path, ignored);
  return fs::is_regular_file(status) || fs::is_symlink(status);
}

/// What the files of the changed paths would be in the index, found out with one of our own.
Expected<std::map<std::string, TreeEntry>> entries_on_disk(const Checkout& checkout, const TargetMove& move) {
  const ScratchIndex scratch{checkout};
  scratch.copy_from_checkout();
  std::string paths;
  for (const Change& change : move.changes) {
    if (is_plain(checkout.top, change.path)) paths += change.path + '\0';
  }
  const auto added = scratch.must({"update-index", "--add", "--replace", "-z", "--stdin"}, paths);
  if (!added) return std::unexpected(added.error());
  const auto found = entries(checkout.git, scratch.env());
  if (!found) return found;
  std::map<std::string, TreeEntry> changed;
  for (const Change& change : move.changes) {
    if (is_plain(checkout.top, change.path)) changed[change.path] = entry_at(*found, change.path);
  }
  return changed;
}

/// A line of `update-index --index-info`.
std::string index_info(const std::string& path, const TreeEntry& entry, std::size_t oid_size) {
  const std::string oid = entry.present() ? entry.oid : std::string(oid_size, '0');
  return fmt::format("{} {}\t{}", entry.present() ? entry.mode : "0", oid, path) + '\0';
}

/// True if a file of this size can be one that git was killed in the midst of. The system writes page by page, and a
/// kill comes between two: an edit of the user's, who took some lines from the end, hardly ever looks so.
bool is_cut_at_a_page(std::uintmax_t size) {
  constexpr std::uintmax_t page = 4096;
  return size % page == 0;
}

/// True if the file is the beginning of what git writes for the entry.
Expected<bool> is_beginning(const Checkout& checkout, const std::string& path, const TreeEntry& entry) {
  const std::string file = checkout.top + "/" + path;
  std::error_code error;
  if (!entry.mode.starts_with("100") || !fs::is_regular_file(fs::symlink_status(file, error))) return false;
  const std::uintmax_t size = fs::file_size(file, error);
  if (error || !is_cut_at_a_page(size)) return false;
  // As it comes onto the disk, line endings and filters of the user's included.
  const auto whole = checkout.git.run({"cat-file", "--filters", "--path=" + path, entry.oid});
  if (!whole) return std::unexpected(whole.error());
  return whole->ok() && size < whole->out.size() && whole->out.starts_with(small_file(file));
}

/// Git deletes a file, makes it anew and writes it: killed in between it leaves none, or the beginning of one. That is
/// nobody's work, all of it is in the commit, and it goes. REQUIRES: before the move, all these paths were clean.
Status clear_half_written(const Checkout& checkout, const TargetMove& move,
                          const std::map<std::string, TreeEntry>& indexed) {
  const auto on_disk = entries_on_disk(checkout, move);
  if (!on_disk) return std::unexpected(on_disk.error());
  for (const Change& change : move.changes) {
    const auto disk = on_disk->find(change.path);
    const TreeEntry index = entry_at(indexed, change.path);
    if (disk == on_disk->end() || (!same(index, change.before) && !same(index, change.after))) continue;
    if (same(disk->second, change.before) || same(disk->second, change.after)) continue;
    for (const TreeEntry& entry : {change.before, change.after}) {
      const auto begun = is_beginning(checkout, change.path, entry);
      if (!begun) return std::unexpected(begun.error());
      std::error_code ignored;
      if (*begun) fs::remove(checkout.top + "/" + change.path, ignored);
    }
  }
  return {};
}

/// A move that was broken off leaves files of either commit beside an index of the other. Such a file is no work of the
/// user's: the index is made to say what is there, so that git may take it further in either direction.
Status adopt(const Checkout& checkout, const TargetMove& move) {
  const auto indexed = entries(checkout.git);
  if (!indexed) return std::unexpected(indexed.error());
  if (Status cleared = clear_half_written(checkout, move, *indexed); !cleared) return cleared;
  const auto on_disk = entries_on_disk(checkout, move);
  if (!on_disk) return std::unexpected(on_disk.error());
  std::string script;
  for (const Change& change : move.changes) {
    const TreeEntry index = entry_at(*indexed, change.path);
    const TreeEntry disk = entry_at(*on_disk, change.path);
    const bool between = (same(index, change.before) && same(disk, change.after)) ||
                         (same(index, change.after) && same(disk, change.before));
    if (!between || change.before.is_submodule() || change.after.is_submodule()) continue;
    script += index_info(change.path, disk, change.before.oid.size());
  }
  if (script.empty()) return {};
  const auto done = with_index(checkout, move.run, {"update-index", "-z", "--index-info"}, script);
  if (!done) return std::unexpected(done.error());
  if (!done->ok()) return refused(checkout, move, *done);
  return {};
}

/// Git's own view of which files are as they were; without it a file that was only touched would count as changed.
Status refresh(const Checkout& checkout, const TargetMove& move) {
  const auto done = with_index(checkout, move.run, {"update-index", "-q", "--refresh"});
  if (!done) return std::unexpected(done.error());
  return {};  // that some files differ is no fault here
}

enum class Really { yes, only_ask };

/// Git's own way to take files and index from one tree to another and leave alone what is neither.
Status two_tree_merge(const Checkout& checkout, const TargetMove& move, const std::string& from, const std::string& to,
                      Really really = Really::yes) {
  std::vector<std::string> args{"read-tree", "-m", "-u"};
  if (really == Really::only_ask) args.emplace_back("-n");
  args.insert(args.end(), {from, to});
  const auto done = with_index(checkout, move.run, args);
  if (!done) return std::unexpected(done.error());
  if (!done->ok()) return refused(checkout, move, *done);
  return {};
}

/// The tree of `before` with those changes that the index has already, so that only the rest of the way is gone.
Expected<std::string> tree_so_far(const Checkout& checkout, const TargetMove& move,
                                  const std::map<std::string, TreeEntry>& indexed) {
  const ScratchIndex scratch{checkout};
  std::string script;
  for (const Change& change : move.changes) {
    if (!same(entry_at(indexed, change.path), change.after)) continue;
    script += index_info(change.path, change.after, change.before.oid.size());
  }
  if (script.empty()) return move.before;
  if (const auto read = scratch.must({"read-tree", move.before}); !read) return std::unexpected(read.error());
  const auto changed = scratch.must({"update-index", "-z", "--index-info"}, script);
  if (!changed) return std::unexpected(changed.error());
  const auto written = scratch.must({"write-tree"});
  if (!written) return std::unexpected(written.error());
  return std::string{trim(*written)};
}

/// Goes on, to either end, from wherever a move was broken off.
Status take_up(const Checkout& checkout, const TargetMove& move, bool back) {
  if (Status adopted = adopt(checkout, move); !adopted) return adopted;
  if (Status fresh = refresh(checkout, move); !fresh) return fresh;
  const auto indexed = entries(checkout.git);
  if (!indexed) return std::unexpected(indexed.error());
  std::set<std::string> ours;
  std::vector<Change> changes = move.changes;
  for (Change& change : changes) {
    if (indexed->contains(change.path)) ours.insert(change.path);
    if (back) std::swap(change.before, change.after);
  }
  const std::set<std::string> paths = in_the_way(checkout.top, changes, ours);
  if (!paths.empty()) return would_overwrite(checkout, move, paths);
  const auto from = tree_so_far(checkout, move, *indexed);
  if (!from) return std::unexpected(from.error());
  return two_tree_merge(checkout, move, *from, back ? move.before : move.after);
}

/// Files that are to change but are gone, and status does not say so: git was told not to look at them. In a sparse
/// checkout that is as it should be.
Expected<std::set<std::string>> taken_away(const Checkout& checkout, const TargetMove& move) {
  std::set<std::string> found;
  for (const Change& change : move.changes) {
    const bool is_file = change.before.present() && !change.before.is_submodule() && change.after.present();
    if (is_file && !is_there(checkout.top + "/" + change.path)) found.insert(change.path);
  }
  if (found.empty()) return found;
  const auto sparse = checkout.git.run({"config", "--type=bool", "core.sparseCheckout"});
  if (!sparse) return std::unexpected(sparse.error());
  return sparse->line() == "true" ? std::set<std::string>{} : found;
}

std::string first_line_of(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return {};
  std::string text(4096, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return std::string{trim(text.substr(0, text.find('\n')))};
}

/// What is under way in a working tree that has, or will have again, the branch.
std::string work_under_way(const WorkTree& tree, const std::string& target, const std::string& ref) {
  const std::string at = tree.git_dir + "/";
  for (const char* state : {"rebase-merge", "rebase-apply"}) {
    if (is_there(at + state) && (tree.branch == ref || first_line_of(at + state + "/head-name") == ref))
      return "rebase";
  }
  if (is_there(at + "BISECT_LOG") && (tree.branch == ref || first_line_of(at + "BISECT_START") == target)) {
    return "bisect";
  }
  if (tree.branch != ref) return {};
  if (is_there(at + "MERGE_HEAD")) return "merge";
  if (is_there(at + "CHERRY_PICK_HEAD")) return "cherry-pick";
  if (is_there(at + "REVERT_HEAD")) return "revert";
  return is_there(at + "sequencer") ? "cherry-pick" : "";
}

}  // namespace

Expected<std::vector<Checkout>> checkouts_of(const Site& site, const std::string& run, const std::string& target,
                                             const std::string& ref, std::vector<std::string>& notes) {
  const auto trees = site.work_trees();
  if (!trees) return std::unexpected(trees.error());
  std::vector<Checkout> found;
  for (const WorkTree& tree : *trees) {
    if (tree.bare) continue;
    if (!tree.there) {
      if (tree.branch != ref) continue;
      if (tree.locked) {
        return fault(
            "accept-checkout-busy",
            fmt::format("{} is checked out in {}, which is locked and not there now", target, tree.path),
            fmt::format("nothing was changed; bring it back, or 'git worktree unlock' and 'git worktree prune', "
                        "then 'baton accept {}' again",
                        run));
      }
      notes.push_back(fmt::format("{} has {} checked out, but is gone", tree.path, target));
      continue;
    }
    const std::string under_way = work_under_way(tree, target, ref);
    if (!under_way.empty()) {
      return fault("accept-checkout-busy", fmt::format("a {} of {} is under way in {}", under_way, target, tree.path),
                   fmt::format("nothing was changed; finish or abort it there, then 'baton accept {}' again", run));
    }
    if (tree.branch != ref) continue;
    if (const Status free = wait_for_index(tree.git_dir, run); !free) return std::unexpected(free.error());
    found.push_back({.top = tree.path, .git_dir = tree.git_dir, .git = site.git().in(tree.path)});
  }
  return found;
}

Status can_follow(const Checkout& checkout, const TargetMove& move) {
  const auto unsaved = unsaved_in(checkout.git);
  if (!unsaved) return std::unexpected(unsaved.error());
  if (!unsaved->unmerged.empty()) {
    return fault("accept-checkout-busy",
                 fmt::format("{} has unmerged files: {}", checkout.top, named(unsaved->unmerged)),
                 fmt::format("nothing was changed; settle them there, then 'baton accept {}' again", move.run));
  }
  std::set<std::string> paths = touched(move.changes, unsaved->paths);
  paths.merge(in_the_way(checkout.top, move.changes));
  auto away = taken_away(checkout, move);
  if (!away) return std::unexpected(away.error());
  paths.merge(std::move(*away));
  if (!paths.empty()) return would_overwrite(checkout, move, paths);
  if (Status fresh = refresh(checkout, move); !fresh) return fresh;
  // What status does not show: files that git was told not to look at.
  return two_tree_merge(checkout, move, move.before, move.after, Really::only_ask);
}

Status follow(const Checkout& checkout, const TargetMove& move) {
  // Who has switched to another branch since is not to be followed any more.
  const auto head = checkout.git.run({"symbolic-ref", "--quiet", "HEAD"});
  if (!head) return std::unexpected(head.error());
  if (head->line() != move.ref && head->line() != "refs/heads/" + move.target) return {};
  if (Status fresh = refresh(checkout, move); !fresh) return fresh;
  // Git would keep an untracked file, but not an ignored one that came since.
  const std::set<std::string> paths = in_the_way(checkout.top, move.changes);
  if (!paths.empty()) return would_overwrite(checkout, move, paths);
  return two_tree_merge(checkout, move, move.before, move.after);
}

Status follow_again(const Checkout& checkout, const TargetMove& move) { return take_up(checkout, move, false); }

Status step_back(const Checkout& checkout, const TargetMove& move) {
  if (Status back = take_up(checkout, move, true); !back) return back;
  // Files that git had taken away to write them anew.
  std::string missing;
  for (const Change& change : move.changes) {
    const bool is_file = change.before.present() && !change.before.is_submodule();
    if (is_file && !is_there(checkout.top + "/" + change.path)) {
      missing += change.path + '\0';
    }
  }
  if (missing.empty()) return {};
  const auto done = with_index(checkout, move.run, {"checkout-index", "-q", "-u", "-z", "--stdin"}, missing);
  if (!done) return std::unexpected(done.error());
  return {};
}

}  // namespace baton::git
