#include "io/file_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <sys/file.h>
#include <sys/stat.h>

#include <chrono>

#include "io/waiting.h"

namespace baton {
namespace {

/// While it lives, a call of this thread that waits in the system is interrupted now and then: a flock has no time
/// limit.
class Nudges {
 public:
  Nudges() {
    struct sigaction nothing{};
    nothing.sa_handler = [](int) {};  // and no SA_RESTART
    ::sigaction(SIGALRM, &nothing, &action_before_);
    sigset_t alarm;
    ::sigemptyset(&alarm);
    ::sigaddset(&alarm, SIGALRM);
    ::pthread_sigmask(SIG_UNBLOCK, &alarm, &mask_before_);
    struct sigevent to_us{};
    to_us.sigev_notify = SIGEV_THREAD_ID;
    to_us.sigev_signo = SIGALRM;
    to_us._sigev_un._tid = ::gettid();
    // Again and again: the first may come just before the call that it is to interrupt.
    constexpr timespec pause{0, 100'000'000};
    constexpr itimerspec times{pause, pause};
    made_ = ::timer_create(CLOCK_MONOTONIC, &to_us, &timer_) == 0;
    if (made_) ::timer_settime(timer_, 0, &times, nullptr);
  }
  ~Nudges() {
    if (made_) ::timer_delete(timer_);
    ::pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
    ::sigaction(SIGALRM, &action_before_, nullptr);
  }
  Nudges(const Nudges&) = delete;
  Nudges& operator=(const Nudges&) = delete;
  [[nodiscard]] bool come() const { return made_; }

 private:
  timer_t timer_{};
  struct sigaction action_before_{};
  sigset_t mask_before_{};
  bool made_ = false;
};

}  // namespace

FileLock FileLock::on_file(const std::string& path, mode_t mode) {
  return FileLock{open_file(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode)};
}

FileLock FileLock::on_folder(const std::string& path) { return FileLock{open_file(path, O_RDONLY | O_DIRECTORY)}; }

bool FileLock::is_at(const std::string& path) const {
  struct stat held{};
  struct stat named{};
  return ::fstat(file_.get(), &held) == 0 && ::lstat(path.c_str(), &named) == 0 && held.st_ino == named.st_ino &&
         held.st_dev == named.st_dev;
}

bool FileLock::try_take() { return ::flock(file_.get(), LOCK_EX | LOCK_NB) == 0; }

// In the system, where turns are taken in order: a hundred processes that look again every millisecond keep a processor
// busy with nothing else.
bool FileLock::take_within(Millis patience) {
  constexpr Millis look_again_after{1};  // where there is no timer to be had
  if (try_take()) return true;
  const auto end = std::chrono::steady_clock::now() + patience;
  const Nudges nudges;
  while (std::chrono::steady_clock::now() < end) {
    if (::flock(file_.get(), nudges.come() ? LOCK_EX : LOCK_EX | LOCK_NB) == 0) return true;
    if (errno != EWOULDBLOCK && errno != EINTR) return false;
    if (!nudges.come()) pause_for(look_again_after);
  }
  errno = EWOULDBLOCK;
  return false;
}

bool FileLock::take() {
  while (::flock(file_.get(), LOCK_EX) != 0) {
    if (errno != EINTR) return false;
  }
  return true;
}

void FileLock::give() {
  if (file_) ::flock(file_.get(), LOCK_UN);
}

}  // namespace baton
