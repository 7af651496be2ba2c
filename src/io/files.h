#pragma once

#include <sys/types.h>

#include <cstddef>
#include <expected>
#include <limits>
#include <string>
#include <string_view>

#include "base/fault.h"
#include "io/descriptor.h"

namespace baton {

/// Writes all of it, however many calls that takes. 0, or the errno of the one that failed.
int write_all(int fd, std::string_view bytes);

/// What stands in a file, from its beginning, but no more than that. Room for `expected` bytes is made at once: of a
/// secret no copies stay where there was too little. The error is an errno.
std::expected<std::string, int> read_all(int fd, std::size_t bytes_max = std::numeric_limits<std::size_t>::max(),
                                         std::size_t expected = 4096);
/// The same of a file that is found by its path, be it one of /proc, which says that it is empty and is not; "" if it
/// cannot be read. Not by a stream: one of those throws where a file cannot be read to its end.
std::string file_text(const std::string& path, std::size_t bytes_max = std::numeric_limits<std::size_t>::max());
/// The whole of a regular file, which faults call by that name. Faults: file-unreadable, file-too-large.
Expected<std::string> read_regular(const Descriptor& file, std::string_view name, std::size_t bytes_max);

/// How a file is put in its place.
struct Putting {
  std::string beside;          ///< what it is called until it is whole; in the same folder
  mode_t mode = 0644;          ///< less what the umask takes away
  mode_t exact_mode = 0;       ///< instead, whatever the umask; 0: none
  bool over_leftover = false;  ///< what is called so already was left by a process that is gone
  bool syncs = true;           ///< it is on the disk before it has its name
  bool only_new = false;       ///< never in the place of another: EEXIST
};
/// Writes a file whole or not at all: beside, and then renamed. `path` starts at `folder`, which may be AT_FDCWD. Gives
/// the file, still open, or an errno.
std::expected<Descriptor, int> put_file(int folder, const std::string& path, std::string_view content,
                                        const Putting& how);
/// `PATH.PID.N.tmp`, which no other file of a living process is called.
std::string name_beside(const std::string& path);
/// True if a file is called as by name_beside(), and its writer is gone.
bool is_left_beside(std::string_view name);

/// 0, or an errno.
int move_file(const std::string& from, const std::string& to);

}  // namespace baton
