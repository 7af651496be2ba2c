#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api_play.h"
#include "base/boost_json.h"
#include "runtime/api/ask.h"
#include "runtime/api/families.h"
#include "runtime/api/model_facts.h"
#include "runtime/api/schema_fit.h"

namespace baton::api {
namespace {

namespace json = boost::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Ask ask_of(const std::string& model = "claude-sonnet-5-5") {
  Ask ask;
  ask.model = model;
  ask.prompt = {
      .skill = "You write.", .references = {"Ref A", "Ref B"}, .context = "The product.", .task = "Write it."};
  return ask;
}

json::value messages(const Ask& ask, std::string_view version = messages_version) {
  return json::parse(messages_body(ask, version));
}

// The Messages API. -------------------------------------------------------------------------------------------------
TEST(MessagesBody, what_siblings_share_comes_first_and_ends_in_marks_of_the_cache) {
  const json::value body = messages(ask_of());
  const json::array& system = body.at("system").as_array();
  ASSERT_EQ(system.size(), 3U);
  EXPECT_EQ(system[0].at("text").as_string(), "You write.");
  EXPECT_FALSE(system[0].as_object().contains("cache_control"));
  EXPECT_EQ(system[2].at("text").as_string(), "Ref B");
  EXPECT_EQ(json::serialize(system[2].at("cache_control")), R"({"type":"ephemeral"})");
  const json::array& user = body.at("messages").as_array()[0].at("content").as_array();
  ASSERT_EQ(user.size(), 2U);
  EXPECT_EQ(user[0].at("text").as_string(), "The product.");
  EXPECT_TRUE(user[0].as_object().contains("cache_control"));
  EXPECT_EQ(user[1].at("text").as_string(), "Write it.");
  EXPECT_FALSE(user[1].as_object().contains("cache_control"));
  EXPECT_EQ(body.at("max_tokens").as_int64(), 16384);
  EXPECT_TRUE(body.at("stream").as_bool());
}

TEST(MessagesBody, siblings_differ_only_behind_the_last_mark) {
  Ask one = ask_of();
  Ask other = ask_of();
  other.prompt.task = "Write something else.";
  EXPECT_EQ(prefix_hash(one), prefix_hash(other));
  const std::string a = messages_body(one);
  const std::string b = messages_body(other);
  EXPECT_EQ(a.substr(0, a.find("Write it.")), b.substr(0, b.find("Write something")));
  other.prompt.context = "Another product.";
  EXPECT_NE(prefix_hash(one), prefix_hash(other));
}

TEST(MessagesBody, empty_parts_are_left_out) {
  Ask ask = ask_of();
  ask.prompt = {.skill = " \n", .references = {""}, .context = "", .task = "Go."};
  const json::value body = messages(ask);
  EXPECT_FALSE(body.as_object().contains("system"));
  EXPECT_EQ(body.at("messages").as_array()[0].at("content").as_array().size(), 1U);
  ask.prompt = {.skill = "", .references = {"R"}, .context = "", .task = "Go."};
  EXPECT_EQ(messages(ask).at("system").as_array().size(), 1U);
}

TEST(MessagesBody, the_cache_lives_as_long_as_it_is_told_or_is_not_used) {
  Ask ask = ask_of();
  ask.cache_ttl = "1h";
  EXPECT_THAT(messages_body(ask), HasSubstr(R"("cache_control":{"type":"ephemeral","ttl":"1h"})"));
  ask.cache_ttl = "off";
  EXPECT_THAT(messages_body(ask), Not(HasSubstr("cache_control")));
}

TEST(MessagesBody, only_what_the_model_takes_is_sent) {
  struct Row {
    const char* model;
    const char* thinking;
    std::string expected;
  };
  const std::vector<Row> rows = {
      {"claude-sonnet-4-5-20250929", "on", R"({"type":"enabled","budget_tokens":8192})"},
      {"claude-sonnet-4-5-20250929", "2000", R"({"type":"enabled","budget_tokens":2000})"},
      {"claude-sonnet-4-5-20250929", "5", R"({"type":"enabled","budget_tokens":1024})"},
      {"claude-sonnet-4-5-20250929", "99999", R"({"type":"enabled","budget_tokens":16383})"},
      {"claude-opus-4-6", "on", R"({"type":"adaptive"})"},
      {"claude-opus-4-7", "2000", R"({"type":"adaptive"})"},
      {"claude-opus-5-5", "on", R"({"type":"adaptive"})"},
      {"claude-opus-5-5", "off", ""},
      {"claude-sonnet-5-5", "off", R"({"type":"disabled"})"},
      {"claude-opus-4-8", "off", ""},
      {"claude-sonnet-5-5", "", ""},
  };
  for (const Row& row : rows) {
    Ask ask = ask_of(row.model);
    ask.thinking = row.thinking;
    const json::value body = messages(ask);
    const json::value* thinking = body.as_object().if_contains("thinking");
    EXPECT_EQ(thinking == nullptr ? "" : json::serialize(*thinking), row.expected) << row.model << " " << row.thinking;
  }
}

TEST(MessagesBody, sampling_and_effort_go_only_to_models_and_versions_that_take_them) {
  Ask ask = ask_of("claude-sonnet-4-5");
  ask.temperature = 0.5;
  ask.effort = "low";
  EXPECT_THAT(messages_body(ask), HasSubstr(R"("temperature":0.5)"));
  EXPECT_THAT(messages_body(ask), Not(HasSubstr("effort")));
  EXPECT_THAT(messages_body(ask, "2026-10-21"), Not(HasSubstr("temperature")));
  ask.model = "claude-opus-4-7";
  EXPECT_THAT(messages_body(ask), Not(HasSubstr("temperature")));
  EXPECT_THAT(messages_body(ask), HasSubstr(R"("output_config":{"effort":"low"})"));
  EXPECT_THAT(messages_body(ask_of()), Not(HasSubstr("temperature"))) << "never unless asked";
}

TEST(MessagesBody, an_answer_is_no_longer_than_the_model_can_write_and_a_long_one_is_streamed) {
  Ask ask = ask_of("claude-3-5-haiku-20241022");
  EXPECT_EQ(messages(ask).at("max_tokens").as_int64(), 8000);
  ask = ask_of();
  ask.stream = false;
  EXPECT_FALSE(messages(ask).as_object().contains("stream"));
  ask.max_tokens = unstreamed_tokens_max + 1;
  EXPECT_TRUE(messages(ask).at("stream").as_bool());
}

TEST(MessagesBody, a_schema_becomes_structured_output_where_there_is_such) {
  Ask ask = ask_of();
  ask.schema = R"({"type":"object","properties":{"a":{"type":"string","minLength":3}},"required":["a"]})";
  EXPECT_EQ(
      json::serialize(messages(ask).at("output_config").at("format")),
      R"({"type":"json_schema","schema":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}})");
  ask.model = "claude-opus-4-1";
  EXPECT_FALSE(messages(ask).as_object().contains("output_config"));
  ask.model = "some-local-model";
  EXPECT_FALSE(messages(ask).as_object().contains("output_config"));
}

TEST(MessagesBody, tools_and_turns_go_back_as_they_came) {
  Ask ask = ask_of();
  ask.tools = tool_specs({"read", "nonsense"});
  Answer answer;
  answer.blocks = {
      {.kind = Block::Kind::thinking, .text = "hm", .signature = "sig", .data = {}},
      {.kind = Block::Kind::redacted_thinking, .text = {}, .signature = {}, .data = "xyz"},
      {.kind = Block::Kind::text, .text = "", .signature = {}, .data = {}},
      {.kind = Block::Kind::text, .text = "I look.", .signature = {}, .data = {}},
      {.kind = Block::Kind::tool_use,
       .text = {},
       .signature = {},
       .data = {},
       .call = {"t1", "read_file", R"({"file_path":"a"})"}},
      {.kind = Block::Kind::tool_use, .text = {}, .signature = {}, .data = {}, .call = {"t2", "x", "{bad"}},
      {.kind = Block::Kind::other, .text = {}, .signature = {}, .data = R"({"type":"new"})"}};
  ask.turns = {{answer, {{"t1", "text of a", false}, {"t2", "no such tool", true}}}};
  const json::value body = messages(ask);
  EXPECT_EQ(body.at("tools").as_array().size(), 1U);
  const json::array& said = body.at("messages").as_array();
  ASSERT_EQ(said.size(), 3U);
  EXPECT_EQ(
      json::serialize(said[1].at("content")),
      R"([{"type":"thinking","thinking":"hm","signature":"sig"},{"type":"redacted_thinking","data":"xyz"},)"
      R"({"type":"text","text":"I look."},{"type":"tool_use","id":"t1","name":"read_file","input":{"file_path":"a"}},)"
      R"({"type":"tool_use","id":"t2","name":"x","input":{}},{"type":"new"}])");
  EXPECT_EQ(
      json::serialize(said[2]),
      R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"text of a"},)"
      R"({"type":"tool_result","tool_use_id":"t2","content":"no such tool","is_error":true,"cache_control":{"type":"ephemeral"}}]})");
}

