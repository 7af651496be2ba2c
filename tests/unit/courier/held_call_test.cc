// Calls as attempts: they are held, told, recorded, stopped and woken for like processes.

#include <signal.h>

#include <algorithm>

#include "host/held_log.h"
#include "support/places.h"
#include "unit/courier/courier_world.h"

namespace baton::test {
namespace {

using namespace std::chrono_literals;
using test::ScriptedHttp;

class HeldCall : public CourierWorld {
 protected:
  int wakes() const {
    const std::string text = read_text(file("wakes"));
    return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  }
  HeldLog held_log() const {
    HeldLog log{"r", (folder / "runs/r/held.log").string()};
    log.refresh();
    return log;
  }
};

TEST_F(HeldCall, IsToldAndRecordedLikeAProcess) {
  ScriptedHttp server{R"([{"wait":"go"}])"};
  const AttemptKey its = begin(request(server.url()));
  ASSERT_TRUE(driver().until([&] { return driver().pid_of(its) != 0; }));
  EXPECT_EQ(driver().pid_of(its), courier_pid());
  EXPECT_TRUE(driver().client->was_started(its));
  EXPECT_EQ(held_log().exit({its.step, its.attempt}), nullptr);
  server.go("go");
  EXPECT_EQ(finish(its).word(), "complete");
  const ExitRecord record = *driver().exit_of(its);
  EXPECT_EQ(record.exit, 0);
  EXPECT_FALSE(record.stopped);
  EXPECT_GE(record.finished, record.started);
  ASSERT_NE(held_log().exit({its.step, its.attempt}), nullptr);
  EXPECT_EQ(held_log().exit({its.step, its.attempt})->exit, 0);
  driver().client->acknowledge(its);
}

TEST_F(HeldCall, AnEngineThatIsGoneMissesNothing) {
  ScriptedHttp server{R"([{"answer":{"text":"a long answer that is paid for"},"split":9,"middle":"go"}])"};
  auto first = new_driver();
  const AttemptKey its{"r", "s", 1};
  first->spawn(call_spec(its, request(server.url())));
  ASSERT_TRUE(first->until([&] { return out(its).find("message_start") != std::string::npos; }));
  first.reset();  // as after kill -9: nothing is said to the holder
  server.go("go");
  ASSERT_TRUE(eventually([&] { return held_log().exit({"s", 1}) != nullptr; }));

  auto second = std::make_unique<Engine>(call_options());
  const auto seen = second->client->attach("r");
  ASSERT_TRUE(seen.has_value());
  ASSERT_EQ(seen->size(), 1U);
  EXPECT_EQ(seen->front().kind, Sighting::Kind::exited);
  EXPECT_EQ(seen->front().record.exit, 0);
  const Outcome ended = outcome(its, &seen->front().record);
  EXPECT_EQ(ended.word(), "complete");
  EXPECT_NE(ended.body().find("message_stop"), std::string::npos);
}

TEST_F(HeldCall, AnEngineFindsCallsInFlight) {
  ScriptedHttp server{R"([{"wait":"go"}])"};
  auto first = new_driver();
  const AttemptKey its{"r", "s", 1};
  first->spawn(call_spec(its, request(server.url())));
  server.until_requests(1);
  first.reset();
  auto second = std::make_unique<Engine>(call_options());
  const auto seen = second->client->attach("r");
  ASSERT_TRUE(seen.has_value());
  ASSERT_EQ(seen->size(), 1U);
  EXPECT_EQ(seen->front().kind, Sighting::Kind::alive);
  EXPECT_EQ(seen->front().pid, courier_pid());
  server.go("go");
  ASSERT_TRUE(second->until([&] { return second->exit_of(its) != nullptr; }));
  EXPECT_EQ(second->exit_of(its)->exit, 0);
}

TEST_F(HeldCall, TheRunIsWokenWhenItEndsAndNobodyDrives) {
  wake_argv = {"/bin/sh", "-c", "echo woken $TEST_KEY >> wakes"};
  ScriptedHttp server{R"([{"wait":"go"}])"};
  auto first = new_driver();
  const AttemptKey its{"r", "s", 1};
  first->spawn(call_spec(its, request(server.url())));
  server.until_requests(1);
  first.reset();
  EXPECT_EQ(wakes(), 0);
  server.go("go");
  EXPECT_TRUE(eventually([&] { return wakes() > 0; }));
  EXPECT_EQ(read_text(file("wakes")).substr(0, 17), "woken " + std::string{key}.substr(0, 11));
}

TEST_F(HeldCall, ACallOfADeadCourierIsLostAndNeverASuccess) {
  ScriptedHttp server{R"([{"split":9,"middle":"never"},{"wait":"never"},{"times":0}])"};
  const AttemptKey streaming = begin(request(server.url()));
  ASSERT_TRUE(driver().until([&] { return out(streaming).find("message_start") != std::string::npos; }));
  const AttemptKey waiting = begin(request(server.url()));
  server.until_requests(2);
  const pid_t courier = courier_pid();
  ASSERT_EQ(::kill(courier, SIGKILL), 0);
  ASSERT_TRUE(driver().until([&] { return driver().was_lost(streaming) && driver().was_lost(waiting); }));
  EXPECT_EQ(driver().exit_of(streaming), nullptr);
  EXPECT_EQ(driver().exit_of(waiting), nullptr);
  EXPECT_TRUE(held_log().started({"s", streaming.attempt}));
  EXPECT_EQ(held_log().exit({"s", streaming.attempt}), nullptr);
  EXPECT_EQ(call(server.url()).word(), "complete") << "another courier takes over";
  EXPECT_NE(courier_pid(), courier);
}

TEST_F(HeldCall, AWakeIsToldOfALostCallUntilItIsAcknowledged) {
  wake_argv = {"/bin/sh", "-c", "echo woken >> wakes"};
  ScriptedHttp server{R"([{"wait":"never"}])"};
  auto first = new_driver();
  const AttemptKey its{"r", "s", 1};
  first->spawn(call_spec(its, request(server.url())));
  server.until_requests(1);
  first.reset();
  ASSERT_EQ(::kill(courier_pid(), SIGKILL), 0);
  EXPECT_TRUE(eventually([&] { return wakes() > 0; }));
  auto second = std::make_unique<Engine>(call_options());
  const auto seen = second->client->attach("r");
  ASSERT_TRUE(seen.has_value());
  EXPECT_TRUE(seen->empty());
  EXPECT_TRUE(second->client->was_started(its));
  ASSERT_TRUE(second->until([&] { return second->was_lost(its); }));
  second->notices.clear();
  second->client->stop(its, 1s);
  ASSERT_TRUE(second->until([&] { return second->was_lost(its); })) << "told again to whoever asks";
  second->client->acknowledge(its);
}

TEST_F(HeldCall, ACourierEndsWithItsHolder) {
  ScriptedHttp server{R"([{"wait":"never"},{"times":0}])"};
  const AttemptKey its = begin(request(server.url()));
  server.until_requests(1);
  const pid_t courier = courier_pid();
  const pid_t holder = holder_pid();
  ASSERT_EQ(::kill(holder, SIGKILL), 0);
  EXPECT_TRUE(eventually([&] { return !is_alive(courier); }));
  server.until_abandoned(1);
  ASSERT_TRUE(driver().until([&] { return driver().was_lost(its); }));
  EXPECT_EQ(driver().exit_of(its), nullptr);
  EXPECT_EQ(call(server.url()).word(), "complete");
  EXPECT_NE(holder_pid(), holder);
}

TEST_F(HeldCall, TheCourierGoesWhenItHasNothingToDo) {
  courier_environment.push_back("BATON_COURIER_IDLE_MS=30");
  std::erase(courier_environment, "BATON_COURIER_IDLE_MS=60000");
  ScriptedHttp server;
  EXPECT_EQ(call(server.url()).word(), "complete");
  EXPECT_TRUE(eventually([&] { return courier_pid() == 0; }));
  EXPECT_GT(holder_pid(), 0);
  EXPECT_EQ(call(server.url()).word(), "complete");
  EXPECT_EQ(json::parse(server.stats()).at("connections").as_int64(), 2);
}

TEST_F(HeldCall, TheHolderGoesAndTakesAnIdleCourierAlong) {
  idle_ms = "50";
  ScriptedHttp server;
  auto first = new_driver();
  const AttemptKey its{"r", "s", 1};
  first->spawn(call_spec(its, request(server.url())));
  ASSERT_TRUE(first->until([&] { return first->exit_of(its) != nullptr; }));
  const pid_t courier = courier_pid();
  const pid_t holder = holder_pid();
  ASSERT_GT(courier, 0);
  first->client->acknowledge(its);
  first->loop.restart();
  first->loop.poll();
  first.reset();
  EXPECT_TRUE(eventually([&] { return !is_alive(holder) && !is_alive(courier); }));
}

// --- Stopping ---

TEST_F(HeldCall, IsGivenUpAtAnyMoment) {
  ScriptedHttp server{R"([{"wait":"never","times":1},{"split":5,"middle":"never","times":1},{"times":0}])"};
  const AttemptKey asked = begin(request(server.url()));
  server.until_requests(1);
  const AttemptKey streaming = begin(request(server.url()));
  ASSERT_TRUE(driver().until([&] { return out(streaming).find("message_start") != std::string::npos; }));
  for (const AttemptKey& its : {asked, streaming}) {
    driver().client->stop(its, 5s);
    const Outcome ended = finish(its);
    EXPECT_EQ(ended.word(), "cancelled") << ended.err;
    EXPECT_EQ(ended.exit, 1);
    EXPECT_TRUE(driver().exit_of(its)->stopped);
  }
  server.until_abandoned(2);
  for (int i = 0; i < 50; ++i) {  // at once, so that it is caught wherever it is
    const AttemptKey its = begin(request(server.url()));
    driver().client->stop(its, 5s);
    const Outcome ended = finish(its);
    EXPECT_TRUE(ended.word() == "cancelled" || ended.word() == "complete" || driver().exit_of(its)->never_ran());
    EXPECT_TRUE(ended.exit != 0 || ended.word() == "complete");
  }
  const AttemptKey done = begin(request(server.url()));
  EXPECT_EQ(finish(done).word(), "complete");
  driver().client->stop(done, 5s);
  ASSERT_TRUE(driver().until([&] { return driver().exits_of(done) == 2; }));
  EXPECT_EQ(driver().exit_of(done)->exit, 0);
}

TEST_F(HeldCall, IsStoppedAtTheHoldersDeadlineToo) {
  ScriptedHttp server{R"([{"wait":"never"}])"};
  const AttemptKey its = next_key();
  SpawnSpec spec = call_spec(its, request(server.url()));
  spec.deadline = 150ms;
  driver().spawn(spec);
  const Outcome ended = finish(its);
  EXPECT_EQ(ended.word(), "cancelled");
  EXPECT_TRUE(driver().exit_of(its)->deadline);
}

TEST_F(HeldCall, WaitsForASlotAndIsTakenOutOfTheQueue) {
  ScriptedHttp server{R"([{"wait":"go"},{"times":0}])"};
  SpawnSpec first = call_spec(next_key(), request(server.url()));
  SpawnSpec second = call_spec(next_key(), request(server.url()));
  SpawnSpec third = call_spec(next_key(), request(server.url()));
  first.slots = second.slots = third.slots = 1;
  for (const SpawnSpec* spec : {&first, &second, &third}) driver().spawn(*spec);
  server.until_requests(1);
  EXPECT_EQ(driver().pid_of(second.key), 0);
  driver().client->stop(second.key, 1s);
  ASSERT_TRUE(driver().until([&] { return driver().exit_of(second.key) != nullptr; }));
  EXPECT_TRUE(driver().exit_of(second.key)->never_ran());
  server.go("go");
  EXPECT_EQ(finish(first.key).word(), "complete");
  EXPECT_EQ(finish(third.key).word(), "complete");
  EXPECT_EQ(json::parse(server.stats()).at("requests").as_int64(), 2);
}

TEST_F(HeldCall, GoesOnWhileItsRunIsFrozenAndNothingNewStarts) {
  ScriptedHttp server{R"([{"wait":"go"},{"times":0}])"};
  const AttemptKey flying = begin(request(server.url()));
  server.until_requests(1);
  driver().client->freeze("r");
  const AttemptKey late = begin(request(server.url()));
  server.go("go");
  EXPECT_EQ(finish(flying).word(), "complete");
  EXPECT_EQ(driver().pid_of(late), 0);
  EXPECT_EQ(json::parse(server.stats()).at("requests").as_int64(), 1);
  driver().client->thaw("r");
  EXPECT_EQ(finish(late).word(), "complete");
}

TEST_F(HeldCall, ACallMayWaitForAProcessAndAProcessForACall) {
  ScriptedHttp server;
  SpawnSpec process = shell(next_key(), "exit 0");
  SpawnSpec its = call_spec(next_key(), request(server.url()));
  SpawnSpec last = shell(next_key(), "echo last");
  its.after = SpawnCondition{process.key.step, process.key.attempt};
  last.after = SpawnCondition{its.key.step, its.key.attempt};
  driver().spawn(process);
  driver().spawn(its);
  driver().spawn(last);
  EXPECT_EQ(finish(its.key).word(), "complete");
  ASSERT_TRUE(driver().until([&] { return driver().exit_of(last.key) != nullptr; }));
  EXPECT_EQ(out(last.key), "last\n");
}

TEST_F(HeldCall, ACourierThatHeedsNobodyIsKilled) {
  ScriptedHttp server{R"([{"wait":"never"}])"};
  const AttemptKey its = begin(request(server.url()));
  server.until_requests(1);
  const pid_t courier = courier_pid();
  ASSERT_EQ(::kill(courier, SIGSTOP), 0);
  driver().client->stop(its, 1s);
  ASSERT_TRUE(driver().until([&] { return driver().was_lost(its); }));
  EXPECT_FALSE(is_alive(courier));
}

TEST_F(HeldCall, WithoutACourierThatStartsNothingIsLost) {
  std::filesystem::create_directory(file("bin"));
  std::filesystem::copy_file(program_of_ours("baton-holder"), file("bin/baton-holder"));
  HolderOptions its_options = call_options();
  its_options.program = file("bin/baton-holder").string();
  auto engine = std::make_unique<Engine>(its_options);
  ASSERT_TRUE(engine->client->attach("r").has_value());
  const auto why = [&](const AttemptKey& its) -> std::string {
    engine->spawn(call_spec(its, request("http://127.0.0.1:1/")));
    EXPECT_TRUE(engine->until([&] { return engine->exit_of(its) != nullptr; }));
    return engine->exit_of(its) == nullptr ? "no end" : engine->exit_of(its)->spawn_error;
  };
  EXPECT_NE(why({"r", "missing", 1}).find("baton-courier"), std::string::npos);
  write_text(file("bin/baton-courier"), "#!/bin/sh\necho no library >&2\nexit 127\n");
  std::filesystem::permissions(file("bin/baton-courier"), std::filesystem::perms::owner_all);
  EXPECT_NE(why({"r", "broken", 1}).find("courier.log"), std::string::npos);
  EXPECT_NE(read_text(state / "courier.log").find("no library"), std::string::npos);
  EXPECT_FALSE(engine->was_lost({"r", "broken", 1}));
  std::filesystem::remove(file("bin/baton-courier"));
  std::filesystem::copy_file(program_of_ours("baton-courier"), file("bin/baton-courier"));
  EXPECT_EQ(why({"r", "mended", 1}), "");
}

// --- Keys ---

class Keys : public HeldCall {
 protected:
  std::string key_seen(ScriptedHttp& server, std::size_t index) const {
    const json::value seen = json::parse(server.seen());
    for (const json::value& field : seen.at("seen").as_array().at(index).at("headers").as_array()) {
      if (field.as_array()[0] == json::value("authorization")) return std::string{field.as_array()[1].as_string()};
    }
    return "-";
  }
  static std::string auth(const std::string& source) {
    return R"({"auth":{"header":"authorization","prefix":"Bearer ","source":)" + source + "}}";
  }
};

TEST_F(Keys, ComeFromTheEnvironmentAFileOrACommand) {
  ScriptedHttp server;
  write_text(file("key"), "  key-in-a-file\n");
  write_text(file("ask"), "#!/bin/sh\necho asked >> asks\necho \"of-$TEST_KEY-$1\"\n");
  std::filesystem::permissions(file("ask"), std::filesystem::perms::owner_all);
  ASSERT_EQ(call(server.url(), auth(R"({"env":"TEST_KEY"})")).word(), "complete");
  ASSERT_EQ(call(server.url(), auth(R"({"file":")" + file("key").string() + "\"}")).word(), "complete");
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(call(server.url(), auth(R"({"command":[")" + file("ask").string() + R"(","it"]})")).word(), "complete");
  }
  EXPECT_EQ(key_seen(server, 0), "Bearer " + std::string{key});
  EXPECT_EQ(key_seen(server, 1), "Bearer key-in-a-file");
  EXPECT_EQ(key_seen(server, 2), "Bearer of-" + std::string{key} + "-it");
  EXPECT_EQ(key_seen(server, 4), key_seen(server, 2));
  EXPECT_EQ(read_text(file("asks")), "asked\n") << "it is asked once for all of a minute";
}

