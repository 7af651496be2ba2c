#include "base/text.h"

#include <gtest/gtest.h>

#include "base/fault.h"
#include "base/hash.h"

namespace baton {
namespace {

TEST(Printable, ShowsEveryControlCharacterAsASign) {
  EXPECT_EQ(printable("a\x1b[31mb"), "a\\x1b[31mb");
  EXPECT_EQ(printable("\x07\x7f"), "\\x07\\x7f");
  EXPECT_EQ(printable("tab\tline\n"), "tab\tline\n");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "\\x9b31m");  // C1, as UTF-8
  EXPECT_EQ(printable("\xE2\x80\xAE"
                      "x"),
            "\\u202ex");  // right-to-left override
  EXPECT_EQ(printable("\xff\xfe"), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(printable("žluťoučký 漢字 🙂"), "žluťoučký 漢字 🙂");
}

TEST(Printable, LetsNoByteAfterEscapeThrough) {
  for (int first = 0; first < 256; ++first) {
    std::string text = "\x1b";
    text += static_cast<char>(first);
    for (const char c : printable(text)) {
      EXPECT_FALSE(static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') << first;
    }
  }
}

TEST(JsonQuote, EscapesWhatJsonWants) {
  EXPECT_EQ(json_quote("a\"b\\c\nd"), R"("a\"b\\c\nd")");
  EXPECT_EQ(json_quote(std::string_view{"\0\x1f", 2}), R"("\u0000\u001f")");
  EXPECT_EQ(json_quote("\xC0\xAF"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");  // overlong: not UTF-8
}

TEST(Nearest, FindsALikelySlipAndNothingElse) {
  const std::vector<std::string> known = {"needs", "mission", "output", "timeout"};
  EXPECT_EQ(nearest("neds", known), "needs");
  EXPECT_EQ(nearest("time_out", known), "timeout");
  EXPECT_EQ(nearest("elephant", known), "");
}

TEST(Slug, IsPlainAndHasNoLooseEnds) {
  EXPECT_EQ(slug("My Article (final).md"), "my-article-final-md");
  EXPECT_EQ(slug("漢字"), "");
  EXPECT_EQ(slug("--a--"), "a");
  EXPECT_EQ(slug("aaaa bbbb", 5), "aaaa");
}

TEST(Id, CannotLeadAPathAstray) {
  for (const char* good : {"a", "build-2", "build:part", "A_1.x", "0"}) EXPECT_TRUE(is_id(good)) << good;
  for (const char* bad : {"", ".", "..", "../x", "a/b", "-x", "a b", "a\n", "\xC3\xA9", "~", ".hidden"}) {
    EXPECT_FALSE(is_id(bad)) << bad;
  }
  EXPECT_FALSE(is_id(std::string(129, 'a')));
  EXPECT_FALSE(is_id(std::string_view{"a\0b", 3}));
}

TEST(Fault, ReadsAsTheCommandLineSays) {
  const Fault f{
      "missing-skill-field", "step 'summary' has no 'skill'", "add 'skill: <name>'", {"workflows/kit.md", 14, 5}};
  EXPECT_EQ(to_text(f),
            "error[missing-skill-field]: step 'summary' has no 'skill'\n"
            "  --> workflows/kit.md:14:5\n"
            "  help: add 'skill: <name>'\n");
  EXPECT_EQ(to_json(f), R"({"type":"error","code":"missing-skill-field","message":"step 'summary' has no 'skill'",)"
                        R"("file":"workflows/kit.md","line":14,"column":5,"help":"add 'skill: <name>'"})");
}

TEST(Hash, SeesEveryFlippedBit) {
  const std::string text = "attempt.ended{\"step\":3}";
  const std::uint64_t whole = hash64(text);
  for (std::size_t i = 0; i < text.size() * 8; ++i) {
    std::string flipped = text;
    flipped[i / 8] = static_cast<char>(flipped[i / 8] ^ (1 << (i % 8)));
    EXPECT_NE(hash64(flipped), whole) << i;
  }
}

}  // namespace
}  // namespace baton
