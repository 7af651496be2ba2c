#include "git/staging.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>

#include "base/text.h"
#include "git/identity.h"
#include "git/worktrees.h"
#include "io/files.h"

namespace baton::git {
namespace {

namespace fs = std::filesystem;

/// What of Baton's own may lie in a tree and is nobody's work.
constexpr std::array our_state{"**/.baton/worktrees/**", "**/.baton/runs/**", "**/.baton/baton.db*",
                               "**/.baton/holder/**"};

/// The versions of a file that a merge could not bring together, by stage: 1 the common one, 2 ours, 3 theirs.
struct Versions {
  std::map<char, std::string> blobs;
  bool only_files = true;  ///< no link and no submodule among them
};

/// Lines `MODE OBJECT STAGE\tPATH` of ls-files.
std::map<std::string, Versions> versions(std::string_view listed) {
  std::map<std::string, Versions> found;
  for (const std::string& entry : zero_separated(listed)) {
    const auto tab = entry.find('\t');
    const auto words = split(std::string_view{entry}.substr(0, tab), ' ');
    if (tab == std::string::npos || words.size() != 3 || words[2].size() != 1) continue;
    Versions& file = found[entry.substr(tab + 1)];
    file.blobs[words[2][0]] = words[1];
    file.only_files = file.only_files && words[0].starts_with("100");
  }
  return found;
}

/// How many conflicts are marked in a text.
std::size_t marks_in(std::string_view text) {
  std::size_t begins = 0;
  std::size_t ends = 0;
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with("<<<<<<< ")) ++begins;
    if (line.starts_with(">>>>>>> ")) ++ends;
  }
  return std::max(begins, ends);
}

std::string content_of(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(path, error))) return {};
  return file_text(path);
}

/// True if the file has more marks than either side came with: a text about merges may have some by right.
Expected<bool> has_marks(const Git& git, const std::string& path, const Versions& file) {
  const std::size_t marks = marks_in(content_of(git.folder() + "/" + path));
  if (marks == 0) return false;
  std::size_t by_right = 0;
  for (const auto& [stage, blob] : file.blobs) {
    auto text = git.must({"cat-file", "blob", blob});
    if (!text) return std::unexpected(text.error());
    by_right = std::max(by_right, marks_in(*text));
  }
  return marks > by_right;
}

/// True if git wrote both sides into the file, so that taking the marks out of it is an answer.
Expected<bool> was_marked(const Git& git, const Versions& file) {
  if (!file.only_files || !file.blobs.contains('2') || !file.blobs.contains('3')) return false;
  constexpr std::size_t looked_at = 8000;  // as git itself does to tell text from other things
  for (const auto& [stage, blob] : file.blobs) {
    auto text = git.must({"cat-file", "blob", blob});
    if (!text) return std::unexpected(text.error());
    if (text->substr(0, looked_at).find('\0') != std::string::npos) return false;
  }
  return true;
}

Expected<bool> is_answered(const Git& git, const std::string& path, const Versions& file) {
  std::error_code error;
  const bool there = fs::exists(fs::symlink_status(git.folder() + "/" + path, error));
  if (!there) return true;
  auto marked = was_marked(git, file);
  if (!marked || !*marked) return marked;
  auto marks = has_marks(git, path, file);
  if (!marks) return marks;
  return !*marks;
}

Expected<std::vector<std::string>> nested_repositories(const Git& git) {
  auto others = git.must({"ls-files", "--others", "--exclude-standard", "-z"});
  if (!others) return std::unexpected(others.error());
  std::vector<std::string> found;
  for (std::string& path : zero_separated(*others)) {
    if (!path.ends_with('/')) continue;  // git names a folder only where it is a repository of its own
    path.pop_back();
    found.push_back(std::move(path));
  }
  return found;
}

