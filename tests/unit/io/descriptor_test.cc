#include "io/descriptor.h"

#include <fcntl.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <cerrno>
#include <utility>

#include "support/scratch.h"

namespace baton::test {
namespace {

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

struct Descriptors : ::testing::Test {
  [[nodiscard]] Descriptor open() const { return open_file(folder.file("f"), O_RDWR | O_CREAT, 0600); }
  Scratch folder;
};

TEST_F(Descriptors, AreClosedAtTheirEnd) {
  int fd = -1;
  {
    const Descriptor file = open();
    ASSERT_TRUE(file);
    fd = file.get();
    EXPECT_TRUE(is_open(fd));
  }
  EXPECT_FALSE(is_open(fd));
}

TEST_F(Descriptors, AreClosedOnceHoweverOftenTheyAreHandedOn) {
  Descriptor one = open();
  const int fd = one.get();
  Descriptor other = std::move(one);
  EXPECT_FALSE(one);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(other.get(), fd);
  Descriptor third = open();
  const int replaced = third.get();
  third = std::move(other);
  EXPECT_FALSE(is_open(replaced));
  EXPECT_TRUE(is_open(fd));
  Descriptor& itself = third;
  third = std::move(itself);
  EXPECT_EQ(third.get(), fd);
  EXPECT_TRUE(is_open(fd));
  EXPECT_EQ(third.close(), 0);
  EXPECT_FALSE(is_open(fd));
  EXPECT_EQ(third.close(), 0) << "there is nothing to close";
}

TEST_F(Descriptors, ThatWereReleasedStayOpen) {
  int fd = -1;
  {
    Descriptor file = open();
    fd = file.release();
  }
  EXPECT_TRUE(is_open(fd));
  ::close(fd);
}

TEST_F(Descriptors, LeaveErrnoAsItIs) {
  {
    const Descriptor broken{1 << 20};  // closing it fails
    errno = ENOSPC;
  }
  EXPECT_EQ(errno, ENOSPC);
  EXPECT_EQ(Descriptor{1 << 20}.close(), EBADF);
}

TEST_F(Descriptors, AreInheritedByNoProgram) {
  const Descriptor file = open();
  EXPECT_NE(::fcntl(file.get(), F_GETFD) & FD_CLOEXEC, 0);
  const auto pipe = make_pipe();
  ASSERT_TRUE(pipe);
  EXPECT_NE(::fcntl(pipe->read.get(), F_GETFD) & FD_CLOEXEC, 0);
  EXPECT_NE(::fcntl(pipe->write.get(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST_F(Descriptors, OfWhatCannotBeOpenedSayWhy) {
  const Descriptor none = open_file(folder.file("missing/f"), O_RDONLY);
  EXPECT_FALSE(none);
  EXPECT_EQ(errno, ENOENT);
}

TEST_F(Descriptors, OfAPipeLeadFromOneEndToTheOther) {
  auto pipe = make_pipe();
  ASSERT_TRUE(pipe);
  ASSERT_EQ(::write(pipe->write.get(), "ab", 2), 2);
  pipe->write.close();
  char bytes[8] = {};
  EXPECT_EQ(::read(pipe->read.get(), bytes, sizeof bytes), 2);
  EXPECT_EQ(::read(pipe->read.get(), bytes, sizeof bytes), 0) << "the only other end is closed";
}

}  // namespace
}  // namespace baton::test
