// The library: one task from its file to its result. The rows are those of the workspace's checklist.
#include <unistd.h>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include "baton/baton.h"
#include "dialect/workspace/owner.h"
#include "io/identity.h"
#include "support/scratch.h"

namespace baton {
namespace {

namespace fs = std::filesystem;
using Code = ExecutionErrorCode;
using test::bytes_of;
using test::write_bytes;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr const char* id = "copywriting-20261115-a1b2c3";

ExecutionError error_with(Code code, std::optional<bool> retryable = {}) {
  return {.code = code, .message = "as scripted", .retryable = retryable};
}

/// A project with one skill, one task, and a client that nobody pays for.
struct Execution : testing::Test {
  test::Scratch scratch;
  std::shared_ptr<MockClient> client = std::make_shared<MockClient>();
  ExecutorConfig config = default_config();
  std::vector<Milliseconds> slept;
  Task task;

  void SetUp() override {
    config.project_root = scratch.path();
    config.workspace = scratch.path() + "/workspace";
    config.sleep = [this](Milliseconds duration, const std::stop_token& stop) {
      slept.push_back(duration);
      return !stop.stop_requested();
    };
    for (const char* folder : {"tasks", "context", "outputs"}) fs::create_directories(config.workspace / folder);
    skill("copywriting", "---\nname: copywriting\ndescription: Writes\n---\n\nYou write copy.\n");
    write_task("pending", "copywriting", fmt::format("outputs/creative/copywriting/{}.md", id));
  }
  void skill(const std::string& name, const std::string& text) const {
    fs::create_directories(scratch.path() + "/.agents/skills/" + name + "/references");
    write_bytes(scratch.path() + "/.agents/skills/" + name + "/SKILL.md", text);
  }
  void write_task(const std::string& status, const std::string& to, const std::string& output,
                  const std::string& inputs = "", int revision = 0) {
    write_bytes(task_file(),
                fmt::format("---\nid: {}\nstatus: {}\npriority: P1\nfrom: director\nto: {}\ncreated_at: x\nupdated_at: "
                            "before\nrevision_count: {}\noutput_path: {}\noutput_format: Markdown\nnext_type: "
                            "complete\n---\n\n## Context\n- **Goal:** Sell\n- **Input files:**\n{}\n## "
                            "Requirements\n\nWrite it.\n",
                            id, status, to, revision, output, inputs));
    task = std::get<Task>(load_task(config.workspace, id));
  }
  [[nodiscard]] std::string task_file() const { return config.workspace / "tasks" / (std::string{id} + ".md"); }
  [[nodiscard]] std::string status() const {
    const auto loaded = load_task(config.workspace, id);
    return std::holds_alternative<Task>(loaded) ? std::get<Task>(loaded).status : "unreadable";
  }
  [[nodiscard]] std::string output() const { return config.workspace / task.output_path; }
  ExecutionResult run(const ExecuteOptions& options = {}) { return Executor{client, config}.execute(task, options); }
  void expect_failure(const ExecutionResult& result, Code code, const char* status_now = "failed") const {
    EXPECT_EQ(result.status, ExecutionStatus::failed);
    ASSERT_TRUE(result.error);
    EXPECT_EQ(to_string(result.error->code), to_string(code)) << result.error->message;
    EXPECT_EQ(result.error->task_id, id);
    EXPECT_FALSE(result.output_path);
    EXPECT_EQ(status(), status_now);
  }
};

TEST_F(Execution, SaysWhoHasTheTaskWhileItIsInProgress) {
  const std::string file = task_file() + ".owner";
  std::string while_at_work;
  client = std::make_shared<MockClient>([&](const ClientRequest&) {
    while_at_work = bytes_of(file);
    return ClientResponse{.content = "# Copy"};
  });
  EXPECT_EQ(run().status, ExecutionStatus::completed);
  const auto owner = workspace::read_owner(while_at_work);
  ASSERT_TRUE(owner) << while_at_work;
  EXPECT_EQ(owner->process, own_identity().text());
  EXPECT_EQ(owner->mark.status_before, workspace::TaskStatus::pending);
  EXPECT_FALSE(fs::exists(file));
  write_task("pending", "unheard-of", "outputs/x.md");
  EXPECT_EQ(run().status, ExecutionStatus::failed);
  EXPECT_FALSE(fs::exists(file)) << "nor after a failure";
}

TEST_F(Execution, ThatDiesLeavesItsNameAtTheTask) {
  testing::FLAGS_gtest_death_test_style = "fast";
  client = std::make_shared<MockClient>([](const ClientRequest&) -> ClientResponse { ::_exit(7); });
  EXPECT_EXIT((void)run(), testing::ExitedWithCode(7), "");
  EXPECT_EQ(status(), "in_progress");
  const auto owner = workspace::read_owner(bytes_of(task_file() + ".owner"));
  ASSERT_TRUE(owner);
  EXPECT_TRUE(is_certainly_dead(owner->process)) << owner->process;
}

// Row 1.
TEST(Mock, AnswersAsItIsTold) {
  MockClient plain;
  const auto reply = std::get<ClientResponse>(plain.complete({}));
  EXPECT_EQ(reply.content, "Mock output for task");
  EXPECT_EQ(reply.input_tokens, 100);
  EXPECT_EQ(reply.output_tokens, 200);
  EXPECT_EQ(reply.stop_reason, StopReason::end_turn);
  MockClient made{[](const ClientRequest& r) { return ClientResponse{.content = r.model}; }};
  EXPECT_EQ(std::get<ClientResponse>(made.complete({.model = "m"})).content, "m");
}

// Rows 2 and 3.
TEST(Mock, NotesCallsAlsoThoseThatFail) {
  MockClient client;
  client.set_error(error_with(Code::api_error));
  EXPECT_TRUE(std::holds_alternative<ExecutionError>(client.complete({.model = "one"})));
  EXPECT_TRUE(std::holds_alternative<ClientResponse>(client.complete({.model = "two"}))) << "once";
  client.set_error(error_with(Code::api_error), false);
  EXPECT_TRUE(std::holds_alternative<ExecutionError>(client.complete({})));
  EXPECT_TRUE(std::holds_alternative<ExecutionError>(client.complete({})));
  client.clear_error();
  EXPECT_TRUE(std::holds_alternative<ClientResponse>(client.complete({})));
  ASSERT_THAT(client.calls(), SizeIs(5));
  EXPECT_EQ(client.calls()[1].model, "two");
}

// Row 4.
TEST(Mock, StopsWhileItWaits) {
  MockClient client;
  std::stop_source stopped;
  stopped.request_stop();
  auto reply = client.complete({.stop = stopped.get_token()});
  EXPECT_EQ(std::get<ExecutionError>(reply).code, Code::aborted);
  client.set_delay(Milliseconds{3'600'000});
  std::stop_source later;
  std::jthread waiting{[&] { reply = client.complete({.stop = later.get_token()}); }};
  later.request_stop();
  waiting.join();
  EXPECT_EQ(std::get<ExecutionError>(reply).code, Code::aborted);
  EXPECT_THAT(client.calls(), IsEmpty()) << "one that was stopped was no call";
  client.set_delay(Milliseconds{1});
  EXPECT_TRUE(std::holds_alternative<ClientResponse>(client.complete({})));
}

// Rows 6 and 7.
TEST_F(Execution, LoadsASkillWithItsReferences) {
  const std::string folder = scratch.path() + "/.agents/skills/copywriting/references/";
  write_bytes(folder + "b.md", "B");
  write_bytes(folder + "a.md", "A");
  write_bytes(folder + "no.txt", "no");
  const auto loaded = load_skill("copywriting", scratch.path());
  const auto& content = std::get<SkillContent>(loaded);
  EXPECT_EQ(content.name, "copywriting");
  EXPECT_EQ(content.description, "Writes");
  EXPECT_EQ(content.body, "You write copy.");
  ASSERT_THAT(content.references, SizeIs(2));
  EXPECT_EQ(content.references[0].path, "a.md");
  EXPECT_EQ(content.references[1].content, "B");
  skill("bare", "Only a body.");
  EXPECT_THAT(std::get<SkillContent>(load_skill("bare", scratch.path())).references, IsEmpty());
}

// Row 8.
TEST_F(Execution, TellsOfASkillThatIsNotThere) {
  EXPECT_EQ(std::get<ExecutionError>(load_skill("none", scratch.path())).code, Code::skill_not_found);
  EXPECT_EQ(std::get<ExecutionError>(load_skill("../copywriting", scratch.path())).code, Code::skill_not_found);
}

// Row 9.
TEST_F(Execution, LeavesOutAReferenceThatCannotBeRead) {
  const std::string folder = scratch.path() + "/.agents/skills/copywriting/references/";
  write_bytes(folder + "a.md", "A");
  write_bytes(folder + "large.md", std::string((1U << 20U) + 1, 'x'));
  const auto loaded = load_skill("copywriting", scratch.path());
  EXPECT_THAT(std::get<SkillContent>(loaded).references, SizeIs(1));
  EXPECT_THAT(std::get<SkillContent>(loaded).warnings, ElementsAre(HasSubstr("large.md")));
  EXPECT_EQ(run().status, ExecutionStatus::completed);
}

// Rows 15, 34 and 35.
TEST_F(Execution, WritesTheResultAndCompletesTheTask) {
  client = std::make_shared<MockClient>([this](const ClientRequest&) {
    EXPECT_EQ(status(), "in_progress");
    return ClientResponse{"# Copy\n", 10, 5, StopReason::end_turn};
  });
  const ExecutionResult result = run();
  ASSERT_EQ(result.status, ExecutionStatus::completed) << result.error->message;
  EXPECT_EQ(result.task_id, id);
  EXPECT_EQ(result.skill, "copywriting");
  EXPECT_EQ(result.output_path, task.output_path);
  EXPECT_FALSE(result.error);
  EXPECT_EQ(result.tokens_used.input, 10);
  EXPECT_EQ(result.tokens_used.output, 5);
  EXPECT_EQ(result.tokens_used.total, 15);
  EXPECT_GE(result.duration.count(), 0);
  EXPECT_EQ(bytes_of(output()), "# Copy\n");
  EXPECT_EQ(status(), "completed");
  ASSERT_THAT(client->calls(), SizeIs(1));
  const ClientRequest call = client->calls()[0];
  EXPECT_EQ(call.system_prompt, "You write copy.");
  EXPECT_THAT(call.user_message, HasSubstr("Write it."));
  EXPECT_EQ(call.model, config.model_map[ModelTier::sonnet]);
  EXPECT_EQ(call.max_tokens, 16'384);
  EXPECT_FALSE(fs::exists(task_file() + ".lock"));
}

// Row 16.
TEST_F(Execution, CarriesOutWhatIsPendingAssignedOrSentBack) {
  for (const char* status_before : {"pending", "assigned", "revision"}) {
    write_task(status_before, "copywriting", "outputs/x.md", "", 1);
    EXPECT_EQ(run().status, ExecutionStatus::completed) << status_before;
    EXPECT_THAT(client->calls().back().user_message, HasSubstr("Revision Context"));
  }
}

// Row 17.
TEST_F(Execution, LeavesEverythingElseAlone) {
  for (const char* other :
       {"completed", "failed", "cancelled", "in_progress", "in_review", "blocked", "deferred", "approved"}) {
    write_task(other, "copywriting", "outputs/x.md");
    const std::string before = bytes_of(task_file());
    expect_failure(run(), Code::task_not_executable, other);
    EXPECT_EQ(bytes_of(task_file()), before);
    // Also where only the file knows: another one has taken it since.
    task.status = "pending";
    expect_failure(run(), Code::task_not_executable, other);
    EXPECT_EQ(bytes_of(task_file()), before);
  }
  EXPECT_THAT(client->calls(), IsEmpty());
}

// Row 18.
TEST_F(Execution, FailsWithoutItsSkill) {
  write_task("pending", "unheard-of", "outputs/x.md");
  expect_failure(run(), Code::skill_not_found);
  EXPECT_THAT(client->calls(), IsEmpty());
}

// Row 19.
TEST_F(Execution, TellsTheContextIfThereIsOne) {
  EXPECT_EQ(run().status, ExecutionStatus::completed);
  EXPECT_THAT(client->calls().back().user_message, HasSubstr("No product marketing context available"));
  write_task("pending", "copywriting", "outputs/x.md",
             "  - `context/product-marketing-context.md` — the context, which is missing\n");
  EXPECT_EQ(run().status, ExecutionStatus::completed) << "it is no missing input";
  write_bytes(config.workspace / "context/product-marketing-context.md", "We make batons.");
  write_task("pending", "copywriting", "outputs/x.md");
  EXPECT_EQ(run().status, ExecutionStatus::completed);
  EXPECT_THAT(client->calls().back().user_message, HasSubstr("We make batons."));
}

// Row 20.
TEST_F(Execution, NeedsEveryInputThatItNames) {
  write_bytes(config.workspace / "outputs/a.md", "TEXT A");
  write_task("pending", "copywriting", "outputs/x.md", "  - `outputs/a.md` — the first\n");
  EXPECT_EQ(run().status, ExecutionStatus::completed);
  EXPECT_THAT(client->calls().back().user_message, HasSubstr("### Input: the first\nSource: outputs/a.md\n\nTEXT A"));
  write_task("pending", "copywriting", "outputs/x.md",
             "  - `outputs/a.md` — the first\n  - `outputs/gone.md` — the second\n");
  const ExecutionResult result = run();
  expect_failure(result, Code::input_not_found);
  EXPECT_THAT(result.error->message, HasSubstr("outputs/gone.md"));
  EXPECT_THAT(client->calls(), SizeIs(1));
  write_task("pending", "copywriting", "outputs/x.md", "  - `../secret` — no\n");
  expect_failure(run(), Code::input_not_found);
}

// Rows 21 and 26.
TEST_F(Execution, TriesAgainWhatMayPass) {
  for (const Code code : {Code::api_rate_limited, Code::api_overloaded, Code::api_error, Code::api_timeout}) {
    client = std::make_shared<MockClient>();
    client->set_error(error_with(code), false);
    slept.clear();
    write_task("pending", "copywriting", "outputs/x.md");
    expect_failure(run({.agent = {.max_retries = 3}}), code);
    EXPECT_THAT(client->calls(), SizeIs(4));
    EXPECT_THAT(slept, ElementsAre(Milliseconds{1000}, Milliseconds{2000}, Milliseconds{4000}));
  }
}

TEST_F(Execution, WaitsAsLongAsItIsTold) {
  ExecutionError busy = error_with(Code::api_rate_limited);
  busy.retry_after = Milliseconds{47'000};
  client->set_error(busy);
  EXPECT_EQ(run().status, ExecutionStatus::completed);
  EXPECT_THAT(slept, ElementsAre(Milliseconds{47'000}));
}

TEST_F(Execution, WaitsNoLongerThanItsCallerWants) {
  ExecutionError busy = error_with(Code::api_rate_limited);
  busy.retry_after = Milliseconds{3'600'000};
  client->set_error(busy);
  const ExecutionResult result = run();
  expect_failure(result, Code::api_rate_limited);
  EXPECT_EQ(result.error->retry_after, Milliseconds{3'600'000}) << "the caller may come back then";
  EXPECT_THAT(slept, IsEmpty());
  config.longest_wait = Milliseconds{0};
  client->set_error(busy);
  write_task("pending", "copywriting", "outputs/x.md");
  EXPECT_EQ(run().status, ExecutionStatus::completed);
  EXPECT_THAT(slept, ElementsAre(Milliseconds{3'600'000}));
}

TEST_F(Execution, TheRequestsIdIsInEveryError) {
  ClientResponse response{"The answer", 1, 1};
  response.request_id = "req_7";
  client = std::make_shared<MockClient>([&](const ClientRequest&) { return response; });
  for (const StopReason stop : {StopReason::max_tokens, StopReason::refusal, StopReason::context_exceeded}) {
    response.stop_reason = stop;
    write_task("pending", "copywriting", "outputs/x.md");
    const ExecutionResult result = run();
    ASSERT_TRUE(result.error);
    EXPECT_EQ(result.error->request_id, "req_7") << to_string(result.error->code);
  }
  response = {" ", 1, 1};
  response.request_id = "req_8";
  write_task("pending", "copywriting", "outputs/x.md");
  EXPECT_EQ(run().error.value_or(ExecutionError{}).request_id, "req_8");

  client = std::make_shared<MockClient>([&](const ClientRequest& request) -> ClientReply {
    (void)cancellable_sleep(Milliseconds{3'600'000}, request.stop);
    ExecutionError cut = error_with(Code::aborted);
    cut.request_id = "req_9";
    return cut;
  });
  write_task("pending", "copywriting", "outputs/x.md");
  const ExecutionResult late = run({.agent = {.timeout = Milliseconds{5}, .max_retries = 0}});
  expect_failure(late, Code::api_timeout);
  EXPECT_EQ(late.error->request_id, "req_9");
}

// Row 22.
TEST_F(Execution, DoesNotTryAgainWhatCannotPass) {
  client->set_error(error_with(Code::api_error, false), false);
  expect_failure(run(), Code::api_error);
  EXPECT_THAT(client->calls(), SizeIs(1));
}

// Rows 23 and 24.
TEST_F(Execution, CompletesOnTheSecondTryUnlessThereIsNone) {
  client->set_error(error_with(Code::api_overloaded));
  EXPECT_EQ(run().status, ExecutionStatus::completed);
  EXPECT_THAT(client->calls(), SizeIs(2));
  write_task("pending", "copywriting", "outputs/x.md");
  client->set_error(error_with(Code::api_overloaded));
  expect_failure(run({.agent = {.max_retries = 0}}), Code::api_overloaded);
  EXPECT_THAT(client->calls(), SizeIs(3));
}

// Rows 25 and 27.
TEST_F(Execution, AnEmptyAnswerIsNotAskedForAgain) {
  for (const char* text : {"", " \n\t"}) {
    client = std::make_shared<MockClient>([&](const ClientRequest&) { return ClientResponse{text, 7, 1}; });
    write_task("pending", "copywriting", "outputs/x.md");
    const ExecutionResult result = run();
    expect_failure(result, Code::response_empty);
    EXPECT_THAT(client->calls(), SizeIs(1));
    EXPECT_EQ(result.tokens_used.total, 8) << "paid for nevertheless";
    EXPECT_FALSE(fs::exists(config.workspace / "outputs/x.md"));
  }
  client = std::make_shared<MockClient>();
  client->set_error(error_with(Code::unknown), false);
  write_task("pending", "copywriting", "outputs/x.md");
  expect_failure(run(), Code::unknown);
  EXPECT_THAT(client->calls(), SizeIs(1));
}

// Row 28.
TEST_F(Execution, ATruncatedAnswerIsKeptWithAWarning) {
  client = std::make_shared<MockClient>(
      [](const ClientRequest&) { return ClientResponse{"half", 1, 2, StopReason::max_tokens}; });
  const ExecutionResult result = run();
  EXPECT_EQ(result.status, ExecutionStatus::completed);
  EXPECT_EQ(result.error->code, Code::response_truncated);
  EXPECT_EQ(bytes_of(output()), "half");
  EXPECT_EQ(status(), "completed");
}

TEST_F(Execution, RefusalsAndPromptsThatAreTooLongAreErrors) {
  for (const auto& [reason, code] : {std::pair{StopReason::refusal, Code::refused},
                                     std::pair{StopReason::context_exceeded, Code::context_exceeded}}) {
    client = std::make_shared<MockClient>([stop = reason](const ClientRequest&) {
      return ClientResponse{stop == StopReason::refusal ? "sorry" : "", 1, 2, stop};
    });
    write_task("pending", "copywriting", "outputs/x.md");
    expect_failure(run(), code);
    EXPECT_THAT(client->calls(), SizeIs(1));
  }
}

// Row 29.
TEST_F(Execution, TheFoundationSkillWritesTheContext) {
  skill("product-marketing-context", "You know the product.");
  write_task("pending", "product-marketing-context", "context/product-marketing-context.md");
  const ExecutionResult result = run();
  EXPECT_EQ(result.status, ExecutionStatus::completed);
  EXPECT_EQ(result.output_path, "context/product-marketing-context.md");
  EXPECT_EQ(bytes_of(config.workspace / "context/product-marketing-context.md"), "Mock output for task");
}

// Rows 30 and 40.
TEST_F(Execution, FailsIfTheResultCannotBeWritten) {
  write_bytes(config.workspace / "outputs/file", "no folder");
  write_task("pending", "copywriting", "outputs/file/x.md");
  expect_failure(run(), Code::workspace_write_failed);
  EXPECT_THAT(client->calls(), IsEmpty());
  fs::create_directory_symlink(scratch.path(), config.workspace / "outputs/up");
  for (const char* path : {"../outside.md", "tasks/other.md", "/tmp/x.md", "outputs/up/outside.md"}) {
    write_task("pending", "copywriting", path);
    const auto calls = client->calls().size();
    expect_failure(run(), Code::workspace_write_failed);
    EXPECT_EQ(client->calls().size(), calls) << "known before anything is paid for";
  }
  EXPECT_FALSE(fs::exists(scratch.path() + "/outside.md"));
}

TEST_F(Execution, AResultThatIsLookedForElsewhereIsAWarning) {
  EXPECT_THAT(run().warnings, IsEmpty());
  write_task("pending", "copywriting", "outputs/mine.md");
  const ExecutionResult elsewhere = run();
  EXPECT_EQ(elsewhere.status, ExecutionStatus::completed);
  EXPECT_THAT(elsewhere.warnings, ElementsAre(HasSubstr("looked for at outputs/creative/copywriting/")));
  write_bytes(config.workspace / "skills.yaml", "squads: {words: {}}\nskills:\n  copywriting: {squad: words}\n");
  write_task("pending", "copywriting", fmt::format("outputs/words/copywriting/{}.md", id));
  EXPECT_THAT(run().warnings, IsEmpty());
  write_task("pending", "copywriting", fmt::format("outputs/creative/copywriting/{}.md", id));
  EXPECT_THAT(run().warnings, ElementsAre(HasSubstr("looked for at outputs/words/copywriting/")));
}

TEST_F(Execution, FailsIfTheTaskIsGone) {
  fs::remove(task_file());
  const ExecutionResult result = run();
  EXPECT_EQ(result.error->code, Code::workspace_write_failed);
  EXPECT_THAT(client->calls(), IsEmpty());
}

// Row 31.
TEST_F(Execution, StoppedBeforeItBeginsItChangesNothing) {
  std::stop_source stop;
  stop.request_stop();
  expect_failure(run({.stop = stop.get_token()}), Code::aborted, "pending");
  EXPECT_THAT(client->calls(), IsEmpty());
}

// Row 32.
TEST_F(Execution, StoppedDuringACallItFails) {
  std::stop_source stop;
  std::atomic<bool> asked = false;
  client = std::make_shared<MockClient>([&](const ClientRequest& request) -> ClientReply {
    asked = true;
    if (!cancellable_sleep(Milliseconds{3'600'000}, request.stop)) return error_with(Code::aborted);
    return ClientResponse{"too late"};
  });
  ExecutionResult result;
  std::jthread other{[&] { result = run({.stop = stop.get_token()}); }};
  while (!asked) std::this_thread::yield();
  stop.request_stop();
  other.join();
  expect_failure(result, Code::aborted);
  EXPECT_THAT(client->calls(), SizeIs(1));
}

// Row 33.
TEST_F(Execution, StoppedBetweenTwoTriesItDoesNotTryAgain) {
  std::stop_source stop;
  client->set_error(error_with(Code::api_overloaded), false);
  config.sleep = [&](Milliseconds duration, const std::stop_token& token) {
    stop.request_stop();
    return cancellable_sleep(duration, token);
  };
  expect_failure(run({.stop = stop.get_token()}), Code::aborted);
  EXPECT_THAT(client->calls(), SizeIs(1));
}

TEST_F(Execution, ACallThatTakesTooLongIsATimeoutAndTriedAgain) {
  std::atomic<int> calls = 0;
  client = std::make_shared<MockClient>([&](const ClientRequest& request) -> ClientReply {
    if (++calls > 1) return ClientResponse{"in time"};
    EXPECT_FALSE(cancellable_sleep(Milliseconds{3'600'000}, request.stop)) << "its own clock stops it";
    return error_with(Code::aborted);
  });
  EXPECT_EQ(run({.agent = {.timeout = Milliseconds{5}}}).status, ExecutionStatus::completed);
  calls = 0;
  write_task("pending", "copywriting", "outputs/x.md");
  expect_failure(run({.agent = {.timeout = Milliseconds{5}, .max_retries = 0}}), Code::api_timeout);
}

TEST_F(Execution, AllOfItHasADeadlineToo) {
  config.overall_timeout = Milliseconds{5};
  client = std::make_shared<MockClient>([&](const ClientRequest& request) -> ClientReply {
    (void)cancellable_sleep(Milliseconds{3'600'000}, request.stop);
    return error_with(Code::aborted);
  });
  expect_failure(run(), Code::api_timeout);
  EXPECT_THAT(client->calls(), SizeIs(1)) << "there is no time for another";
}

// Row 36.
TEST_F(Execution, TakesWhatTheCallerSaysOverTheConfiguration) {
  client->set_error(error_with(Code::api_overloaded), false);
  (void)run({.agent = {.model_tier = ModelTier::opus, .timeout = Milliseconds{9000}, .max_retries = 1}});
  ASSERT_THAT(client->calls(), SizeIs(2));
  EXPECT_EQ(client->calls()[0].model, config.model_map[ModelTier::opus]);
  EXPECT_EQ(client->calls()[0].timeout, Milliseconds{9000});
  write_task("pending", "copywriting", "outputs/x.md");
  (void)run();
  EXPECT_THAT(client->calls(), SizeIs(5));
  EXPECT_EQ(client->calls()[4].model, config.model_map[ModelTier::sonnet]);
  EXPECT_EQ(client->calls()[4].timeout, Milliseconds{120'000});
}

TEST_F(Execution, TakesAnyModelIdAndTellsTheCost) {
  // 100 and 200 tokens an answer.
  const ExecutionResult known = run({.agent = {.model = "claude-haiku-4-5-20251001"}});
  EXPECT_EQ(client->calls()[0].model, "claude-haiku-4-5-20251001");
  ASSERT_TRUE(known.cost_usd);
  EXPECT_NEAR(*known.cost_usd, 100 * 1e-6 + 200 * 5e-6, 1e-9);
  write_task("pending", "copywriting", "outputs/y.md");
  const ExecutionResult unknown = run({.agent = {.model = "our-own-model:7b"}});
  EXPECT_EQ(client->calls()[1].model, "our-own-model:7b");
  EXPECT_EQ(unknown.status, ExecutionStatus::completed);
  EXPECT_FALSE(unknown.cost_usd) << "it has no price, which is not a price of 0";
}

TEST_F(Execution, ThePriceIsThatOfTheModelThatAnsweredAndOfAllItsCalls) {
  int n = 0;
  client = std::make_shared<MockClient>([&n](const ClientRequest&) -> ClientReply {
    if (n++ == 0) return ExecutionError{.code = Code::api_overloaded, .message = "later"};
    if (n == 2) return ExecutionError{.code = Code::api_error, .message = "cut", .input_tokens = 1'000'000};
    return ClientResponse{
        .content = "Copy.", .input_tokens = 1'000'000, .cache_read_tokens = 1'000'000, .model = "claude-haiku-4-5"};
  });
  const ExecutionResult result = run({.agent = {.model = "claude-sonnet-4-5"}});
  EXPECT_EQ(result.status, ExecutionStatus::completed);
  ASSERT_TRUE(result.cost_usd);
  EXPECT_NEAR(*result.cost_usd, 3.0 + 0.1, 1e-9);
}

TEST_F(Execution, KeepsWhatWasSaidUntilTheContextWasFull) {
  client = std::make_shared<MockClient>([](const ClientRequest&) -> ClientReply {
    return ClientResponse{.content = "Half.", .stop_reason = StopReason::context_exceeded};
  });
  const ExecutionResult result = run();
  EXPECT_EQ(result.status, ExecutionStatus::completed);
  ASSERT_TRUE(result.error);
  EXPECT_EQ(result.error->code, Code::response_truncated);
}

// Row 37.
TEST_F(Execution, NeverThrows) {
  client = std::make_shared<MockClient>([](const ClientRequest&) -> ClientReply { throw std::runtime_error{"boom"}; });
  const ExecutionResult result = run();
  expect_failure(result, Code::unknown);
  EXPECT_THAT(result.error->message, HasSubstr("boom"));
  write_task("pending", "copywriting", "outputs/x.md");
  client = std::make_shared<MockClient>([](const ClientRequest&) -> ClientReply { throw 7; });
  expect_failure(run(), Code::unknown);
  EXPECT_EQ(Executor(nullptr, config).execute(task).error->code, Code::unknown);
}

TEST_F(Execution, ReportsWhatAllCallsTogetherUsed) {
  std::atomic<int> calls = 0;
  client = std::make_shared<MockClient>([&](const ClientRequest&) -> ClientReply {
    if (++calls == 1) return error_with(Code::api_overloaded);
    return ClientResponse{"text", 3, 4};
  });
  EXPECT_EQ(run().tokens_used.total, 7);
}

// One task, many executors: one of them has it.
TEST_F(Execution, OnlyOneOfManyHasTheTask) {
  std::atomic<int> completed = 0;
  std::atomic<int> refused = 0;
  const Executor executor{client, config};
  std::vector<std::jthread> crowd;
  for (int n = 0; n < 8; ++n) {
    crowd.emplace_back([&] {
      const ExecutionResult result = executor.execute(task);
      if (result.status == ExecutionStatus::completed) ++completed;
      if (result.error && result.error->code == Code::task_not_executable) ++refused;
    });
  }
  crowd.clear();
  EXPECT_EQ(completed, 1);
  EXPECT_EQ(refused, 7);
  EXPECT_THAT(client->calls(), SizeIs(1));
}

}  // namespace
}  // namespace baton