/// A merge, or what works like one.
Expected<bool> is_in_progress(const Git& git) {
  for (const char* head : {"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"}) {
    auto commit = git.commit_of(head);
    if (!commit) return std::unexpected(commit.error());
    if (!commit->empty()) return true;
  }
  return false;
}

}  // namespace

Status stage_all(const Git& git, std::vector<std::string>& notes, bool only_look) {
  auto nested = nested_repositories(git);
  if (!nested) return std::unexpected(nested.error());
  std::string paths{":(top)"};
  paths += '\0';
  for (const char* ours : our_state) paths += fmt::format(":(top,exclude,glob){}", ours) + '\0';
  for (const std::string& path : *nested) {
    paths += ":(top,exclude,literal)" + path + '\0';
    notes.push_back(fmt::format("'{}' is a repository of its own and was not committed", printable(path)));
  }
  const std::vector<std::string> args{
      "-c", "core.safecrlf=false", "add", "--all", "--sparse", "--pathspec-from-file=-", "--pathspec-file-nul"};
  auto added = git.run(args, paths);
  if (!added) return std::unexpected(added.error());
  if (!added->ok() && !only_look) return std::unexpected(git_failed(args, *added));
  return {};
}

Expected<std::vector<std::string>> unresolved(const Git& git) {
  std::set<std::string> found;
  auto unmerged = git.must({"ls-files", "--unmerged", "-z"});
  if (!unmerged) return std::unexpected(unmerged.error());
  for (const auto& [path, file] : versions(*unmerged)) {
    auto answered = is_answered(git, path, file);
    if (!answered) return std::unexpected(answered.error());
    if (!*answered) found.insert(path);
  }
  // Git remembers what was resolved also after the commit of it; then it is nobody's concern any more.
  auto merging = is_in_progress(git);
  if (!merging) return std::unexpected(merging.error());
  if (!*merging) return std::vector<std::string>(found.begin(), found.end());
  auto called_resolved = git.must({"ls-files", "--resolve-undo", "-z"});
  if (!called_resolved) return std::unexpected(called_resolved.error());
  for (const auto& [path, file] : versions(*called_resolved)) {
    auto marks = has_marks(git, path, file);
    if (!marks) return std::unexpected(marks.error());
    if (*marks) found.insert(path);
  }
  return std::vector<std::string>(found.begin(), found.end());
}

Status commit_staged(const Git& git, const std::string& message) {
  auto who = identity(git);
  if (!who) return std::unexpected(who.error());
  std::vector<std::string> args{"commit", "--quiet", "--no-verify", "--no-edit"};
  if (message.empty())
    args.emplace_back("--cleanup=strip");
  else
    args.insert(args.end(), {"--cleanup=whitespace", "--file=-"});
  auto committed = git.run(args, message, *who);
  if (!committed) return std::unexpected(committed.error());
  if (!committed->ok()) return std::unexpected(git_failed(args, *committed));
  return {};
}

Status drop_changes(const Git& git) {
  auto reset = git.must({"reset", "--quiet", "--hard", "HEAD"});
  if (!reset) return std::unexpected(reset.error());
  std::vector<std::string> args{"clean", "--quiet", "-d", "--force"};
  for (const char* ours : our_state) args.push_back(fmt::format("--exclude={}", ours));
  auto cleaned = git.must(args);
  if (!cleaned) return std::unexpected(cleaned.error());
  return {};
}

Expected<bool> commit_all(const Git& git, const std::string& message, std::vector<std::string>& notes) {
  if (auto staged = stage_all(git, notes); !staged) return std::unexpected(staged.error());
  auto same = git.holds({"diff", "--cached", "--quiet", "--ignore-submodules=dirty"});
  if (!same) return std::unexpected(same.error());
  auto merging = git.commit_of("MERGE_HEAD");
  if (!merging) return std::unexpected(merging.error());
  if (*same && merging->empty()) return false;
  if (auto committed = commit_staged(git, message); !committed) return std::unexpected(committed.error());
  return true;
}

}  // namespace baton::git
