#pragma once

#include <string>

namespace baton::tool {

/// What a model's command is left of the machine.
struct Enclosure {
  std::string folder;     ///< the only place where it may change something, but for `.git` and settings in it
  std::string temporary;  ///< and this one, of its own; empty: none
  std::string state;      ///< Baton's own folder, which it does not see; empty: none
};

/// From now on this process, and all it starts, is kept within, by the kernel:
/// - a mount namespace of its own: all else is read-only, the state folder is not there at all;
/// - Landlock: nothing is changed elsewhere, and no process outside is traced, signalled or has its memory and
///   environment read;
/// - seccomp: no Unix socket is opened, so that nobody outside can be asked to do it.
/// It cannot be undone. Says what could not be done; empty if all was. REQUIRES: one thread.
std::string enclose(const Enclosure& enclosure);

}  // namespace baton::tool
