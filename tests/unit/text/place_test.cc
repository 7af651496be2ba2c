#include "text/place.h"

#include <gtest/gtest.h>

#include "text/splice.h"

namespace baton {
namespace {

TEST(Place, CountsLinesAndCharacters) {
  const std::string text = "{\n  \"ä\": x\n}";
  const Place place = place_at(text, text.find('x'), "f");
  EXPECT_EQ(place.file, "f");
  EXPECT_EQ(place.line, 2);
  EXPECT_EQ(place.column, 8);
}

TEST(Place, InWordsCountsBytes) { EXPECT_EQ(place_in_words("a\näx", 4), "line 2, column 3"); }

TEST(Place, BehindTheEndIsTheEnd) {
  const LineAt line = line_at("a\nbc", 99);
  EXPECT_EQ(line.number, 2);
  EXPECT_EQ(line.before, "bc");
  EXPECT_EQ(place_at("", 0, "f").column, 1);
}

TEST(Place, OnlyYamlEndsLinesAtALoneReturn) {
  EXPECT_EQ(line_at("a\rb\r\nc", 2).number, 1);
  EXPECT_EQ(line_at("a\rb\r\nc", 2, LineEnds::lf_and_cr).number, 2);
  EXPECT_EQ(line_at("a\rb\r\nc", 5, LineEnds::lf_and_cr).number, 3);
}

TEST(Splice, ChangesAreMadeInTheOrderOfTheirPlaces) {
  EXPECT_EQ(spliced("abcdef", {{{4, 5}, "E"}, {{0, 1}, ""}, {{2, 2}, "1"}, {{2, 2}, "2"}}), "b12cdEf");
}

}  // namespace
}  // namespace baton
