#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace baton {

/// `real` is a path without links; so are not the `folders`, of which those that are not there count for nothing.
bool lies_outside(const std::string& real, const std::vector<std::string>& folders);

/// A file that an agent may have put there, to be shown to people. One that a link leads out of all of `folders` to is
/// named and not read: it is not what the run made, and a page that quotes it may be sent on.
struct ShownFile {
  std::string text;
  std::string outside;  ///< where it really is, if that is elsewhere
};
ShownFile read_shown(const std::string& path, const std::vector<std::string>& folders, std::size_t bytes_max);

}  // namespace baton
