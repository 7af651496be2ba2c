// The tools of a team, as JSON-RPC.
#include "dialect/team/mcp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/boost_json.h"

namespace baton::team {
namespace {

namespace json = boost::json;

struct TeamMcp : testing::Test {
  std::vector<ToolCall> calls;

  std::optional<json::object> answer(const std::string& line) {
    const auto text = answer_line(line, "1.0", [this](const ToolCall& call) {
      calls.push_back(call);
      return ToolAnswer{"so be it", call.kind == "singing"};
    });
    if (!text) return std::nullopt;
    EXPECT_EQ(text->find('\n'), std::string::npos) << "a line each";
    return json::parse(*text).as_object();
  }
  int code(const std::string& line) {
    return static_cast<int>(answer(line)->at("error").as_object().at("code").as_int64());
  }
};

TEST_F(TeamMcp, BeginsInTheClientsVersion) {
  const auto a =
      answer(R"({"jsonrpc":"2.0","id":"x","method":"initialize","params":{"protocolVersion":"2024-11-05"}})");
  EXPECT_EQ(a->at("id"), "x");
  EXPECT_EQ(a->at("result").as_object().at("protocolVersion"), "2024-11-05");
  EXPECT_TRUE(a->at("result").as_object().at("capabilities").as_object().contains("tools"));
  EXPECT_EQ(a->at("result").as_object().at("serverInfo").as_object().at("name"), "baton");
  EXPECT_TRUE(answer(R"({"jsonrpc":"2.0","id":1,"method":"initialize"})")->contains("result"));
}

TEST_F(TeamMcp, ListsToolsWithTheirSchemas) {
  const auto tools =
      answer(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})")->at("result").as_object().at("tools").as_array();
  ASSERT_EQ(tools.size(), 4U);
  for (const json::value& tool : tools) EXPECT_EQ(tool.as_object().at("inputSchema").as_object().at("type"), "object");
}

TEST_F(TeamMcp, CallsThem) {
  const auto a = answer(
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"team_callback","arguments":{"kind":"complete","summary":"s","task":"A-1","attempt":2,"data":{"a":[1]}}}})");
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].kind, "complete");
  EXPECT_EQ(calls[0].summary, "s");
  EXPECT_EQ(calls[0].attempt, 2);
  EXPECT_EQ(calls[0].data, R"({"a":[1]})");
  const json::object& result = a->at("result").as_object();
  EXPECT_EQ(result.at("content").as_array().at(0).as_object().at("text"), "so be it");
  EXPECT_EQ(result.at("isError"), false);
  EXPECT_EQ(answer(R"({"id":1,"method":"tools/call","params":{"name":"team_callback","arguments":{"kind":"singing"}}})")
                ->at("result")
                .as_object()
                .at("isError"),
            true);
}

TEST_F(TeamMcp, SaysWhatItDoesNotUnderstand) {
  EXPECT_EQ(code("{ no"), -32700);
  EXPECT_EQ(code("[]"), -32600);
  EXPECT_EQ(code(R"({"id":1})"), -32600);
  EXPECT_EQ(code(R"({"id":1,"method":"sing"})"), -32601);
  EXPECT_EQ(code(R"({"id":1,"method":"tools/call","params":{"name":"sing"}})"), -32602);
  EXPECT_EQ(answer(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"), std::nullopt);
  EXPECT_TRUE(calls.empty());
}

}  // namespace
}  // namespace baton::team
