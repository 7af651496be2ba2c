// The floor: a bare posix_spawn + waitid loop over /bin/true. Usage: bench_spawn COUNT AT_ONCE [FOLDER]
// With a folder each child also has a session of its own and its output in two files there, as our steps have.
#include <fcntl.h>
#include <spawn.h>

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <string>

extern char** environ;

namespace {

constexpr int output = O_WRONLY | O_CREAT | O_APPEND;

int start(const char* folder, long number) {
  char program[] = "/bin/true";
  char* args[] = {program, nullptr};
  pid_t pid = 0;
  if (folder == nullptr) return ::posix_spawn(&pid, program, nullptr, nullptr, args, environ);
  const std::string base = std::string{folder} + "/s" + std::to_string(number) + ".1.";
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, 1, (base + "out").c_str(), output, 0600);
  ::posix_spawn_file_actions_addopen(&files, 2, (base + "err").c_str(), output, 0600);
  ::posix_spawnattr_init(&how);
  ::posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSID);
  const int error = ::posix_spawn(&pid, program, &files, &how, args, environ);
  ::posix_spawn_file_actions_destroy(&files);
  ::posix_spawnattr_destroy(&how);
  return error;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) return 2;
  const long count = std::strtol(argv[1], nullptr, 10);
  const long at_once = std::strtol(argv[2], nullptr, 10);
  const char* const folder = argc == 4 ? argv[3] : nullptr;
  long started = 0;
  long running = 0;
  long ended = 0;
  while (ended < count) {
    while (running < at_once && started < count) {
      if (start(folder, started) != 0) return 1;
      ++started;
      ++running;
    }
    siginfo_t info{};
    if (::waitid(P_ALL, 0, &info, WEXITED) != 0) return 1;
    --running;
    ++ended;
  }
  return 0;
}
