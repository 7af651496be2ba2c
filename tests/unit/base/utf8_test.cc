#include "base/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace baton {
namespace {

TEST(Utf8, FindsTheFirstByteThatIsNone) {
  EXPECT_EQ(utf8_fault("aä漢😀"), std::string_view::npos);
  for (const std::string_view bad : {"\x80", "\xC3", "\xE2\x82", "\xF5\x80\x80\x80", "\xED\xA0\x80", "\xC0\xAF"}) {
    EXPECT_EQ(utf8_fault("ä" + std::string{bad}), 2U);
    EXPECT_EQ(utf8_front(bad).size, 0U);
    EXPECT_EQ(utf8_shown(bad).code, U'\uFFFD');
    EXPECT_EQ(utf8_shown(bad).size, 1U);
  }
  EXPECT_EQ(utf8_front("漢x").code, U'漢');
  EXPECT_EQ(utf8_front("漢x").size, 3U);
}

TEST(Utf8, CountsAndTakesCharacters) {
  EXPECT_EQ(count_characters("aä漢😀"), 4);
  EXPECT_EQ(first_characters("aä漢😀", 3), "aä漢");
  EXPECT_EQ(first_characters("aä", 9), "aä");
  EXPECT_EQ(first_characters("aä", 0), "");
}

TEST(Utf8, IsCutBetweenCharacters) {
  const std::string_view text = "aä漢😀";  // begin at 0, 1, 3 and 6
  const std::size_t sizes[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10};
  for (std::size_t most = 0; most < std::size(sizes); ++most) {
    EXPECT_EQ(whole_front(text, most).size(), sizes[most]) << most;
  }
  EXPECT_EQ(whole_back(text.substr(7)), "");
  EXPECT_EQ(whole_back(text.substr(5)), "😀");
  EXPECT_EQ(whole_back(text.substr(3)), "漢😀");
  EXPECT_EQ(whole_back(""), "");
}

TEST(Utf8, WhatIsNoUtf8IsCutAnywhere) {
  const std::string bad(100, '\x80');
  EXPECT_EQ(whole_front(bad, 50).size(), 47U) << "more than a character's bytes are never lost";
  EXPECT_EQ(whole_back(bad).size(), 97U);
}

TEST(Utf8, AByteOrderMarkIsPassedOverOnce) {
  EXPECT_EQ(without_byte_order_mark("\xEF\xBB\xBF\xEF\xBB\xBFx"), "\xEF\xBB\xBFx");
  EXPECT_EQ(without_byte_order_mark("x"), "x");
}

}  // namespace
}  // namespace baton
