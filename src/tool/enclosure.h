#pragma once

#include <string>

namespace baton::tool {

/// What a model's command is left of the machine.
struct Enclosure {
  std::string folder;     ///< the only place where it may change something, but for `.git` and settings in it
  std::string temporary;  ///< and this one, of its own; empty: none
  std::string state;      ///< Baton's own folder, which it does not see; empty: none
};

/// How far a process could be kept within.
struct Confinement {
  std::string lacking = {};  ///< what this system does not give; empty: all is there
  std::string wrong = {};    ///< why this folder cannot be closed off, whatever the system gives
};

/// From now on this process, and all it starts, is kept within, by the kernel:
/// - a mount namespace of its own: all else is read-only, the state folder is not there at all;
/// - Landlock: nothing is changed elsewhere, and no process outside is traced or has its memory and environment read;
///   from Linux 6.12 on none is signalled either;
/// - seccomp: no Unix socket is opened, so that nobody outside can be asked to do it, and no key of the kernel's is
/// read. Where the system lacks one of these the others hold all the same. It cannot be undone. REQUIRES: one thread.
Confinement enclose(const Enclosure& enclosure);

}  // namespace baton::tool
