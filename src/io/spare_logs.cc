#include "io/spare_logs.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

namespace baton {
namespace {

constexpr std::size_t spare_max = 8;
// Nobody sees sooner what an attempt prints: engines look every 100 ms.
constexpr std::int64_t unnamed_for_ms = 20;

std::string folder_of(const std::string& path) { return path.substr(0, path.find_last_of('/') + 1); }

std::int64_t bytes_of(const std::string& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 ? info.st_size : 0;
}

// It is only through here that a file without a name gets one.
bool has_way_to_names() {
  static const bool has = ::access("/proc/self/fd", X_OK) == 0;
  return has;
}

}  // namespace

UnnamedFile::UnnamedFile(const std::string& folder) : file_{open_file(folder, O_TMPFILE | O_WRONLY | O_APPEND, 0600)} {}

bool UnnamedFile::is_empty() const {
  struct stat info{};
  return ::fstat(file_.get(), &info) == 0 && info.st_size == 0;
}

int UnnamedFile::add_name(const std::string& path) const {
  const std::string own = fmt::format("/proc/self/fd/{}", file_.get());
  const auto link = [&] {
    return ::linkat(AT_FDCWD, own.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
  };
  const int error = link();
  if (error != EEXIST) return error;
  struct stat ours{};
  struct stat there{};
  const bool known = ::fstat(file_.get(), &ours) == 0 && ::lstat(path.c_str(), &there) == 0;
  if (known && ours.st_dev == there.st_dev && ours.st_ino == there.st_ino) return 0;
  // Of an attempt that was lost and is done again, or left something behind, what counts is what is printed now.
  return ::unlink(path.c_str()) == 0 ? link() : errno;
}

void UnnamedFile::be_as_new() const { ::fcntl(file_.get(), F_SETFL, O_APPEND); }

std::optional<SpareLogs::Pair> SpareLogs::take(const std::string& folder) {
  if (folder.empty() || !has_way_to_names()) return std::nullopt;
  if (folder != folder_) {
    spare_.clear();
    blank_.reset();
    folder_ = folder;
  }
  if (spare_.empty()) spare_.push_back({UnnamedFile{folder}, UnnamedFile{folder}});
  Pair pair = std::move(spare_.back());
  spare_.pop_back();
  if (pair.out.fd() < 0 || pair.err.fd() < 0) return std::nullopt;
  return pair;
}

void SpareLogs::take_back(Pair pair, const std::string& folder) {
  if (spare_.size() >= spare_max || folder != folder_) return;
  pair.out.be_as_new();
  pair.err.be_as_new();
  spare_.push_back(std::move(pair));
}

int SpareLogs::show_blank(const std::string& path) {
  if (blank_ && blank_->add_name(path) == 0) return 0;
  blank_.emplace(folder_of(path));  // the first, or one more: a file can have only so many names, and lose them all
  return blank_->fd() < 0 ? errno : blank_->add_name(path);
}

void AttemptLogs::lie_at(std::string out_path, std::string err_path) {
  out_path_ = std::move(out_path);
  err_path_ = std::move(err_path);
}

std::int64_t AttemptLogs::largest() const { return std::max(bytes_of(out_path_), bytes_of(err_path_)); }

void AttemptLogs::lend(SpareLogs& spare, Program& program, std::int64_t now) {
  lie_at(program.stdout_path, program.stderr_path);
  const std::string folder = folder_of(program.stdout_path);
  if (folder_of(program.stderr_path) != folder || program.stdout_path == program.stderr_path) return;
  lent_ = spare.take(folder);
  if (!lent_) return;
  name_at_ = now + unnamed_for_ms;
  program.stdout_fd = lent_->out.fd();
  program.stderr_fd = lent_->err.fd();
}

int AttemptLogs::give_names() {
  if (const int error = lent_->out.add_name(out_path_); error != 0) return error;
  if (const int error = lent_->err.add_name(err_path_); error != 0) return error;
  lent_.reset();
  return 0;
}

void AttemptLogs::show_in_time(std::int64_t now) {
  constexpr std::int64_t again_after_ms = 1000;
  if (now >= due() && give_names() != 0) name_at_ = now + again_after_ms;
}

int AttemptLogs::show(SpareLogs& spare, bool went_wrong) {
  if (!lent_) return 0;
  const int error = went_wrong || !lent_->are_empty() ? give_names() : spare.show_blank(out_path_);
  shown_ = error == 0;
  return error;
}

void AttemptLogs::end(SpareLogs& spare, bool hid_nothing) {
  if (!lent_ || !shown_) return;
  if (!lent_->are_empty()) {
    (void)give_names();  // what it left behind has printed something
  } else if (hid_nothing) {
    spare.take_back(std::move(*lent_), folder_of(out_path_));
  }
  lent_.reset();
}

}  // namespace baton
