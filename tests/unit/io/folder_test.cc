// A folder that nothing leads out of.
#include "io/folder.h"

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "io/program.h"
#include "support/scratch.h"

namespace baton {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

struct Folders : testing::Test {
  test::Scratch scratch;
  void SetUp() override {
    fs::create_directories(scratch.path() + "/w/outputs");
    std::ofstream{scratch.path() + "/secret"} << "secret";
  }
  Folder folder() { return std::move(*Folder::open(scratch.path() + "/w")); }
};

TEST_F(Folders, ReadWhatTheyWrote) {
  const Folder f = folder();
  EXPECT_TRUE(f.write("outputs/a/b/c.md", "text"));
  EXPECT_EQ(**f.read("outputs/a/b/c.md", 100), "text");
  EXPECT_TRUE(f.write("outputs/a/b/c.md", "other"));
  EXPECT_EQ(**f.read("outputs/a/b/c.md", 100), "other");
  EXPECT_EQ(*f.read("outputs/none.md", 100), std::nullopt);
  EXPECT_EQ(f.read("outputs/a/b/c.md", 2).error().code, "file-too-large");
  EXPECT_EQ(f.read("outputs", 100).error().code, "file-unreadable");
  EXPECT_THAT(f.list("outputs/a/b"), ElementsAre("c.md")) << "nothing of ours is left beside it";
  EXPECT_THAT(f.list("outputs", true), ElementsAre("a"));
  EXPECT_THAT(f.list("nowhere"), IsEmpty());
}

TEST_F(Folders, MakeANewFileOnlyOnce) {
  const Folder f = folder();
  EXPECT_TRUE(f.create("tasks/t.md", "one"));
  EXPECT_EQ(f.create("tasks/t.md", "two").error().code, "file-exists");
  EXPECT_EQ(**f.read("tasks/t.md", 100), "one");
  EXPECT_THAT(f.list("tasks"), ElementsAre("t.md"));
}

TEST_F(Folders, TellBeforehandWhetherAFileCouldBeWritten) {
  fs::create_directory_symlink(scratch.path(), scratch.path() + "/w/outputs/up");
  fs::create_directory_symlink("outputs", scratch.path() + "/w/inside");
  test::write_bytes(scratch.path() + "/w/outputs/file", "x");
  const Folder f = folder();
  for (const char* fine : {"outputs/a.md", "outputs/a/b/c.md", "outputs/file", "inside/a.md", "new/a.md", "a.md"}) {
    EXPECT_TRUE(f.may_write(fine)) << fine;
  }
  EXPECT_FALSE(fs::exists(scratch.path() + "/w/outputs/a")) << "nothing is made";
  for (const char* outside : {"outputs/up/a.md", "outputs/up/x/a.md", "../a.md", "outputs/../../a.md"}) {
    ASSERT_FALSE(f.may_write(outside)) << outside;
    EXPECT_EQ(f.may_write(outside).error().code, "path-leaves-folder") << outside;
  }
  EXPECT_EQ(f.may_write("outputs/file/a.md").error().code, "file-failed");
  EXPECT_EQ(f.may_write("outputs").error().code, "file-failed");
}

TEST_F(Folders, SweepAwayWhatTheDeadLeft) {
  const Folder f = folder();
  const pid_t gone = start_copy([] { return 0; });
  (void)wait_for_end(gone);
  for (const std::string& name :
       {"a.md." + std::to_string(gone) + ".0.tmp", "b.md." + std::to_string(::getpid()) + ".0.tmp",
        std::string{"c.tmp"}, std::string{"d.md"}}) {
    test::write_bytes(scratch.path() + "/w/outputs/" + name, "x");
  }
  f.sweep("outputs");
  f.sweep("nowhere");
  EXPECT_THAT(f.list("outputs"), ElementsAre("b.md." + std::to_string(::getpid()) + ".0.tmp", "c.tmp", "d.md"));
}

TEST_F(Folders, TellWhereAPathLeads) {
  const std::string root = scratch.path() + "/w";
  fs::create_symlink("outputs", root + "/inside");
  fs::create_directory_symlink(scratch.path(), root + "/up");
  fs::create_symlink(root, scratch.path() + "/also");
  EXPECT_EQ(path_beneath(root, root + "/outputs/a.md"), "outputs/a.md") << "nothing is there yet";
  EXPECT_EQ(path_beneath(root, root + "/inside/a.md"), "outputs/a.md");
  EXPECT_EQ(path_beneath(root, root + "/outputs/../b"), "b");
  EXPECT_EQ(path_beneath(root, root), ".");
  EXPECT_EQ(path_beneath(root, scratch.path() + "/also/b"), "b");
  EXPECT_EQ(path_beneath(scratch.path() + "/also", root + "/b"), "b");
  for (const char* outside : {"/up/secret", "/../secret", "/outputs/../../secret"}) {
    EXPECT_EQ(path_beneath(root, root + outside), std::nullopt) << outside;
  }
  EXPECT_EQ(path_beneath(root, scratch.path() + "/w-and-more"), std::nullopt);
}

// Row 40, also by links.
TEST_F(Folders, NothingLeadsOutOfThem) {
  const Folder f = folder();
  fs::create_symlink(scratch.path() + "/secret", scratch.path() + "/w/link.md");
  fs::create_directory_symlink(scratch.path(), scratch.path() + "/w/outputs/up");
  fs::create_symlink("outputs", scratch.path() + "/w/inside");
  for (const char* path : {"../secret", "outputs/../../secret", "link.md", "outputs/up/secret", "/etc/hostname"}) {
    const auto text = f.read(path, 100);
    ASSERT_FALSE(text) << path;
    EXPECT_EQ(text.error().code, "path-leaves-folder") << path;
  }
  for (const char* path : {"../new", "outputs/up/new", "outputs/up/deep/new"}) {
    const auto wrote = f.write(path, "x");
    ASSERT_FALSE(wrote) << path;
    EXPECT_EQ(wrote.error().code, "path-leaves-folder") << path;
  }
  EXPECT_FALSE(fs::exists(scratch.path() + "/new"));
  EXPECT_TRUE(f.write("inside/x.md", "x")) << "a link that stays inside is fine";
  EXPECT_TRUE(fs::exists(scratch.path() + "/w/outputs/x.md"));
}

}  // namespace
}  // namespace baton
