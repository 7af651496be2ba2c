#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>

namespace baton {

/// An open file, folder, pipe or socket, which is closed when this ends. Closing leaves errno as it is, so that what
/// failed before can still be told.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_{fd} {}
  Descriptor(Descriptor&& other) noexcept : fd_{other.release()} {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  [[nodiscard]] int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  /// Another object closes it from now on.
  int release() { return std::exchange(fd_, -1); }
  /// Closes it now. 0, or the errno of a write that comes to nothing.
  int close() noexcept;

 private:
  int fd_ = -1;
};

/// Like ::open, for this process alone: no program that it starts inherits the descriptor. Where it cannot be opened,
/// errno says why.
Descriptor open_file(const std::string& path, int flags, mode_t mode = 0);

/// Likewise, of what has that name in an open folder.
Descriptor open_in(const Descriptor& folder, const std::string& name, int flags, mode_t mode = 0);

struct Pipe {
  Descriptor read;
  Descriptor write;
};

/// For this process alone too. Where there is none, errno says why.
std::optional<Pipe> make_pipe();

}  // namespace baton
