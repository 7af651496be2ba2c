#include "holder/held_log.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

namespace baton {

HeldLogWriter::~HeldLogWriter() {
  if (fd_ >= 0) ::close(fd_);
}

bool HeldLogWriter::open() {
  if (fd_ >= 0) return true;
  fd_ = ::open(path_.c_str(), O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd_ < 0) return false;
  const off_t size = ::lseek(fd_, 0, SEEK_END);
  char last = '\n';
  torn_ = size > 0 && ::pread(fd_, &last, 1, size - 1) == 1 && last != '\n';
  return true;
}

int HeldLogWriter::append(const Message& record) {
  if (!open()) return errno;
  const std::string line = (torn_ ? "\n" : "") + seal_line(record);
  const ssize_t written = ::write(fd_, line.data(), line.size());
  if (written == static_cast<ssize_t>(line.size())) {
    torn_ = false;
    return 0;
  }
  const int error = written < 0 ? errno : ENOSPC;
  torn_ = torn_ || written > 0;
  return error;
}

}  // namespace baton