TEST(MessagesBody, any_text_is_carried_as_it_is) {
  Ask ask = ask_of();
  ask.prompt.task = "quotes \" and \\ and \n lines, \x01, \xE2\x82\xAC";
  EXPECT_EQ(messages(ask).at("messages").as_array()[0].at("content").as_array()[1].at("text").as_string(),
            ask.prompt.task);
}

// Chat completions. -------------------------------------------------------------------------------------------------
TEST(ChatBody, system_and_user_are_two_messages_and_names_follow_the_server) {
  const json::value own = json::parse(chat_body(ask_of("gpt-5.6"), true));
  EXPECT_EQ(
      json::serialize(own.at("messages")),
      R"([{"role":"system","content":"You write.\n\nRef A\n\nRef B"},{"role":"user","content":"The product.\n\nWrite it."}])");
  EXPECT_EQ(own.at("max_completion_tokens").as_int64(), 16384);
  EXPECT_TRUE(own.at("stream_options").at("include_usage").as_bool());
  const json::value local = json::parse(chat_body(ask_of("llama3"), false));
  EXPECT_EQ(local.at("max_tokens").as_int64(), 16384);
  EXPECT_FALSE(local.as_object().contains("max_completion_tokens"));
  Ask plain = ask_of("llama3");
  plain.stream = false;
  plain.prompt = {.skill = "", .references = {}, .context = "", .task = "Go."};
  EXPECT_EQ(json::serialize(json::parse(chat_body(plain, false))),
            R"({"model":"llama3","messages":[{"role":"user","content":"Go."}],"max_tokens":16384})");
}

