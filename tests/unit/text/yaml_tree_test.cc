#include "text/yaml_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/limits.h"
#include "text/yaml_json.h"

namespace baton {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

YamlTree read(std::string_view text) {
  YamlRead result = read_yaml(text, "f.md");
  EXPECT_THAT(result.faults, IsEmpty()) << to_text(result.faults.at(0));
  return std::move(result.tree.value());
}

Fault refused(std::string_view text, int lines_before = 0) {
  YamlRead result = read_yaml(text, "f.md", lines_before);
  EXPECT_FALSE(result.tree);
  EXPECT_THAT(result.faults, testing::Not(IsEmpty()));
  return result.faults.empty() ? Fault{} : result.faults.back();
}

std::string where(const Fault& fault) {
  return fault.code + " " + std::to_string(fault.place.line) + ":" + std::to_string(fault.place.column);
}

TEST(YamlTree, given_nested_values_when_read_then_order_kinds_and_places_are_kept) {
  const YamlTree tree = read("b: 1\na:\n  - 'x y'\n  - {k: v}\n");
  const YamlNode root = tree.root().value();
  ASSERT_TRUE(root.is_mapping());
  ASSERT_EQ(root.size(), 2U);
  EXPECT_EQ(root.key(0).text(), "b");
  EXPECT_EQ(root.value(0).text(), "1");
  EXPECT_FALSE(root.value(0).is_quoted());
  const YamlNode list = root.value(1);
  ASSERT_TRUE(list.is_sequence());
  EXPECT_EQ(list.item(0).text(), "x y");
  EXPECT_TRUE(list.item(0).is_quoted());
  EXPECT_EQ(list.item(0).line(), 3);
  EXPECT_EQ(list.item(0).column(), 5);
  EXPECT_EQ(list.item(1).find("k")->text(), "v");
  EXPECT_FALSE(list.item(1).find("other"));
}

TEST(YamlTree, given_plain_words_for_nothing_when_read_then_they_are_null_and_quoted_ones_are_not) {
  const YamlTree tree = read("[~, null, '', 'null', x]");
  const YamlNode root = tree.root().value();
  EXPECT_TRUE(root.item(0).is_null());
  EXPECT_TRUE(root.item(1).is_null());
  EXPECT_FALSE(root.item(2).is_null());
  EXPECT_FALSE(root.item(3).is_null());
  EXPECT_FALSE(root.item(4).is_null());
}

TEST(YamlTree, given_bare_expressions_in_a_flow_list_when_read_then_they_are_items_with_true_columns) {
  const YamlTree tree = read("input: [${{ a }}, ${{ steps.b.output }}/x, c]\nwide: {k: ${{ sandbox }}/y}\n");
  const YamlNode list = tree.root()->value(0);
  ASSERT_EQ(list.size(), 3U);
  EXPECT_EQ(list.item(0).text(), "${{ a }}");
  EXPECT_EQ(list.item(1).text(), "${{ steps.b.output }}/x");
  EXPECT_EQ(list.item(1).column(), 19);
  EXPECT_EQ(list.item(2).column(), 44);
  EXPECT_EQ(tree.root()->value(1).find("k")->text(), "${{ sandbox }}/y");
}

TEST(YamlTree, given_expressions_in_plain_quoted_and_block_text_when_read_then_they_stay_as_they_are) {
  const YamlTree tree = read("a: ${{ sandbox }}/x\nb: \"${{ y }}\"\nc: |\n  ${{ z }} and {{ t }}\n");
  EXPECT_EQ(tree.root()->value(0).text(), "${{ sandbox }}/x");
  EXPECT_EQ(tree.root()->value(1).text(), "${{ y }}");
  EXPECT_EQ(tree.root()->value(2).text(), "${{ z }} and {{ t }}\n");
}

TEST(YamlTree, given_crlf_and_a_byte_order_mark_when_read_then_neither_shows) {
  const YamlTree tree = read(
      "\xEF\xBB\xBF"
      "a: x\r\nb: |\r\n  one\r\n  two\r\n");
  EXPECT_EQ(tree.root()->value(0).text(), "x");
  EXPECT_EQ(tree.root()->value(1).text(), "one\ntwo\n");
  EXPECT_EQ(tree.root()->key(1).line(), 2);
}

TEST(YamlTree, given_an_alias_when_read_then_it_is_the_anchored_value) {
  const YamlTree tree = read("a: &x [1, 2]\nb: *x\n");
  EXPECT_EQ(tree.root()->value(1).item(1).text(), "2");
}

TEST(YamlTree, given_an_empty_document_when_read_then_there_is_no_root) {
  EXPECT_FALSE(read("").root());
  EXPECT_FALSE(read("# nothing\n").root());
}

TEST(YamlTree, given_the_same_key_twice_when_read_then_each_further_one_is_a_fault_with_its_place) {
  const YamlRead result = read_yaml("a: 1\nb: 2\na: 3\nc: {x: 1, x: 2}\n", "f.md", 1);
  ASSERT_THAT(result.faults, SizeIs(2));
  EXPECT_TRUE(result.tree);
  EXPECT_EQ(where(result.faults[0]), "duplicate-key 5:11");
  EXPECT_EQ(where(result.faults[1]), "duplicate-key 4:1");
  EXPECT_THAT(result.faults[1].help, HasSubstr("line 2"));
}

TEST(YamlFaults, given_broken_yaml_when_read_then_line_and_column_count_from_the_top_of_the_file) {
  EXPECT_EQ(where(refused("a: 1\nb: [1, 2\nc: 3\n", 1)), "bad-yaml 4:2");
}

TEST(YamlFaults, given_a_tab_as_indentation_when_read_then_the_tab_is_named) {
  const Fault fault = refused("steps:\n  - id: a\n\tskill: b\n");
  EXPECT_EQ(where(fault), "bad-yaml 3:1");
  EXPECT_THAT(fault.message, HasSubstr("tab"));
}

TEST(YamlFaults, given_nul_bytes_bad_utf8_and_control_characters_when_read_then_each_has_a_place) {
  EXPECT_EQ(where(refused(std::string_view{"a: 1\nb: \0x\n", 11})), "bad-character 2:4");
  EXPECT_EQ(where(refused("a: \xC3\xA4\xFF\n")), "bad-character 1:5");
  EXPECT_EQ(where(refused("a: \x1b[0m\n")), "bad-character 1:4");
  EXPECT_EQ(where(refused("a: \xF4\x8F\xBF\xBE\n")), "bad-character 1:4");
}

TEST(YamlFaults, given_nul_or_bad_utf8_anywhere_in_a_file_when_looked_for_then_the_first_is_found) {
  EXPECT_FALSE(find_bad_bytes("\xEF\xBB\xBF ä \x1b fine", "f"));
  EXPECT_EQ(where(*find_bad_bytes(std::string_view{"a\nb\0\xFF", 5}, "f")), "bad-character 2:2");
  EXPECT_EQ(where(*find_bad_bytes(std::string_view{"a\n\xFF\0", 4}, "f")), "bad-character 2:1");
}

TEST(YamlFaults, given_a_list_as_key_an_unknown_alias_or_two_documents_when_read_then_they_are_refused) {
  EXPECT_EQ(where(refused("? [a]\n: b\n")), "bad-yaml 1:3");
  EXPECT_EQ(where(refused("a: *nobody\n")), "bad-yaml 1:4");
  EXPECT_EQ(where(refused("a: &a [*a]\n")), "bad-yaml 1:8");
  EXPECT_EQ(where(refused("a: 1\n---\nb: 1\n")), "bad-yaml 2:1");
}

TEST(YamlBombs, given_64_levels_when_read_then_they_are_fine_and_65_are_not) {
  const std::string fine = std::string(Limits::yaml_depth_max, '[') + std::string(Limits::yaml_depth_max, ']');
  EXPECT_TRUE(read_yaml(fine, "f").tree);
  EXPECT_EQ(refused("[" + fine + "]").code, "yaml-too-deep");
}

TEST(YamlBombs, given_nesting_ten_thousand_deep_when_read_then_it_is_refused_at_once) {
  EXPECT_EQ(refused(std::string(10'000, '[')).code, "yaml-too-deep");
  EXPECT_EQ(refused(std::string(5'000'000, '[')).code, "yaml-too-deep");
  std::string braces;
  for (int i = 0; i < 1'000'000; ++i) braces += "{a: ";
  EXPECT_EQ(refused(braces).code, "yaml-too-deep");
  std::string dashes;
  for (int i = 0; i < 10'000; ++i) dashes += "- ";
  EXPECT_EQ(refused(dashes + "x").code, "yaml-too-deep");
  std::string lines;
  for (int i = 0; i < 3'000; ++i) lines += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  EXPECT_EQ(refused(lines).code, "yaml-too-deep");
}

TEST(YamlBombs, given_aliases_that_double_when_read_then_their_copies_count) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int k = 1; k < 10; ++k) bomb += ", " + before;
    bomb += "]\n";
  }
  EXPECT_EQ(refused(bomb).code, "yaml-too-large");
}

TEST(YamlBombs, given_aliases_that_nest_when_read_then_the_depth_of_what_they_stand_for_counts) {
  std::string bomb = "a0: &a0 [x]\n";
  for (int i = 1; i < 100; ++i) {
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
  }
  EXPECT_EQ(refused(bomb).code, "yaml-too-deep");
}

TEST(YamlBombs, given_ten_megabytes_of_values_when_read_then_the_limit_on_nodes_answers) {
  std::string list = "a: [";
  while (list.size() < 10'000'000) list += "x,";
  EXPECT_EQ(refused(list + "]").code, "yaml-too-large");
}

TEST(YamlBombs, given_megabytes_in_other_shapes_when_read_then_there_is_an_answer) {
  const auto repeated = [](std::string_view part, std::size_t size) {
    std::string text;
    while (text.size() < size) text += part;
    return text;
  };
  for (const std::string& text :
       {repeated("${{ ", 3'000'000), repeated("${{ a }} ", 3'000'000), repeated("&a *a ", 3'000'000),
        repeated("? ", 3'000'000), repeated("a: ", 3'000'000), repeated("\t", 3'000'000),
        "a: \"" + repeated("x", 3'000'000), "a: '" + repeated("x\n", 3'000'000), "a: |\n" + repeated(" x\n", 3'000'000),
        repeated("# comment\n", 3'000'000), repeated("!", 3'000'000), repeated("{a: [", 3'000'000)}) {
    const YamlRead result = read_yaml(text, "f.md");
    EXPECT_NE(result.tree.has_value(), has_errors(result.faults)) << text.substr(0, 20);
  }
}

TEST(YamlBombs, given_a_file_over_the_limit_when_read_then_it_is_refused_unread) {
  EXPECT_EQ(refused(std::string(Limits::file_bytes_max + 1, 'a')).code, "file-too-large");
}

TEST(YamlTree, given_tags_of_yaml_s_own_when_read_then_they_hold) {
  const YamlTree tree = read(
      "a: !!str 12\nb: !!str\nc: !!int \"12\"\nd: !!float 1.5\ne: !!bool true\nf: !!null ''\ng: ! true\n"
      "h: !!seq [1, !!str 2]\ni: !!map {!!str 3: 4}\nj: !<tag:yaml.org,2002:str> 5\nk: &x !!str 6\nl: *x\n");
  EXPECT_EQ(yaml_as_json_line(*tree.root(), [](const YamlNode& n) { return std::string{n.text()}; }),
            R"({"a":"12","b":"","c":12,"d":1.5,"e":true,"f":null,"g":"true","h":[1,"2"],"i":{"3":4},"j":"5",)"
            R"("k":"6","l":"6"})");
  EXPECT_FALSE(tree.root()->value(1).is_null());
}

TEST(YamlTree, given_tags_that_do_not_hold_when_read_then_they_are_refused_with_their_place) {
  for (const char* text : {"a: !!int x\n", "a: !!int 1.5\n", "a: !!float .inf\n", "a: !!bool yes\n", "a: !!null 0\n",
                           "a: !!binary aGk=\n", "a: !!timestamp 2026-01-01\n", "a: !mine 1\n", "a: !!seq 1\n",
                           "a: !!map [1]\n", "a: !!set {b}\n", "a: !!omap [b: 1]\n", "a: !!str [1]\n"}) {
    EXPECT_EQ(where(refused(text)), "bad-yaml 1:4") << text;
  }
  EXPECT_THAT(refused("a: !!bool yes\n").message, HasSubstr("the tag '!!bool' does not hold"));
  EXPECT_EQ(where(refused("!!int 1: 2\n")), "bad-yaml 1:1");
}

}  // namespace
}  // namespace baton
