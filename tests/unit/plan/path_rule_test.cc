#include "plan/path_rule.h"

#include <gtest/gtest.h>

#include <utility>

namespace baton {
namespace {

TEST(PlainPath, given_what_says_nothing_when_taken_out_then_the_same_file_has_one_path) {
  for (const auto& [path, plain] : {std::pair{"out/x.txt", "out/x.txt"},
                                    {"./out//x.txt", "out/x.txt"},
                                    {"out/./y/../x.txt", "out/x.txt"},
                                    {"a/../../b", "../b"},
                                    {"../a", "../a"},
                                    {"/a//b/", "/a/b"},
                                    {"/../a", "/a"},
                                    {".", ""},
                                    {"", ""},
                                    {"..x/.y", "..x/.y"}}) {
    EXPECT_EQ(plain_path(path), plain) << path;
  }
}

}  // namespace
}  // namespace baton