TEST(ChatBody, how_the_limit_of_an_answer_is_called_goes_by_the_model_not_by_its_host) {
  struct Row {
    const char* model;
    bool at_openai;
    const char* name;
  };
  for (const Row& row : {Row{"gpt-5.6", false, "max_completion_tokens"},
                         {"openai/gpt-5-mini", false, "max_completion_tokens"},
                         {"o4-mini", false, "max_completion_tokens"},
                         {"ft:o3:house::1", false, "max_completion_tokens"},
                         {"gpt-4o", true, "max_tokens"},
                         {"gpt-4.1", false, "max_tokens"},
                         {"gpt-3.5-turbo", true, "max_tokens"},
                         {"gpt-oss-20b", true, "max_tokens"},
                         {"llama3", false, "max_tokens"},
                         {"olmo", false, "max_tokens"},
                         {"our-deployment", true, "max_completion_tokens"}}) {
    const json::value body = json::parse(chat_body(ask_of(row.model), row.at_openai));
    EXPECT_TRUE(body.as_object().contains(row.name)) << row.model;
    EXPECT_NE(body.as_object().contains("max_tokens"), body.as_object().contains("max_completion_tokens")) << row.model;
  }
}

TEST(ChatBody, names_of_openai_are_for_its_own_service_wherever_it_runs) {
  for (const char* own :
       {"", "https://api.openai.com/v1", "HTTPS://API.OpenAI.com:443/v1", "https://house.openai.azure.com/openai/v1"}) {
    EXPECT_TRUE(is_openai(own)) << own;
  }
  for (const char* other : {"http://localhost:11434/v1", "https://example.com/api.openai.com/v1",
                            "https://api.openai.com.example.com/v1", "https://notopenai.azure.com"}) {
    EXPECT_FALSE(is_openai(other)) << other;
  }
}

TEST(ChatBody, tools_schema_and_turns) {
  Ask ask = ask_of("gpt-5.6");
  ask.tools = tool_specs({"run"});
  ask.schema = R"({"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["a"]})";
  Answer answer;
  answer.blocks = {{.kind = Block::Kind::tool_use,
                    .text = {},
                    .signature = {},
                    .data = {},
                    .call = {"c1", "bash", R"({"command":"ls"})"}}};
  ask.turns = {{answer, {{"c1", "failed", true}}}};
  const json::value body = json::parse(chat_body(ask, true));
  EXPECT_FALSE(body.at("response_format").at("json_schema").at("strict").as_bool()) << "not all members are required";
  EXPECT_EQ(body.at("tools").as_array()[0].at("function").at("name").as_string(), "bash");
  EXPECT_EQ(
      json::serialize(body.at("messages").as_array()[2]),
      R"({"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"bash","arguments":"{\"command\":\"ls\"}"}}]})");
  EXPECT_EQ(json::serialize(body.at("messages").as_array()[3]),
            R"({"role":"tool","tool_call_id":"c1","content":"Error: failed"})");
  ask.schema = R"({"type":"array","items":{"type":"string"}})";
  EXPECT_THAT(chat_body(ask, true), Not(HasSubstr("response_format"))) << "only objects are taken";
}

