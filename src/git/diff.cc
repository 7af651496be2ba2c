#include "git/diff.h"

#include <fmt/core.h>

#include <filesystem>

#include "base/number.h"
#include "base/text.h"
#include "git/git.h"
#include "git/staging.h"
#include "git/worktrees.h"
#include "io/scratch_folder.h"

namespace baton::git {
namespace {

namespace fs = std::filesystem;

/// As git reads a list of paths: in quotes nothing in it separates.
std::string quoted_path(const std::string& path) {
  std::string out = "\"";
  for (const char c : path) out += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return out + "\"";
}

/// Git with all of the tree staged, in an index aside.
Expected<Git> staged_aside(const Git& git, const std::string& common, const std::string& record,
                           const ScratchFolder& aside) {
  std::error_code error;
  const std::string index = aside.path() + "/index";
  fs::create_directories(aside.path() + "/objects", error);
  if (error) return fault("file-failed", fmt::format("cannot make {}: {}", aside.path(), error.message()));
  fs::copy_file(record + "/index", index, error);  // none: a tree that is not finished; everything is new then
  Git other = git.with({"GIT_INDEX_FILE=" + index, "GIT_OBJECT_DIRECTORY=" + aside.path() + "/objects",
                        "GIT_ALTERNATE_OBJECT_DIRECTORIES=" + quoted_path(common + "/objects")});
  std::vector<std::string> notes;
  if (auto staged = stage_all(other, notes, true); !staged) return std::unexpected(staged.error());
  return other;
}

/// What `git diff` prints with these options, of the tree or, without it, of the branch.
Expected<std::string> printed(const DiffOrder& order, const std::vector<std::string>& options) {
  auto common = common_folder(order.root);
  if (!common) return std::unexpected(common.error());
  const Git user{order.root};
  auto start = user.commit_of(order.start);
  if (!start) return std::unexpected(start.error());
  if (start->empty()) {
    return fault("git-commit-missing", fmt::format("the commit {} that the run started from is gone", order.start));
  }
  std::vector<std::string> args{"diff",         "--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/",
                                "--color=never"};
  args.insert(args.end(), options.begin(), options.end());
  const std::string tree = real_path(order.tree);
  const std::string record = record_of(*common, tree);
  std::error_code error;
  if (!record.empty() && fs::is_directory(tree, error)) {
    const ScratchFolder aside{"diff"};
    auto git = staged_aside(git_for(tree, record), *common, record, aside);
    if (!git) return std::unexpected(git.error());
    args.insert(args.end(), {"--cached", *start, "--"});
    return git->must(args);
  }
  auto tip = user.commit_of("refs/heads/" + order.branch);
  if (!tip) return std::unexpected(tip.error());
  if (tip->empty()) {
    return fault("git-commit-missing", fmt::format("the run's worktree and its branch '{}' are gone", order.branch),
                 "what was accepted is in the branch it went to");
  }
  args.insert(args.end(), {*start, *tip, "--"});
  return user.must(args);
}

std::string_view color_of(std::string_view line) {
  constexpr std::string_view bold = "\x1b[1m";
  for (const char* head :
       {"diff --git ", "index ", "--- ", "+++ ", "new file ", "deleted file ", "rename ", "similarity "}) {
    if (line.starts_with(head)) return bold;
  }
  if (line.starts_with("@@")) return "\x1b[36m";
  if (line.starts_with('+')) return "\x1b[32m";
  return line.starts_with('-') ? "\x1b[31m" : "";
}

}  // namespace

std::string in_color(const std::string& diff) {
  std::string out;
  const std::string shown = printable(diff);
  for (const std::string_view line : split(shown, '\n')) {
    const std::string_view color = color_of(line);
    out += color.empty() ? std::string{line} : fmt::format("{}{}\x1b[m", color, line);
    out += '\n';
  }
  out.pop_back();
  return out;
}

Expected<std::string> diff(const DiffOrder& order, const DiffOptions& options) {
  auto text =
      printed(order, options.stat_only ? std::vector<std::string>{"--stat"} : std::vector<std::string>{"--patch"});
  return text && options.color ? in_color(*text) : text;
}

Expected<std::vector<FileChange>> changes(const DiffOrder& order) {
  auto listed = printed(order, {"--numstat", "-z"});
  if (!listed) return std::unexpected(listed.error());
  std::vector<FileChange> found;
  const std::vector<std::string> parts = zero_separated(*listed);
  for (std::size_t n = 0; n < parts.size(); ++n) {
    const auto first = parts[n].find('\t');
    const auto second = parts[n].find('\t', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string_view entry{parts[n]};
    FileChange change{std::string{entry.substr(second + 1)},
                      {},
                      parse_whole<std::size_t>(entry.substr(0, first)),
                      parse_whole<std::size_t>(entry.substr(first + 1, second - first - 1))};
    if (change.path.empty() && n + 2 < parts.size()) {  // renamed: both names follow
      change.old_path = parts[n + 1];
      change.path = parts[n + 2];
      n += 2;
    }
    found.push_back(std::move(change));
  }
  return found;
}

}  // namespace baton::git
