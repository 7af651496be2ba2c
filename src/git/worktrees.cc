#include "git/worktrees.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/text.h"
#include "git/survey.h"
#include "io/files.h"

namespace baton::git {
namespace {

namespace fs = std::filesystem;

std::string without_newline(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

Status write_small(const fs::path& path, const std::string& text) {
  std::ofstream out{path, std::ios::binary | std::ios::trunc};
  out << text;
  out.close();
  if (!out) return fault("file-failed", fmt::format("cannot write {}", path.string()));
  return {};
}

std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator it{folder, error}, end; !error && it != end; it.increment(error)) {
    if (it->is_directory(error) && !it->is_symlink(error)) found.push_back(it->path());
  }
  std::ranges::sort(found);
  return found;
}

/// NAME, or NAME and a number: what git calls a record for a folder NAME.
bool is_named_after(const std::string& record, const std::string& name) {
  return record.starts_with(name) &&
         std::ranges::all_of(record.substr(name.size()), [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// Where a record says its worktree is; "" if it does not say.
std::string place_in(const fs::path& record) {
  const std::string said = without_newline(small_file((record / "gitdir").string()));
  if (said.empty()) return {};
  const fs::path link = fs::path{said}.is_absolute() ? fs::path{said} : (record / said).lexically_normal();
  return link.parent_path().string();
}

}  // namespace

std::string small_file(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) ? file_text(path) : std::string{};
}

Expected<std::string> common_folder(const std::string& root) {
  auto found = look_for_repository(root);
  if (!found) return std::unexpected(found.error());
  if (found->empty()) {
    return fault("not-a-repository", fmt::format("{} is in no git repository", root), "run with --isolation none");
  }
  return found;
}

std::string real_path(const std::string& tree) {
  std::error_code error;
  const fs::path path = fs::path{tree}.lexically_normal();
  const fs::path parent =
      fs::weakly_canonical(path.has_filename() ? path.parent_path() : path.parent_path().parent_path(), error);
  const fs::path name = path.has_filename() ? path.filename() : path.parent_path().filename();
  return (parent / name).string();
}

std::vector<std::string> folders_of_repository(const std::string& common) {
  const fs::path own{common};
  std::vector<std::string> folders{own.filename() == ".git" ? own.parent_path().string() : common, common};
  for (const fs::path& record : folders_in(common + "/worktrees")) {
    std::string place = place_in(record);
    if (!place.empty()) folders.push_back(std::move(place));
  }
  return folders;
}

std::string record_of(const std::string& common, const std::string& tree) {
  for (const fs::path& record : folders_in(common + "/worktrees")) {
    std::string place = place_in(record);
    if (!place.empty() && (place == tree || real_path(place) == tree)) return record.string();
  }
  return {};
}

std::vector<std::string> unfinished_records(const std::string& common) {
  std::vector<std::string> found;
  for (const fs::path& record : folders_in(common + "/worktrees")) {
    if (place_in(record).empty()) found.push_back(record.string());
  }
  return found;
}

std::vector<std::string> unfinished_records(const std::string& common, const std::string& tree) {
  const std::string name = fs::path{tree}.filename().string();
  std::vector<std::string> found = unfinished_records(common);
  std::erase_if(found,
                [&](const std::string& record) { return !is_named_after(fs::path{record}.filename().string(), name); });
  return found;
}

Status forget(const std::string& record) {
  // Where its tree is, it says to the last: so it is found again after a kill.
  std::error_code error;
  std::vector<fs::path> parts;
  for (fs::directory_iterator it{record, error}, end; !error && it != end; it.increment(error)) {
    if (it->path().filename() != "gitdir") parts.push_back(it->path());
  }
  for (const fs::path& part : parts) {
    if (auto deleted = delete_folder(part.string()); !deleted) return deleted;
  }
  if (auto deleted = delete_folder(record); !deleted) return deleted;
  fs::remove(fs::path{record}.parent_path(), error);  // only if it is empty now, as git does
  return {};
}

Expected<std::string> write_record(const std::string& common, const std::string& tree, const std::string& branch) {
  std::error_code error;
  if (!fs::exists(fs::path{common} / "HEAD", error)) {
    // A record by itself would look like a repository that is broken.
    return fault("git-broken", fmt::format("the git repository at {} is gone", common), "bring it back, then resume");
  }
  const std::string name = fs::path{tree}.filename().string();
  fs::path record = fs::path{common} / "worktrees" / name;
  for (int n = 1; fs::exists(record, error); ++n)
    record = fs::path{common} / "worktrees" / fmt::format("{}{}", name, n);
  fs::create_directories(record, error);
  if (error) return fault("file-failed", fmt::format("cannot make {}: {}", record.string(), error.message()));
  // The place comes last: until then it is an unfinished record like git's own.
  for (const auto& [file, text] : {std::pair<const char*, std::string>{"commondir", "../..\n"},
                                   {"HEAD", "ref: refs/heads/" + branch + "\n"},
                                   {"gitdir", tree + "/.git\n"}}) {
    if (auto wrote = write_small(record / file, text); !wrote) return std::unexpected(wrote.error());
  }
  if (auto wrote = write_link(tree, record.string()); !wrote) return std::unexpected(wrote.error());
  return record.string();
}

Link link_of(const std::string& tree, const std::string& record) {
  std::error_code error;
  const fs::path link = fs::path{tree} / ".git";
  const fs::file_status status = fs::symlink_status(link, error);
  if (status.type() == fs::file_type::not_found) return Link::missing;
  if (status.type() != fs::file_type::regular) return Link::elsewhere;
  constexpr std::string_view word = "gitdir: ";
  const std::string said = without_newline(small_file(link.string()));
  if (said.empty()) return Link::missing;
  if (!said.starts_with(word)) return Link::elsewhere;
  fs::path target = said.substr(word.size());
  if (target.is_relative()) target = fs::path{tree} / target;
  target = fs::weakly_canonical(target, error);
  if (!record.empty() && target == fs::weakly_canonical(record, error)) return Link::right;
  // Also where the whole project was moved since: then it leads to where the record was.
  const bool of_a_record = target.parent_path().filename() == "worktrees";
  return of_a_record && !fs::exists(target, error) ? Link::pruned : Link::elsewhere;
}

Status write_link(const std::string& tree, const std::string& record) {
  return write_small(fs::path{tree} / ".git", "gitdir: " + record + "\n");
}

Git git_for(const std::string& tree, const std::string& record) {
  return Git{tree, {"GIT_DIR=" + record, "GIT_WORK_TREE=" + tree}};
}

std::optional<std::string> other_place_of(const std::string& common, const std::string& branch,
                                          const std::string& tree) {
  const auto has_it = [&](const fs::path& folder) {
    return without_newline(small_file((folder / "HEAD").string())) == "ref: refs/heads/" + branch;
  };
  std::error_code error;
  const fs::path main = fs::path{common}.parent_path();
  if (fs::path{common}.filename() == ".git" && main != tree && has_it(common)) return main.string();
  for (const fs::path& record : folders_in(common + "/worktrees")) {
    std::string place = place_in(record);
    // A place that is gone keeps nobody from anything.
    if (!place.empty() && has_it(record) && real_path(place) != tree && fs::exists(place, error)) return place;
  }
  return std::nullopt;
}

Fault branch_in_use(const std::string& branch, const std::string& place) {
  return {"branch-in-use", fmt::format("branch '{}' is checked out in {}", branch, place),
          fmt::format("switch to another branch there ('git -C {} switch -'), and try again", place)};
}

Status delete_folder(const std::string& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (!error) return {};
  // A cache of modules that wants to stay as it is: its folders may not be written to by anybody.
  std::error_code ignored;
  const auto open_up = [&](const fs::path& folder) {
    fs::permissions(folder, fs::perms::owner_all, fs::perm_options::add, ignored);
  };
  open_up(path);
  for (fs::recursive_directory_iterator it{path, fs::directory_options::skip_permission_denied, ignored}, end;
       !ignored && it != end; it.increment(ignored)) {
    std::error_code each;
    if (it->is_directory(each) && !it->is_symlink(each)) open_up(it->path());
  }
  fs::remove_all(path, error);
  if (error) return fault("file-failed", fmt::format("cannot delete {}: {}", path, error.message()));
  return {};
}

}  // namespace baton::git