// Schemas. ----------------------------------------------------------------------------------------------------------
TEST(SchemaFit, what_is_refused_is_left_out_and_objects_are_closed) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {R"({"type":"string","minLength":1,"maxLength":9,"pattern":"^a+$","format":"date"})",
       R"({"type":"string","pattern":"^a+$","format":"date"})"},
      {R"x({"type":"string","pattern":"^(?=a)","format":"color"})x", R"({"type":"string"})"},
      {R"({"type":"number","minimum":1,"maximum":2,"multipleOf":0.5})", R"({"type":"number"})"},
      {R"({"type":"array","items":{"type":"integer","minimum":0},"minItems":3,"maxItems":5,"uniqueItems":true})",
       R"({"type":"array","items":{"type":"integer"},"minItems":1})"},
      {R"({"$schema":"x","type":"object","properties":{"a":{"enum":[1,2]}},"additionalProperties":true})",
       R"({"type":"object","properties":{"a":{"enum":[1,2]}},"additionalProperties":false})"},
      {R"({"oneOf":[{"type":"string"},{"type":"null"}]})", R"({"anyOf":[{"type":"string"},{"type":"null"}]})"},
      {R"({"$defs":{"p":{"type":"object","properties":{},"required":[]}},"type":"object","properties":{"x":{"$ref":"#/$defs/p"}}})",
       R"({"$defs":{"p":{"type":"object","properties":{},"required":[],"additionalProperties":false}},"type":"object","properties":{"x":{"$ref":"#/$defs/p"}},"additionalProperties":false})"},
  };
  for (const auto& [schema, expected] : rows) EXPECT_EQ(fitted_schema(schema), expected) << schema;
}

TEST(SchemaFit, what_cannot_be_had_is_not_asked_for) {
  for (const std::string schema :
       {R"({"type":"object"})", R"({"type":"object","additionalProperties":{"type":"string"}})",
        R"({"$defs":{"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"}}}},"$ref":"#/$defs/n"})",
        R"({"$ref":"https://example.org/x.json"})", R"({"$ref":"#/nowhere"})", R"({"type":"array","prefixItems":[]})",
        R"({})", R"([])", R"(false)", "{"}) {
    EXPECT_EQ(fitted_schema(schema), std::nullopt) << schema;
  }
}

TEST(SchemaFit, strict_is_what_asks_for_every_member) {
  EXPECT_TRUE(
      is_strict_schema(*fitted_schema(R"({"type":"object","properties":{"a":{"type":"string"}},"required":["a"]})")));
  EXPECT_FALSE(is_strict_schema(*fitted_schema(
      R"({"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string"}}}},"required":["a"]})")));
}

// Models. -----------------------------------------------------------------------------------------------------------
TEST(ModelFacts, the_longest_name_that_fits_is_the_model) {
  EXPECT_EQ(model_facts("claude-opus-4-5-20251101").context_tokens, 200'000);
  EXPECT_EQ(model_facts("claude-opus-4-20250514").output_tokens_max, 32'000);
  EXPECT_EQ(model_facts("us.anthropic.claude-haiku-4-5-20251001-v1:0").cache_tokens_min, 4096);
  EXPECT_FALSE(model_facts("claude-opus-5-5").forced_tools);
  EXPECT_TRUE(model_facts("claude-opus-5").forced_tools);
  EXPECT_FALSE(model_facts("gpt-5.6").is_known);
  EXPECT_FALSE(model_facts("claude-zephyr-9").is_known);
  EXPECT_TRUE(model_facts("claude-zephyr-9").sampling);
}

// Addresses and outputs. --------------------------------------------------------------------------------------------
TEST(Endpoint, a_base_with_or_without_a_version_leads_to_the_same_place) {
  EXPECT_EQ(endpoint(Protocol::messages, "", "v1/messages"), "https://api.anthropic.com/v1/messages");
  EXPECT_EQ(endpoint(Protocol::messages, "http://localhost:8080/", "v1/messages"), "http://localhost:8080/v1/messages");
  EXPECT_EQ(endpoint(Protocol::messages, "http://localhost:8080/v1", "v1/messages"),
            "http://localhost:8080/v1/messages");
  EXPECT_EQ(endpoint(Protocol::messages, "https://gw/anthropic", "v1/messages"), "https://gw/anthropic/v1/messages");
  EXPECT_EQ(endpoint(Protocol::chat, "", "v1/chat/completions"), "https://api.openai.com/v1/chat/completions");
  EXPECT_EQ(endpoint(Protocol::chat, "http://localhost:11434", "v1/chat/completions"),
            "http://localhost:11434/v1/chat/completions");
  EXPECT_EQ(endpoint(Protocol::chat, "http://localhost:11434/v1/", "v1/chat/completions"),
            "http://localhost:11434/v1/chat/completions");
  EXPECT_EQ(endpoint(Protocol::chat, "https://x/api/openai", "v1/chat/completions"),
            "https://x/api/openai/chat/completions");
}

}  // namespace
}  // namespace baton::api
