#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace baton {

/// What this process finds in its environment, as NAME=VALUE.
std::vector<std::string> own_environment();

/// `base` without the names in `unset` and without those that `added` sets, then `added`.
std::vector<std::string> merge_environment(const std::vector<std::string>& base, const std::vector<std::string>& unset,
                                           std::vector<std::string> added);

/// Takes away what `keeps` does not want of this process's environment, and wipes it out where the system put it: a
/// process that reads this one's memory does not find it there. REQUIRES: one thread.
void wipe_own_environment(const std::function<bool(std::string_view)>& keeps);

}  // namespace baton
