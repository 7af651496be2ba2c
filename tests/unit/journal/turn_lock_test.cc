#include "journal/turn_lock.h"

#include <gtest/gtest.h>

#include "support/scratch.h"

namespace baton::test {
namespace {

using std::chrono::seconds;

TEST(TurnLock, ItsOwnerIsWaitedForAsLongAsPatienceLasts) {
  const Scratch folder;
  TurnLock owner{folder.file("lock")};
  ASSERT_TRUE(owner.take());
  TurnLock other{folder.file("lock"), seconds{0}};
  EXPECT_EQ(other.take().error().code, "journal-busy");
  EXPECT_FALSE(other.try_take());
  owner.give();
  EXPECT_TRUE(other.take());
}

TEST(TurnLock, CannotBeTakenWhereThereIsNoFile) {
  const Scratch folder;
  TurnLock lock{folder.file("missing/lock")};
  EXPECT_EQ(lock.take().error().code, "journal-failed");
  EXPECT_FALSE(lock.try_take());
}

}  // namespace
}  // namespace baton::test
