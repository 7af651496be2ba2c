#include "io/process_tree.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <cerrno>

#include "io/environment.h"
#include "io/program.h"
#include "support/processes.h"
#include "support/scratch.h"

namespace baton::test {
namespace {

TEST(OwnChildren, AreEndedWithAllThatTheyLeave) {
  const Scratch folder;
  const pid_t parent = start_copy([&] {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    const auto child = start_program({.argv = {"/bin/sh", "-c", "setsid sleep 1000 & echo $! > left; exec sleep 1000"},
                                      .env = own_environment(),
                                      .cwd = folder.path()});
    if (!child || !eventually([&] { return bytes_of(folder.file("left")).ends_with('\n'); })) return 1;
    end_own_children();
    return ::waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD ? 0 : 2;
  });
  EXPECT_EQ(wait_for_end(parent).exit, 0);
  EXPECT_FALSE(is_alive(std::stoi(bytes_of(folder.file("left")))));
}

}  // namespace
}  // namespace baton::test
