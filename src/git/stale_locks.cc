#include "git/stale_locks.h"

#include <time.h>
#include <unistd.h>

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>
#include <tuple>

#include "base/number.h"
#include "base/text.h"
#include "git/worktrees.h"
#include "io/files.h"
#include "io/waiting.h"

namespace baton::git {
namespace {

namespace fs = std::filesystem;

constexpr Millis wait_one{50};
constexpr int looks_before_removal = 6;  ///< 0.3 s: no git command keeps a lock so long without a process
constexpr int looks_max = 200;           ///< 10 s for a git process that lives
constexpr int short_looks_max = 40;      ///< 2 s where it can be left to the user

/// Which file it is, so that a lock that was taken anew is not confused with an older one.
using Identity = std::array<std::uint64_t, 4>;

std::optional<Identity> identity_of(const std::string& path) {
  struct stat s{};
  if (::lstat(path.c_str(), &s) != 0) return std::nullopt;
  return Identity{s.st_dev, s.st_ino, static_cast<std::uint64_t>(s.st_mtim.tv_sec),
                  static_cast<std::uint64_t>(s.st_mtim.tv_nsec)};
}

/// True if the process stands in the tree, was told of it, or has it in its environment, as git tells its own.
bool works_for(const std::string& process, const std::string& tree) {
  std::error_code gone;
  const std::string at = fs::read_symlink(process + "/cwd", gone).string();
  if (!gone && (at == tree || at.starts_with(tree + "/"))) return true;
  return (file_text(process + "/cmdline") + file_text(process + "/environ")).find(tree + '\0') != std::string::npos;
}

/// True if the repository that a git finds from where it stands is this one.
bool stands_in_repository(const std::string& process, const std::string& common) {
  std::error_code error;  // no look at one folder says anything of the next
  for (fs::path at = fs::read_symlink(process + "/cwd", error); at.has_relative_path(); at = at.parent_path()) {
    const fs::path found = at / ".git";
    if (fs::is_directory(found, error)) return fs::equivalent(found, common, error);
    constexpr std::string_view word = "gitdir: ";
    const std::string text = small_file(found.string());
    if (!text.starts_with(word)) continue;
    const fs::path leads_to = (at / trim(std::string_view{text}.substr(word.size()))).lexically_normal();
    return leads_to == common || leads_to.string().starts_with(common + "/");
  }
  return false;
}

/// A git process for which `is_it` (of its folder in /proc) is true; 0 if there is none.
int git_process(const std::function<bool(const std::string&)>& is_it) {
  std::error_code error;
  for (fs::directory_iterator it{"/proc", error}, end; !error && it != end; it.increment(error)) {
    const std::string pid = it->path().filename().string();
    const auto number = parse_whole<int>(pid);
    if (!number) continue;
    if (!file_text("/proc/" + pid + "/comm").starts_with("git")) continue;
    if (is_it("/proc/" + pid)) return *number;
  }
  return 0;
}

/// A git process that works for the tree; 0 if there is none.
int git_process_for(const std::string& tree) {
  return git_process([&](const std::string& process) { return works_for(process, tree); });
}

bool is_git_at_work_in(const std::string& common) {
  const std::vector<std::string> folders = folders_of_repository(common);
  return git_process([&](const std::string& process) {
           return stands_in_repository(process, common) ||
                  std::ranges::any_of(folders, [&](const std::string& f) { return works_for(process, f); });
         }) != 0;
}

Fault busy(const std::string& tree, const std::string& why) {
  return {"tree-busy",
          fmt::format("the git process {} is at work in the worktree {}{}", git_process_for(tree), tree, why),
          "end it, or wait for its end, and try again"};
}

/// True if it can be what a git of ours wrote that was started after the note. Whether a git of another user's is at
/// work cannot be seen.
bool fits(const LeftLock& lock, const struct stat& note) {
  struct stat s{};
  if (::lstat(lock.path.c_str(), &s) != 0 || !S_ISREG(s.st_mode) || s.st_uid != ::geteuid()) return false;
  if (std::tie(s.st_mtim.tv_sec, s.st_mtim.tv_nsec) < std::tie(note.st_mtim.tv_sec, note.st_mtim.tv_nsec)) return false;
  if (s.st_size == 0 || lock.writes == anything_at_all) return true;
  return !lock.writes.empty() && trim(small_file(lock.path)) == lock.writes;
}

enum class Fate { removed, went, stays };

/// Waits until it is certain that no git keeps the lock, and removes it.
Fate remove_if_stale(const std::string& lock, const std::function<bool()>& is_git_at_work, int patience) {
  auto seen = identity_of(lock);
  int same = 0;
  for (int looks = 0; seen && looks < patience; ++looks) {
    pause_for(wait_one);
    const auto now = identity_of(lock);
    same = now == seen && !is_git_at_work() ? same + 1 : 0;
    seen = now;
    // Another process may have removed it, and its git taken one of its own, while the processes were looked at.
    if (same >= looks_before_removal && identity_of(lock) == seen) {
      return ::unlink(lock.c_str()) == 0 ? Fate::removed : Fate::went;
    }
  }
  return seen ? Fate::stays : Fate::went;
}

}  // namespace

Status wait_for_git(const std::string& tree) {
  for (int looks = 0; looks < looks_max; ++looks) {
    if (git_process_for(tree) == 0) return {};
    pause_for(wait_one);
  }
  return std::unexpected(busy(tree, ""));
}

std::string branch_lock(const std::string& common, const std::string& branch) {
  return common + "/refs/heads/" + branch + ".lock";
}

std::vector<std::string> locks_of(const std::string& record, const std::string& common, const std::string& branch) {
  std::vector<std::string> locks{branch_lock(common, branch)};
  std::error_code error;
  for (fs::directory_iterator it{record, error}, end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == ".lock") locks.push_back(it->path().string());
  }
  return locks;
}

Status remove_stale_locks(const std::string& tree, const std::vector<std::string>& locks,
                          std::vector<std::string>& notes) {
  for (const std::string& lock : locks) {
    if (!identity_of(lock)) continue;
    const Fate fate = remove_if_stale(lock, [&] { return git_process_for(tree) != 0; }, looks_max);
    if (fate == Fate::stays) return std::unexpected(busy(tree, fmt::format(": {} is there", lock)));
    if (fate == Fate::removed) notes.push_back(fmt::format("removed {}, left by a git process that is gone", lock));
  }
  return {};
}

std::string packed_refs_lock(const std::string& common) { return common + "/packed-refs.lock"; }

std::vector<LeftLock> remove_left_locks(const std::vector<LeftLock>& locks, const struct stat& note,
                                        const std::string& common) {
  std::vector<LeftLock> stay;
  for (const LeftLock& lock : locks) {
    if (!fits(lock, note)) continue;
    const Fate fate = remove_if_stale(lock.path, [&] { return is_git_at_work_in(common); }, short_looks_max);
    if (fate == Fate::stays) stay.push_back(lock);
  }
  return stay;
}

}  // namespace baton::git
