// Settings from outside: layers, faults, explanations, chains of skills, and the file of agtop.
#include <gmock/gmock.h>

#include <algorithm>
#include <regex>

#include "support/programs.h"

namespace baton::test {
namespace {

using ::testing::ElementsAre;

class Settings : public Outside {
 protected:
  json::object settings(std::vector<std::string> more = {}) {
    std::vector<std::string> args{"config", "--json"};
    args.insert(args.end(), more.begin(), more.end());
    const Outcome config = place.baton(args);
    EXPECT_EQ(config.code, 0) << config;
    return config.code == 0 ? parse_json(config.out).as_object() : json::object{};
  }
  static std::string line_of(const std::string& text, const std::string& lead) {
    for (const std::string& line : lines_of(text)) {
      if (line.starts_with(lead + " ")) return line;
    }
    return {};
  }
  void write_users(const std::string& text) const {
    write_text(place.env.at("HOME") + "/.config/baton/baton.toml", text);
  }
  /// A chain of `workflows --json`.
  json::object chain(const std::string& name) {
    const json::value listed = parse_json(place.baton({"workflows", "--json"}).out);
    for (const json::value& value : listed.as_array()) {
      const json::object& row = value.as_object();
      if (text_at(row, "dialect") == "chain" && text_at(row, "name") == name) return row;
    }
    ADD_FAILURE() << "no chain " << name;
    return {};
  }
  static std::size_t notes_in(const Outcome& outcome) {
    std::size_t n = 0;
    for (auto at = outcome.err.find("agtop-note"); at != std::string::npos; at = outcome.err.find("agtop-note", at + 1))
      ++n;
    return n;
  }
};

TEST_F(Settings, OfASkillAreMergedKeyByKey) {
  write_users("[skills.review]\nmodel = \"sonnet\"\ntools = [\"Read\"]\n");
  place.write("baton.toml", "[skills.review]\nmodel = \"opus\"\n[workflows]\nfix = [\"build\"]\n");
  const json::object all = settings({"--set", "skills.review.timeout=9m"});
  EXPECT_EQ(text_at(all.at("skills.review.model").as_object(), "value"), "opus");
  EXPECT_EQ(text_at(all.at("skills.review.model").as_object(), "origin"), place.file("baton.toml:2"));
  EXPECT_EQ(text_at(all.at("skills.review.tools").as_object(), "value"), R"(["Read"])");
  EXPECT_EQ(text_at(all.at("skills.review.timeout").as_object(), "origin"), "--set");
  EXPECT_EQ(text_at(all.at("workflows.fix").as_object(), "value"), R"(["build"])");
}

TEST_F(Settings, FourFaultsAreFourMessagesWithTheirPlaces) {
  place.write("baton.toml",
              "[workflows.fix]\nskilz = [\"build\"]\n[limits]\njobs = 0\n[runtime.claude]\n  model = 5\n"
              "[skills.review]\nmodle = \"opus\"\n");
  const Outcome refused = place.baton({"run", "w"});
  EXPECT_EQ(refused.code, 2) << refused;
  std::vector<std::string> places;
  std::vector<std::string> codes;
  for (const std::string& line : lines_of(refused.err)) {
    if (line.starts_with("error[")) codes.push_back(line.substr(6, line.find(']') - 6));
    if (line.starts_with("  --> ")) places.push_back(line.substr(6 + place.root().size() + 1));
  }
  EXPECT_THAT(places, ElementsAre("baton.toml:2:1", "baton.toml:4:1", "baton.toml:6:3", "baton.toml:8:1")) << refused;
  EXPECT_THAT(codes, ElementsAre("unknown-config-key", "bad-config-value", "bad-config-value", "unknown-config-key"));
  EXPECT_TRUE(has(refused.err, "did you mean 'workflows.fix.skills'?")) << refused;
  EXPECT_TRUE(has(refused.err, "did you mean 'skills.review.model'?")) << refused;
  EXPECT_FALSE(file_exists(place.state()));
}

TEST_F(Settings, AreExplainedWithOriginAndMeaning) {
  place.write("baton.toml", "[workflows]\nship = [\"spec\", \"build\"]\n[skills.review]\nmodel = \"opus\"\n");
  place.env["BATON_GIT__MERGE"] = "squash";
  const Outcome explained = place.baton({"config", "--explain"});
  ASSERT_EQ(explained.code, 0) << explained;
  const std::string ship = line_of(explained.out, "workflows.ship");
  EXPECT_TRUE(has(ship, R"(["spec","build"])") && has(ship, "baton.toml:2;") && has(ship, "a chain of skills")) << ship;
  const std::string model = line_of(explained.out, "skills.review.model");
  EXPECT_TRUE(has(model, "opus") && has(model, "baton.toml:4;") && has(model, "the model for this skill")) << model;
  const std::string merge = line_of(explained.out, "git.merge");
  EXPECT_TRUE(has(merge, "squash") && has(merge, "BATON_GIT__MERGE;")) << merge;
  EXPECT_TRUE(has(line_of(explained.out, "workflows.sdlc"), "built in;")) << explained;
  EXPECT_TRUE(has(line_of(explained.out, "limits.rate_limit_backoff"), "60s")) << explained;
  EXPECT_TRUE(has(line_of(explained.out, "safety.blocked_patterns"), "not set;")) << explained;
  EXPECT_TRUE(has(line_of(explained.out, "skills.*.disallowed_tools"), "for each name;")) << explained;
}

// --- Chains of skills -------------------------------------------------------------------------------------------

TEST_F(Settings, ChainsAreListedWithTheirSkillsAndOrigin) {
  place.write("baton.toml",
              "[workflows]\nship = [\"spec\", \"build\"]\n[workflows.build]\nskills = [\"build\", \"test\"]\n");
  const json::object ship = chain("ship");
  EXPECT_EQ(ship.at("skills"), (json::array{"spec", "build"}));
  EXPECT_EQ(text_at(ship, "origin"), place.file("baton.toml:2"));
  EXPECT_EQ(ship.at("path"), nullptr);
  EXPECT_FALSE(ship.contains("shadows"));
  const json::object build = chain("build");
  EXPECT_EQ(build.at("skills"), (json::array{"build", "test"}));
  EXPECT_EQ(build.at("shadows"), (json::array{"build"})) << "the built-in one";
  EXPECT_EQ(text_at(chain("sdlc"), "origin"), "built in");
  EXPECT_EQ(chain("sdlc").at("skills"), (json::array{"spec", "decompose", "build", "review", "document"}));
  const Outcome text = place.baton({"workflows"});
  EXPECT_EQ(text.code, 0) << text;
  EXPECT_TRUE(has(line_of(text.out, "ship"), "baton.toml:2") && has(text.out, "spec > build\n")) << text;
  EXPECT_TRUE(has(text.out, "in place of the built-in build")) << text;
  EXPECT_EQ(text.err, "");
}

TEST_F(Settings, AFileWinsOverAChainAndThatIsSaid) {
  place.write("baton.toml", "[workflows]\n  ship = [\"spec\", \"build\"]\n");
  place.workflow("ship", {step("a", "true")});
  place.workflow("sdlc", {step("a", "true")});
  EXPECT_EQ(text_at(chain("ship"), "shadowed_by"), place.file("workflows/ship.md"));
  EXPECT_EQ(chain("ship").at("shadowed"), true);
  EXPECT_EQ(chain("sdlc").at("shadowed"), true);
  for (const std::vector<std::string>& args : {std::vector<std::string>{"workflows"}, {"check", "ship"}}) {
    const Outcome told = place.baton(args);
    EXPECT_EQ(told.code, 0) << told;
    EXPECT_TRUE(has(told.err, "warning[shadowed-workflow]: 'ship'") && has(told.err, "baton.toml:2:3")) << told;
    EXPECT_FALSE(has(told.err, "sdlc")) << "whoever names a file like a built-in chain means to: " << told;
  }
  const Outcome ran = place.baton({"run", "ship"});
  EXPECT_EQ(ran.code, 0) << ran;
  EXPECT_EQ(text_at(place.show(), "dialect"), "markdown");
}

// --- agtop.toml -------------------------------------------------------------------------------------------------

TEST_F(Settings, OfAgtopAreTakenAndNoted) {
  place.write("agtop.toml",
              "[limits]\nmax_cost_per_run = 7.5\n[ui]\ntheme = \"dark\"\n[skills.review]\nallowed_tools = [\"Read\"]\n"
              "[workflows]\nship = [\"build\"]\n");
  const Outcome config = place.baton({"config", "--json"});
  ASSERT_EQ(config.code, 0) << config;
  const json::object all = parse_json(config.out).as_object();
  EXPECT_EQ(text_at(all.at("limits.budget_usd").as_object(), "value"), "7.5");
  EXPECT_EQ(text_at(all.at("limits.budget_usd").as_object(), "origin"), place.file("agtop.toml:2"));
  EXPECT_EQ(text_at(all.at("skills.review.tools").as_object(), "value"), R"(["Read"])");
  bool noted = false;
  for (const json::object& line : json_lines(config.err)) {
    EXPECT_EQ(text_at(line, "type"), "warning");
    EXPECT_EQ(text_at(line, "code"), "agtop-note");
    noted = noted || (has(text_at(line, "message"), "'ui.theme'") && number_at(line, "line") == 4);
  }
  EXPECT_TRUE(noted) << config;
  EXPECT_EQ(chain("ship").at("skills"), (json::array{"build"}));
  EXPECT_TRUE(has(place.baton({"config", "--explain"}).out, "agtop.toml, BATON_*")) << "it is the project's layer";
}

TEST_F(Settings, NotesAreSaidWhereSettingsAreLookedAtAndOnceByRun) {
  place.write("agtop.toml", "[ui]\ntheme = \"dark\"\n");
  place.workflow("w", {step("a", "true")});
  const std::size_t all = notes_in(place.baton({"config"}));
  EXPECT_GE(all, 2U);
  EXPECT_EQ(notes_in(place.baton({"check", "w"})), all);
  EXPECT_EQ(notes_in(place.baton({"doctor"})), all);
  EXPECT_EQ(notes_in(place.baton({"run", "w"})), all);
  for (const std::vector<std::string>& args : {std::vector<std::string>{"list"},
                                               {"show", "last"},
                                               {"logs", "last"},
                                               {"plan", "w"},
                                               {"workflows"},
                                               {"skills"},
                                               {"retry", "last", "a"}}) {
    const Outcome quiet = place.baton(args);
    EXPECT_EQ(quiet.code, 0) << quiet;
    EXPECT_EQ(notes_in(quiet), 0U) << args.front() << quiet;
  }
  EXPECT_TRUE(has(place.baton({"doctor"}).out, place.file("agtop.toml")));
}

TEST_F(Settings, AgtopTomlMakesARootAndGivesWayToBatonToml) {
  place.write("inner/agtop.toml", "[limits]\nmax_tokens_per_run = 9\n");
  place.write("inner/deep/x", "");
  place.cwd = place.file("inner/deep");
  EXPECT_EQ(text_at(settings().at("limits.budget_tokens").as_object(), "origin"), place.file("inner/agtop.toml:2"));
  place.write("inner/baton.toml", "[limits]\njobs = 2\n");
  EXPECT_FALSE(settings().contains("limits.budget_tokens"));
  const Outcome told = place.baton({"config"});
  EXPECT_EQ(notes_in(told), 1U) << told;
  EXPECT_TRUE(has(told.err, "agtop.toml is not read")) << told;
}

TEST_F(Settings, OfAgtopsUserAndEnvironmentAreNotRead) {
  write_text(place.env["HOME"] + "/.config/agtop/config.toml", "[limits]\nmax_tokens_per_run = 9\n");
  place.env["AGTOP_MAX_TOKENS"] = "8";
  EXPECT_FALSE(settings().contains("limits.budget_tokens"));
  const Outcome told = place.baton({"config"});
  EXPECT_EQ(notes_in(told), 1U) << told;
  EXPECT_TRUE(has(told.err, "AGTOP_MAX_TOKENS is not read") && has(told.err, "BATON_LIMITS__BUDGET_TOKENS")) << told;
}

// --- The first file ---------------------------------------------------------------------------------------------

TEST_F(Settings, EveryExampleOfTheFirstFileIsRight) {
  ASSERT_EQ(place.baton({"init"}).code, 0);
  std::string text;
  int examples = 0;
  const std::regex example{R"(^# (\[[a-z.]+\]|[a-z_]+ = .*)$)"};
  for (const std::string& line : lines_of(place.read("baton.toml"))) {
    const bool is_example = std::regex_match(line, example);
    examples += is_example ? 1 : 0;
    text += (is_example ? line.substr(2) : line) + "\n";
  }
  EXPECT_GT(examples, 20);
  place.write("baton.toml", text);
  const json::object all = settings();
  for (const char* key : {"workflows.ship", "skills.review.model", "runtime.claude.tools", "runtime.default",
                          "safety.allow", "git.base", "review.auto_accept", "limits.concurrent_steps"}) {
    ASSERT_TRUE(all.contains(key)) << key;
    EXPECT_TRUE(has(text_at(all.at(key).as_object(), "origin"), "baton.toml:")) << key;
  }
}

TEST_F(Settings, TheFirstFileDoesNotTakeThePlaceOfAgtops) {
  place.write("agtop.toml", "[limits]\nmax_tokens_per_run = 9\n");
  const Outcome made = place.baton({"init"});
  EXPECT_EQ(made.code, 0) << made;
  EXPECT_FALSE(place.exists("baton.toml"));
  EXPECT_TRUE(place.exists("workflows/hello.md") && has(made.out, "kept  agtop.toml")) << made;
  EXPECT_TRUE(settings().contains("limits.budget_tokens"));
}

}  // namespace
}  // namespace baton::test
