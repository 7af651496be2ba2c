#pragma once

#include <string>
#include <vector>

#include "base/fault.h"
#include "git/landing/follow.h"

namespace baton::git {

/// An index of our own beside that of a checkout, gone when it is not needed any more.
class ScratchIndex {
 public:
  /// Empty, as if it were not there.
  explicit ScratchIndex(const Checkout& checkout);
  ~ScratchIndex();
  ScratchIndex(const ScratchIndex&) = delete;
  ScratchIndex& operator=(const ScratchIndex&) = delete;

  /// With what the checkout's has. Its time comes along: git tells by it which files it must look into.
  void copy_from_checkout() const;
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::vector<std::string> env() const { return {"GIT_INDEX_FILE=" + path_}; }
  [[nodiscard]] Expected<std::string> must(const std::vector<std::string>& args, const std::string& input = {}) const;

 private:
  void clear() const;

  const Checkout& checkout_;
  std::string path_;
};

/// Copies an index, its time too.
void copy_index(const std::string& from, const std::string& to);

/// Runs what writes the index of the checkout: on a copy, which then takes its place. Meanwhile the lock is there that
/// git itself would take, but it is ours and says so: if all of us are killed it is known by that. REQUIRES: the
/// landing's lock is held. Faults: accept-index-locked, git-killed, file-failed.
Expected<Output> with_index(const Checkout& checkout, const std::string& run, const std::vector<std::string>& args,
                            const std::string& input = {});

/// Waits a moment for the lock of an index to go; one that a killed landing left is removed. REQUIRES: the landing's
/// lock is held. Faults: accept-index-locked.
Status wait_for_index(const std::string& git_dir, const std::string& run);

}  // namespace baton::git