TEST_F(Keys, WithoutOneNothingIsSent) {
  ScriptedHttp server;
  write_text(file("odd"), "two\nlines");
  write_text(file("empty"), "\n");
  const std::pair<std::string, std::string> ways[] = {{R"({"env":"NO_SUCH"})", "NO_SUCH"},
                                                      {R"({"file":"no-such-file"})", "no-such-file"},
                                                      {R"({"file":"odd"})", "odd"},
                                                      {R"({"file":"empty"})", "empty"},
                                                      {R"({"command":["/bin/false"]})", "exited with 1"},
                                                      {R"({"command":["/no/such/program"]})", "/no/such/program"},
                                                      {R"({"command":["/bin/true"]})", "/bin/true"}};
  for (const auto& [source, word] : ways) {
    const Outcome its = call(server.url(), auth(source));
    EXPECT_EQ(its.word(), "other") << source;
    EXPECT_EQ(its.exit, 1) << source;
    EXPECT_TRUE(its.message().starts_with("there is no key: ")) << its.err;
    EXPECT_NE(its.message().find(word), std::string::npos) << its.err;
    EXPECT_EQ(its.message().find("two"), std::string::npos) << its.err;
  }
  EXPECT_EQ(json::parse(server.stats()).at("requests").as_int64(), 0);
}

