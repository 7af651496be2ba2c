// Verbs about money: models, cost; and what doctor says of agents and prices.
#include <fmt/core.h>

#include "support/programs.h"
#include "support/scripted_claude.h"
#include "support/scripted_http.h"

namespace baton::test {
namespace {

class MoneyVerbs : public Outside {
 protected:
  void write_prices(const std::string& text) const {
    write_text(place.env.at("HOME") + "/.config/baton/prices.json", text);
  }
  json::object models() {
    const Outcome told = place.baton({"models", "--json"});
    EXPECT_EQ(told.code, 0) << told;
    return parse_json(told.out).as_object();
  }
  json::object cost() {
    const Outcome told = place.baton({"cost", "--json"});
    EXPECT_EQ(told.code, 0) << told;
    return parse_json(told.out).as_object();
  }
  static json::object named(const json::object& all, const char* list, const char* key, std::string_view name) {
    for (const json::value& one : all.at(list).as_array()) {
      if (one.at(key).is_string() && text_at(one.as_object(), key) == name) return one.as_object();
    }
    ADD_FAILURE() << "no " << name << " in " << list;
    return {};
  }
};

TEST_F(MoneyVerbs, ModelsTellThePricesAndTheirDate) {
  const json::object all = models();
  EXPECT_EQ(text_at(all, "date").size(), 10U);
  EXPECT_TRUE(all.at("user").is_null());
  const json::object opus = named(all, "models", "id", "claude-opus-4-5");
  EXPECT_EQ(text_at(opus, "origin"), "built-in");
  EXPECT_EQ(opus.at("usd_per_million_tokens").at("input"), 5);
  EXPECT_EQ(opus.at("usd_per_million_tokens").at("cache_write"), 6.25);
  EXPECT_TRUE(named(all, "aliases", "name", "opus").contains("model"));
  const Outcome text = place.baton({"models"});
  EXPECT_EQ(text.code, 0);
  EXPECT_TRUE(has(text.out, "claude-opus-4-5") && has(text.out, text_at(all, "date")) && has(text.out, "6.25")) << text;
  EXPECT_FALSE(file_exists(place.state()));
}

TEST_F(MoneyVerbs, ModelsAskProvidersWhatTheyHave) {
  EXPECT_TRUE(models().at("offered").as_array().empty()) << "nobody is asked without a key";
  ScriptedHttp server{R"([{"times":0,"when":{"path":"/v1/models?limit=1000"},"json":{"data":[
      {"id":"claude-sonnet-4-6","display_name":"Sonnet","max_input_tokens":1000000},{"id":"claude-new-9"}]}},
      {"times":0,"when":{"path":"/v1/models"},"status":401,"error":{"message":"who are you, sk-canary-55?"}}])"};
  place.env["ANTHROPIC_API_KEY"] = "sk-canary-44";
  place.env["OPENAI_API_KEY"] = "sk-canary-55";
  place.env["ANTHROPIC_BASE_URL"] = server.url("");
  place.env["OPENAI_BASE_URL"] = server.url("/v1");
  const json::object all = models();
  const json::object ours = named(all, "offered", "runtime", "anthropic");
  EXPECT_EQ(text_at(named(ours, "models", "id", "claude-sonnet-4-6"), "name"), "Sonnet");
  EXPECT_TRUE(named(ours, "models", "id", "claude-sonnet-4-6").at("priced").as_bool());
  EXPECT_FALSE(named(ours, "models", "id", "claude-new-9").at("priced").as_bool());
  EXPECT_TRUE(has(text_at(named(all, "offered", "runtime", "openai"), "error"), "who are you")) << json::serialize(all);
  const Outcome text = place.baton({"models"});
  EXPECT_EQ(text.code, 0) << text;
  EXPECT_TRUE(has(text.out, "claude-new-9") && has(text.out, "its price is not known")) << text;
  EXPECT_TRUE(has(text.out, "could not be asked")) << text;
  EXPECT_FALSE(has(text.out, "canary")) << text;
  EXPECT_FALSE(file_exists(place.state()));
  EXPECT_TRUE(has(server.seen(), "sk-canary-44"));
}

