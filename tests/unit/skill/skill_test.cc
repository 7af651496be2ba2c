#include "skill/skill.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/limits.h"

namespace baton {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

const SkillSource source{"skills/writer/SKILL.md", "writer"};

Skill good(std::string_view text) {
  auto skill = read_skill(text, source);
  EXPECT_TRUE(skill) << (skill ? "" : to_text(skill.error()));
  return skill.value_or(Skill{});
}

std::vector<std::string> warned(const Skill& skill) {
  std::vector<std::string> codes;
  for (const Fault& w : skill.warnings) {
    EXPECT_EQ(w.severity, Severity::warning) << to_text(w);
    EXPECT_EQ(w.place.file, source.file);
    codes.push_back(w.code + " " + std::to_string(w.place.line));
  }
  return codes;
}

TEST(Skill, given_every_field_when_read_then_each_is_there) {
  const Skill skill = good(R"(---
name: writer
description: >
  Writes
  plainly.
model: haiku
allowed-tools: Read, Bash(git add:*) Write
tools: Nothing
timeout: 90
inputless: true
license: MIT
compatibility: needs git
metadata:
  author: me
  version: 1.0
parallel-group: unknown keys are fine
---

# Writer

Write.

)");
  EXPECT_EQ(skill.name, "writer");
  EXPECT_EQ(skill.description, "Writes plainly.");
  EXPECT_EQ(skill.model, "haiku");
  EXPECT_THAT(skill.tools, ElementsAre("Read", "Bash(git add:*)", "Write"));
  EXPECT_EQ(skill.timeout, Millis{90'000});
  EXPECT_TRUE(skill.inputless);
  EXPECT_EQ(skill.license, "MIT");
  EXPECT_EQ(skill.compatibility, "needs git");
  EXPECT_THAT(skill.metadata, UnorderedElementsAre(Pair("author", "me"), Pair("version", "1.0")));
  EXPECT_EQ(skill.body, "# Writer\n\nWrite.");
  EXPECT_THAT(warned(skill), IsEmpty());
}

TEST(Skill, given_tools_in_any_form_when_read_then_they_are_a_list) {
  const auto tools = [](const std::string& line) { return good("---\ndescription: d\n" + line + "\n---\n").tools; };
  EXPECT_THAT(tools("tools: Read, Skill"), ElementsAre("Read", "Skill"));
  EXPECT_THAT(tools("allowed-tools: Read Skill"), ElementsAre("Read", "Skill"));
  EXPECT_THAT(tools("allowed-tools: [Read, Skill]"), ElementsAre("Read", "Skill"));
  EXPECT_THAT(tools("allowed-tools:\n  - Read\n  - Skill"), ElementsAre("Read", "Skill"));
  EXPECT_THAT(tools("allowed-tools: []\ntools: Read"), ElementsAre("Read")) << "an empty list counts as unset";
  EXPECT_THAT(tools("allowed-tools: Bash(a b"), ElementsAre("Bash(a b"));
}

TEST(Skill, given_no_front_matter_when_read_then_all_of_it_is_the_body) {
  const Skill skill = good("\n# Writer\n---\nmodel: no\n");
  EXPECT_EQ(skill.name, "writer");
  EXPECT_EQ(skill.model, "");
  EXPECT_EQ(skill.body, "# Writer\n---\nmodel: no");
  EXPECT_THAT(warned(skill), ElementsAre("skill-without-description 0"));
}

TEST(Skill, given_front_matter_that_is_never_closed_when_read_then_all_of_it_is_the_body) {
  EXPECT_EQ(good("---\nname: x\nWrite.\n").body, "---\nname: x\nWrite.");
}

TEST(Skill, given_a_byte_order_mark_and_crlf_when_read_then_they_are_no_part_of_it) {
  const Skill skill = good("\xEF\xBB\xBF---\r\ndescription: d\r\nmodel: m\r\n---\r\nWrite.\r\n");
  EXPECT_EQ(skill.description, "d");
  EXPECT_EQ(skill.model, "m");
  EXPECT_EQ(skill.body, "Write.");
  EXPECT_EQ(good("\xEF\xBB\xBFWrite.").body, "Write.");
}

TEST(Skill, given_nothing_at_all_when_read_then_it_is_a_skill_without_words) {
  EXPECT_EQ(good("").body, "");
  EXPECT_EQ(good("---\n---\n").name, "writer");
}

TEST(Skill, given_another_name_than_the_folders_when_read_then_it_is_taken_with_a_warning) {
  const Skill skill = good("---\nname: scribe\ndescription: d\n---\n");
  EXPECT_EQ(skill.name, "scribe");
  EXPECT_THAT(warned(skill), ElementsAre("skill-name-differs 2"));
}

TEST(Skill, given_a_name_that_could_lead_a_path_astray_when_read_then_the_folders_is_taken) {
  for (const char* name : {"../x", "a b", "x/y", "\"a\\nb\""}) {
    const Skill skill = good(std::string{"---\nname: "} + name + "\ndescription: d\n---\n");
    EXPECT_EQ(skill.name, "writer") << name;
    EXPECT_THAT(warned(skill), ElementsAre("skill-name-differs 2"));
  }
}

TEST(Skill, given_values_that_are_no_good_when_read_then_each_is_a_warning) {
  const Skill skill = good("---\ndescription: d\ntimeout: soon\ninputless: perhaps\n---\nb");
  EXPECT_FALSE(skill.timeout);
  EXPECT_FALSE(skill.inputless);
  EXPECT_THAT(warned(skill), ElementsAre("bad-duration 3", "wrong-type 4"));
}

TEST(Skill, given_a_key_twice_when_read_then_the_first_counts) {
  const Skill skill = good("---\ndescription: one\ndescription: two\n---\n");
  EXPECT_EQ(skill.description, "one");
  EXPECT_THAT(warned(skill), ElementsAre("duplicate-key 3"));
}

// Front matter that is no YAML -----------------------------------------------------------------------------------

TEST(SkillLines, given_a_value_that_goes_on_at_the_margin_when_read_then_it_goes_on) {
  const Skill skill = good("---\nname: writer\ndescription: Writes plainly.\nUse it after reading.\nmodel: m\n---\nb");
  EXPECT_EQ(skill.description, "Writes plainly. Use it after reading.");
  EXPECT_EQ(skill.model, "m");
  EXPECT_EQ(skill.body, "b");
  EXPECT_THAT(warned(skill), ElementsAre("skill-not-yaml 5"));
}

TEST(SkillLines, given_a_colon_in_a_value_when_read_then_it_is_part_of_it) {
  const Skill skill = good("---\ndescription: Use when: the user asks\n---\n");
  EXPECT_EQ(skill.description, "Use when: the user asks");
  EXPECT_THAT(warned(skill), ElementsAre("skill-not-yaml 2"));
}

TEST(SkillLines, given_blocks_lists_and_mappings_when_read_then_all_are_understood) {
  const Skill skill = good(R"(---
description: |
  First: one.

  Second.
# a comment
broken: [
name: "writer"
tools:
  - Read
  - 'Write'
metadata:
  author: me
  note: "a: b"
inputless: true
inputless: false
---
)");
  EXPECT_EQ(skill.description, "First: one.\n\nSecond.\n# a comment");
  EXPECT_EQ(skill.name, "writer");
  EXPECT_THAT(skill.tools, ElementsAre("Read", "Write"));
  EXPECT_THAT(skill.metadata, UnorderedElementsAre(Pair("author", "me"), Pair("note", "a: b")));
  EXPECT_TRUE(skill.inputless) << "the first counts";
}

TEST(SkillLines, given_a_flow_list_when_read_then_it_is_a_list) {
  EXPECT_THAT(good("---\ntools: [Read, \"Write\"]\nx: a: b\n---\n").tools, ElementsAre("Read", "Write"));
}

TEST(SkillLines, given_just_prose_when_read_then_nothing_of_it_counts) {
  const Skill skill = good("---\njust some text\n---\nbody");
  EXPECT_EQ(skill.name, "writer");
  EXPECT_EQ(skill.body, "body");
  EXPECT_THAT(warned(skill), ElementsAre("skill-not-yaml 2", "skill-without-description 0"));
}

// What is no text ------------------------------------------------------------------------------------------------

std::string refused(std::string_view text) {
  const auto skill = read_skill(text, source);
  return skill ? "read" : skill.error().code + ": " + skill.error().message;
}

TEST(Skill, given_no_text_when_read_then_it_is_refused) {
  EXPECT_THAT(refused(std::string_view{"---\nname: x\n---\na\0b", 18}), HasSubstr("bad-character: the file has a NUL"));
  EXPECT_THAT(refused("---\nname: x\n---\n\xFF\xFE"), HasSubstr("bad-character: the file is not UTF-8"));
  EXPECT_THAT(refused(std::string(Limits::skill_bytes_max + 1, 'x')),
              HasSubstr("file-too-large: the skill is larger than 1 MiB"));
  EXPECT_EQ(refused(std::string(Limits::skill_bytes_max, 'x')), "read");
}

TEST(SkillHead, given_a_body_that_is_cut_inside_of_a_character_when_read_then_the_front_matter_is_there) {
  const auto head = read_skill_head("---\ndescription: d\n---\nbod\xC3", source);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->description, "d");
  EXPECT_EQ(head->body, "");
}

TEST(SkillHead, given_front_matter_that_is_no_text_when_read_then_it_is_refused) {
  const auto head = read_skill_head("---\ndescription: \xFF\n---\n", source);
  ASSERT_FALSE(head);
  EXPECT_EQ(head.error().code, "bad-character");
  EXPECT_EQ(head.error().place.line, 2);
}

}  // namespace
}  // namespace baton
