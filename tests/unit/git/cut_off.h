#pragma once

#include <cstdint>
#include <functional>

namespace baton::git::test {

/// Who is killed at an instant.
enum class Cut {
  everything,  ///< the process that works and every git it started, as if the power had gone
  one_git,     ///< only the git that was about to change something
};

struct CutOff {
  bool was_cut = false;         ///< false: it had ended before
  bool worked = false;          ///< it came to its end, and that was a good one
  std::uint64_t changes = 0;    ///< to the disk, as far as it came
  bool can_be_watched = false;  ///< false: this system does not let us
};

/// Does `work` in a process of its own, in which it and every git it starts are watched call by call, and kills before
/// the `at`-th change to the disk (of gits alone for `one_git`). 0: never.
CutOff cut_off(const std::function<bool()>& work, std::uint64_t at, Cut cut);

/// Calls `check(at)` for instants all over the work, until it says that the work had ended before. All of them with
/// BATON_GIT_CUTS=all; else some, which differ with the seed.
void at_many_instants(const std::function<bool(std::uint64_t at)>& check);

}  // namespace baton::git::test
