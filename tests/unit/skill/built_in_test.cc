// The skills that come along: whole, readable, and made to run with nobody to ask.
#include "skill/built_in.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "support/places.h"

namespace baton {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string text_of(const std::string& name) {
  for (const BuiltInSkill& skill : built_in_skills()) {
    if (skill.name == name) return skill.text;
  }
  ADD_FAILURE() << "no skill " << name;
  return {};
}

Skill read(const BuiltInSkill& skill) {
  auto whole = read_skill(skill.text, {skill.name, skill.name});
  EXPECT_TRUE(whole) << skill.name;
  return whole.value_or(Skill{});
}

TEST(BuiltInSkills, AreThoseThatChainsSpeakOf) {
  std::vector<std::string> names;
  for (const BuiltInSkill& skill : built_in_skills()) names.push_back(skill.name);
  EXPECT_THAT(names,
              ElementsAre("build", "commit", "decompose", "document", "resolve", "review", "route", "spec", "test"));
}

TEST(BuiltInSkills, AreTheFilesInTheSource) {
  for (const BuiltInSkill& skill : built_in_skills()) {
    std::ifstream file{fs::path{test::source_folder()} / "src/skill/built_in" / skill.name / "SKILL.md"};
    std::stringstream text;
    text << file.rdbuf();
    EXPECT_EQ(skill.text, text.str()) << skill.name;
  }
}

TEST(BuiltInSkills, AreReadWithoutAWarning) {
  for (const BuiltInSkill& built_in : built_in_skills()) {
    const Skill skill = read(built_in);
    EXPECT_EQ(skill.name, built_in.name);
    EXPECT_THAT(skill.warnings, IsEmpty()) << skill.name;
    EXPECT_FALSE(skill.description.empty()) << skill.name;
    EXPECT_THAT((std::vector<std::string>{"haiku", "sonnet", "opus"}), testing::Contains(skill.model)) << skill.name;
    EXPECT_TRUE(skill.timeout && *skill.timeout >= Millis{600'000}) << skill.name;
    EXPECT_FALSE(skill.tools.empty()) << skill.name;
  }
}

TEST(BuiltInSkills, SayWhatToAnswerAndAskNobody) {
  for (const BuiltInSkill& skill : built_in_skills()) {
    EXPECT_THAT(skill.text, HasSubstr("## What to answer")) << skill.name;
    EXPECT_THAT(skill.text, HasSubstr("## What not to do")) << skill.name;
    EXPECT_FALSE(std::regex_search(skill.text, std::regex{"ask the user|ask for (help|clarification)|Ask "}))
        << skill.name;
  }
}

TEST(BuiltInSkills, ThatOnlyLookHaveNoToolsToChangeAnything) {
  for (const char* name : {"route", "decompose", "review"}) {
    for (const std::string& tool : read({name, text_of(name)}).tools) {
      const bool looks = tool == "Read" || tool == "Grep" || tool == "Glob" ||
                         std::regex_match(tool, std::regex{R"(Bash\(git (diff|log|show|status|merge-base):\*\))"});
      EXPECT_TRUE(looks) << name << " may use " << tool;
    }
  }
  EXPECT_THAT(text_of("review"), HasSubstr("Change nothing"));
  EXPECT_THAT(text_of("decompose"), HasSubstr("Write no files"));
}

}  // namespace
}  // namespace baton
