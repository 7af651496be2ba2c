// baton-courier PROTOCOL: makes HTTP calls for the holder, which is at the other end of its standard input.

#include <malloc.h>
#include <signal.h>
#include <unistd.h>

#include <curl/curl.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "courier/courier.h"

namespace {

enum Exit { exit_done = 0, exit_failed = 1, exit_usage = 2 };

/// Keys are in our memory: it must not end up in a file, nor be read by others of the same user.
void keep_secrets() {
  const rlimit none{};
  ::setrlimit(RLIMIT_CORE, &none);
  ::prctl(PR_SET_DUMPABLE, 0);
}

/// Each call takes a socket, its log and perhaps the file with its body.
std::size_t calls_max() {
  constexpr rlim_t others = 64;
  constexpr rlim_t files_max = 1U << 20U;
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = std::min(files.rlim_max, files_max);
  ::setrlimit(RLIMIT_NOFILE, &files);
  ::getrlimit(RLIMIT_NOFILE, &files);
  return static_cast<std::size_t>(std::max<rlim_t>(files.rlim_cur, others + 4) - others) / 4;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || std::strcmp(argv[1], "1") != 0) {
    std::fputs("baton-courier is started by baton-holder\n", stderr);
    return exit_usage;
  }
  keep_secrets();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // whoever would hear how calls ended is gone then
  for (const int signal : {SIGPIPE, SIGHUP, SIGTERM, SIGINT}) ::signal(signal, SIG_IGN);
  ::mallopt(M_ARENA_MAX, 1);                // lookups of addresses are threads, and want no heaps of their own
  ::mallopt(M_MMAP_THRESHOLD, 128 * 1024);  // a fixed one: what a large request took goes back to the system
  if (::curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return exit_failed;
  return baton::courier::Courier{STDIN_FILENO, calls_max()}.serve() ? exit_done : exit_failed;
}
