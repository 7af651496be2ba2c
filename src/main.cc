#include "cli/main.h"

#include <sys/resource.h>

namespace {

/// Keys of model APIs stand in our environment: what a crash leaves behind must not have them.
void leave_no_core() {
  rlimit core{};
  if (::getrlimit(RLIMIT_CORE, &core) != 0) return;
  core.rlim_cur = 0;
  ::setrlimit(RLIMIT_CORE, &core);
}

}  // namespace

int main(int argc, char** argv) {
  leave_no_core();
  return baton::cli::main(argc, argv);
}
