#include "io/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

#include "io/program.h"
#include "support/scratch.h"

namespace baton::test {
namespace {

namespace fs = std::filesystem;

struct FilesOfAFolder : ::testing::Test {
  [[nodiscard]] std::expected<Descriptor, int> put(const std::string& text, Putting how = {}) const {
    if (how.beside.empty()) how.beside = beside;
    return put_file(AT_FDCWD, path, text, how);
  }
  [[nodiscard]] mode_t mode() const {
    struct stat info{};
    return ::stat(path.c_str(), &info) == 0 ? info.st_mode & 07777U : 0;
  }
  Scratch folder;
  std::string path = folder.file("f");
  std::string beside = folder.file("f.beside");
};

TEST_F(FilesOfAFolder, AreReadFromTheirBeginning) {
  const std::string text(100'000, 'x');
  write_bytes(path, text);
  const Descriptor file = open_file(path, O_RDONLY);
  EXPECT_EQ(read_all(file.get()), text);
  EXPECT_EQ(read_all(file.get()), text) << "and again";
  EXPECT_EQ(read_all(file.get(), 5), "xxxxx");
  EXPECT_EQ(read_all(-1).error(), EBADF);
  EXPECT_EQ(file_text(path), text);
  EXPECT_EQ(file_text(path, 3), "xxx");
  EXPECT_EQ(file_text(folder.file("missing")), "");
  EXPECT_EQ(file_text(folder.path()), "") << "a folder is opened and cannot be read";
  EXPECT_EQ(file_text("/proc/self/mem"), "") << "reading it fails";
  EXPECT_TRUE(file_text("/proc/self/stat").starts_with(std::to_string(::getpid()))) << "it says that it is empty";
}

TEST_F(FilesOfAFolder, AreReadWholeIfTheyAreRegular) {
  write_bytes(path, "text");
  const Descriptor file = open_file(path, O_RDONLY);
  EXPECT_EQ(read_regular(file, "f", 4).value(), "text");
  EXPECT_EQ(read_regular(file, "f", 3).error().code, "file-too-large");
  EXPECT_EQ(read_regular(file, "f", 3).error().message, "f has 4 bytes; the limit is 3");
  EXPECT_EQ(read_regular(open_file("/dev/null", O_RDONLY), "n", 9).error().message, "n is not a regular file");
  EXPECT_EQ(read_regular(open_file(path, O_WRONLY), "f", 9).error().code, "file-unreadable");
}

TEST_F(FilesOfAFolder, ArePutInTheirPlaceWhole) {
  write_bytes(path, "old");
  ASSERT_TRUE(put("new"));
  EXPECT_EQ(bytes_of(path), "new");
  EXPECT_FALSE(fs::exists(beside));
  write_bytes(beside, "another writes here");
  EXPECT_EQ(put("newer").error(), EEXIST);
  EXPECT_EQ(bytes_of(path), "new");
  EXPECT_EQ(bytes_of(beside), "another writes here") << "what another process writes is its own";
  ASSERT_TRUE(put("newer", {.over_leftover = true}));
  EXPECT_EQ(bytes_of(path), "newer") << "and nothing of the leftover";
}

TEST_F(FilesOfAFolder, AreNeverReachedThroughALink) {
  fs::create_symlink(folder.file("elsewhere"), beside);
  EXPECT_EQ(put("text", {.over_leftover = true}).error(), ELOOP);
  EXPECT_FALSE(fs::exists(folder.file("elsewhere")));
}

TEST_F(FilesOfAFolder, ThatCannotHaveTheirPlaceLeaveNothing) {
  fs::create_directories(path);
  write_bytes(path + "/in it", "");
  EXPECT_EQ(put("text").error(), EISDIR);
  EXPECT_FALSE(fs::exists(beside));
  EXPECT_EQ(put_file(AT_FDCWD, folder.file("no/f"), "", {.beside = folder.file("no/b")}).error(), ENOENT);
}

TEST_F(FilesOfAFolder, ThatAreToBeNewAreNotPutOverOthers) {
  ASSERT_TRUE(put("first", {.only_new = true}));
  EXPECT_EQ(put("second", {.only_new = true}).error(), EEXIST);
  EXPECT_EQ(bytes_of(path), "first");
  EXPECT_FALSE(fs::exists(beside));
}

TEST_F(FilesOfAFolder, HaveTheModeThatIsAskedFor) {
  const mode_t before = ::umask(027);
  EXPECT_TRUE(put("x", {.mode = 0666}));
  EXPECT_EQ(mode(), 0640U);
  EXPECT_TRUE(put("x", {.exact_mode = 0755}));
  EXPECT_EQ(mode(), 0755U);
  ::umask(before);
}

TEST_F(FilesOfAFolder, ArePutWhereTheFolderIs) {
  const Descriptor open = open_file(folder.path(), O_PATH | O_DIRECTORY);
  ASSERT_TRUE(put_file(open.get(), "g", "in it", {.beside = "g.beside"}));
  EXPECT_EQ(bytes_of(folder.file("g")), "in it");
}

TEST_F(FilesOfAFolder, HaveNamesBesideOfTheirOwn) {
  const std::string one = name_beside("f");
  EXPECT_NE(one, name_beside("f"));
  EXPECT_FALSE(is_left_beside(one)) << "this process lives";
  const pid_t gone = start_copy([] { return 0; });
  (void)wait_for_end(gone);
  EXPECT_TRUE(is_left_beside("f." + std::to_string(gone) + ".0.tmp"));
  for (const char* name : {"f", "f.tmp", "f.1.tmp", "f.x.0.tmp", "f.1.y.tmp", "f.-1.0.tmp", "f.0.0.tmp"}) {
    EXPECT_FALSE(is_left_beside(name)) << name;
  }
}

TEST_F(FilesOfAFolder, AreMoved) {
  write_bytes(path, "text");
  EXPECT_EQ(move_file(path, beside), 0);
  EXPECT_EQ(bytes_of(beside), "text");
  EXPECT_EQ(move_file(path, beside), ENOENT);
}

TEST_F(FilesOfAFolder, AreWrittenToTheLastByte) {
  const std::string text(1U << 20U, 'x');
  const Descriptor file = open_file(path, O_WRONLY | O_CREAT, 0600);
  EXPECT_EQ(write_all(file.get(), text), 0);
  EXPECT_EQ(bytes_of(path), text);
  EXPECT_EQ(write_all(open_file(path, O_RDONLY).get(), "x"), EBADF);
}

}  // namespace
}  // namespace baton::test
