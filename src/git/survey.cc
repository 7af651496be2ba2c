#include "git/survey.h"

#include <stdlib.h>

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "git/git.h"
#include "git/worktrees.h"

namespace baton::git {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t named_branches_max = 10;  ///< in a fault's help

/// The folders into which the user lets git not climb. As git does it, links are resolved, up to an empty entry.
std::vector<fs::path> ceilings() {
  const char* said = ::getenv("GIT_CEILING_DIRECTORIES");
  std::vector<fs::path> found;
  bool resolved = true;
  for (const std::string_view entry : split(said == nullptr ? "" : said, ':')) {
    std::error_code error;
    if (entry.empty()) {
      resolved = false;
    } else if (entry.starts_with('/')) {
      const fs::path path = fs::path{entry}.lexically_normal();
      found.push_back(resolved ? fs::canonical(path, error) : path.has_filename() ? path : path.parent_path());
    }
  }
  return found;
}

/// A repository's folder, or the file that says where it is, in this folder or above. As git does, it looks no further
/// than to the edge of the folder's file system, and not into a ceiling unless it begins there.
std::optional<std::string> trace_of_git(const std::string& folder) {
  std::error_code error;
  struct stat begin{};
  if (::stat(folder.c_str(), &begin) != 0) return std::nullopt;
  const std::vector<fs::path> too_high = ceilings();
  const fs::path first = fs::canonical(folder, error);
  for (fs::path at = first;; at = at.parent_path()) {
    if (at != first && std::ranges::find(too_high, at) != too_high.end()) return std::nullopt;
    struct stat here{};
    if (::stat(at.c_str(), &here) != 0 || here.st_dev != begin.st_dev) return std::nullopt;
    const fs::path trace = at / ".git";
    const bool there = fs::is_regular_file(trace, error) || fs::is_symlink(fs::symlink_status(trace, error)) ||
                       (fs::is_directory(trace, error) && !fs::is_empty(trace, error));
    if (there) return trace.string();
    if (at == at.parent_path()) return std::nullopt;
  }
}

Fault broken(const std::string& where, std::string_view said) {
  return {"git-broken", fmt::format("the git repository at {} cannot be read: {}", where, printable(trim(said))),
          "mend it ('git fsck' shows what is wrong), or run with --isolation none"};
}

/// Why git says that there is no repository here; nullopt: because there is none.
std::optional<Fault> refusal(const std::string& root, const Output& said) {
  if (said.err.find("dubious ownership") != std::string::npos) {
    return Fault{"git-not-trusted", fmt::format("git refuses to work in {}: it belongs to another user", root),
                 fmt::format("git config --global --add safe.directory '{}', or run with --isolation none", root)};
  }
  const auto trace = trace_of_git(root);
  const bool none = said.err.find("not a git repository (") != std::string::npos;
  if (none && !trace) return std::nullopt;
  return broken(trace.value_or(root), said.err);
}

struct Branches {
  std::string checked_out;  ///< "" where HEAD is on none
  std::vector<std::string> all;

