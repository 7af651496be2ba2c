// Every way in which a transfer can go and end, against a real server on loopback.

#include <unistd.h>

#include <netinet/in.h>
#include <sys/socket.h>

#include "support/hasty_server.h"
#include "unit/courier/courier_world.h"

namespace baton::test {
namespace {

using test::ScriptedHttp;

class Transfer : public CourierWorld {};

/// A port on which nobody listens; with a backlog, one that accepts no more (its queue is full).
struct DeafPort {
  explicit DeafPort(bool listens) : fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    socklen_t size = sizeof address;
    ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
    port = ntohs(address.sin_port);
    if (!listens) return;
    ::listen(fd, 0);
    for (int& filler : fillers) {
      filler = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
      ::connect(filler, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    }
  }
  ~DeafPort() {
    for (const int filler : fillers) ::close(filler);
    ::close(fd);
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port) + "/"; }
  int fd;
  int port = 0;
  int fillers[4] = {-1, -1, -1, -1};
};

json::value seen_request(ScriptedHttp& server, std::size_t index = 0) {
  return json::parse(server.seen()).at("seen").as_array().at(index);
}

std::string header(const json::value& request, const std::string& name) {
  for (const json::value& field : request.at("headers").as_array()) {
    if (field.as_array()[0] == json::value(name)) return std::string{field.as_array()[1].as_string()};
  }
  return "-";
}

TEST_F(Transfer, AnAnswerIsLoggedWithItsHead) {
  ScriptedHttp server{R"([{"status":429,"headers":{"Retry-After":"7","X-Odd":"a  b"},"body":"slow down"}])"};
  const Outcome its = call(server.url());
  EXPECT_EQ(its.exit, 0) << its.err;
  EXPECT_EQ(its.word(), "complete");
  EXPECT_EQ(its.err, "") << "nothing has to be said of it";
  EXPECT_TRUE(its.out.starts_with("baton-http/1 429\n")) << its.out;
  EXPECT_NE(its.head().find("\nretry-after: 7\n"), std::string::npos) << its.out;
  EXPECT_NE(its.head().find("\nx-odd: a  b\n"), std::string::npos) << its.out;
  EXPECT_EQ(its.body(), "slow down");
}

TEST_F(Transfer, TheRequestIsSentAsItIsWritten) {
  ScriptedHttp server;
  write_text(file("body"), std::string(300'000, 'b'));
  json::object members = request(server.url("/v1/x?y=1"));
  members["headers"] =
      json::parse(R"([["anthropic-version","2023-06-01"],["x-empty",""],["Content-Type","application/json"]])");
  members.erase("body");
  members["body_file"] = file("body").string();
  ASSERT_EQ(call(members).exit, 0);
  members = request(server.url("/v1/models"), R"({"method":"GET","body":null,"headers":[],"auth":null})");
  ASSERT_EQ(call(members).exit, 0);
  const json::value posted = seen_request(server);
  EXPECT_EQ(posted.at("method").as_string(), "POST");
  EXPECT_EQ(posted.at("path").as_string(), "/v1/x?y=1");
  EXPECT_EQ(posted.at("bytes").as_int64(), 300'000);
  EXPECT_EQ(header(posted, "anthropic-version"), "2023-06-01");
  EXPECT_EQ(header(posted, "x-empty"), "");
  EXPECT_EQ(header(posted, "content-type"), "application/json");
  EXPECT_EQ(header(posted, "x-api-key"), key);
  EXPECT_EQ(header(posted, "expect"), "-");
  EXPECT_EQ(header(posted, "content-length"), "300000");
  const json::value got = seen_request(server, 1);
  EXPECT_EQ(got.at("method").as_string(), "GET");
  EXPECT_EQ(got.at("bytes").as_int64(), 0);
  EXPECT_EQ(header(got, "x-api-key"), "-");
  EXPECT_EQ(header(got, "content-type"), "-");
}

TEST_F(Transfer, AStreamIsTheSameHoweverItIsCut) {
  ScriptedHttp server;
  const std::string whole = call(server.url()).body();
  EXPECT_NE(whole.find("event: message_stop"), std::string::npos);
  for (const char* way : {R"([{"split":1}])", R"([{"split":7,"pause":1}])", R"([{"gzip":true}])",
                          R"([{"until_close":true}])", R"([{"chunked":false}])", R"([{"gzip":true,"split":3}])"}) {
    server.script(way);
    const Outcome its = call(server.url());
    EXPECT_EQ(its.word(), "complete") << way;
    EXPECT_EQ(its.body(), whole) << way;
  }
}

TEST_F(Transfer, BytesAreLoggedAsTheyArrive) {
  ScriptedHttp server{R"([{"body":"one-two-three","split":4,"middle":"more"}])"};
  const AttemptKey its = begin(request(server.url()));
  EXPECT_TRUE(driver().until([&] { return out(its).ends_with("\n\none-two-"); })) << out(its);
  EXPECT_EQ(driver().exit_of(its), nullptr);
  server.go("more");
  EXPECT_EQ(finish(its).body(), "one-two-three");
}

TEST_F(Transfer, InterimAnswersAndRedirectsAreNotFollowed) {
  ScriptedHttp server{R"([{"interim":[100,103],"body":"ok"},{"redirect":"/elsewhere"}])"};
  const Outcome interim = call(server.url());
  EXPECT_TRUE(interim.out.starts_with("baton-http/1 200\n")) << interim.out;
  EXPECT_EQ(interim.out.find("x-interim"), std::string::npos);
  EXPECT_EQ(interim.body(), "ok");
  const Outcome moved = call(server.url());
  EXPECT_EQ(moved.word(), "complete");
  EXPECT_TRUE(moved.out.starts_with("baton-http/1 302\n")) << moved.out;
  EXPECT_NE(moved.head().find("\nlocation: /elsewhere\n"), std::string::npos);
  EXPECT_EQ(json::parse(server.stats()).at("requests").as_int64(), 2);
}

TEST_F(Transfer, AnEmptyAnswerHasItsHead) {
  ScriptedHttp server{R"([{"status":204,"body":""},{"status":200,"body":""}])"};
  for (const std::string status : {"204", "200"}) {
    const Outcome its = call(server.url());
    EXPECT_EQ(its.word(), "complete");
    EXPECT_TRUE(its.out.starts_with("baton-http/1 " + status + "\n"));
    EXPECT_TRUE(its.out.ends_with("\n\n"));
    EXPECT_EQ(its.body(), "");
  }
}

TEST_F(Transfer, SilenceIsATimeout) {
  ScriptedHttp server{R"([{"end":"silence"},{"body":"half a word","cut":4,"end":"silence"}])"};
  const Outcome before = call(server.url(), R"({"idle_timeout_ms":150})");
  EXPECT_EQ(before.word(), "timeout-idle") << before.err;
  EXPECT_EQ(before.exit, 1);
  EXPECT_EQ(before.out, "");
  const Outcome within = call(server.url(), R"({"idle_timeout_ms":150})");
  EXPECT_EQ(within.word(), "timeout-idle");
  EXPECT_EQ(within.body(), "half");
  EXPECT_EQ(within.bytes(), 4);
  EXPECT_NE(within.message().find("150 ms"), std::string::npos);
}

TEST_F(Transfer, ASlowDripIsNoSilenceButHasADeadline) {
  ScriptedHttp server{R"([{"size":40,"split":1,"pause":20,"times":0}])"};
  EXPECT_EQ(call(server.url(), R"({"idle_timeout_ms":400})").word(), "complete");
  const Outcome late = call(server.url(), R"({"idle_timeout_ms":400,"deadline_ms":300})");
  EXPECT_EQ(late.word(), "timeout-deadline");
  EXPECT_EQ(late.exit, 1);
  EXPECT_LT(late.bytes(), 40);
  server.until_abandoned(1);
}

TEST_F(Transfer, NobodyListensOrNobodyAnswers) {
  const DeafPort closed{false};
  const Outcome refused = call(closed.url());
  EXPECT_EQ(refused.word(), "refused") << refused.err;
  EXPECT_EQ(refused.exit, 1);
  const DeafPort full{true};
  const Outcome timeout = call(full.url(), R"({"connect_timeout_ms":200})");
  EXPECT_EQ(timeout.word(), "timeout-connect") << timeout.err;
  const Outcome unknown = call("http://no-such-host.invalid/");
  EXPECT_EQ(unknown.word(), "dns") << unknown.err;
  EXPECT_NE(unknown.message().find("no-such-host.invalid"), std::string::npos);
}

TEST_F(Transfer, ConnectionsThatBreak) {
  ScriptedHttp server{R"([{"end":"reset"},{"end":"close"},{"body":"0123456789","cut":5,"end":"reset"}])"};
  for (const std::string left : {"", "", "01234"}) {
    const Outcome its = call(server.url());
    EXPECT_EQ(its.word(), "reset") << its.err;
    EXPECT_EQ(its.exit, 1);
    EXPECT_EQ(its.body(), left);
  }
  EXPECT_EQ(json::parse(server.stats()).at("requests").as_int64(), 3) << "a request must not be sent twice";
}

TEST_F(Transfer, AnAnswerThatCameBeforeItsRequestWasSentWholeIsNone) {
  const HastyServer server{"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"};
  const Outcome its = call(server.url, R"({"body":")" + std::string(20'000'000, 'x') + R"("})");
  EXPECT_EQ(its.word(), "reset") << its.err;
  EXPECT_EQ(its.out, "");
}

TEST_F(Transfer, AServerMaySayEarlyThatItTakesNoMore) {
  const HastyServer server{"HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\nconnection: close\r\n\r\nno"};
  const Outcome its = call(server.url, R"({"body":")" + std::string(20'000'000, 'x') + R"("})");
  EXPECT_TRUE(its.out.starts_with("baton-http/1 413\n")) << its.out << its.err;
  EXPECT_EQ(its.body(), "no");
}

TEST_F(Transfer, WhatAServerSendsTooMuchIsNobodysAnswer) {
  std::string script = R"([{"surplus":true,"body":"answer 1 )" + std::string(5000, 'x') + "\"}";
  for (int i = 2; i <= 5; ++i) script += R"(,{"body":"answer )" + std::to_string(i) + "\"}";
  ScriptedHttp server{script + "]"};
  for (int i = 1; i <= 5; ++i) {
    const Outcome its = call(server.url());
    EXPECT_EQ(its.word(), "complete") << its.err;
    EXPECT_TRUE(its.body().starts_with("answer " + std::to_string(i))) << its.body();
  }
}

TEST_F(Transfer, ALengthThatLiesIsOfItsOwnCallAlone) {
  ScriptedHttp server{R"([{"body":"0123456789","length":4},{"body":"0123456789","length":14},{"body":"whole"}])"};
  EXPECT_EQ(call(server.url()).body(), "0123") << "whoever reads it sees that it is not whole";
  EXPECT_EQ(call(server.url()).word(), "partial");
  EXPECT_EQ(call(server.url()).body(), "whole");
}

TEST_F(Transfer, AnswersThatAreCutOffArePartial) {
  ScriptedHttp server{R"([{"body":"0123456789","cut":5},{"body":"0123456789","length":20},
                          {"body":"0123456789","chunked":true,"cut":5}])"};
  for (const std::string left : {"01234", "0123456789", "01234"}) {
    const Outcome its = call(server.url());
    EXPECT_EQ(its.word(), "partial") << its.err;
    EXPECT_EQ(its.exit, 1);
    EXPECT_EQ(its.body(), left);
  }
}

TEST_F(Transfer, AnAnswerThatIsLongerThanItSaysIsCut) {
  ScriptedHttp server{R"([{"body":"0123456789","length":4}])"};
  const Outcome its = call(server.url());
  EXPECT_EQ(its.word(), "complete");
  EXPECT_EQ(its.body(), "0123");
}

TEST_F(Transfer, WhatIsNoHttpIsSaidToBeSo) {
  ScriptedHttp server{R"([{"play":[{"send":"SSH-2.0-OpenSSH_9.2\r\n"},{"end":"close"}]},
                          {"huge_header":80000,"body":"x"},{"headers":{"content-encoding":"gzip"},"body":"not gzip"}])"};
  for (int i = 0; i < 3; ++i) {
    const Outcome its = call(server.url());
    EXPECT_EQ(its.word(), "other") << its.err;
    EXPECT_EQ(its.exit, 1);
    EXPECT_FALSE(its.message().empty());
  }
}

