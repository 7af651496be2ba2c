#include "skill/registry.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/limits.h"
#include "support/samples.h"
#include "support/scratch.h"

namespace baton {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class Registry : public testing::Test {
 protected:
  void write(const std::string& file, const std::string& text) {
    const fs::path path = scratch_.file(file);
    fs::create_directories(path.parent_path());
    test::write_bytes(path.string(), text);
  }
  void skill(const std::string& folder, const std::string& description, const std::string& more = "") {
    write(folder + "/SKILL.md", "---\ndescription: " + description + "\n" + more + "---\nThe body of " + description);
  }
  SkillRegistry registry(std::vector<BuiltInSkill> built_in = {}) {
    return SkillRegistry{{.project = scratch_.file("p"),
                          .home = scratch_.file("h"),
                          .config_home = scratch_.file("h/.config"),
                          .extra = {scratch_.file("extra")},
                          .built_in = std::move(built_in)}};
  }
  /// folder < the one that shadows it
  static std::vector<std::string> told(SkillRegistry& registry) {
    std::vector<std::string> lines;
    for (const FoundSkill& found : registry.all()) {
      std::string line = found.shown;
      if (found.shadowed_by) line += " < " + registry.all()[*found.shadowed_by].shown;
      if (found.broken) line += " ! " + found.broken->code;
      lines.push_back(line);
    }
    return lines;
  }
  /// The description of the skill that a name finds, "" if it finds none.
  static std::string means(SkillRegistry registry, const std::string& name) {
    const auto found = registry.find(name);
    return found ? found->skill.description : "";
  }