  [[nodiscard]] bool has(const std::string& name) const { return std::ranges::find(all, name) != all.end(); }
};

/// Answers where git says nothing as "".
Expected<std::string> asked(const Git& git, const std::vector<std::string>& args) {
  auto answer = git.run(args);
  if (!answer) return std::unexpected(answer.error());
  return answer->ok() ? answer->line() : std::string{};
}

std::string without(std::string_view prefix, const std::string& text) {
  return text.starts_with(prefix) ? text.substr(prefix.size()) : std::string{};
}

Expected<Branches> branches(const Git& git) {
  Branches found;
  auto head = asked(git, {"symbolic-ref", "--quiet", "HEAD"});
  if (!head) return std::unexpected(head.error());
  found.checked_out = without("refs/heads/", *head);
  auto listed = git.must({"for-each-ref", "--format=%(refname)", "refs/heads"});
  if (!listed) return std::unexpected(listed.error());
  for (const std::string_view line : split(*listed, '\n')) {
    const std::string name = without("refs/heads/", std::string{line});
    if (!name.empty()) found.all.push_back(name);
  }
  return found;
}

/// The default branch's name; "" where there is none to be found.
Expected<std::string> default_branch(const Git& git, const Branches& branches) {
  auto published = asked(git, {"symbolic-ref", "--quiet", "refs/remotes/origin/HEAD"});
  if (!published) return published;
  std::string theirs = without("refs/remotes/origin/", *published);
  if (branches.has(theirs)) return theirs;
  constexpr std::array usual{"main", "master", "trunk"};
  const auto is_usual = [&](const std::string& name) { return std::ranges::find(usual, name) != usual.end(); };
  if (is_usual(branches.checked_out) && branches.has(branches.checked_out)) return branches.checked_out;
  if (std::ranges::count_if(branches.all, is_usual) == 1) return *std::ranges::find_if(branches.all, is_usual);
  auto preferred = asked(git, {"config", "init.defaultBranch"});
  if (!preferred) return preferred;
  if (branches.has(*preferred)) return *preferred;
  return branches.has(branches.checked_out) ? branches.checked_out : std::string{};
}

Fault base_missing(const std::string& base, const Branches& branches) {
  const std::string near = nearest(base, branches.all);
  std::vector<std::string> shown = branches.all;
  if (shown.size() > named_branches_max) shown.resize(named_branches_max);
  std::string help = near.empty() ? "" : fmt::format("did you mean '{}'? ", near);
  help += shown.empty() ? "there are no branches" : fmt::format("branches: {}", join(shown, ", "));
  return {"git-base-missing", fmt::format("git.base is '{}', but no branch, tag or commit has this name", base), help};
}

Expected<std::string> branch_commit(const Git& git, const std::string& where, const std::string& branch) {
  auto commit = git.commit_of("refs/heads/" + branch);
  if (commit && commit->empty()) {
    return std::unexpected(broken(where, fmt::format("the commit of branch '{}' is not there", branch)));
  }
  return commit;
}

Status take_given_base(const Git& git, const std::string& base, const Branches& branches, Survey& survey) {
  if (branches.has(base)) {
    survey.base_branch = base;
    auto commit = branch_commit(git, survey.common, base);
    if (!commit) return std::unexpected(commit.error());
    survey.base_commit = *commit;
    return {};
  }
  auto commit = git.commit_of(base);
  if (!commit) return std::unexpected(commit.error());
  if (commit->empty()) return std::unexpected(base_missing(base, branches));
  survey.base_commit = *commit;
  survey.notes.push_back(
      fmt::format("git.base '{}' is no local branch: what the run makes has no branch to go to", base));
  return {};
}

Status take_head(const Git& git, const Branches& branches, Survey& survey) {
  auto head = git.commit_of("HEAD");
  if (!head) return std::unexpected(head.error());
  if (!head->empty()) {
    survey.base_commit = *head;
    survey.notes.push_back(fmt::format("HEAD is on no branch: work starts from commit {}", head->substr(0, 12)));
    return {};
  }
  if (branches.checked_out.empty()) return std::unexpected(broken(survey.common, "HEAD leads to no commit"));
  if (!branches.all.empty()) {
    return fault("git-base-missing", fmt::format("branch '{}' has no commits yet", branches.checked_out),
                 fmt::format("say where to start with --set git.base=NAME; branches: {}", join(branches.all, ", ")));
  }
  return fault("git-no-commits", fmt::format("the repository {} has no commits yet", survey.top),
               "make a first commit, or run with --isolation none");
}

Status take_default_base(const Git& git, const Branches& branches, Survey& survey) {
  auto name = default_branch(git, branches);
  if (!name) return std::unexpected(name.error());
  if (name->empty()) return take_head(git, branches, survey);
  auto commit = branch_commit(git, survey.common, *name);
  if (!commit) return std::unexpected(commit.error());
  survey.base_branch = *name;
  survey.base_commit = *commit;
  if (branches.checked_out != *name) {
    survey.notes.push_back(fmt::format(
        "work starts from branch '{}', not from {}", *name,
        branches.checked_out.empty() ? "the commit that is checked out" : "'" + branches.checked_out + "'"));
  }
  return {};
}

/// A path is the only word that such a command prints, so that even a newline in one is no end of it.
std::string printed_path(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

/// Where the repository is; false outside of one.
Expected<bool> take_places(const Git& git, const std::string& root, Survey& survey) {
  auto common = look_for_repository(root);
  if (!common) return std::unexpected(common.error());
  if (common->empty()) return false;
  survey.common = *common;
  auto top = git.run({"rev-parse", "--show-toplevel"});
  if (!top) return std::unexpected(top.error());
  if (!top->ok() || printed_path(top->out).empty()) {
    return fault("git-bare", fmt::format("{} is a bare repository: there is no checkout to work in", root),
                 "work in a clone or a worktree of it, or run with --isolation none");
  }
  survey.top = printed_path(top->out);
  auto prefix = git.must({"rev-parse", "--show-prefix"});
  if (!prefix) return std::unexpected(prefix.error());
  survey.prefix = printed_path(*prefix);
  if (survey.prefix.ends_with('/')) survey.prefix.pop_back();
  survey.is_repository = true;
  return true;
}

/// What a `.git` leads to: itself, or what the file says.
fs::path led_to_by(const fs::path& trace) {
  constexpr std::string_view word = "gitdir: ";
  const std::string text = small_file(trace.string());
  return text.starts_with(word) ? trace.parent_path() / trim(std::string_view{text}.substr(word.size())) : trace;
}

bool is_in(const fs::path& folder, const fs::path& place) {
  const auto [end, other] = std::ranges::mismatch(folder, place);
  return end == folder.end();
}

/// Git passes over a broken repository where it finds an intact one above it, which is another's.
Status same_as_nearest(const Git& git, const std::string& folder, const std::string& common) {
  const auto trace = trace_of_git(folder);
  std::error_code error;
  if (!trace || fs::equivalent(*trace, common, error)) return {};
  auto found = git.must({"rev-parse", "--absolute-git-dir"});
  if (!found) return std::unexpected(found.error());
  const fs::path repository = fs::canonical(printed_path(*found), error);
  if (fs::equivalent(led_to_by(*trace), repository, error)) return {};
  // A bare repository has no trace: the one that was found here lies above it.
  const fs::path above = fs::path{*trace}.parent_path();
  if (is_in(repository, fs::canonical(folder, error)) && is_in(above, repository)) return {};
  return fault(
      "git-broken",
      fmt::format("the git repository at {} cannot be read: git passes over it and finds {}", *trace, common),
      fmt::format("mend {} or remove it (git would work in the other one), or run with --isolation none", *trace));
}

}  // namespace

Expected<std::string> look_for_repository(const std::string& folder) {
  const Git git{folder};
  auto common = git.run({"rev-parse", "--path-format=absolute", "--git-common-dir"});
  if (!common) return std::unexpected(common.error());
  if (common->ok()) {
    std::string path = printed_path(common->out);
    if (auto same = same_as_nearest(git, folder, path); !same) return std::unexpected(same.error());
    return path;
  }
  if (auto why = refusal(folder, *common)) return std::unexpected(std::move(*why));
  return std::string{};
}

namespace {

Expected<Survey> survey_now(const std::string& project_root, const std::string& base) {
  const Git git{project_root};
  Survey survey;
  auto inside = take_places(git, project_root, survey);
  if (!inside) return std::unexpected(inside.error());
  if (!*inside) return survey;
  auto known = branches(git);
  if (!known) {
    return std::unexpected(is_killed(known.error()) ? known.error() : broken(survey.common, known.error().message));
  }
  auto taken = base.empty() ? take_default_base(git, *known, survey) : take_given_base(git, base, *known, survey);
  if (!taken) return std::unexpected(taken.error());
  return survey;
}

}  // namespace

Expected<Survey> survey(const std::string& project_root, const std::string& base) {
  return again_if_killed([&] { return survey_now(project_root, base); });
}

}  // namespace baton::git
