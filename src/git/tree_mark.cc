#include "git/tree_mark.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "git/git.h"
#include "git/stale_locks.h"
#include "io/files.h"
#include "io/waiting.h"

namespace baton::git {
namespace {

namespace fs = std::filesystem;

constexpr int waits_max = 600;  ///< times `look_again_after`: 30 s, as long as a large checkout takes
constexpr Millis look_again_after{50};
constexpr std::size_t mark_bytes_max = 16U << 10U;

constexpr std::array<std::pair<TreeMark::Stage, std::string_view>, 3> words{
    {{TreeMark::Stage::making, "making"}, {TreeMark::Stage::merging, "merging"}, {TreeMark::Stage::made, "made"}}};

std::string beside(const std::string& tree, std::string_view ending) {
  const fs::path path{tree};
  return fmt::format("{}/.{}.{}", path.parent_path().string(), path.filename().string(), ending);
}

}  // namespace

std::string mark_path(const std::string& tree) { return beside(tree, "tree"); }
std::string gone_path(const std::string& tree) { return beside(tree, "gone"); }

Expected<TreeMark> TreeMark::take(const std::string& tree) {
  TreeMark mark;
  mark.path_ = mark_path(tree);
  for (int waits = 0; waits < waits_max; ++waits) {
    mark.lock_ = FileLock::on_file(mark.path_);
    if (!mark.lock_.is_open())
      return fault("file-failed", fmt::format("cannot write {}: {}", mark.path_, strerrordesc_np(errno)));
    const bool locked = mark.lock_.try_take();
    if (locked && mark.lock_.is_at(mark.path_)) {  // the owner before may have deleted it
      mark.note_path_ = beside(tree, "work");
      mark.read();
      mark.remove_left();
      return mark;
    }
    mark.lock_.close();
    if (!locked) pause_for(look_again_after);
  }
  return fault("tree-busy", fmt::format("another process has been at work on the worktree {} for 30 s", tree),
               "look for a 'baton tree' or 'git' process that hangs, end it and try again");
}

Expected<FileLock> lock_worktrees(const std::string& worktrees) {
  constexpr std::chrono::minutes patience{10};  // many large trees, one after the other
  const std::string path = worktrees + "/.making";
  FileLock lock = FileLock::on_file(path);
  if (!lock.is_open()) return fault("file-failed", fmt::format("cannot write {}: {}", path, strerrordesc_np(errno)));
  if (lock.take_within(patience)) return lock;
  return fault("tree-busy", fmt::format("another process has been making worktrees in {} for 10 minutes", worktrees),
               "look for a 'baton tree' or 'git' process that hangs, end it and try again");
}

TreeMark::Stage TreeMark::stage_at(const std::string& path) {
  TreeMark mark;
  mark.lock_ = FileLock{open_file(path, O_RDONLY | O_NOFOLLOW)};
  if (!mark.lock_.is_open()) return Stage::none;
  mark.read();
  mark.lock_.close();  // not ours: the mark's destructor must not delete it
  return mark.stage_;
}

/// No git of ours lives any more: each holds the mark's lock, which is ours now, or has been waited for.
void TreeMark::remove_left() {
  struct stat note{};
  if (common_.empty() || ::lstat(note_path_.c_str(), &note) != 0) return;
  lock_stays_ = !remove_left_locks({{packed_refs_lock(common_)}}, note, common_).empty();
}

Status TreeMark::note_work() const {
  if (lock_stays_) return {};  // by the old note's time it is known later that the lock is ours
  const Descriptor note = open_file(note_path_, O_WRONLY | O_CREAT | O_NOFOLLOW, 0600);
  if (note && ::futimens(note.get(), nullptr) == 0) return {};
  return fault("file-failed", fmt::format("cannot write {}: {}", note_path_, strerrordesc_np(errno)));
}

TreeMark::TreeMark(TreeMark&& other) noexcept { *this = std::move(other); }

TreeMark& TreeMark::operator=(TreeMark&& other) noexcept {
  std::swap(lock_, other.lock_);
  std::swap(path_, other.path_);
  std::swap(note_path_, other.note_path_);
  std::swap(lock_stays_, other.lock_stays_);
  std::swap(git_was_killed_, other.git_was_killed_);
  std::swap(stage_, other.stage_);
  std::swap(branch_, other.branch_);
  std::swap(common_, other.common_);
  std::swap(start_, other.start_);
  return *this;
}

TreeMark::~TreeMark() {
  if (!lock_.is_open()) return;
  if (*git_was_killed_ || lock_stays_) remove_left();
  // Without its mark, a note leads nobody to the repository.
  if (!lock_stays_ || stage_ == Stage::none) ::unlink(note_path_.c_str());
  if (stage_ == Stage::none) ::unlink(path_.c_str());
}

void TreeMark::read() {
  const std::vector<std::string> parts = zero_separated(read_all(lock_.descriptor(), mark_bytes_max).value_or(""));
  // What is shorter was never finished, and then nothing was made yet: the mark is on disk before the tree is.
  if (parts.size() < 4) return;
  for (const auto& [stage, word] : words) {
    if (parts[0] == word) stage_ = stage;
  }
  branch_ = parts[1];
  common_ = parts[2];
  start_ = parts[3];
}

void TreeMark::about(std::string branch, std::string common, std::string start) {
  branch_ = std::move(branch);
  common_ = std::move(common);
  start_ = std::move(start);
}

Status TreeMark::set(Stage stage) {
  std::string text;
  if (stage != Stage::none) {
    const auto& [_, word] = *std::ranges::find(words, stage, &std::pair<Stage, std::string_view>::first);
    for (const std::string& part : {std::string{word}, branch_, common_, start_}) {
      text += part + '\0';
    }
  }
  // Longer than what it replaces or cut afterwards: at no instant does it read as something else than old or new.
  const int fd = lock_.descriptor();
  const bool wrote = ::pwrite(fd, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()) &&
                     ::ftruncate(fd, static_cast<off_t>(text.size())) == 0 && ::fsync(fd) == 0;
  if (!wrote) return fault("file-failed", fmt::format("cannot write {}: {}", path_, strerrordesc_np(errno)));
  stage_ = stage;
  return {};
}

}  // namespace baton::git
