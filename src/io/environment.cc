#include "io/environment.h"

#include <string.h>
#include <unistd.h>

#include <algorithm>

namespace baton {
namespace {

std::string_view name_of(std::string_view entry) { return entry.substr(0, entry.find('=')); }

}  // namespace

std::vector<std::string> own_environment() {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) all.emplace_back(*entry);
  return all;
}

std::vector<std::string> merge_environment(const std::vector<std::string>& base, const std::vector<std::string>& unset,
                                           std::vector<std::string> added) {
  added.reserve(added.size() + base.size());  // first, as the names below point into it
  std::vector<std::string_view> replaced{unset.begin(), unset.end()};
  for (const std::string& entry : added) replaced.push_back(name_of(entry));
  for (const std::string& entry : base) {
    if (std::ranges::find(replaced, name_of(entry)) == replaced.end()) added.push_back(entry);
  }
  return added;
}

void wipe_own_environment(const std::function<bool(std::string_view)>& keeps) {
  char** next = environ;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text{*entry};
    if (keeps(text)) {
      *next++ = *entry;
    } else {
      ::explicit_bzero(*entry, text.size());
    }
  }
  *next = nullptr;
}

}  // namespace baton
