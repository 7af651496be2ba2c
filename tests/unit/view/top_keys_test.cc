#include <gtest/gtest.h>

#include "view/top/key.h"
#include "view/top/text_box.h"

namespace baton::top {
namespace {

using Kind = Key::Kind;

std::vector<Key> keys_of(std::string_view bytes, std::size_t piece = 1000) {
  KeyReader reader;
  std::vector<Key> all;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    for (Key& k : reader.read(bytes.substr(0, piece))) all.push_back(std::move(k));
  }
  for (Key& k : reader.pause()) all.push_back(std::move(k));
  return all;
}

TEST(Keys, AreTheSameHoweverTheBytesAreCut) {
  const std::string bytes =
      "aä漢\x1b[A\x1bOB\x1b[1;5C\x1b[3~\x1b[Z\r\t\x7f\x03\x1b[<0;12;7M\x1b[<0;12;7m\x1b[<64;1;1M\x1b[200~q\x1b["
      "A\nx\x1b[201~z";
  const std::vector<Key> expected{{Kind::letter, "a"},
                                  {Kind::letter, "ä"},
                                  {Kind::letter, "漢"},
                                  {Kind::up},
                                  {Kind::down},
                                  {Kind::right},
                                  {Kind::erase},
                                  {Kind::back_tab},
                                  {Kind::enter},
                                  {Kind::tab},
                                  {Kind::backspace},
                                  {Kind::control, "c"},
                                  {Kind::click, "", {11, 6}},
                                  {Kind::wheel_up, "", {0, 0}},
                                  {Kind::paste, "q\x1b[A\nx"},
                                  {Kind::letter, "z"}};
  for (const std::size_t piece : {1U, 2U, 3U, 5U, 1000U}) EXPECT_EQ(keys_of(bytes, piece), expected) << piece;
}

TEST(Keys, AnEscapeByItselfIsOneOnlyAfterAPause) {
  KeyReader reader;
  EXPECT_TRUE(reader.read("\x1b").empty());
  EXPECT_TRUE(reader.waits());
  EXPECT_EQ(reader.pause(), (std::vector<Key>{{Kind::escape}}));
  EXPECT_FALSE(reader.waits());
  EXPECT_EQ(keys_of("\x1b\x1b"), (std::vector<Key>{{Kind::escape}, {Kind::escape}}));
}

TEST(Keys, SequencesNobodyKnowsAreNothing) {
  EXPECT_TRUE(keys_of("\x1b[?1;2c").empty());
  EXPECT_TRUE(keys_of("\x1b[15~").empty());
  EXPECT_TRUE(keys_of("\x80\xFF").empty());
  EXPECT_TRUE(keys_of("\x1b[99999999999999999999~").empty());
}

TEST(TextBoxes, TakeEveryLetterAsText) {
  TextBox box;
  for (const char c : std::string{"qnpcax?/1"}) EXPECT_TRUE(box.take({Kind::letter, std::string(1, c)}));
  EXPECT_EQ(box.text, "qnpcax?/1");
  EXPECT_FALSE(box.take({Kind::enter}));
  EXPECT_TRUE(box.take({Kind::paste, "a\r\nb\x1b[31m\tc\x80"}));
  EXPECT_EQ(box.text, "qnpcax?/1a b[31m c") << "one line: ends and tabs are spaces, control characters go";
}

TEST(TextBoxes, AreEditedByWholeCharacters) {
  TextBox box;
  box.many_lines = true;
  (void)box.take({Kind::paste, "e\u0301👩‍💻漢\nzwei"});
  for (const auto kind : {Kind::up, Kind::end, Kind::backspace, Kind::backspace}) (void)box.take({kind});
  EXPECT_EQ(box.text, "e\u0301\nzwei");
  (void)box.take({Kind::left});
  EXPECT_EQ(box.cursor, 0U);
  (void)box.take({Kind::erase});
  EXPECT_EQ(box.text, "\nzwei");
  (void)box.take({Kind::erase});
  EXPECT_EQ(box.text, "zwei") << "the line's end, too";
  (void)box.take({Kind::end});
  (void)box.take({Kind::enter});
  (void)box.take({Kind::letter, "x"});
  EXPECT_EQ(box.text, "zwei\nx");
  (void)box.take({Kind::backspace});
  (void)box.take({Kind::backspace});
  EXPECT_EQ(box.text, "zwei");
  (void)box.take({Kind::control, "w"});
  EXPECT_EQ(box.text, "");
  (void)box.take({Kind::backspace});
  EXPECT_EQ(box.text, "");
}

TEST(TextBoxes, ALineOfAMegabyteIsNoTrouble) {
  TextBox box;
  box.many_lines = true;
  std::string line;
  while (line.size() < 900'000) line += "e\u0301 漢字 words ";
  (void)box.take({Kind::paste, "abc\n" + line + "\nxyz"});
  (void)box.take({Kind::home});
  (void)box.take({Kind::right});
  (void)box.take({Kind::right});
  (void)box.take({Kind::up});
  EXPECT_EQ(box.text.substr(box.cursor, 3), "漢") << "the same column of the line before";
  (void)box.take({Kind::up});
  EXPECT_EQ(box.text.substr(box.cursor, 2), "c\n");
  (void)box.take({Kind::down});
  (void)box.take({Kind::end});
  (void)box.take({Kind::backspace});
  (void)box.take({Kind::backspace});
  EXPECT_EQ(box.text.substr(box.cursor - 5), " word\nxyz");
  Grid grid{{40, 10}};
  const Rect where{0, 0, 40, 10};
  EXPECT_TRUE(where.holds(draw(grid, where, box, {})));
}

TEST(TextBoxes, AClusterWithoutEndIsStillTaken) {
  TextBox box;
  std::string marks = "e";
  for (int i = 0; i < 500; ++i) marks += "\u0301";
  (void)box.take({Kind::paste, marks + "x"});
  for (int i = 0; i < 2000 && box.cursor > 0; ++i) (void)box.take({Kind::left});
  EXPECT_EQ(box.cursor, 0U);
  while (!box.text.empty() && box.take({Kind::erase}))
    EXPECT_NE(static_cast<unsigned char>(box.text[0]) & 0xC0U, 0x80U);
}

TEST(TextBoxes, KeepTheirCursorInSight) {
  TextBox box;
  box.many_lines = true;
  for (int i = 0; i < 100; ++i) (void)box.take({Kind::paste, "some words and 漢字\n"});
  for (const Size size : {Size{1, 1}, Size{5, 2}, Size{30, 4}}) {
    Grid grid{{40, 10}};
    const Rect where{3, 2, size.width, size.height};
    EXPECT_TRUE(where.holds(draw(grid, where, box, {})));
  }
}

}  // namespace
}  // namespace baton::top
