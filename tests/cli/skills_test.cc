// Skills from outside: where they are found, what they mean to a workflow, what an agent is told.
#include <fmt/core.h>

#include <algorithm>

#include "support/programs.h"

namespace baton::test {
namespace {

constexpr std::size_t built_in = 9;  ///< skills, each with a line for where it is and one for what it does

class SkillsOutside : public Outside {
 protected:
  SkillsOutside() { write_text(place.file("README.md"), "text\n"); }

  static std::string text(const std::string& description, const std::string& more = "") {
    return fmt::format("---\ndescription: {}\n{}---\n\nThe words of {}.\n", description, more, description);
  }
  void skill(const std::string& folder, const std::string& description, const std::string& more = "") const {
    place.write(folder + "/SKILL.md", text(description, more));
  }
  void user_skill(const std::string& folder, const std::string& description, const std::string& more = "") {
    write_text(place.env["HOME"] + "/" + folder + "/SKILL.md", text(description, more));
  }
  static std::string agent(const std::string& skill, const std::string& more = "    input: README.md\n") {
    return fmt::format(
        "  - id: a\n    skill: {}\n    mission: Write about it.\n    output: ${{{{ sandbox }}}}/outputs/a.json\n{}",
        skill, more);
  }
  /// Those that are not built in.
  std::vector<json::object> listed() {
    std::vector<json::object> all;
    const json::value array = parse_json(place.baton({"skills", "--json"}).out);
    for (const json::value& v : array.as_array()) {
      if (text_at(v.as_object(), "origin") != "builtin") all.push_back(v.as_object());
    }
    return all;
  }
  std::string prompt() { return read_text(text_at(attempt_of(place.show(), "a", 1), "prompt")); }
};

TEST_F(SkillsOutside, AreListedWithWhereTheyAreAndWhatShadowsThem) {
  skill(".agents/skills/writer", "mine");
  skill(".claude/skills/writer", "theirs");
  skill("plugins/p/skills/reader", "reads");
  user_skill(".claude/skills/writer", "of the user");
  user_skill(".config/baton/skills/finder", "finds", "inputless: true\n");
  const Outcome told = place.baton({"skills"});
  EXPECT_EQ(told.code, 0);
  EXPECT_EQ(told.err, "");
  const std::vector<std::string> lines = lines_of(told.out);
  ASSERT_EQ(lines.size(), 12U + 2 * built_in) << told;
  EXPECT_EQ(lines[0], "writer                    .claude/skills/writer");
  EXPECT_EQ(lines[1], "                          theirs");
  EXPECT_EQ(lines[2], "writer                    .agents/skills/writer");
  EXPECT_EQ(lines[3], "                          shadowed by .claude/skills/writer");
  EXPECT_EQ(lines[5], "reader                    plugins/p/skills/reader");
  EXPECT_EQ(lines[7], "finder                    ~/.config/baton/skills/finder");
  EXPECT_EQ(lines[10], "                          shadowed by .claude/skills/writer");
  EXPECT_EQ(lines[12], "build                     built in");

  const std::vector<json::object> all = listed();
  ASSERT_EQ(all.size(), 5U);
  EXPECT_EQ(text_at(all[0], "path"), place.file(".claude/skills/writer/SKILL.md"));
  EXPECT_EQ(text_at(all[0], "origin"), "project");
  EXPECT_TRUE(all[0].at("shadowed_by").is_null());
  EXPECT_EQ(all[1].at("shadowed"), true);
  EXPECT_EQ(text_at(all[1], "shadowed_by"), text_at(all[0], "path"));
  EXPECT_EQ(text_at(all[2], "origin"), "plugin");
  EXPECT_EQ(all[3].at("inputless"), true);
  EXPECT_EQ(text_at(all[4], "origin"), "user");
}

TEST_F(SkillsOutside, WithoutAnySayWhereTheyAreLookedFor) {
  const Outcome told = place.baton({"skills"});
  EXPECT_EQ(told.code, 0);
  for (const char* folder : {".baton/skills", ".opencode/skills", "~/.agents/skills", "~/.config/opencode/skills"}) {
    EXPECT_TRUE(has(told.out, folder)) << folder << told;
  }
  EXPECT_TRUE(has(told.out, "build                     built in\n")) << told;
  EXPECT_TRUE(listed().empty());
}

TEST_F(SkillsOutside, ThoseBuiltInAreShadowedByTheProjectsOwn) {
  skill(".claude/skills/review", "Ours.");
  const Outcome told = place.baton({"skills"});
  EXPECT_TRUE(has(told.out,
                  "review                    built in\n                          shadowed by .claude/skills/review\n"))
      << told;
  EXPECT_TRUE(has(place.baton({"skills", "review"}).out, "The words of Ours.")) << told;
  EXPECT_FALSE(has(told.out, "no others")) << told;
}

TEST_F(SkillsOutside, OneThatIsBuiltInIsShownAndWrittenOutToEdit) {
  const Outcome told = place.baton({"skills", "review"});
  EXPECT_EQ(told.code, 0) << told;
  for (const char* part : {"name            review\n", "from            built in\n", "model           opus\n",
                           "timeout         30m 00s\n", "\"review_issues\": ["}) {
    EXPECT_TRUE(has(told.out, part)) << part << told;
  }
  const Outcome made = place.baton({"skills", "review", "--export"});
  ASSERT_EQ(made.code, 0) << made;
  EXPECT_EQ(made.out, "made .baton/skills/review/SKILL.md\n");
  EXPECT_EQ(place.read(".baton/skills/review/SKILL.md"),
            read_text(source_folder() + "/src/skill/built_in/review/SKILL.md"));
  EXPECT_TRUE(has(place.baton({"skills", "review"}).out, "from            .baton/skills/review/SKILL.md\n"));
  const Outcome refused = place.baton({"skills", "review", "--export"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(says_error(refused, "skill-exists") && has(refused.err, ".baton/skills/review")) << refused;
}

TEST_F(SkillsOutside, ConfiguredFoldersAreLookedInToo) {
  skill("more/skills/writer", "configured");
  place.write("baton.toml", "[skills]\npaths = [\"more/skills\"]\n");
  const std::vector<json::object> all = listed();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(text_at(all[0], "origin"), "configured");
}

TEST_F(SkillsOutside, OneIsShownWithItsFieldsFilesAndText) {
  skill(".claude/skills/writer", "Writes.", "model: haiku\nallowed-tools: Read Write\nmetadata: {author: me}\n");
  place.write(".claude/skills/writer/references/style.md", "never inlined");
  const Outcome told = place.baton({"skills", "writer"});
  EXPECT_EQ(told.code, 0) << told;
  for (const char* part : {"name            writer\n", "from            .claude/skills/writer/SKILL.md\n",
                           "model           haiku\n", "tools           Read, Write\n", "metadata        author: me\n",
                           "file            references/style.md\n", "\nThe words of Writes..\n"}) {
    EXPECT_TRUE(has(told.out, part)) << part << told;
  }
  EXPECT_FALSE(has(told.out, "never inlined"));
  const json::object one = parse_json(place.baton({"skills", "writer", "--json"}).out).as_object();
  EXPECT_EQ(text_at(one, "body"), "The words of Writes..");
  EXPECT_EQ(json::serialize(one.at("files")), R"(["references/style.md"])");
  EXPECT_EQ(json::serialize(one.at("tools")), R"(["Read","Write"])");
}

TEST_F(SkillsOutside, AnUnknownOneIsRefusedWithTheNearest) {
  skill(".claude/skills/writer", "d");
  const Outcome refused = place.baton({"skills", "wirter"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(says_error(refused, "unknown-skill")) << refused;
  EXPECT_TRUE(has(refused.err, "did you mean 'writer'? skills found: build, ")) << refused;
}

TEST_F(SkillsOutside, ABrokenOneIsListedAndSaysWhy) {
  place.write(".claude/skills/writer/SKILL.md", "---\nname: \xFF\n---\n");
  const Outcome told = place.baton({"skills"});
  EXPECT_EQ(told.code, 0);
  EXPECT_TRUE(has(told.out, "cannot be read: the file is not UTF-8 text")) << told;
  const Outcome refused = place.baton({"skills", "writer"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(says_error(refused, "bad-character") && has(refused.err, ".claude/skills/writer/SKILL.md:2:7"))
      << refused;
}

TEST_F(SkillsOutside, WhatTheySayNeverDrivesATerminal) {
  skill(".claude/skills/writer", "\"red \\e[31m\"", "license: \"\\e[2J\"\n");
  for (const Outcome& told : {place.baton({"skills"}), place.baton({"skills", "writer"})}) {
    EXPECT_EQ(told.code, 0) << told;
    EXPECT_FALSE(has(told.out, "\x1b")) << told;
  }
}

TEST_F(SkillsOutside, ExportCopiesOneForTheProjectAndOverwritesNothing) {
  user_skill(".claude/skills/writer", "d");
  write_text(place.env["HOME"] + "/.claude/skills/writer/references/a.md", "reference");
  const Outcome made = place.baton({"skills", "writer", "--export"});
  ASSERT_EQ(made.code, 0) << made;
  EXPECT_EQ(made.out, "made .baton/skills/writer/SKILL.md\n");
  EXPECT_EQ(place.read(".baton/skills/writer/SKILL.md"), text("d"));
  EXPECT_EQ(place.read(".baton/skills/writer/references/a.md"), "reference");
  EXPECT_EQ(text_at(listed()[0], "path"), place.file(".baton/skills/writer/SKILL.md"));
  place.write(".baton/skills/writer/SKILL.md", text("changed"));
  const Outcome refused = place.baton({"skills", "writer", "--export"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(says_error(refused, "skill-exists")) << refused;
  EXPECT_EQ(place.read(".baton/skills/writer/SKILL.md"), text("changed"));
  EXPECT_EQ(place.baton({"skills", "--export"}).code, 2);
}

TEST_F(SkillsOutside, AMissingOneIsAnErrorForRunAndAWarningForCheckAndRehearsal) {
  skill(".claude/skills/writer", "d");
  place.workflow("w", {agent("wirter")});
  const std::string file = "--> workflows/w.md:";
  const Outcome run = place.baton({"run", "w"});
  EXPECT_EQ(run.code, 2);
  EXPECT_TRUE(says_error(run, "unknown-skill") && has(run.err, file)) << run;
  EXPECT_TRUE(has(run.err, "did you mean 'writer'? skills found: build, ")) << run;
  EXPECT_TRUE(says_error(run, "no-runtime")) << "every fault at once" << run;
  EXPECT_FALSE(file_exists(place.state("baton.db")));
  const Outcome check = place.baton({"check", "w"});
  EXPECT_EQ(check.code, 0);
  EXPECT_TRUE(has(check.err, "warning[unknown-skill]: step 'a': there is no skill 'wirter'")) << check;
  const Outcome rehearsed = place.baton({"run", "w", "--rehearse"});
  EXPECT_EQ(rehearsed.code, 0);
  EXPECT_TRUE(has(rehearsed.err, "warning[unknown-skill]")) << rehearsed;
  EXPECT_TRUE(has(prompt(), "Use the skill 'wirter'.")) << prompt();
  EXPECT_EQ(place.baton({"plan", "w"}).err, "");
}

TEST_F(SkillsOutside, AnUnreadableOneIsAnErrorForRun) {
  place.write(".claude/skills/writer/SKILL.md", std::string("---\ndescription: d\n---\na\0b", 26));
  place.workflow("w", {agent("writer")});
  const Outcome run = place.baton({"run", "w"});
  EXPECT_EQ(run.code, 2);
  EXPECT_TRUE(says_error(run, "skill-unreadable") && has(run.err, "--> .claude/skills/writer/SKILL.md:4:2")) << run;
  const Outcome check = place.baton({"check", "w"});
  EXPECT_EQ(check.code, 0);
  EXPECT_TRUE(has(check.err, "warning[skill-unreadable]")) << check;
}

TEST_F(SkillsOutside, OneThatNeedsNoInputMayHaveNone) {
  skill(".claude/skills/finder", "d", "inputless: true\n");
  skill(".claude/skills/writer", "d");
  place.workflow("finds", {agent("finder", "")});
  place.workflow("writes", {agent("writer", "")});
  EXPECT_EQ(place.baton({"check", "finds"}).code, 0);
  EXPECT_EQ(place.baton({"plan", "finds"}).code, 0);
  EXPECT_TRUE(says_error(place.baton({"check", "writes"}), "missing-input-field"));
  place.write("baton.toml", "[markdown]\ninputless_skills = [\"writer\"]\n");
  EXPECT_EQ(place.baton({"check", "writes"}).code, 0);
}

TEST_F(SkillsOutside, TheAgentIsToldItsWordsAndWhereItsFilesAre) {
  skill(".claude/skills/scribe", "d", "name: writer\n");
  place.write(".claude/skills/scribe/references/style.md", "never inlined");
  place.workflow("w", {agent("writer")});
  const Outcome ran = place.baton({"run", "w", "--rehearse"});
  ASSERT_EQ(ran.code, 0) << ran;
  const std::string folder = place.file(".claude/skills/scribe");
  EXPECT_TRUE(prompt().starts_with("# Skill: writer\n\nThe words of d.\n")) << prompt();
  EXPECT_TRUE(has(prompt(), "\nSkill folder: " + folder + "\nSkill file: " + folder + "/references/style.md\n"));
  EXPECT_TRUE(has(prompt(), "\nInput: README.md\n") && has(prompt(), "\nOutput: sandbox/")) << prompt();
  EXPECT_FALSE(has(prompt(), "never inlined")) << prompt();
}

TEST_F(SkillsOutside, WhatIsSaidOfFewerAttemptsCountsMoreForTheirTime) {
  skill(".claude/skills/slow", "slow", "timeout: 40s\n");
  skill(".claude/skills/plain", "plain");
  const auto of = [](const std::string& id, const std::string& skill, const std::string& more) {
    return fmt::format("  - id: {0}\n    skill: {1}\n    mission: m\n    input: README.md\n    output: {0}.json\n{2}",
                       id, skill, more);
  };
  place.workflow(
      "w", {of("own", "slow", "    timeout: 5s\n"), of("none", "slow", "    timeout: 0\n"), of("of_skill", "slow", ""),
            of("of_runtime", "plain", "    runtime: claude\n"), of("general", "plain", ""), step("command", "true")});
  const auto timeouts = [&] {
    std::vector<std::int64_t> all;
    const json::value plan = parse_json(place.baton({"plan", "w", "--json"}).out);
    for (const json::value& s : plan.at("steps").as_array()) all.push_back(number_at(s.as_object(), "timeout_ms"));
    return all;
  };
  place.write("baton.toml", "[limits]\nstep_timeout = \"20s\"\n[runtime.claude]\ntimeout = \"30s\"\n");
  EXPECT_EQ(timeouts(), (std::vector<std::int64_t>{5'000, 0, 40'000, 30'000, 20'000, 20'000}));
  place.write("baton.toml", "[limits]\nstep_timeout = \"20s\"\n[skills.slow]\ntimeout = \"50s\"\n");
  EXPECT_EQ(timeouts(), (std::vector<std::int64_t>{5'000, 0, 50'000, 20'000, 20'000, 20'000}));
}

}  // namespace
}  // namespace baton::test