TEST_F(Transfer, HeadersNearlyTooLargeStillFit) {
  ScriptedHttp server{R"([{"huge_header":60000,"body":"x"}])"};
  const Outcome its = call(server.url());
  EXPECT_EQ(its.word(), "complete");
  EXPECT_GT(its.head().size(), 60'000U);
}

/// With a courier that has no connection yet: some libcurl takes one over TLS for a plain request to the same place.
TEST_F(Transfer, PlainWordsToATlsServerAreNotAnswered) {
  ScriptedHttp server{"[]", true};
  std::string plain = server.tls_url();
  plain.replace(0, 5, "http");
  EXPECT_NE(call(plain).word(), "complete");
}

TEST_F(Transfer, TlsIsCheckedAgainstTheGivenAuthority) {
  ScriptedHttp server{"[]", true};
  const Outcome good = call(server.tls_url(), R"({"ca_file":")" + server.ca_file() + "\"}");
  EXPECT_EQ(good.word(), "complete") << good.err;
  EXPECT_NE(good.body().find("message_stop"), std::string::npos);
  const Outcome stranger = call(server.tls_url());
  EXPECT_EQ(stranger.word(), "tls") << stranger.err;
  EXPECT_EQ(stranger.out, "");
  std::string to_address = server.tls_url();
  to_address.replace(to_address.find("localhost"), 9, "127.0.0.2");
  EXPECT_NE(call(to_address, R"({"ca_file":")" + server.ca_file() + "\"}").word(), "complete");
  std::string not_tls = server.url();
  not_tls.replace(0, 4, "https");
  // The server waits for more of what it takes for a request: nobody agrees on TLS.
  EXPECT_EQ(call(not_tls, R"({"connect_timeout_ms":300})").word(), "timeout-connect");
}

