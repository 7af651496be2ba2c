#include "engine/real_files.h"

#include <gtest/gtest.h>

#include "support/scratch.h"

namespace baton::test {
namespace {

using std::filesystem::hard_link_count;

TEST(RealFiles, WhoSaysTheSameAsTheOneBeforeSharesItsFile) {
  const Scratch folder;
  RealFiles files;
  for (const char* name : {"a", "b"}) ASSERT_TRUE(files.append_last(folder.file(name), "nothing is run\n"));
  ASSERT_TRUE(files.append_last(folder.file("c"), "something else\n"));
  EXPECT_EQ(bytes_of(folder.file("a")), "nothing is run\n");
  EXPECT_EQ(bytes_of(folder.file("b")), "nothing is run\n");
  EXPECT_EQ(bytes_of(folder.file("c")), "something else\n");
  EXPECT_EQ(hard_link_count(folder.file("b")), 2U);
  EXPECT_EQ(hard_link_count(folder.file("c")), 1U);
}

TEST(RealFiles, WhoHasSaidSomethingBeforeKeepsItsOwnFile) {
  const Scratch folder;
  RealFiles files;
  ASSERT_TRUE(files.append(folder.file("long"), "first\n"));
  ASSERT_TRUE(files.append_last(folder.file("long"), "last\n"));
  ASSERT_TRUE(files.append_last(folder.file("short"), "last\n"));
  ASSERT_TRUE(files.append(folder.file("late"), "first\n"));
  ASSERT_TRUE(files.append_last(folder.file("late"), "last\n"));
  EXPECT_EQ(bytes_of(folder.file("long")), "first\nlast\n");
  EXPECT_EQ(bytes_of(folder.file("short")), "last\n");
  EXPECT_EQ(bytes_of(folder.file("late")), "first\nlast\n");
}

TEST(RealFiles, ToBeginAnewLeavesTheOtherNamesAlone) {
  const Scratch folder;
  RealFiles files;
  for (const char* name : {"a", "b"}) ASSERT_TRUE(files.append_last(folder.file(name), "same\n"));
  ASSERT_TRUE(files.write_soon(folder.file("b"), ""));
  ASSERT_TRUE(files.append(folder.file("b"), "other\n"));
  EXPECT_EQ(bytes_of(folder.file("a")), "same\n");
  EXPECT_EQ(bytes_of(folder.file("b")), "other\n");
}

TEST(RealFiles, AFileThatIsGoneIsNotMissed) {
  const Scratch folder;
  RealFiles files;
  ASSERT_TRUE(files.append_last(folder.file("a"), "same\n"));
  std::filesystem::remove(folder.file("a"));
  ASSERT_TRUE(files.append_last(folder.file("b"), "same\n"));
  EXPECT_EQ(bytes_of(folder.file("b")), "same\n");
}

}  // namespace
}  // namespace baton::test