TEST_F(MoneyVerbs, WhatIsTheUsersIsMarked) {
  write_prices(
      R"({"date":"2030-01-02","models":{"house":{"input":1,"output":2},"claude-opus-4-5":{"input":9,"output":9},
                   "gpt-4.1":null},"aliases":{"best":"house"}})");
  const json::object all = models();
  EXPECT_EQ(all.at("user").at("date"), "2030-01-02");
  EXPECT_NE(text_at(all, "date"), "2030-01-02") << "the built-in table's own";
  EXPECT_EQ(text_at(named(all, "models", "id", "house"), "origin"), "user");
  const json::object opus = named(all, "models", "id", "claude-opus-4-5");
  EXPECT_EQ(text_at(opus, "origin"), "user");
  EXPECT_EQ(opus.at("usd_per_million_tokens").at("input"), 9);
  EXPECT_EQ(text_at(named(all, "models", "id", "claude-opus-4-6"), "origin"), "built-in");
  EXPECT_EQ(text_at(named(all, "aliases", "name", "best"), "origin"), "user");
  EXPECT_EQ(json::serialize(all.at("removed")), R"(["gpt-4.1"])");
  const Outcome text = place.baton({"models"});
  EXPECT_TRUE(has(text.out, "yours") && has(text.out, "taken out by you")) << text;
  write_prices("{nonsense");
  const Outcome broken = place.baton({"models"});
  EXPECT_EQ(broken.code, 2);
  EXPECT_TRUE(says_error(broken, "bad-prices")) << broken;
}

TEST_F(MoneyVerbs, CostIsWhatAgentsSpent) {
  EXPECT_EQ(cost().at("cost_usd"), 0) << "nothing was spent where nothing ran";
  EXPECT_FALSE(file_exists(place.state()));
  ScriptedClaude claude{place};
  write_skill(place);
  place.workflow("w", {agent_step("a", "write"), step("b", "true")});
  claude.does("a", "begin; answer m1 100 20; put '{\"title\":1}'; result 100 20 0.0625");
  ASSERT_EQ(place.baton({"run", "w", "--model", "opus"}).code, 0);
  ASSERT_EQ(place.baton({"run", "w", "--model", "opus"}).code, 0);
  ASSERT_EQ(place.baton({"run", "w", "--rehearse"}).code, 0);
  const json::object all = cost();
  EXPECT_EQ(all.at("cost_usd"), 0.125) << json::serialize(all);
  EXPECT_EQ(number_at(all, "attempts"), 2) << "commands and rehearsals are none";
  EXPECT_GT(number_at(all, "attempts_rehearsed"), 0);
  EXPECT_EQ(all.at("tokens").at("input"), 200);
  EXPECT_EQ(named(all, "workflows", "workflow", "w").at("cost_usd"), 0.125);
  EXPECT_EQ(named(all, "models", "model", "claude-opus-5-5").at("cost_usd"), 0.125) << "the one that answered";
  EXPECT_EQ(named(all, "skills", "skill", "writer").at("cost_usd"), 0.125);
  EXPECT_EQ(all.at("days").as_array().size(), 1U);
  const Outcome text = place.baton({"cost"});
  EXPECT_EQ(text.code, 0);
  EXPECT_TRUE(has(text.out, "writer") && has(text.out, "$0.12") && has(text.out, "rehearsed")) << text;
}

TEST_F(MoneyVerbs, DoctorTellsTheAgentTheKeysAndThePrices) {
  const auto doctor = [&] {
    const Outcome told = place.baton({"doctor", "--json"});
    EXPECT_TRUE(json::parse(told.out).is_object()) << told;
    return std::pair{told.code, parse_json(told.out).as_object()};
  };
  write_text(place.env["HOME"] + "/bin/agent-of-mine", "#!/bin/sh\necho \"7.8.9 ($1)\"\n");
  std::filesystem::permissions(place.env["HOME"] + "/bin/agent-of-mine", std::filesystem::perms::owner_all);
  place.env["BATON_RUNTIME__CLAUDE__COMMAND"] = place.env["HOME"] + "/bin/agent-of-mine";
  place.env["CLAUDE_CODE_OAUTH_TOKEN"] = "very-secret";
  auto [code, all] = doctor();
  EXPECT_EQ(code, 0);
  EXPECT_EQ(text_at(all.at("runtime claude").as_object(), "detail"),
            place.env["HOME"] + "/bin/agent-of-mine (7.8.9 (--version))");
  EXPECT_EQ(all.at("CLAUDE_CODE_OAUTH_TOKEN").at("detail"), "set");
  EXPECT_EQ(all.at("ANTHROPIC_API_KEY").at("detail"), "not set");
  EXPECT_TRUE(has(text_at(all.at("runtime anthropic").as_object(), "detail"), "no key is set"));
  place.env["OPENAI_API_KEY"] = "sk-very-secret";
  EXPECT_EQ(doctor().second.at("runtime openai").at("detail"), "key from OPENAI_API_KEY; no model set: name one");
  EXPECT_FALSE(has(json::serialize(all), "very-secret"));
  EXPECT_TRUE(has(json::serialize(all.at("prices")), "built in, of 20")) << json::serialize(all);
  place.env["BATON_RUNTIME__CLAUDE__COMMAND"] = "no-such-program-at-all";
  EXPECT_EQ(doctor().second.at("runtime claude").at("detail"), "not found: no-such-program-at-all");
  write_prices("{nonsense");
  EXPECT_EQ(doctor().first, 1) << "a table of prices that cannot be read is not well";
}

}  // namespace
}  // namespace baton::test
