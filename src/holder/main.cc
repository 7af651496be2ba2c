// baton-holder STATE_DIR: holds the processes of attempts, so that they outlive the engine that asked for them.

#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <unistd.h>

#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cstdio>

#include "holder/clock.h"
#include "holder/server.h"

namespace {

enum Exit { exit_listening = 0, exit_failed = 1, exit_usage = 2, exit_held_already = 3 };

int failed(const char* what) {
  std::perror(what);
  return exit_failed;
}

/// A socket in that folder that listens, or -1. The way through /proc keeps any folder within a socket address.
int listen_in(int folder) {
  ::unlinkat(folder, "holder.sock", 0);  // left by a holder that was killed: we have the lock
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/holder.sock", folder);
  const mode_t before = ::umask(0177);
  const bool bound = fd >= 0 && ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::umask(before);
  return bound && ::listen(fd, 128) == 0 ? fd : -1;
}

/// Leaves the terminal, the caller's folder and its descriptors behind.
void become_daemon(int folder) {
  ::setsid();
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  const int log = ::openat(folder, "holder.log", O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  ::dup2(null, STDIN_FILENO);
  ::dup2(null, STDOUT_FILENO);
  ::dup2(log >= 0 ? log : null, STDERR_FILENO);
  ::close(null);
  if (log >= 0) ::close(log);
  if (::chdir("/") != 0) std::perror("chdir");
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::prctl(PR_SET_DUMPABLE, 0);  // it keeps environments, and keys stand in them
  for (const int signal : {SIGPIPE, SIGHUP, SIGTERM, SIGINT}) ::signal(signal, SIG_IGN);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: baton-holder STATE_DIR\n", stderr);
    return exit_usage;
  }
  ::close_range(3, ~0U, 0);
  ::mallopt(M_MMAP_THRESHOLD, 128 * 1024);  // a fixed one: what a large message took goes back to the system
  char state_dir[PATH_MAX];
  if (::realpath(argv[1], state_dir) == nullptr) return failed(argv[1]);
  const int folder = ::open(state_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const int lock = ::openat(folder, "holder.lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (lock < 0) return failed("holder.lock");
  if (::flock(lock, LOCK_EX | LOCK_NB) != 0) return exit_held_already;
  if (::ftruncate(lock, 0) != 0) return failed("holder.lock");
  const int listener = listen_in(folder);
  if (listener < 0) return failed("holder.sock");
  // Listening already, so whoever started this one can connect as soon as it sees the parent end.
  const pid_t child = ::fork();
  if (child < 0) return failed("fork");
  if (child > 0) return exit_listening;
  become_daemon(folder);
  ::dprintf(lock, "%d\n", ::getpid());  // for people; a dead holder's number means nothing without the lock
  baton::Server{listener, state_dir, baton::patience_ms("BATON_HOLDER_IDLE_MS", 2000)}.serve();
  ::unlinkat(folder, "holder.sock", 0);
  return exit_listening;
}
