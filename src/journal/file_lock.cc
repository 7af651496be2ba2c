#include "journal/file_lock.h"

#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <fmt/core.h>
#include <sys/file.h>

#include <cerrno>
#include <cstring>

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

bool FileLock::open() {
  if (!file_) file_ = open_file(path_, O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
  return static_cast<bool>(file_);
}

bool FileLock::try_take() { return open() && ::flock(file_.get(), LOCK_EX | LOCK_NB) == 0; }

Status FileLock::take() {
  if (!open()) {
    return fault("journal-failed", fmt::format("cannot open the lock file {}: {}", path_, std::strerror(errno)),
                 "whoever writes the journal, or opens one of an older version for the first time, has to write there");
  }
  if (try_take() || wait_for_turn()) return {};
  return fault("journal-busy", fmt::format("another process has held the journal's lock for {} s", patience_.count()),
               "if that process is stopped, let it go on or end it; then try again");
}

// In the system, where turns are taken in order: a hundred processes that look again every millisecond keep a processor
// busy with nothing else.
bool FileLock::wait_for_turn() {
  const auto end = std::chrono::steady_clock::now() + patience_;
  constexpr timespec look_again{0, 1'000'000};  // where there is no timer to be had
  const Nudges nudges;
  while (std::chrono::steady_clock::now() < end) {
    if (::flock(file_.get(), nudges.come() ? LOCK_EX : LOCK_EX | LOCK_NB) == 0) return true;
    if (errno != EWOULDBLOCK && errno != EINTR) return false;
    if (!nudges.come()) ::nanosleep(&look_again, nullptr);
  }
  return false;
}

void FileLock::give() {
  if (file_) ::flock(file_.get(), LOCK_UN);
}

}  // namespace baton
