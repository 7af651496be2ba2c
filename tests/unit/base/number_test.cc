#include "base/number.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace baton {
namespace {

TEST(ParseWhole, TheWholeTextHasToBeTheNumber) {
  EXPECT_EQ(parse_whole<int>("42"), 42);
  EXPECT_EQ(parse_whole<int>("-42"), -42);
  EXPECT_EQ(parse_whole<double>("2.50"), 2.5);
  for (const char* text : {"", " 42", "42 ", "+42", "42x", "x42", "0x2a", "4.2", "-"}) {
    EXPECT_EQ(parse_whole<int>(text), std::nullopt) << text;
  }
}

TEST(ParseWhole, WhatDoesNotFitIsNone) {
  EXPECT_EQ(parse_whole<std::int64_t>("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(parse_whole<std::int64_t>("9223372036854775808"), std::nullopt);
  EXPECT_EQ(parse_whole<std::uint8_t>("256"), std::nullopt);
  EXPECT_EQ(parse_whole<unsigned>("-1"), std::nullopt);
}

TEST(TakeNumber, LeavesWhatStandsBehindIt) {
  std::string_view text = "12-7, x";
  EXPECT_EQ(take_number<int>(text), 12);
  EXPECT_EQ(take_number<int>(text), -7);
  EXPECT_EQ(take_number<int>(text), std::nullopt);
  EXPECT_EQ(text, ", x") << "where there is none, nothing is taken";
}

TEST(ParseHex, TakesDigitsOfBothCases) {
  EXPECT_EQ(parse_hex<unsigned>("fFfd"), 0xFFFDU);
  EXPECT_EQ(parse_hex<unsigned>("fg"), std::nullopt);
  EXPECT_EQ(parse_hex<unsigned>(""), std::nullopt);
}

}  // namespace
}  // namespace baton