TEST_F(Keys, ACallThatWaitsForItsKeyCanBeCancelled) {
  ScriptedHttp server;
  const AttemptKey its =
      begin(request(server.url(), auth(R"({"command":["/bin/sh","-c","echo > asking; exec sleep 1000"]})")));
  ASSERT_TRUE(driver().until([&] { return std::filesystem::exists(file("asking")); }));
  driver().client->stop(its, 5s);
  EXPECT_EQ(finish(its).word(), "cancelled");
}

TEST_F(Keys, AreFoundNowhere) {
  ScriptedHttp server{
      R"([{"echo":true,"headers":{"x-echo":"sk-canary-0123456789abcdef"}},{"end":"reset"},{"wait":"go"}])"};
  const Outcome echoed = call(server.url());
  EXPECT_EQ(echoed.word(), "complete");
  EXPECT_NE(echoed.body().find("**********"), std::string::npos) << "a server that sends it back";
  EXPECT_EQ(call(server.url()).word(), "reset");
  const AttemptKey flying = begin(request(server.url()));
  server.until_requests(3);
  const pid_t courier = courier_pid();
  const std::string process = "/proc/" + std::to_string(courier) + "/";
  EXPECT_EQ(read_text(process + "cmdline").find(key), std::string::npos);
  EXPECT_EQ(read_text(process + "environ").find(key), std::string::npos);
  EXPECT_NE(read_text(process + "status").find("baton-courier"), std::string::npos);
  EXPECT_NE(read_text(process + "limits").find("Max core file size        0"), std::string::npos);
  server.go("go");
  EXPECT_EQ(finish(flying).word(), "complete");
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    ++files;
    EXPECT_EQ(read_text(entry.path()).find(key), std::string::npos) << entry.path();
  }
  EXPECT_GT(files, 8U);
}

}  // namespace
}  // namespace baton::test
