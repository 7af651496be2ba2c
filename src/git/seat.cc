#include "git/seat.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "git/worktrees.h"

namespace baton::git {
namespace {

namespace fs = std::filesystem;

/// Where a tree's HEAD is.
struct Seat {
  std::string ref;     ///< refs/heads/...; "" if on no branch
  std::string commit;  ///< "" if its branch has none

  [[nodiscard]] std::string shown() const {
    constexpr std::string_view heads = "refs/heads/";
    return ref.starts_with(heads) ? fmt::format("branch '{}'", ref.substr(heads.size()))
                                  : fmt::format("commit {}", commit.substr(0, 12));
  }
};

Expected<Seat> seat_of(const Git& git) {
  Seat seat;
  auto ref = git.run({"symbolic-ref", "--quiet", "HEAD"});
  if (!ref) return std::unexpected(ref.error());
  if (ref->ok()) seat.ref = ref->line();
  auto commit = git.commit_of("HEAD");
  if (!commit) return std::unexpected(commit.error());
  seat.commit = *commit;
  return seat;
}

Status do_all(const Git& git, const std::vector<std::vector<std::string>>& commands) {
  for (const auto& args : commands) {
    if (auto done = git.must(args); !done) return std::unexpected(done.error());
  }
  return {};
}

/// Where the tree was at last by its own record; "" if that says nothing, or something that is not there. Git itself
/// does not tell any more once the branch is gone.
Expected<std::string> last_commit(const OpenTree& tree) {
  const std::string log = small_file(tree.record + "/logs/HEAD");
  const auto lines = split(trim(log), '\n');
  const auto words = split(lines.back(), ' ');  // FROM TO WHO ...
  if (words.size() < 2) return std::string{};
  const bool to_nowhere = words[1].find_first_not_of('0') == std::string_view::npos;
  return tree.git.commit_of(std::string{words[to_nowhere ? 0 : 1]});
}

/// Somebody deleted the branch. Its commits are still known from the tree's own record.
Status restore_branch(const OpenTree& tree, const Seat& seat, std::vector<std::string>& notes) {
  const std::string ref = "refs/heads/" + tree.branch;
  std::string commit = tree.start;
  if (seat.ref == ref) {
    auto last = last_commit(tree);
    if (!last) return std::unexpected(last.error());
    if (!last->empty()) commit = *last;
  }
  notes.push_back(fmt::format("branch '{}' was gone; it is back at {}", tree.branch, commit.substr(0, 12)));
  return do_all(tree.git, {{"update-ref", ref, commit, std::string(commit.size(), '0')}});
}

/// True if the commit was made in this tree, and not only checked out there.
Expected<bool> was_made_here(const Git& git, const std::string& commit) {
  auto moves = git.run({"reflog", "-1000", "-z", "--format=%H %gs", "HEAD"});
  if (!moves) return std::unexpected(moves.error());
  return std::ranges::any_of(zero_separated(moves->out), [&](const std::string& move) {
    return move.starts_with(commit + " ") && !move.starts_with(commit + " checkout:");
  });
}

Expected<bool> is_kept_by_a_ref(const Git& git, const std::string& commit) {
  auto refs = git.must({"for-each-ref", "--count=1", "--contains", commit, "--format=%(refname)"});
  if (!refs) return std::unexpected(refs.error());
  return !trim(*refs).empty();
}

/// The commits on top of the branch become the branch's own. Neither index nor files change.
Status take_commits(const OpenTree& tree, const Seat& seat, const std::string& tip, std::vector<std::string>& notes) {
  const std::string ref = "refs/heads/" + tree.branch;
  if (seat.commit != tip) {
    notes.push_back(fmt::format("the commits made on {} were taken into '{}'", seat.shown(), tree.branch));
  }
  return do_all(tree.git, {{"update-ref", ref, seat.commit, tip}, {"symbolic-ref", "HEAD", ref}});
}

Status switch_back(const OpenTree& tree, const Seat& seat, std::vector<std::string>& notes) {
  auto switched = tree.git.run({"checkout", "--quiet", "--no-guess", "--ignore-other-worktrees", tree.branch, "--"});
  if (!switched) return std::unexpected(switched.error());
  if (!switched->ok()) {
    return fault("tree-elsewhere",
                 fmt::format("the worktree {} was left on {}, with changes that cannot come along to '{}': {}",
                             tree.path, seat.shown(), tree.branch, printable(trim(switched->err))),
                 fmt::format("commit or move them there, then 'git -C {} switch {}' and resume the run", tree.path,
                             tree.branch));
  }
  notes.push_back(fmt::format("the worktree was left on {}; it is back on '{}'", seat.shown(), tree.branch));
  return {};
}

Status come_back(const OpenTree& tree, const Seat& seat, std::vector<std::string>& notes) {
  const Git& git = tree.git;
  const auto elsewhere = other_place_of(tree.common, tree.branch, tree.path);
  if (elsewhere) return std::unexpected(branch_in_use(tree.branch, *elsewhere));
  auto tip = git.commit_of("refs/heads/" + tree.branch);
  if (!tip) return std::unexpected(tip.error());
  if (seat.commit.empty()) return switch_back(tree, seat, notes);
  auto on_top = git.holds({"merge-base", "--is-ancestor", *tip, seat.commit});
  if (!on_top) return std::unexpected(on_top.error());
  auto made_here = was_made_here(git, seat.commit);
  if (!made_here) return std::unexpected(made_here.error());
  if (seat.commit == *tip || (*on_top && *made_here)) return take_commits(tree, seat, *tip, notes);
  auto kept = is_kept_by_a_ref(git, seat.commit);
  if (!kept) return std::unexpected(kept.error());
  if (*kept) return switch_back(tree, seat, notes);
  return fault("commits-would-be-lost",
               fmt::format("the worktree {} was left on {}, which no branch has", tree.path, seat.shown()),
               fmt::format("keep it with 'git -C {} branch NAME', or merge it into '{}', and resume the run", tree.path,
                           tree.branch));
}

}  // namespace

Status return_to_branch(const OpenTree& tree, std::vector<std::string>& notes) {
  std::error_code error;
  for (const char* state : {"/rebase-merge", "/rebase-apply"}) {
    if (!fs::exists(tree.record + state, error)) continue;
    return fault("tree-in-rebase",
                 fmt::format("a rebase, or 'git am', was left in progress in the worktree {}", tree.path),
                 fmt::format("finish it ('git -C {} rebase --continue') or give it up ('--abort'), and resume the run",
                             tree.path));
  }
  auto seat = seat_of(tree.git);
  if (!seat) return std::unexpected(seat.error());
  const std::string ref = "refs/heads/" + tree.branch;
  auto tip = tree.git.commit_of(ref);
  if (!tip) return std::unexpected(tip.error());
  if (tip->empty()) {
    if (auto restored = restore_branch(tree, *seat, notes); !restored) return restored;
  }
  return seat->ref == ref ? Status{} : come_back(tree, *seat, notes);
}

}  // namespace baton::git
