#include "text/json_list.h"

#include <gmock/gmock.h>

#include <stdexcept>
#include <vector>

namespace baton {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> items_of(std::string_view text) {
  JsonList list{text};
  std::vector<std::string> items;
  while (const auto item = list.next()) items.emplace_back(*item);
  return items;
}

TEST(JsonList, given_values_of_all_kinds_when_taken_apart_then_each_is_there_as_it_was_written) {
  EXPECT_THAT(items_of("[]"), IsEmpty());
  EXPECT_THAT(items_of(" [ ] "), IsEmpty());
  EXPECT_THAT(items_of("[1]"), ElementsAre("1"));
  EXPECT_THAT(items_of(R"([1,"a,]}\"\\",{"b":[2,{"c":"}"}]},[[]],null])"),
              ElementsAre("1", R"("a,]}\"\\")", R"({"b":[2,{"c":"}"}]})", "[[]]", "null"));
  EXPECT_THAT(items_of("[\n {} ,\t[] ]"), ElementsAre("{}", "[]"));
}

TEST(JsonList, given_what_is_no_list_when_taken_apart_then_it_throws) {
  for (const char* wrong : {"", "{}", "1", "[", "[1", "[1,", "[{}", "[\"a]", "[{} {}]", "[\"a\\", "[\"a\"1]"}) {
    EXPECT_THROW((void)items_of(wrong), std::invalid_argument) << wrong;
  }
}

TEST(JsonList, given_the_first_items_when_asked_how_many_there_are_then_it_is_a_fair_guess) {
  std::string text = "[1000";
  for (int i = 1001; i < 5000; ++i) text += "," + std::to_string(i);
  text += "]";
  JsonList list{text};
  EXPECT_EQ(list.expected(), 0U);
  for (int i = 0; i < 100; ++i) (void)list.next();
  EXPECT_NEAR(static_cast<double>(list.expected()), 4000, 1100);
}

TEST(WithoutList, given_an_object_when_its_list_is_taken_out_then_the_rest_is_as_it_was) {
  const auto last = take_out_list(R"({"steps":"no","a":{"steps":[9]},"steps":[1,[2]]})", "steps");
  EXPECT_EQ(last.list, R"("no")") << "the first of that name, whatever it is";
  const auto parts = take_out_list(R"({ "a" : {"steps":[9]} , "steps" : [1,[2]], "b":"]" })", "steps");
  EXPECT_EQ(parts.list, "[1,[2]]");
  EXPECT_EQ(parts.rest, R"({ "a" : {"steps":[9]} , "steps" : [], "b":"]" })");
}

TEST(WithoutList, given_no_such_list_when_it_is_taken_out_then_it_throws) {
  for (const char* wrong : {"", "[]", "{}", R"({"a":1})", R"({"steps")", R"({"steps":)", R"({"steps":[)"}) {
    EXPECT_THROW((void)take_out_list(wrong, "steps"), std::invalid_argument) << wrong;
  }
}

}  // namespace
}  // namespace baton
