// The courier's parts that need no network: request files, heads of answers, veils, gates.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "courier/ending.h"
#include "courier/gates.h"
#include "courier/request.h"
#include "courier/response_head.h"
#include "courier/veil.h"

namespace baton::courier {
namespace {

std::string wrong_with(const std::string& json) {
  const auto request = read_request(json);
  return request ? "" : request.error();
}

TEST(RequestFile, AllMembersAreRead) {
  const auto request = read_request(R"({"version":1,"method":"PUT","url":"https://h/p","headers":[["a","b"],["c",""]],
      "auth":{"header":"authorization","prefix":"Bearer ","source":{"command":["pass","show","k"]}},"body_file":"/b",
      "idle_timeout_ms":1,"deadline_ms":2,"connect_timeout_ms":3,"proxy":"http://p","ca_file":"/ca","later":true})");
  ASSERT_TRUE(request.has_value()) << request.error();
  EXPECT_EQ(request->method, "PUT");
  EXPECT_EQ(request->url, "https://h/p");
  EXPECT_EQ(request->headers, (std::vector<HeaderField>{{"a", "b"}, {"c", ""}}));
  ASSERT_TRUE(request->auth.has_value());
  EXPECT_EQ(request->auth->prefix, "Bearer ");
  EXPECT_EQ(request->auth->source.kind, KeySource::Kind::command);
  EXPECT_EQ(request->auth->source.argv, (std::vector<std::string>{"pass", "show", "k"}));
  EXPECT_EQ(request->body_file, "/b");
  EXPECT_EQ(request->idle_timeout_ms, 1);
  EXPECT_EQ(request->deadline_ms, 2);
  EXPECT_EQ(request->connect_timeout_ms, 3);
  EXPECT_EQ(request->proxy, "http://p");
  EXPECT_EQ(request->ca_file, "/ca");
}

TEST(RequestFile, WhatIsNotSaidHasItsUsualValue) {
  const auto request = read_request(R"({"version":1,"url":"http://h/","body":null,"body_file":null,"auth":null})");
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->method, "POST");
  EXPECT_FALSE(request->auth.has_value());
  EXPECT_FALSE(request->has_body());
  EXPECT_FALSE(request->proxy.has_value());
  EXPECT_EQ(request->idle_timeout_ms, 120'000);
  EXPECT_EQ(request->deadline_ms, 0);
}

TEST(RequestFile, WhatIsWrongIsSaid) {
  const std::string start = R"({"version":1,"url":"http://h/",)";
  EXPECT_NE(wrong_with("[]"), "");
  EXPECT_NE(wrong_with("{"), "");
  EXPECT_NE(wrong_with(R"({"url":"http://h/"})"), "");
  EXPECT_NE(wrong_with(R"({"version":1,"url":"file:///etc/passwd"})"), "");
  EXPECT_NE(wrong_with(start + R"("headers":{}})"), "");
  EXPECT_NE(wrong_with(start + R"("headers":[["a"]]})"), "");
  EXPECT_NE(wrong_with(start + R"("headers":[["a","b\u0000"]]})"), "");
  EXPECT_NE(wrong_with(start + R"("headers":[["Transfer-Encoding","chunked"]]})"), "");
  EXPECT_NE(wrong_with(start + R"("auth":{"header":"a"}})"), "");
  EXPECT_NE(wrong_with(start + R"("auth":{"header":"a:","source":{"env":"K"}}})"), "");
  EXPECT_NE(wrong_with(start + R"("auth":{"header":"a","prefix":"\n","source":{"env":"K"}}})"), "");
  EXPECT_NE(wrong_with(start + R"("auth":{"header":"a","source":{"key":"K"}}})"), "");
  EXPECT_NE(wrong_with(start + R"("auth":{"header":"a","source":{"command":[1]}}})"), "");
  EXPECT_NE(wrong_with(start + R"("body":"a","body_file":"/b"})"), "");
  EXPECT_NE(wrong_with(start + R"("body_file":"b"})"), "");
  EXPECT_NE(wrong_with(start + R"("deadline_ms":-1})"), "");
  EXPECT_NE(wrong_with(start + R"("method":"PO ST"})"), "");
  EXPECT_EQ(wrong_with(start + R"("method":"PATCH"})"), "");
}

ResponseHead head_of(const std::vector<std::string>& lines) {
  ResponseHead head;
  for (const std::string& line : lines) EXPECT_TRUE(head.take(line));
  return head;
}

TEST(Head, NamesAreLoweredAndValuesAreOneLine) {
  const ResponseHead head = head_of({"HTTP/1.1 200 OK\r\n", "Content-Type:  text/x ; a=B \r\n",
                                     "X-Bad:a\tb\x01"
                                     "c\r\n",
                                     "no colon\r\n", ":no name\r\n", "X-Long: one\r\n", "  two\r\n", "\r\n"});
  ASSERT_TRUE(head.is_whole());
  EXPECT_EQ(head.text(), "baton-http/1 200\ncontent-type: text/x ; a=B\nx-bad: a b c\nx-long: one two\n\n");
}

TEST(Head, InterimAnswersLeaveNothing) {
  ResponseHead head = head_of({"HTTP/1.1 103 Early\r\n", "link: x\r\n", "\r\n"});
  EXPECT_FALSE(head.is_whole());
  for (const char* line : {"HTTP/1.1 500 No\r\n", "a: b\r\n", "\r\n", "trailer: x\r\n"}) EXPECT_TRUE(head.take(line));
  EXPECT_EQ(head.text(), "baton-http/1 500\na: b\n\n");
  EXPECT_EQ(head.status(), 500);
}

TEST(Head, HasALimit) {
  ResponseHead head = head_of({"HTTP/2 200 \r\n"});
  bool fits = true;
  int lines = 0;
  while (fits) fits = head.take("x-filler: " + std::string(989, 'x') + "\r\n"), ++lines;
  EXPECT_EQ(lines, 66);
}

// --- Veils ---

constexpr std::string_view secret = "sk-aab-aab-aabc";

std::string through(std::string_view text, std::size_t size) {
  Veil veil{secret};
  std::string shown;
  for (std::size_t at = 0; at < text.size(); at += size) shown += veil.cover(text.substr(at, size));
  return shown += veil.rest();
}

TEST(Veils, CoverTheSecretHoweverTheStreamIsCut) {
  const std::string stars(secret.size(), '*');
  const std::string plain{secret};
  const std::pair<std::string, std::string> texts[] = {
      {"nothing here", "nothing here"},
      {plain, stars},
      {"a " + plain + plain + " b", "a " + stars + stars + " b"},
      {"sk-aab-aab-" + plain + "c", "sk-aab-aab-" + stars + "c"},
      {"sk-aab-sk-aab-aab-aab", "sk-aab-sk-aab-aab-aab"},
      {plain.substr(0, secret.size() - 1), plain.substr(0, secret.size() - 1)},
  };
  for (const auto& [text, shown] : texts) {
    for (std::size_t size = 1; size <= text.size(); ++size) EXPECT_EQ(through(text, size), shown) << size;
  }
}

TEST(Veils, KeepNothingBackThatCannotBeTheSecret) {
  Veil veil{secret};
  EXPECT_EQ(veil.cover("data: {}\n\n"), "data: {}\n\n");
  EXPECT_EQ(veil.cover("xs"), "x");
  EXPECT_EQ(veil.cover("t"), "st");
}

TEST(Veils, CoverTheSecretAsOthersWriteIt) {
  // What `printf KEY | base64`, `xxd -p` and such make of it, alone and within a longer text.
  const std::string key = "sk-canary-7f3a9c51d2e8";
  for (const std::string text :
       {"c2stY2FuYXJ5LTdmM2E5YzUxZDJlOA==", "eHNrLWNhbmFyeS03ZjNhOWM1MWQyZTg=", "eHhzay1jYW5hcnktN2YzYTljNTFkMmU4",
        "736b2d63616e6172792d37663361396335316432653800", "736B2D63616E6172792D376633613963353164326538",
        "sk%2Dcanary%2D7f3a9c51d2e8", "sk%2dcanary%2d7f3a9c51d2e8", "sk\\u002dcanary\\u002d7f3a9c51d2e8"}) {
    const std::string shown = veiled("<" + text + ">", key);
    EXPECT_EQ(shown.size(), text.size() + 2);
    EXPECT_GE(std::ranges::count(shown, '*'), std::ptrdiff_t{20}) << shown;
    for (const std::string part : {"Y2FuYXJ5", "NhbmFyeS", "jYW5hcnk", "63616e61", "63616E61", "canary"}) {
      EXPECT_EQ(shown.find(part), std::string::npos) << shown;
    }
  }
}

TEST(Veils, CoverSeveralSecrets) {
  Veil veil{secret};
  veil.add("another-secret");
  EXPECT_EQ(std::string{veil.cover("another-secret " + std::string{secret} + ".")},
            std::string(14, '*') + " " + std::string(secret.size(), '*') + ".");
}

TEST(RequestFile, HeadersOfAVariableAreReadLineByLine) {
  const auto fields = header_lines("x-one: 1\nx two: 2\ncontent-length: 9\nno header\n x-three :3 ");
  EXPECT_EQ(fields, (std::vector<HeaderField>{{"x-one", "1"}, {"x-three", "3"}}));
  const auto request = read_request(R"({"version":1,"url":"http://h/","headers_env":"MORE"})");
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->headers_env, "MORE");
}

TEST(Veils, AShortWordIsNoSecret) {
  EXPECT_EQ(veiled("a key is a key", "key"), "a key is a key");
  EXPECT_EQ(veiled("text", ""), "text");
}

// --- Gates ---

using Ids = std::vector<Gates::Id>;
using Way = Gates::Way;
using Outcome = Gates::Outcome;

TEST(GatesOfHosts, OneLooksUpAndTheOthersWait) {
  Gates gates;
  EXPECT_EQ(gates.enter("a", 1, 0), Way::leads);
  EXPECT_EQ(gates.enter("a", 2, 0), Way::waits);
  EXPECT_EQ(gates.enter("b", 3, 0), Way::leads);
  EXPECT_EQ(gates.enter("a", 4, 0), Way::waits);
  EXPECT_EQ(gates.settle("a", 1, Outcome::found, 10), (Ids{2, 4}));
  EXPECT_EQ(gates.enter("a", 5, 10 + Gates::known_ms - 1), Way::goes);
  EXPECT_EQ(gates.enter("a", 6, 10 + Gates::known_ms), Way::leads);
}

TEST(GatesOfHosts, AnotherLeadsWhenTheFirstLeaves) {
  Gates gates;
  for (const Gates::Id id : Ids{1, 2, 3, 4}) gates.enter("a", id, 0);
  EXPECT_EQ(gates.settle("a", 3, Outcome::left, 0), Ids{});
  EXPECT_EQ(gates.settle("a", 1, Outcome::left, 0), Ids{2});
  EXPECT_EQ(gates.enter("a", 5, 0), Way::waits);
  EXPECT_EQ(gates.settle("a", 2, Outcome::left, 0), Ids{4});
  EXPECT_EQ(gates.settle("a", 4, Outcome::not_found, 0), Ids{5});
  EXPECT_EQ(gates.enter("a", 6, 0), Way::leads);
  EXPECT_EQ(gates.settle("a", 6, Outcome::left, 0), Ids{});
  EXPECT_EQ(gates.enter("a", 7, 0), Way::leads);
}

TEST(Endings, TheLineIsJsonWhateverTheMessage) {
  EXPECT_EQ(ending_line(Ending::timeout_idle, "a \"b\"\n", 7),
            "{\"transfer\":\"timeout-idle\",\"message\":\"a \\\"b\\\"\\n\",\"bytes\":7}\n");
}

}  // namespace
}  // namespace baton::courier
