#include "io/scratch_folder.h"

#include <stdlib.h>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "support/scratch.h"

namespace baton::test {
namespace {

namespace fs = std::filesystem;

TEST(ScratchFolders, ArePrivateAndGoWithAllThatIsInThem) {
  std::string path;
  {
    const ScratchFolder folder{"test"};
    ASSERT_TRUE(folder.is_there());
    path = folder.path();
    EXPECT_TRUE(fs::path{path}.filename().string().starts_with("baton-test-")) << path;
    struct stat info{};
    ASSERT_EQ(::stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777U, 0700U);
    EXPECT_EQ(folder.file("f"), path + "/f");
    write_bytes(folder.file("f"), "x");
    const ScratchFolder other{"test"};
    EXPECT_NE(other.path(), path);
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(ScratchFolders, AreNotThereWhereThereIsNoPlace) {
  const char* const set = ::getenv("TMPDIR");
  const std::string before = set == nullptr ? "" : set;
  ::setenv("TMPDIR", "/no/such/folder", 1);
  EXPECT_FALSE(ScratchFolder{"test"}.is_there());
  set == nullptr ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", before.c_str(), 1);
}

}  // namespace
}  // namespace baton::test
