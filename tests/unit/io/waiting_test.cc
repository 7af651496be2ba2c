#include "io/waiting.h"

#include <signal.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace baton::test {
namespace {

volatile sig_atomic_t heard = 0;

TEST(Waiting, LastsUntilASignalComes) {
  struct sigaction before{};
  struct sigaction hears{};
  hears.sa_handler = [](int) { heard = 1; };
  ::sigaction(SIGALRM, &hears, &before);
  ::ualarm(20'000, 1'000);  // again and again: the first may come before the wait
  pause_for(Millis{3'600'500});
  ::ualarm(0, 0);
  ::sigaction(SIGALRM, &before, nullptr);
  EXPECT_EQ(heard, 1) << "it returned of itself";
}

}  // namespace
}  // namespace baton::test
