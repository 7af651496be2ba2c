#include "git/stale_locks.h"

#include <time.h>
#include <unistd.h>

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "git/worktrees.h"

namespace baton::git {
namespace {

namespace fs = std::filesystem;

constexpr timespec wait_one{0, 50'000'000};
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
  return (bytes_of(process + "/cmdline") + bytes_of(process + "/environ")).find(tree + '\0') != std::string::npos;
}

/// A git process that works for the tree; 0 if there is none.
int git_process_for(const std::string& tree) {
  std::error_code error;
  for (fs::directory_iterator it{"/proc", error}, end; !error && it != end; it.increment(error)) {
    const std::string pid = it->path().filename().string();
    if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
    if (!bytes_of("/proc/" + pid + "/comm").starts_with("git")) continue;
    if (works_for("/proc/" + pid, tree)) return std::stoi(pid);
  }
  return 0;
}

Fault busy(const std::string& tree, const std::string& why) {
  return {"tree-busy",
          fmt::format("the git process {} is at work in the worktree {}{}", git_process_for(tree), tree, why),
          "end it, or wait for its end, and try again"};
}

bool is_any_at_work(const std::vector<std::string>& folders) {
  return std::ranges::any_of(folders, [](const std::string& folder) { return git_process_for(folder) != 0; });
}

enum class Fate { removed, went, stays };

/// Waits until it is certain that no git keeps the lock, and removes it.
Fate remove_if_stale(const std::string& lock, const std::vector<std::string>& folders, int patience) {
  auto seen = identity_of(lock);
  int same = 0;
  for (int looks = 0; seen && looks < patience; ++looks) {
    ::nanosleep(&wait_one, nullptr);
    const auto now = identity_of(lock);
    same = now == seen && !is_any_at_work(folders) ? same + 1 : 0;
    seen = now;
    if (same >= looks_before_removal) return ::unlink(lock.c_str()) == 0 ? Fate::removed : Fate::went;
  }
  return seen ? Fate::stays : Fate::went;
}

}  // namespace

Status wait_for_git(const std::string& tree) {
  for (int looks = 0; looks < looks_max; ++looks) {
    if (git_process_for(tree) == 0) return {};
    ::nanosleep(&wait_one, nullptr);
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

Status remove_stale_locks(const std::string& tree, const std::string& common, const std::vector<std::string>& locks,
                          std::vector<std::string>& notes) {
  const auto remove = [&](const std::string& lock, const std::vector<std::string>& folders) -> Status {
    if (!identity_of(lock)) return {};
    const Fate fate = remove_if_stale(lock, folders, looks_max);
    if (fate == Fate::stays) return std::unexpected(busy(tree, fmt::format(": {} is there", lock)));
    if (fate == Fate::removed) notes.push_back(fmt::format("removed {}, left by a git process that is gone", lock));
    return {};
  };
  for (const std::string& lock : locks) {
    if (auto freed = remove(lock, {tree}); !freed) return freed;
  }
  return remove(common + "/packed-refs.lock", folders_of_repository(common));
}

bool remove_left_lock(const std::string& lock, const std::vector<std::string>& folders) {
  return remove_if_stale(lock, folders, short_looks_max) != Fate::stays;
}

}  // namespace baton::git
