// What of an answer is its document. Never a part of a sentence: what an agent says about an object is not the object.
#include "plan/answer_document.h"

#include <gtest/gtest.h>

namespace baton {
namespace {

struct Said {
  const char* answer;
  const char* document;  ///< "" for none
};

TEST(AnswerDocument, given_answers_when_looked_at_then_the_whole_the_one_fenced_block_or_the_end_is_the_document) {
  for (const Said& c : std::vector<Said>{
           {"\n{\"a\":1}\n", "{\"a\":1}"},
           {"\xEF\xBB\xBF[1]", "[1]"},
           {"42", "42"},
           {"Here:\n```json\n{\"a\":1}\n```\nDone.", "{\"a\":1}"},
           {"Here:\n~~~\n[1]\n~~~", "[1]"},
           {"````\n{\"a\":\"```\"}\n````", "{\"a\":\"```\"}"},
           {"- so:\n  ```json\n  {\"a\":1}\n  ```", "{\"a\":1}"},
           {"It runs `make`:\n```sh\nmake\n```\n```json\n{\"a\":1}\n```", "{\"a\":1}"},
           {"I looked at it.\n\n{\n  \"a\": [1, {}]\n}\n", "{\n  \"a\": [1, {}]\n}"},
           {"I looked at it.\n  [1,\n2]", "[1,\n2]"},
           {"```json\n{\"a\":1}", "{\"a\":1}"},  // cut off behind it
           {"First {\"a\":1}, then\n{\"a\":2}", "{\"a\":2}"},
           {"Draft:\n{\"a\":1}\nAnd now in full:\n{\"a\":2}", "{\"a\":2}"},
       }) {
    EXPECT_EQ(document_of(c.answer).value_or(""), c.document) << c.answer;
  }
}

TEST(AnswerDocument, given_sentences_and_several_candidates_when_looked_at_then_there_is_none) {
  for (const char* answer : {
           "",
           "no json {here",
           "I cannot give you {\"x\": \"value\"} because the file is not there.",
           "I cannot give you {\"x\": \"value\"}",
           "Sure: {\"a\":[1,{}]} as asked.",
           "{\"a\":1} is what you asked for.",
           "{\"a\":1}\nis what you asked for.",
           "It could be\n{\"a\":1}\nor not.",
           "There are 3 of them:\n3",
           "Use ```{\"a\":1}``` for it.",
           "```json\n{\"a\":1}\n```\nor\n```json\n{\"a\":2}\n```",
           "```json\n{\"a\":1}\n```\n```json\n{\"a\":2}\n```\n{\"a\":3}",
           "{\"a\":1}\n{\"a\":2}",
           "{\"a\":1} {\"a\":2}",
           "So:\n{\"a\":1}\n\n{\"a\":2}",
           "{\"a\": 1",
           "```json\n{\"a\":\n```",
       }) {
    EXPECT_FALSE(document_of(answer)) << answer;
  }
}

TEST(AnswerDocument, given_an_output_s_format_when_asked_for_then_only_json_is_looked_for) {
  EXPECT_EQ(as_output("Here:\n```\n{}\n```", OutputFormat::json), "{}");
  EXPECT_EQ(as_output("I cannot give you {\"x\": 1} now", OutputFormat::json), "I cannot give you {\"x\": 1} now");
  EXPECT_EQ(as_output("  # Title\n```\n{}\n```", OutputFormat::text), "  # Title\n```\n{}\n```");
}

TEST(AnswerDocument, given_answers_of_many_lines_when_looked_at_then_there_is_an_end) {
  for (const char* line : {"{\n", "[\n", "[1]\n", "[1],\n", "{\"a\":1}\n", "```\n{\n", "[[],\n"}) {
    std::string answer = "x\n";
    while (answer.size() < 1'000'000) answer += line;
    EXPECT_FALSE(document_of(answer + "x]")) << line;
  }
}

}  // namespace
}  // namespace baton
