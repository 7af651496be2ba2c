#include "git/landing/change.h"

#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/text.h"

namespace baton::git {
namespace {

namespace fs = std::filesystem;

/// The folders above a path, the topmost first.
std::vector<std::string> folders_above(const std::string& path) {
  std::vector<std::string> folders;
  for (auto at = path.find('/'); at != std::string::npos; at = path.find('/', at + 1)) {
    folders.push_back(path.substr(0, at));
  }
  return folders;
}

fs::file_type kind_at(const std::string& path) {
  std::error_code ignored;
  return fs::symlink_status(path, ignored).type();
}

bool is_empty_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_empty(path, ignored);
}

/// Looks at the disk, path by path, for what git would overwrite or could not get past.
class Obstacles {
 public:
  Obstacles(const std::string& top, const std::vector<Change>& changes, const std::set<std::string>& ours)
      : top_{top}, ours_{ours} {
    for (const Change& change : changes) {
      if (change.after.present()) continue;
      leaving_.insert(change.path);
      if (change.before.is_submodule()) leaving_submodules_.insert(change.path);
    }
  }

  void look_for(const Change& change) {
    if (!change.after.present()) return;
    if (change.before.present()) {
      // What it was is clean, and git sees to it. But git would clear a submodule's folder to put a file there.
      const bool replaced = change.before.is_submodule() && !change.after.is_submodule();
      if (replaced && kind_at(on_disk(change.path)) == fs::file_type::directory &&
          !is_empty_folder(on_disk(change.path))) {
        found_.insert(change.path);
      }
      return;
    }
    for (const std::string& folder : folders_above(change.path)) {
      if (!is_passable(folder)) return;
    }
    look_at(change);
  }

  std::set<std::string> found() && { return std::move(found_); }

 private:
  [[nodiscard]] std::string on_disk(const std::string& path) const { return top_ + "/" + path; }

  bool is_passable(const std::string& folder) {
    const fs::file_type kind = kind_at(on_disk(folder));
    if (kind == fs::file_type::not_found || kind == fs::file_type::none) return true;
    const bool passable = kind == fs::file_type::directory
                              ? !leaving_submodules_.contains(folder) || is_empty_folder(on_disk(folder))
                              : leaving_.contains(folder);
    if (passable) return true;
    found_.insert(folder);
    return false;
  }

  void look_at(const Change& change) {
    const fs::file_type kind = kind_at(on_disk(change.path));
    if (kind == fs::file_type::not_found || kind == fs::file_type::none) return;
    if (kind != fs::file_type::directory) {
      if (!ours_.contains(change.path)) found_.insert(change.path);
      return;
    }
    std::error_code error;
    for (fs::recursive_directory_iterator it{on_disk(change.path), error}, end; !error && it != end;
         it.increment(error)) {
      if (kind_at(it->path().string()) == fs::file_type::directory) continue;
      std::string path = it->path().string().substr(top_.size() + 1);
      if (!leaving_.contains(path)) found_.insert(std::move(path));
    }
    if (error) found_.insert(change.path);
  }

  const std::string& top_;
  const std::set<std::string>& ours_;
  std::set<std::string> leaving_;
  std::set<std::string> leaving_submodules_;
  std::set<std::string> found_;
};

/// The rest of a record after so many fields that end with a blank.
std::string_view after_fields(std::string_view record, int fields) {
  for (; fields > 0; --fields) record.remove_prefix(std::min(record.find(' '), record.size() - 1) + 1);
  return record;
}

}  // namespace

Expected<std::vector<Change>> changes_between(const SteadyGit& git, const std::string& before,
                                              const std::string& after) {
  const auto raw = git.must(
      {"diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--ignore-submodules=none", before, after});
  if (!raw) return std::unexpected(raw.error());
  const std::vector<std::string_view> parts = split(*raw, '\0');
  std::vector<Change> changes;
  for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
    const std::vector<std::string_view> fields = split(parts[i].substr(1), ' ');
    if (fields.size() < 5) break;
    changes.push_back({.path = std::string{parts[i + 1]},
                       .before = {.mode = std::string{fields[0]}, .oid = std::string{fields[2]}},
                       .after = {.mode = std::string{fields[1]}, .oid = std::string{fields[3]}}});
  }
  return changes;
}

Expected<Unsaved> unsaved_in(const SteadyGit& tree) {
  // What lies inside a submodule is never touched, so only the commit it stands at counts.
  const auto status = tree.must(
      {"status", "--porcelain=v2", "-z", "--untracked-files=no", "--no-renames", "--ignore-submodules=dirty"});
  if (!status) return std::unexpected(status.error());
  Unsaved unsaved;
  for (const std::string_view record : split(*status, '\0')) {
    if (record.starts_with("1 ")) unsaved.paths.emplace(after_fields(record, 8));
    if (record.starts_with("u ")) unsaved.unmerged.emplace(after_fields(record, 10));
  }
  unsaved.paths.insert(unsaved.unmerged.begin(), unsaved.unmerged.end());
  return unsaved;
}

std::set<std::string> touched(const std::vector<Change>& changes, const std::set<std::string>& unsaved) {
  std::set<std::string> coming;
  std::set<std::string> found;
  for (const Change& change : changes) {
    if (unsaved.contains(change.path)) found.insert(change.path);
    if (!change.after.present()) continue;
    coming.insert(change.path);
    for (const std::string& folder : folders_above(change.path)) {
      if (unsaved.contains(folder)) found.insert(folder);
    }
  }
  for (const std::string& path : unsaved) {
    for (const std::string& folder : folders_above(path)) {
      if (coming.contains(folder)) found.insert(path);
    }
  }
  return found;
}

std::set<std::string> in_the_way(const std::string& top, const std::vector<Change>& changes,
                                 const std::set<std::string>& ours) {
  Obstacles obstacles{top, changes, ours};
  for (const Change& change : changes) obstacles.look_for(change);
  return std::move(obstacles).found();
}

}  // namespace baton::git
