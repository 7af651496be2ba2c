// The floor: a bare posix_spawn + waitid loop over /bin/true. Usage: bench_spawn COUNT AT_ONCE
#include <spawn.h>

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>

extern char** environ;

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const long count = std::strtol(argv[1], nullptr, 10);
  const long at_once = std::strtol(argv[2], nullptr, 10);
  char program[] = "/bin/true";
  char* args[] = {program, nullptr};
  long started = 0;
  long running = 0;
  long ended = 0;
  while (ended < count) {
    while (running < at_once && started < count) {
      pid_t pid = 0;
      if (posix_spawn(&pid, program, nullptr, nullptr, args, environ) != 0) return 1;
      ++started;
      ++running;
    }
    siginfo_t info{};
    if (waitid(P_ALL, 0, &info, WEXITED) != 0) return 1;
    --running;
    ++ended;
  }
  return 0;
}