  test::Scratch scratch_;
};

const std::vector<std::pair<std::string, std::string>> places = {{"p/.baton/skills", "baton"},
                                                                 {"p/.claude/skills", "claude"},
                                                                 {"p/.agents/skills", "agents"},
                                                                 {"p/.opencode/skills", "opencode"},
                                                                 {"p/plugins/a/skills", "plugin-a"},
                                                                 {"p/plugins/b/skills", "plugin-b"},
                                                                 {"h/.config/baton/skills", "user-baton"},
                                                                 {"h/.claude/skills", "user-claude"},
                                                                 {"h/.agents/skills", "user-agents"},
                                                                 {"h/.config/opencode/skills", "user-opencode"},
                                                                 {"extra", "configured"}};

TEST_F(Registry, given_the_same_name_everywhere_when_the_first_goes_away_then_the_next_is_found) {
  for (const auto& [place, description] : places) skill(place + "/x", description);
  const std::vector<BuiltInSkill> built_in{{"x", "---\ndescription: builtin\n---\n"}};
  for (const auto& [place, description] : places) {
    EXPECT_EQ(means(registry(built_in), "x"), description);
    SkillRegistry all = registry(built_in);
    EXPECT_EQ(all.all().front().skill.description, description) << "the list has the same order";
    EXPECT_FALSE(all.all().front().shadowed_by);
    for (std::size_t i = 1; i < all.all().size(); ++i) EXPECT_EQ(all.all()[i].shadowed_by, 0U);
    fs::remove_all(scratch_.file(place + "/x"));
  }
  EXPECT_EQ(means(registry(built_in), "x"), "builtin");
  EXPECT_EQ(means(registry(), "x"), "");
}

TEST_F(Registry, given_skills_when_listed_then_each_says_where_it_is_and_what_shadows_it) {
  skill("p/.claude/skills/b", "one");
  skill("p/.claude/skills/a", "two");
  skill("h/.claude/skills/a", "three");
  skill("h/.config/opencode/skills/c", "four");
  SkillRegistry found = registry({{"d", "---\ndescription: five\n---\n"}});
  EXPECT_THAT(told(found), ElementsAre(".claude/skills/a", ".claude/skills/b", "~/.claude/skills/a < .claude/skills/a",
                                       "~/.config/opencode/skills/c", "built in"));
  EXPECT_EQ(found.all()[0].origin, SkillOrigin::project);
  EXPECT_EQ(found.all()[2].origin, SkillOrigin::user);
  EXPECT_EQ(found.all()[4].file, "builtin://d/SKILL.md");
}

TEST_F(Registry, given_a_name_and_a_folder_when_looked_for_then_both_find_it_and_the_folder_wins) {
  skill("p/.claude/skills/folder", "by folder", "name: named\n");
  EXPECT_EQ(means(registry(), "folder"), "by folder");
  EXPECT_EQ(means(registry(), "named"), "by folder");
  skill("h/.claude/skills/named", "of the user");
  EXPECT_EQ(means(registry(), "named"), "of the user") << "its folder has that name";
  SkillRegistry found = registry();
  EXPECT_THAT(told(found), ElementsAre(".claude/skills/folder", "~/.claude/skills/named")) << "each has a way to it";
}

TEST_F(Registry, given_a_shadowed_folder_with_a_name_of_its_own_when_listed_then_the_name_is_a_way_to_it) {
  skill("p/.claude/skills/x", "first");
  skill("h/.claude/skills/x", "second", "name: y\n");
  EXPECT_EQ(means(registry(), "y"), "second");
  SkillRegistry found = registry();
  EXPECT_FALSE(found.all()[1].shadowed_by);
}

TEST_F(Registry, given_what_is_no_skill_when_listed_then_it_is_passed_over) {
  fs::create_directories(scratch_.file("p/.claude/skills/empty"));
  write("p/.claude/skills/README.md", "text");
  skill("p/.claude/skills/.hidden", "hidden");
  skill("p/.claude/skills/a/deeper", "too deep");
  write("p/.claude/skills/lower/skill.md", "text");
  SkillRegistry found = registry();
  EXPECT_THAT(told(found), IsEmpty());
}

TEST_F(Registry, given_links_when_listed_then_folders_are_followed_and_files_are_not) {
  skill("elsewhere/real", "linked");
  write("secret", "---\ndescription: secret\n---\n");
  fs::create_directories(scratch_.file("p/.claude/skills/stolen"));
  fs::create_directory_symlink(scratch_.file("elsewhere/real"), scratch_.file("p/.claude/skills/linked"));
  fs::create_symlink(scratch_.file("secret"), scratch_.file("p/.claude/skills/stolen/SKILL.md"));
  fs::create_directory_symlink(scratch_.file("p/.claude/skills"), scratch_.file("p/.claude/skills/round"));
  SkillRegistry found = registry();
  EXPECT_THAT(told(found), ElementsAre(".claude/skills/linked", ".claude/skills/stolen ! file-unreadable"));
  EXPECT_EQ(means(registry(), "linked"), "linked");
  EXPECT_EQ(means(registry(), "stolen"), "");
}

TEST_F(Registry, given_a_broken_one_when_looked_for_then_the_next_of_that_name_is_found) {
  write("p/.claude/skills/x/SKILL.md", std::string(Limits::skill_bytes_max + 1, 'x'));
  write("p/.agents/skills/x/SKILL.md", "---\nname: \xFF\n---\n");
  fs::create_directories(scratch_.file("p/.opencode/skills/x"));
  ASSERT_EQ(::mkfifo(scratch_.file("p/.opencode/skills/x/SKILL.md").c_str(), 0600), 0);
  skill("h/.claude/skills/x", "good");
  SkillRegistry found = registry();
  EXPECT_THAT(told(found), ElementsAre(".claude/skills/x ! file-too-large", ".agents/skills/x ! bad-character",
                                       ".opencode/skills/x ! file-unreadable", "~/.claude/skills/x"));
  EXPECT_EQ(means(registry(), "x"), "good");
}

TEST_F(Registry, given_a_skill_when_loaded_then_its_body_is_read_anew) {
  skill("p/.claude/skills/x", "one");
  SkillRegistry registry_ = registry();
  const auto found = registry_.find("x");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->skill.body, "") << "only the front matter is read at first";
  EXPECT_EQ(registry_.load(*found)->body, "The body of one");
  skill("p/.claude/skills/x", "two");
  EXPECT_EQ(registry_.load(*found)->body, "The body of two");
  EXPECT_EQ(registry_.find("x")->skill.description, "two");
  write("p/.claude/skills/x/SKILL.md", std::string("a\0b", 3));
  EXPECT_EQ(registry_.load(*found).error().code, "bad-character");
  fs::remove(scratch_.file("p/.claude/skills/x/SKILL.md"));
  EXPECT_THAT(registry_.load(*found).error().message, HasSubstr("it is gone"));
  EXPECT_FALSE(registry_.find("x"));
}

