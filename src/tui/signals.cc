#include "tui/signals.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace baton::tui {
namespace {

constexpr std::array<int, 7> wanted{SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP, SIGCONT, SIGCHLD};

std::array<int, 2> pipe_ends{-1, -1};

extern "C" void note(int signal) {
  const int before = errno;
  const auto byte = static_cast<unsigned char>(signal);
  (void)!::write(pipe_ends[1], &byte, 1);
  errno = before;
}

}  // namespace

Signals::Signals() {
  (void)::pipe2(pipe_ends.data(), O_CLOEXEC | O_NONBLOCK);
  wake();
}

Signals::~Signals() {
  rest();
  for (int& fd : pipe_ends) {
    ::close(fd);
    fd = -1;
  }
}

int Signals::descriptor() const { return pipe_ends[0]; }

void Signals::wake() {
  struct sigaction action{};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART;
  for (const int signal : wanted) ::sigaction(signal, &action, nullptr);
}

void Signals::rest() {
  for (const int signal : wanted) ::signal(signal, SIG_DFL);
}

std::vector<int> Signals::heard() {
  std::vector<int> signals;
  std::array<unsigned char, 64> bytes{};
  for (;;) {
    const ssize_t n = ::read(pipe_ends[0], bytes.data(), bytes.size());
    if (n <= 0) return signals;
    signals.insert(signals.end(), bytes.begin(), bytes.begin() + n);
  }
}

}  // namespace baton::tui
