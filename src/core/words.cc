#include "core/words.h"

#include <algorithm>
#include <limits>

#include "base/ensure.h"

namespace baton {

std::uint16_t Words::intern(const std::string& text) {
  const auto found = std::ranges::find(all_, text);
  if (found != all_.end()) return static_cast<std::uint16_t>(found - all_.begin());
  BATON_ENSURE(all_.size() < std::numeric_limits<std::uint16_t>::max(), "too many runtimes and models", text);
  all_.push_back(text);
  return static_cast<std::uint16_t>(all_.size() - 1);
}

const std::string& Words::operator[](std::uint16_t number) const {
  BATON_ENSURE(number < all_.size(), "a word is asked for that was never told", "");
  return all_[number];
}

}  // namespace baton
