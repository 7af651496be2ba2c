#include "text/json_members.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/boost_json.h"
#include "text/json_value.h"

namespace baton {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

boost::json::object object_of(std::string_view text) { return parse_json(text).value().as_object(); }

TEST(JsonMembers, OfAnotherKindAreAsGoodAsNone) {
  const auto o = object_of(R"({"s": " a ", "n": 1, "l": [1], "o": {}})");
  EXPECT_EQ(string_at(o, "s"), " a ") << "as it is, blanks and all";
  EXPECT_EQ(string_at(o, "n"), "");
  EXPECT_EQ(string_at(o, "none"), "");
  EXPECT_NE(array_at(o, "l"), nullptr);
  EXPECT_EQ(array_at(o, "o"), nullptr);
  EXPECT_NE(object_at(o, "o"), nullptr);
  EXPECT_EQ(object_at(o, "l"), nullptr);
}

TEST(JsonMembers, AreFoundAtDottedPathsTheFirstThatIsThere) {
  const auto o = object_of(R"({"a": null, "b": {"c": 7}, "d": {"c": null}})");
  EXPECT_EQ(value_at(o, "a"), nullptr) << "null is none";
  EXPECT_EQ(value_at(o, "b.c")->as_int64(), 7);
  EXPECT_EQ(value_at(o, "b.c.x"), nullptr);
  EXPECT_EQ(value_at(o, {"a", "d.c", "b.c"})->as_int64(), 7);
}

TEST(JsonMembers, AnyValueHasAText) {
  const auto o = object_of(R"({"s": " a ", "n": 1.5, "t": true, "l": [1, "x"], "e": {"k": 1}})");
  EXPECT_EQ(text_at(o, {"s"}), "a");
  EXPECT_EQ(text_at(o, {"n"}), "1.5");
  EXPECT_EQ(text_at(o, {"t"}), "true");
  EXPECT_EQ(text_at(o, {"l"}), R"([1,"x"])");
  EXPECT_EQ(text_at(o, {"e"}), R"({"k":1})");
  EXPECT_EQ(text_at(o, {"none"}), "");
}

TEST(JsonMembers, ListsAreTakenInWhateverShapeTheyHave) {
  const auto o = object_of(R"({"l": ["a", null, 2], "o": {"x": "b", "y": null}, "s": "c", "e": " ", "n": null})");
  EXPECT_THAT(texts_at(o, {"l"}), ElementsAre("a", "2"));
  EXPECT_THAT(texts_at(o, {"o"}), ElementsAre("b"));
  EXPECT_THAT(texts_at(o, {"s"}), ElementsAre("c"));
  EXPECT_THAT(texts_at(o, {"e"}), IsEmpty());
  EXPECT_THAT(texts_at(o, {"n"}), IsEmpty());
}

TEST(JsonMembers, OnlyTextsAndWholeNumbersAreWords) {
  const auto o = object_of(R"({"e": " ", "s": " a ", "n": 7, "w": 7.0, "f": 7.5, "t": true, "l": ["x"]})");
  EXPECT_EQ(word_at(o, {"none", "e", "s"}), "a") << "the first of which there is one";
  EXPECT_EQ(word_at(o, {"n"}), "7");
  EXPECT_EQ(word_at(o, {"w"}), "7");
  for (const char* key : {"f", "t", "l"}) EXPECT_EQ(word_at(o, {key}), "") << key;
}

}  // namespace
}  // namespace baton
