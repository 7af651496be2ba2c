#include "io/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

namespace baton {

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    close();
    fd_ = other.release();
  }
  return *this;
}

int Descriptor::close() noexcept {
  if (fd_ < 0) return 0;
  const int before = errno;
  const int error = ::close(release()) == 0 ? 0 : errno;
  errno = before;
  return error;
}

Descriptor open_file(const std::string& path, int flags, mode_t mode) {
  return Descriptor{::open(path.c_str(), flags | O_CLOEXEC, mode)};
}

Descriptor open_in(const Descriptor& folder, const std::string& name, int flags, mode_t mode) {
  return Descriptor{::openat(folder.get(), name.c_str(), flags | O_CLOEXEC, mode)};
}

std::optional<Pipe> make_pipe() {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  return Pipe{Descriptor{ends[0]}, Descriptor{ends[1]}};
}

}  // namespace baton
