#include "git/identity.h"

#include <fmt/core.h>

namespace baton::git {

Expected<std::vector<std::string>> identity(const Git& git) {
  std::vector<std::string> env;
  for (const char* who : {"AUTHOR", "COMMITTER"}) {
    auto known = git.run({"-c", "user.useConfigOnly=true", "var", fmt::format("GIT_{}_IDENT", who)});
    if (!known) return std::unexpected(known.error());
    if (known->ok()) continue;
    env.push_back(fmt::format("GIT_{}_NAME=Baton", who));
    env.push_back(fmt::format("GIT_{}_EMAIL=baton@localhost", who));
  }
  return env;
}

}  // namespace baton::git
