#pragma once

#include <string>
#include <vector>

#include "git/git.h"

namespace baton::git {

/// What a commit needs in its environment so that it has an author and a committer: nothing where the user told git a
/// name and an address, else `Baton <baton@localhost>`. What git would guess from the machine's name is not asked.
Expected<std::vector<std::string>> identity(const Git& git);

}  // namespace baton::git
