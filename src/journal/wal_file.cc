#include "journal/wal_file.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "journal/sqlite.h"

namespace baton {

bool WalFile::make(const std::string& database_path) {
  const std::string path = database_path + "-wal";
  const Descriptor file = open_file(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
  struct stat info{};
  return file && ::fstat(file.get(), &info) == 0 && info.st_size == 0;
}

void WalFile::has(int pages) {
  ++commits_;
  if (pages < pages_) room_ = 0;  // it began anew, and somebody may have cut it
  pages_ = pages;
}

void WalFile::begins_anew() {
  pages_ = 0;
  room_ = 0;
}

// A sync that makes the file longer waits for the file system's own journal, one over blocks that are there does not,
// and takes half the time. So the WAL grows by large pieces of zeros, ahead of its frames. SQLite reads zeros as no
// frame, as it does what an earlier turn of the WAL left there. The file is asked for its size only when the known room
// is used up: a file whose times were looked at gets a new time with every write, and each sync has to write that too.
void WalFile::make_room() {
  constexpr sqlite3_int64 frame_bytes = 4096 + 24;
  constexpr int frames_ahead = 16;
  constexpr int pieces_max = 16;
  constexpr int commits_min = 8;
  static constexpr std::array<char, 64 << 10> zeros{};
  sqlite3_file* wal = nullptr;
  sqlite3_int64 size = 0;
  const sqlite3_int64 wanted = (pages_ + frames_ahead) * frame_bytes;
  if (commits_ < commits_min || room_ > wanted) return;  // not worth it for a run that is soon over
  sqlite3_file_control(db_.handle(), "main", SQLITE_FCNTL_JOURNAL_POINTER, static_cast<void*>(&wal));
  if (wal == nullptr || wal->pMethods == nullptr || wal->pMethods->xFileSize(wal, &size) != SQLITE_OK) return;
  room_ = size;
  if (room_ > wanted) return;
  // The last room on a disk is for records, not for speed.
  constexpr std::uint64_t room_left_min = 64U << 20U;
  struct statvfs disk{};
  if (::statvfs(path_.c_str(), &disk) != 0 || disk.f_bavail * disk.f_frsize < room_left_min) return;
  for (int i = 0; i < pieces_max; ++i, size += zeros.size()) {
    // A full disk is not news here: the next commit finds out for itself.
    if (wal->pMethods->xWrite(wal, zeros.data(), zeros.size(), size) != SQLITE_OK) return;
    room_ = size + static_cast<sqlite3_int64>(zeros.size());
  }
}

Status WalFile::sync() {
  if (!file_) file_ = open_file(path_, O_RDWR | O_NOFOLLOW);
  if (file_ && ::fdatasync(file_.get()) == 0) return {};
  return fault("journal-unknown", fmt::format("cannot make {} durable: {}", path_, std::strerror(errno)),
               "what was recorded before is safe; look at the disk, then 'baton resume'");
}

}  // namespace baton
