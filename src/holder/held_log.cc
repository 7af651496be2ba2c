#include "holder/held_log.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

namespace baton {

bool HeldLogWriter::open() {
  if (file_) return true;
  file_ = open_file(path_, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0600);
  if (!file_) return false;
  const off_t size = ::lseek(file_.get(), 0, SEEK_END);
  char last = '\n';
  torn_ = size > 0 && ::pread(file_.get(), &last, 1, size - 1) == 1 && last != '\n';
  return true;
}

int HeldLogWriter::append(const Message& record) {
  if (!open()) return errno;
  const std::string line = (torn_ ? "\n" : "") + seal_line(record);
  const ssize_t written = ::write(file_.get(), line.data(), line.size());
  if (written == static_cast<ssize_t>(line.size())) {
    torn_ = false;
    return 0;
  }
  const int error = written < 0 ? errno : ENOSPC;
  torn_ = torn_ || written > 0;
  return error;
}

}  // namespace baton
