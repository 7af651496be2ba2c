// Texts that are kept once.
#include "core/words.h"

#include <gtest/gtest.h>

namespace baton::test {
namespace {

TEST(Words, AreKeptOnceEach) {
  Words words;
  const std::uint16_t claude = words.intern("claude");
  EXPECT_NE(words.intern("opus"), claude);
  EXPECT_EQ(words.intern("claude"), claude);
  EXPECT_EQ(words[claude], "claude");
}

TEST(Words, BeginWithTheEmptyOne) {
  Words words;
  EXPECT_EQ(words.intern(""), 0);
  EXPECT_EQ(words[0], "");
}

TEST(WordsDeathTest, OnlyWhatWasToldIsAskedFor) {
  const Words words;
  EXPECT_DEATH((void)words[1], "a word is asked for that was never told");
}

}  // namespace
}  // namespace baton::test
