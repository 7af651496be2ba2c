#include "runtime/transcript.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/places.h"

namespace baton {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

LogLines read_log(std::string_view runtime, std::string_view bytes, std::size_t piece = 1U << 20U) {
  const auto transcript = make_transcript(runtime);
  LogLines all;
  const auto take = [&](LogLines lines) {
    for (LogLine& line : lines) all.push_back(std::move(line));
  };
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    take(transcript->read(bytes.substr(0, piece)));
  }
  take(transcript->end());
  return all;
}

constexpr std::string_view whole =
    R"({"type":"system","subtype":"init","session_id":"s1","model":"claude-opus-5-5","tools":[]})"
    "\n"
    R"({"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"I look.\nClosely."},)"
    R"({"type":"tool_use","id":"t1","name":"Bash","input":{"command":"npm test\necho"}}]},"parent_tool_use_id":null})"
    "\n"
    R"({"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"Exit code 1\nno tests",)"
    R"("is_error":true,"tool_use_id":"t1"},{"type":"tool_result","content":"fine","tool_use_id":"t2"}]}})"
    "\n"
    R"({"type":"user","message":{"content":[{"type":"tool_result","is_error":true,)"
    R"("content":[{"type":"text","text":"No such file"}]}]},"parent_tool_use_id":"t9"})"
    "\n"
    "npm WARN something\n"
    R"({"type":"assistant","message":{"id":"m2","content":[{"type":"text","text":"Done."}]},"parent_tool_use_id":null})"
    "\n"
    R"({"type":"result","subtype":"success","is_error":false,"result":"Done.","num_turns":2,"total_cost_usd":0.0042,)"
    R"("modelUsage":{"claude-opus-5-5":{"inputTokens":100,"outputTokens":20}}})"
    "\n";

TEST(Transcript, OfClaudeTellsWhatItSaidDidAndCameTo) {
  EXPECT_THAT(read_log("claude", whole),
              ElementsAre(LogLine{Voice::note, "[begin] claude-opus-5-5"}, LogLine{Voice::agent, "I look.\nClosely."},
                          LogLine{Voice::tool, "[tool] Bash: npm test"},
                          LogLine{Voice::trouble, "[tool failed] Exit code 1\nno tests"},
                          LogLine{Voice::trouble, "[agent] [tool failed] No such file"},
                          LogLine{Voice::program, "npm WARN something"}, LogLine{Voice::agent, "Done."},
                          LogLine{Voice::result, "[result] done; 2 turns, 120 tokens, $0.0042"}));
}

TEST(Transcript, WholeTellsThoughtsCommandsAndWhatToolsAnswered) {
  const auto transcript = make_transcript("claude", Detail::whole);
  EXPECT_THAT(
      transcript->read(
          R"({"type":"assistant","message":{"id":"m1","content":[{"type":"thinking","thinking":"First\nthe tests."},)"
          R"({"type":"tool_use","id":"t1","name":"Bash","input":{"command":"npm test\necho"}}]}})"
          "\n"
          R"({"type":"user","message":{"content":[{"type":"tool_result","content":"12 passed\n0 failed\n"},)"
          R"({"type":"tool_result","content":""}]}})"
          "\n"),
      ElementsAre(LogLine{Voice::thinking, "First\nthe tests."}, LogLine{Voice::tool, "[tool] Bash: npm test\necho"},
                  LogLine{Voice::answer, "[answer] 12 passed\n0 failed"}));
}

TEST(Transcript, IsTheSameHoweverTheBytesWereCut) {
  for (const std::size_t piece : {1U, 7U, 64U, 300U})
    EXPECT_EQ(read_log("claude", whole, piece), read_log("claude", whole));
}

TEST(Transcript, AResultThatIsAnErrorSaysWhy) {
  EXPECT_THAT(
      read_log("claude", R"({"type":"result","subtype":"error_max_turns","is_error":true,"num_turns":3,)"
                         R"x("terminal_reason":"max_turns","errors":["Reached maximum number of turns (2)"]})x"),
      ElementsAre(LogLine{Voice::trouble, "[error] Reached maximum number of turns (2)"},
                  LogLine{Voice::trouble, "[result] failed: max_turns; 3 turns"}));
  EXPECT_THAT(read_log("claude", R"({"type":"result","subtype":"success","is_error":true,"result":"Not logged in"})"),
              Contains(LogLine{Voice::trouble, "Not logged in"}));
}

TEST(Transcript, HalfAnEventAtTheEndIsLeftOut) {
  EXPECT_THAT(read_log("claude", R"({"type":"assistant","message":{"id":"m1","con)"), IsEmpty());
}

TEST(Transcript, OfOtherProgramsIsTheirLines) {
  EXPECT_THAT(read_log("command", "one\r\n\n{\"type\":\"result\"}\nno end", 3),
              ElementsAre(LogLine{Voice::program, "one"}, LogLine{Voice::program, ""},
                          LogLine{Voice::program, "{\"type\":\"result\"}"}, LogLine{Voice::program, "no end"}));
}

TEST(Transcript, EveryRecordedRunOfClaudeReadsWithoutJson) {
  std::size_t runs = 0;
  for (const auto& entry : fs::directory_iterator{test::source_folder() + "/tests/unit/runtime/streams"}) {
    if (entry.path().extension() != ".ndjson") continue;
    ++runs;
    std::stringstream text;
    text << std::ifstream{entry.path(), std::ios::binary}.rdbuf();
    for (const LogLine& line : read_log("claude", text.str(), 4096)) {
      EXPECT_THAT(line.text, Not(HasSubstr("\"type\":"))) << entry.path();
    }
  }
  EXPECT_GE(runs, 40U);
}

}  // namespace
}  // namespace baton
