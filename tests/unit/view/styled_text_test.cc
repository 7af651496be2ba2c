#include "view/styled_text.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "view/gauge.h"

namespace baton {
namespace {

std::string text_of(const CellLine& line) {
  std::string out;
  for (const Cell& c : line) out += c.text;
  return out;
}

/// Nothing in the cells could drive a terminal.
void expect_harmless(const CellLine& line, const std::string& from) {
  for (const Cell& c : line) {
    for (std::size_t i = 0; i < c.text.size(); ++i) {
      const auto byte = static_cast<unsigned char>(c.text[i]);
      EXPECT_FALSE(byte < 0x20 || byte == 0x7F) << "from '" << from << "'";
      if (byte == 0xC2 && i + 1 < c.text.size()) {
        EXPECT_GE(static_cast<unsigned char>(c.text[i + 1]), 0xA0) << "C1 from '" << from << "'";
      }
    }
  }
}

TEST(StyledText, ColoursBecomeStyles) {
  const CellLine line = StyledText{}.line("a\x1b[31mb\x1b[1;4mc\x1b[0md\x1b[38;5;208me\x1b[48;2;255;0;0mf\x1b[39;49mg");
  EXPECT_EQ(text_of(line), "abcdefg");
  EXPECT_EQ(line[0].style, Style{});
  EXPECT_EQ(line[1].style.fg, 1);
  EXPECT_EQ(line[2].style.fg, 1);
  EXPECT_EQ(line[2].style.attributes, Style::bold | Style::underline);
  EXPECT_EQ(line[3].style, Style{});
  EXPECT_EQ(line[4].style.fg, 208);
  EXPECT_EQ(line[5].style.bg, 196) << "the nearest of 256";
  EXPECT_EQ(line[6].style, Style{});
  EXPECT_EQ(StyledText{}.line("\x1b[38:2::0:255:0mx")[0].style.fg, 46) << "with colons, too";
  EXPECT_EQ(StyledText{}.line("\x1b[91;102mx")[0].style, (Style{9, 10}));
}

TEST(StyledText, ColoursLastIntoTheNextLineAndGoBackToTheBase) {
  StyledText text{Style{3}};
  (void)text.line("\x1b[32mgreen");
  EXPECT_EQ(text.line("still")[0].style.fg, 2);
  EXPECT_EQ(text.line("\x1b[mno more")[0].style.fg, 3);
}

TEST(StyledText, EveryOtherEscapeIsASign) {
  for (int tail = 0; tail < 256; ++tail) {
    const std::string bytes = fmt::format("<\x1b{}>", static_cast<char>(tail));
    const CellLine line = StyledText{}.line(bytes);
    expect_harmless(line, bytes);
    EXPECT_TRUE(text_of(line).starts_with("<\\x1b")) << tail;
    EXPECT_TRUE(text_of(line).ends_with(">")) << tail;
  }
  EXPECT_EQ(plain_text("\x1b[2J\x1b]0;t\x07\x1b[6n\x1bPq\x1b\\"), "\\x1b[2J\\x1b]0;t\\x07\\x1b[6n\\x1bPq\\x1b\\");
  EXPECT_EQ(plain_text("\x1b[31"), "\\x1b[31") << "a sequence that does not end";
  EXPECT_EQ(plain_text("\x1b[?25m"), "\\x1b[?25m") << "private: no colour";
  EXPECT_EQ(plain_text("\x1b[" + std::string(500, '1') + "m").substr(0, 6), "\\x1b[1") << "too long to be one";
}

TEST(StyledText, ControlCharactersAndBrokenBytesAreSigns) {
  for (int c = 0; c < 0x20; ++c) {
    if (c == '\t') continue;
    EXPECT_EQ(plain_text(std::string(1, static_cast<char>(c))), fmt::format("\\x{:02x}", c));
  }
  for (int c = 0x80; c < 0xA0; ++c) {
    const std::string utf8{'\xC2', static_cast<char>(c)};
    EXPECT_EQ(plain_text(utf8), fmt::format("\\x{:02x}", c));
    EXPECT_EQ(plain_text(std::string(1, static_cast<char>(c))), "\uFFFD");
  }
  EXPECT_EQ(plain_text("\u202Eabc\u2066\u200E\uFEFF"), "\\u202eabc\\u2066\\u200e\\ufeff");
  EXPECT_EQ(plain_text("a\tb"), "a       b");
  EXPECT_EQ(plain_text("a\rb"), "a\\x0db");
  EXPECT_EQ(plain_text("\x7f"), "\\x7f");
}

TEST(StyledText, WrapsAtSpacesAndNeverThroughACharacter) {
  const auto rows = [](std::string_view text, int width) {
    std::vector<std::string> out;
    for (const CellLine& row : wrapped(cells_of(text), width)) out.push_back(text_of(row));
    return out;
  };
  EXPECT_EQ(rows("the quick brown fox", 10), (std::vector<std::string>{"the quick", "brown fox"}));
  EXPECT_EQ(rows("abcdefghijkl", 5), (std::vector<std::string>{"abcde", "fghij", "kl"}));
  EXPECT_EQ(rows("漢字漢字漢", 5), (std::vector<std::string>{"漢字", "漢字", "漢"}));
  EXPECT_EQ(rows("", 5), (std::vector<std::string>{""}));
  EXPECT_EQ(rows("漢", 1).size(), 2U) << "no room: it ends all the same";
  for (const int width : {1, 2, 3, 7}) {
    for (const CellLine& row : wrapped(cells_of("x 漢字 👩‍💻 long-word-here e\u0301"), width)) {
      EXPECT_LE(static_cast<int>(row.size()), width);
      EXPECT_TRUE(row.empty() || row.front().width != 0);
    }
  }
}

TEST(Gauge, BarsAreExactlyAsWideAsAskedAndHonestAtTheirEnds) {
  for (const double share : {-1.0, 0.0, 0.001, 0.3, 0.999, 1.0, 7.0}) {
    for (const int columns : {0, 1, 3, 10}) {
      EXPECT_EQ(static_cast<int>(cells_of(bar(share, columns)).size()), columns) << share;
    }
  }
  EXPECT_EQ(bar(0, 2), "░░");
  EXPECT_EQ(bar(1, 2), "██");
  EXPECT_EQ(bar(0.0001, 2), "▏░") << "something is not nothing";
  EXPECT_EQ(bar(0.9999, 2), "█▉") << "almost all is not all";
}

TEST(Gauge, SparklinesAreInProportion) {
  EXPECT_EQ(sparkline({0, 1, 8, 4}), " ▁█▄");
  EXPECT_EQ(sparkline({}), "");
  EXPECT_EQ(counted_in_parts({0, 5, 9, 10, 99}, 0, 10, 2), (std::vector<int>{1, 3}));
  EXPECT_EQ(counted_in_parts({1}, 5, 5, 2), (std::vector<int>{0, 0}));
}

}  // namespace
}  // namespace baton