TEST_F(Registry, given_a_built_in_skill_when_loaded_then_its_text_is_there) {
  SkillRegistry found = registry({{"d", "---\ndescription: five\n---\nDo it."}});
  EXPECT_EQ(found.load(found.find("d").value())->body, "Do it.");
  EXPECT_THAT(SkillRegistry::files_of(*found.find("d")), IsEmpty());
}

TEST_F(Registry, given_files_beside_the_skill_when_asked_then_references_come_first) {
  skill("p/.claude/skills/x", "d");
  for (const char* file : {"scripts/run.py", "references/b.md", "references/a.md", "references/data.csv", "LICENSE",
                           "references/.swp", ".git/config", "a/b/c.txt", "a/b/c/too-deep.txt"}) {
    write(std::string{"p/.claude/skills/x/"} + file, "text");
  }
  fs::create_symlink("/etc/passwd", scratch_.file("p/.claude/skills/x/references/passwd.md"));
  EXPECT_THAT(SkillRegistry::files_of(registry().find("x").value()),
              ElementsAre("references/a.md", "references/b.md", "LICENSE", "a/b/c.txt", "references/data.csv",
                          "scripts/run.py"));
}

TEST_F(Registry, given_more_folders_than_are_looked_at_when_listed_then_it_says_what_was_left_out) {
  for (std::size_t i = 0; i <= Limits::skill_folders_max; ++i) skill(fmt::format("extra/s{:05}", i), "d");
  SkillRegistry found = registry();
  EXPECT_THAT(found.all(), SizeIs(Limits::skill_folders_max));
  ASSERT_THAT(found.left_out(), SizeIs(1));
  EXPECT_EQ(found.left_out()[0].code, "too-many-skills");
  EXPECT_THAT(found.left_out()[0].message, HasSubstr("from 's02000' on"));
  EXPECT_TRUE(found.find("s02000")) << "by its folder's name it is found all the same";
}

TEST_F(Registry, given_names_that_are_paths_when_looked_for_then_nothing_is_found) {
  skill("p/.claude/skills/x", "d");
  for (const char* name : {"../skills/x", "", ".", "..", "x/", "/etc"}) EXPECT_EQ(means(registry(), name), "") << name;
}

/// Skills as other programs write them, three of which are not valid YAML.
class SampleSkills : public testing::TestWithParam<test::Origin> {};
INSTANTIATE_TEST_SUITE_P(Samples, SampleSkills, test::both_origins(), test::origin_name);

TEST_P(SampleSkills, given_the_sample_skills_when_read_then_all_of_them_are_understood) {
  const test::Kit kit = test::kit_of(GetParam());
  if (const auto why = test::absent(GetParam(), kit.folder); !why.empty()) GTEST_SKIP() << why;
  const test::Scratch scratch;
  SkillRegistry found{
      {.project = scratch.file("p"), .home = {}, .config_home = {}, .extra = {kit.folder + "/skills"}, .built_in = {}}};
  std::vector<std::string> names;
  std::vector<std::string> lenient;
  for (const FoundSkill& one : found.all()) {
    EXPECT_FALSE(one.broken);
    names.push_back(one.skill.name);
    const auto skill = found.load(one);
    ASSERT_TRUE(skill);
    EXPECT_THAT(skill->body, HasSubstr("#"));
    for (const Fault& w : skill->warnings) {
      EXPECT_EQ(w.code, "skill-not-yaml");
      lenient.push_back(one.skill.name);
    }
  }
  EXPECT_EQ(names, kit.skills);
  EXPECT_EQ(lenient, kit.not_yaml);
  for (const std::string& name : {kit.folded, kit.with_tools, kit.needs_program}) ASSERT_TRUE(found.find(name)) << name;
  EXPECT_EQ(found.find(kit.folded)->skill.description, kit.description);
  EXPECT_THAT(found.find(kit.with_tools)->skill.tools, ElementsAre("Read", "Skill"));
  EXPECT_THAT(found.find(kit.needs_program)->skill.tools, ElementsAre("Bash(" + kit.program + ":*)"));
  EXPECT_THAT(found.find(kit.needs_program)->skill.compatibility, HasSubstr("Requires " + kit.program + " CLI."));
}

}  // namespace
}  // namespace baton
