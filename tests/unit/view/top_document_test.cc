// Texts to be read: longer than a pane, longer than anybody reads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "top_story.h"

namespace baton::top {
namespace {

/// The rows that a pane of this size shows.
std::vector<std::string> rows_seen(const Document& d, Size size, bool focused = false) {
  Grid grid{size};
  (void)draw(grid, {0, 0, size.width, size.height}, d, focused);
  std::vector<std::string> rows;
  for (int y = 0; y < size.height; ++y) rows.push_back(grid.row_text(y));
  return rows;
}

/// One entry whose rows, in 12 columns, are "row000", "row001" and so on.
Document of_rows(int count) {
  Document d;
  std::string text;
  for (int i = 0; i < count; ++i) text += "row" + std::to_string(1000 + i).substr(1) + "    ";
  d.add({Entry::Kind::plain, text});
  return d;
}
constexpr Size small{12, 4};

TEST(Documents, ALineOfMegabytesIsAllThereAndLaidOutOnce) {
  Document d;
  std::string line;
  for (int i = 0; line.size() < 5'000'000; ++i) line += "漢" + std::to_string(i) + "\x1b[32m ";
  d.add({Entry::Kind::plain, line});
  std::string all;
  for (std::size_t n = d.first; n < d.end(); ++n) {
    const std::string& text = d.at(n).text;
    EXPECT_LE(text.size(), Document::entry_bytes_max);
    EXPECT_NE(static_cast<unsigned char>(text.front()) & 0xC0U, 0x80U) << "no character is cut in two";
    EXPECT_FALSE(text.ends_with("\x1b") || text.ends_with("\x1b[")) << "nor a colour";
    all += text;
  }
  EXPECT_EQ(all, line);
  d.follow = true;
  EXPECT_EQ(rows_seen(d, small).size(), 4U);
  const auto* laid = d.rows_of(d.end() - 1, small.width).data();
  EXPECT_EQ(rows_seen(d, small).size(), 4U);
  d.scroll(-1, small);
  EXPECT_EQ(d.rows_of(d.end() - 1, small.width).data(), laid) << "drawing and scrolling lay nothing out again";
}

TEST(Documents, ALongAnswerIsFoldedWithoutBeingLaidOutAndSaysWhatIsCut) {
  Document d;
  d.add({Entry::Kind::answer, "[answer] first\n" + std::string(300'000, 'x')});
  ASSERT_EQ(d.entries.size(), 1U) << "what folds stays one";
  EXPECT_EQ(rows_seen(d, {40, 1}).front(), "▸ [answer] first … +65 KB               ");
  d.turn();
  d.to_last({44, 3});
  EXPECT_EQ(rows_seen(d, {44, 3}).back(), "  … 300015 bytes in all: R shows them raw   ");
}

TEST(Documents, MemoryIsBounded) {
  Document d;
  for (int i = 0; i < 700; ++i) d.add({Entry::Kind::plain, std::string(60'000, 'x')});
  std::size_t bytes = 0;
  for (const Entry& e : d.entries) bytes += e.text.size();
  EXPECT_LE(bytes, Document::bytes_max);
  EXPECT_EQ(d.end(), 700U);
}

TEST(Documents, AreScrolledRowByRow) {
  Document d = of_rows(20);
  EXPECT_THAT(rows_seen(d, small),
              testing::ElementsAre("  row000    ", "  row001    ", "  row002    ", "  row003    "));
  d.scroll(1, small);
  EXPECT_EQ(rows_seen(d, small).front(), "  row001    ");
  d.move(3, small);
  EXPECT_EQ(rows_seen(d, small, true).back(), "› row004    ") << "the cursor is a row";
  d.move(1, small);
  EXPECT_EQ(rows_seen(d, small, true).back(), "› row005    ");
  EXPECT_EQ(rows_seen(d, small).front(), "  row002    ");
  for (int i = 0; i < 4; ++i) d.move(-1, small);
  EXPECT_EQ(rows_seen(d, small, true).front(), "› row001    ");
  d.to_last(small);
  EXPECT_THAT(rows_seen(d, small, true).at(2), testing::HasSubstr("row018"));
  d.scroll(100, small);
  EXPECT_THAT(rows_seen(d, small, true).at(2), testing::HasSubstr("row018")) << "nothing stands below the end";
  d.to_top();
  EXPECT_EQ(rows_seen(d, small, true).front(), "› row000    ");
}

TEST(Documents, TheMarkTellsWhereInALongEntryItsReaderIs) {
  Document d = of_rows(100);
  const auto seen = [&] {
    Grid grid{small};
    return draw(grid, {0, 0, small.width, small.height}, d, false);
  };
  EXPECT_EQ(seen().from, 0U);
  EXPECT_LT(seen().to, 100U) << "a twentieth, not all of it";
  d.scroll(50, small);
  EXPECT_NEAR(static_cast<double>(seen().from), 500.0, 20.0);
  d.to_last(small);
  EXPECT_EQ(seen().to, seen().all);
}

TEST(Documents, ASearchGoesFromRowToRow) {
  Document d = of_rows(30);
  d.add({Entry::Kind::plain, "row1 is here too"});
  d.search = "row01";
  ASSERT_TRUE(d.find(1, small));
  EXPECT_EQ(d.cursor_row, 10U);
  ASSERT_TRUE(d.find(1, small));
  EXPECT_EQ(d.cursor_row, 11U);
  EXPECT_THAT(rows_seen(d, small, true), testing::Contains("› row011    "));
  ASSERT_TRUE(d.find(-1, small));
  EXPECT_EQ(d.cursor_row, 10U);
  ASSERT_TRUE(d.find(-1, small));
  EXPECT_EQ(d.cursor_row, 19U) << "round and round";
}

TEST(Documents, ANarrowerPaneShowsTheSamePlace) {
  Document d = of_rows(20);
  d.to_last(small);
  const std::vector<std::string> wide = rows_seen(d, {60, 4});
  EXPECT_THAT(wide.at(0), testing::HasSubstr("row000")) << "rows that are not there any more are no place";
  EXPECT_THAT(rows_seen(d, {12, 4}).back(), testing::Not(testing::HasSubstr("row000")));
}

}  // namespace
}  // namespace baton::top
