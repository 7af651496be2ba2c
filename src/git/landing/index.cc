#include "git/landing/index.h"

#include <fcntl.h>
#include <unistd.h>

#include <fmt/core.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "git/worktrees.h"
#include "io/files.h"
#include "io/waiting.h"

namespace baton::git {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view our_name = "held by a landing of Baton\n";

std::string lock_of(const std::string& git_dir) { return git_dir + "/index.lock"; }
/// The lock is written under this name and then given its own, so that at no instant it does not say whose it is.
std::string beside_lock(const std::string& git_dir) { return git_dir + "/baton-index.held"; }

std::unexpected<Fault> index_locked(const std::string& run, const std::string& lock) {
  return fault(
      "accept-index-locked", fmt::format("another git is at work: {} is there", lock),
      fmt::format("nothing was changed; let it end (or, if none runs, remove that file), then 'baton accept {}' "
                  "again",
                  run));
}

/// Which file it is, so that one that was replaced is told from one that was left alone.
std::array<std::uint64_t, 2> file_identity(const std::string& path) {
  struct stat s{};
  if (::lstat(path.c_str(), &s) != 0) return {};
  return {s.st_dev, s.st_ino};
}

bool write_name(const std::string& path) {
  const Descriptor file = open_file(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  return file && ::write(file.get(), our_name.data(), our_name.size()) == static_cast<ssize_t>(our_name.size());
}

/// The lock of a checkout's index in our name.
class IndexLock {
 public:
  static Expected<IndexLock> take(const std::string& git_dir, const std::string& run) {
    const std::string lock = lock_of(git_dir);
    const std::string beside = beside_lock(git_dir);
    constexpr int tries_max = 3;
    for (int tries = 0; tries < tries_max; ++tries) {
      if (Status free = wait_for_index(git_dir, run); !free) return std::unexpected(free.error());
      const bool taken = write_name(beside) && ::link(beside.c_str(), lock.c_str()) == 0;
      const int why = errno;
      ::unlink(beside.c_str());
      if (taken) return IndexLock{lock};
      if (why != EEXIST) return fault("file-failed", fmt::format("cannot write {}: {}", lock, std::strerror(why)));
    }
    return index_locked(run, lock);
  }

  IndexLock(IndexLock&& other) noexcept : path_{std::exchange(other.path_, {})} {}
  IndexLock& operator=(IndexLock&&) = delete;
  IndexLock(const IndexLock&) = delete;
  IndexLock& operator=(const IndexLock&) = delete;
  ~IndexLock() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }

 private:
  explicit IndexLock(std::string path) : path_{std::move(path)} {}
  std::string path_;
};

}  // namespace

void copy_index(const std::string& from, const std::string& to) {
  std::error_code ignored;
  fs::copy_file(from, to, fs::copy_options::overwrite_existing, ignored);
  struct stat s{};
  if (::stat(from.c_str(), &s) != 0) return;
  const std::array<timespec, 2> times{s.st_mtim, s.st_mtim};
  ::utimensat(AT_FDCWD, to.c_str(), times.data(), 0);
}

ScratchIndex::ScratchIndex(const Checkout& checkout) : checkout_{checkout}, path_{checkout.git_dir + "/baton-index"} {
  clear();
}

ScratchIndex::~ScratchIndex() { clear(); }

void ScratchIndex::copy_from_checkout() const { copy_index(checkout_.git_dir + "/index", path_); }

Expected<std::string> ScratchIndex::must(const std::vector<std::string>& args, const std::string& input) const {
  return checkout_.git.must(args, input, env());
}

void ScratchIndex::clear() const {
  ::unlink(path_.c_str());
  ::unlink((path_ + ".lock").c_str());
}

Status wait_for_index(const std::string& git_dir, const std::string& run) {
  const std::string lock = lock_of(git_dir);
  // Who has the landing's lock knows that every other landing, and its git, is gone.
  if (small_file(lock) == our_name) ::unlink(lock.c_str());
  ::unlink(beside_lock(git_dir).c_str());
  // Editors and prompts take it for instants, to no harm.
  constexpr int looks_max = 20;
  for (int looks = 0; looks < looks_max; ++looks) {
    if (!is_there(lock)) return {};
    pause_for(Millis{50});
  }
  return index_locked(run, lock);
}

Expected<Output> with_index(const Checkout& checkout, const std::string& run, const std::vector<std::string>& args,
                            const std::string& input) {
  const auto lock = IndexLock::take(checkout.git_dir, run);
  if (!lock) return std::unexpected(lock.error());
  const ScratchIndex scratch{checkout};
  scratch.copy_from_checkout();
  const auto before = file_identity(scratch.path());
  auto done = checkout.git.run(args, input, scratch.env());
  if (!done) return done;
  const std::string index = checkout.git_dir + "/index";
  const auto after = file_identity(scratch.path());
  // Git replaces an index that it changes.
  if (after == std::array<std::uint64_t, 2>{} || after == before) return done;
  if (const int error = move_file(scratch.path(), index); error != 0) {
    return fault("file-failed", fmt::format("cannot write {}: {}", index, std::strerror(error)));
  }
  return done;
}

}  // namespace baton::git