TEST_F(Transfer, TheAuthorityMayComeFromTheEnvironment) {
  ScriptedHttp server{"[]", true};
  courier_environment.push_back("SSL_CERT_FILE=" + server.ca_file());
  EXPECT_EQ(call(server.tls_url()).word(), "complete");
}

TEST_F(Transfer, AProxyIsUsedAsSaidOrAsTheEnvironmentSays) {
  ScriptedHttp server;
  ScriptedHttp proxy{R"([{"body":"from the proxy","times":0}])"};
  const std::string address = "http://127.0.0.1:" + std::to_string(proxy.port());
  courier_environment.push_back("http_proxy=" + address);
  courier_environment.push_back("no_proxy=exempt.test,127.0.0.9");
  EXPECT_EQ(call("http://api.test/v1").body(), "from the proxy");
  EXPECT_EQ(seen_request(proxy).at("path").as_string(), "http://api.test/v1");
  EXPECT_EQ(call("http://exempt.test/v1").word(), "dns");
  EXPECT_NE(call(server.url(), R"({"proxy":""})").body(), "from the proxy");
  EXPECT_EQ(call("http://exempt.test/v1", R"({"proxy":")" + address + "\"}").body(), "from the proxy");
}

TEST_F(Transfer, AProxyThatRefusesATunnelIsNoReset) {
  ScriptedHttp proxy{R"([{"status":407,"body":"who are you?","times":0}])"};
  const Outcome its =
      call("https://api.test/v1", R"({"proxy":"http://127.0.0.1:)" + std::to_string(proxy.port()) + "\"}");
  EXPECT_EQ(its.word(), "other") << its.err;
  EXPECT_NE(its.message().find("407"), std::string::npos) << its.err;
  EXPECT_EQ(its.out, "");
}

TEST_F(Transfer, AConnectionIsForOneCall) {
  ScriptedHttp server;
  for (int i = 0; i < 5; ++i) ASSERT_EQ(call(server.url()).word(), "complete");
  EXPECT_EQ(json::parse(server.stats()).at("connections").as_int64(), 5);
  EXPECT_EQ(header(seen_request(server), "connection"), "close") << "so the server knows";
}

TEST_F(Transfer, RequestFilesThatMakeNoSense) {
  ScriptedHttp server;
  const char* const odd[] = {R"({"version":2})",
                             R"({"url":"ftp://x/"})",
                             R"({"url":"http://user:word@127.0.0.1/"})",
                             R"({"headers":[["a b","c"]]})",
                             R"({"headers":[["a","c\r\nx: y"]]})",
                             R"({"url":7})",
                             R"({"body_file":"/no/such/file","body":null})",
                             R"({"headers":[["content-length","5"]]})"};
  for (const char* const more : odd) {
    const Outcome its = call(server.url(), more);
    EXPECT_EQ(its.word(), "other") << more;
    EXPECT_EQ(its.exit, 1) << more;
    EXPECT_EQ(its.out, "") << more;
  }
  const AttemptKey missing = next_key();
  SpawnSpec spec = call_spec(missing, {});
  spec.request_path = file("nowhere").string();
  driver().spawn(spec);
  EXPECT_EQ(finish(missing).word(), "other");
  EXPECT_EQ(call(server.url()).word(), "complete") << "the courier is alive";
  EXPECT_EQ(json::parse(server.stats()).at("requests").as_int64(), 1);
}

TEST_F(Transfer, AnAnswerThatCannotBeWrittenIsNoSuccess) {
  ScriptedHttp server;
  const AttemptKey its = next_key();
  SpawnSpec spec = call_spec(its, request(server.url()));
  std::filesystem::create_directory(spec.stdout_path);
  driver().spawn(spec);
  const Outcome ended = finish(its);
  EXPECT_EQ(ended.exit, 1);
  EXPECT_EQ(ended.word(), "other");
  EXPECT_NE(ended.message().find("directory"), std::string::npos) << ended.err;
}

}  // namespace
}  // namespace baton::test
