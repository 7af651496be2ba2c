#include "cli/random.h"

#include <sys/random.h>

#include <string_view>

#include "base/ensure.h"

namespace baton::cli {

std::uint64_t draw() {
  std::uint64_t value = 0;
  BATON_ENSURE(::getrandom(&value, sizeof value, 0) == static_cast<ssize_t>(sizeof value), "no random numbers", "");
  return value;
}

std::string random_word(std::size_t size) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::string word;
  while (word.size() < size) word += letters[draw() % (word.empty() ? 26 : letters.size())];
  return word;
}

}  // namespace baton::cli
