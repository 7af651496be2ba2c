#include "view/char_width.h"

#include <gtest/gtest.h>

#include "view/cells.h"
#include "view/grid.h"

namespace baton {
namespace {

TEST(CharWidth, IsThatOfTheUnicodeTables) {
  EXPECT_EQ(char_width('a'), 1);
  EXPECT_EQ(char_width(U'é'), 1);
  EXPECT_EQ(char_width(U'漢'), 2);
  EXPECT_EQ(char_width(U'한'), 2);
  EXPECT_EQ(char_width(U'ｱ'), 1) << "half width";
  EXPECT_EQ(char_width(U'Ａ'), 2) << "full width";
  EXPECT_EQ(char_width(U'😀'), 2);
  EXPECT_EQ(char_width(0x231A), 2) << "a watch: an emoji by itself";
  EXPECT_EQ(char_width(0x2764), 1) << "a heart: not by itself";
  EXPECT_EQ(char_width(0x301), 0);
  EXPECT_EQ(char_width(0x200D), 0);
  EXPECT_EQ(char_width(0xFE0F), 0);
  EXPECT_EQ(char_width(0x93F), 1) << "a mark that takes room of its own";
  EXPECT_EQ(char_width(0x940), 1);
  EXPECT_EQ(char_width(0x941), 0);
  EXPECT_EQ(char_width(0x1160), 0) << "stands on a first Hangul letter";
  EXPECT_EQ(char_width(0x11A8), 0) << "and so does a last one";
  EXPECT_EQ(char_width(0x1E4EC), 0) << "a mark of Unicode 15";
  EXPECT_EQ(char_width(0x1FAE9), 2) << "an emoji, known to the tables or not";
  EXPECT_EQ(char_width(U'│'), 1);
  EXPECT_EQ(char_width(U'█'), 1);
  EXPECT_EQ(char_width(U'…'), 1);
}

TEST(CharWidth, ClustersAreMeasuredAsOne) {
  struct Case {
    std::string_view text;
    std::size_t columns;
    int cells;  ///< clusters
  };
  for (const Case& c : {
           Case{"e\u0301", 1, 1},  Case{"👩‍💻", 2, 1}, Case{"👨‍👩‍👧‍👦", 2, 1},
           Case{"👍🏽", 2, 1},     Case{"❤️", 2, 1},           Case{"❤", 1, 1},
           Case{"1️⃣", 2, 1},        Case{"🇩🇪🇫🇷", 4, 2},        Case{"🏳️‍🌈", 2, 1},
           Case{"漢字", 4, 2},     Case{"각", 2, 1},          Case{"ab", 2, 2},
           Case{"a\uFE0F", 1, 1},  Case{"❤\u200D🔥", 2, 1},   Case{"🇩", 1, 1},
           Case{"🇩🇪🇫", 3, 2},      Case{"का", 2, 2},          Case{"漢🏽", 4, 2},
           Case{"a\u200Bb", 2, 2},
       }) {
    EXPECT_EQ(columns_of(c.text), c.columns) << c.text;
    int clusters = 0;
    for (std::string_view rest = c.text; !rest.empty(); ++clusters) rest.remove_prefix(next_cluster(rest).text.size());
    EXPECT_EQ(clusters, c.cells) << c.text;
  }
}

TEST(Grid, NoWideCharacterIsEverCutInTwo) {
  Grid grid{{6, 1}};
  grid.put(0, 0, 6, "漢字漢");
  EXPECT_EQ(grid.row_text(0), "漢字漢");
  grid.put(1, 0, 1, "x");
  EXPECT_EQ(grid.row_text(0), " x字漢") << "the other half of what was overwritten is a blank";
  grid.put(4, 0, 1, "y");
  EXPECT_EQ(grid.row_text(0), " x字y ");
  grid.put(5, 0, 1, "漢");
  EXPECT_EQ(grid.row_text(0), " x字y ") << "no room for it";
  grid.put(1, 0, 2, "漢");
  EXPECT_EQ(grid.row_text(0), " 漢 y ") << "it covers the first half of another";
  grid.fit(0, 0, 6, "abcdefg");
  EXPECT_EQ(grid.row_text(0), "abcde…");
  grid.fit(0, 0, 4, "漢字漢");
  EXPECT_EQ(grid.row_text(0), "漢… e…") << "padded to its width";
  grid.put(0, 5, 6, "outside");
  grid.put(-1, 0, 3, "漢x");
  EXPECT_EQ(columns_of(grid.row_text(0)), 6U);
}

TEST(Grid, AHeapOfMarksIsCutAndMarksAloneStandOnACircle) {
  std::string heap = "a";
  for (int i = 0; i < 1000; ++i) heap += "\u0301";
  const CellLine cells = cells_of(heap + "b");
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_LE(cells[0].text.size(), 64U);
  EXPECT_EQ(cells[1].text, "b");
  EXPECT_EQ(cells_of("\u0301").front().text, "◌\u0301");
}

}  // namespace
}  // namespace baton
