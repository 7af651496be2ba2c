// Baton as a library: one task of a workspace, one skill, one call to a model; the result written, the status kept.
//
//     baton::Executor executor{client, baton::default_config()};
//     const baton::ExecutionResult result = executor.execute(task);
//
// Nothing here throws. docs/library.md has the whole of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace baton {
inline namespace v1 {

using Milliseconds = std::chrono::milliseconds;

// Errors --------------------------------------------------------------------------------------------------------------

enum class ExecutionErrorCode : std::uint8_t {
  skill_not_found,
  context_not_found,  ///< never raised: a context that is missing is told to the agent
  input_not_found,
  api_error,
  api_rate_limited,
  api_overloaded,
  api_timeout,
  response_empty,
  response_truncated,  ///< with a completed task: a warning
  workspace_write_failed,
  task_not_executable,
  aborted,
  unknown,
  refused,
  context_exceeded,
  budget_exhausted,
  tool_loop_limit,
};
/// `API_RATE_LIMITED`
std::string_view to_string(ExecutionErrorCode code) noexcept;

struct ExecutionError {
  ExecutionErrorCode code = ExecutionErrorCode::unknown;
  std::string message = {};
  std::string task_id = {};  ///< a client leaves it empty; the executor fills it in
  /// Whether trying again can help; unset: as the configuration says of the code. (A 401 says no, a 500 says yes.)
  std::optional<bool> retryable = {};
  std::optional<Milliseconds> retry_after = {};  ///< the other side said when to come back
  std::string request_id = {};
  std::int64_t input_tokens = 0;  ///< spent although it failed
  std::int64_t output_tokens = 0;
  std::int64_t cache_read_tokens = 0;  ///< of input_tokens
  std::int64_t cache_write_tokens = 0;
};

// The model -----------------------------------------------------------------------------------------------------------

struct ClientRequest {
  std::string system_prompt;  ///< empty: none is sent
  std::string user_message;
  std::string model;
  int max_tokens = 0;
  Milliseconds timeout{0};  ///< of this call; when it is over, `stop` is requested too
  std::stop_token stop = {};
};

enum class StopReason : std::uint8_t { end_turn, max_tokens, stop_sequence, refusal, context_exceeded, other };

struct ClientResponse {
  std::string content;
  std::int64_t input_tokens = 0;  ///< all that was read, from a cache too
  std::int64_t output_tokens = 0;
  StopReason stop_reason = StopReason::end_turn;
  std::int64_t cache_read_tokens = 0;  ///< of input_tokens
  std::int64_t cache_write_tokens = 0;
  std::string request_id = {};
  std::string model = {};  ///< that answered; empty: the one that was asked
};

using ClientReply = std::variant<ClientResponse, ExecutionError>;

/// Whoever answers. Asked from several threads at once.
class Client {
 public:
  Client() = default;
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  virtual ~Client() = default;
  virtual ClientReply complete(const ClientRequest& request) = 0;
};

enum class ApiFamily : std::uint8_t {
  anthropic,  ///< the Messages API
  openai,     ///< chat completions, as many others have them too
};

struct HttpClientConfig {
  ApiFamily family = ApiFamily::anthropic;
  std::string api_key = {};   ///< goes into a header and nowhere else; local servers want none
  bool is_token = false;      ///< api_key is a bearer token; that of openai always is
  std::string base_url = {};  ///< empty: the provider's own
  std::string proxy = {};     ///< empty: as the environment says
  std::string ca_file = {};   ///< empty: the system's
  bool stream = true;
  Milliseconds idle_timeout{120'000};   ///< so long without another event of a streamed answer is a timeout; 0: none is
  Milliseconds first_timeout{600'000};  ///< until the first of them, and for all of an answer that is not streamed
};

/// `ANTHROPIC_API_KEY` (else `ANTHROPIC_AUTH_TOKEN`) and `ANTHROPIC_BASE_URL`, or `OPENAI_API_KEY` and
/// `OPENAI_BASE_URL`.
HttpClientConfig http_config_from_environment(ApiFamily family = ApiFamily::anthropic);

/// Asks a model over HTTP, once a call: it tries nothing again. Each call has a connection of its own, so that nothing
/// can be taken for the answer to another. May be asked from many threads.
class HttpClient final : public Client {
 public:
  explicit HttpClient(HttpClientConfig config);
  ~HttpClient() override;

  ClientReply complete(const ClientRequest& request) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A client for tests: no key, no network.
///
/// It first looks whether it is to stop, then waits, then notes the call, then fails if it is to, and answers last. So
/// a call that fails is noted, and one that was stopped is not.
class MockClient final : public Client {
 public:
  using Generator = std::function<ClientReply(const ClientRequest&)>;

  /// Without a generator every answer is "Mock output for task", 100 and 200 tokens.
  explicit MockClient(Generator generator = {});
  ~MockClient() override;

  void set_error(ExecutionError error, bool once = true);
  void clear_error();
  void set_delay(Milliseconds delay);
  [[nodiscard]] std::vector<ClientRequest> calls() const;

  ClientReply complete(const ClientRequest& request) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Sleeps, unless it is stopped; false if it was.
bool cancellable_sleep(Milliseconds duration, const std::stop_token& stop);

// Tasks and skills ----------------------------------------------------------------------------------------------------

struct TaskInput {
  std::string path;  ///< from the workspace
  std::string description;
};

/// What is known of a task. Whoever has only its file reads it with load_task().
struct Task {
  std::string id;
  std::string status = "pending";
  std::string priority = "P2";
  std::string from;
  std::string to;  ///< the skill
  int revision_count = 0;
  std::string goal;
  std::vector<TaskInput> inputs = {};
  std::string requirements;
  std::string output_path;
  std::string output_format;
};

struct Reference {
  std::string path;
  std::string content;
};

struct SkillContent {
  std::string name;
  std::string description;
  std::string body;
  std::vector<Reference> references = {};  ///< `references/*.md`, by name
  std::vector<std::string> warnings = {};  ///< references that could not be read
};

/// `<workspace>/tasks/<id>.md`. Error: task_not_executable, if it cannot be read.
std::variant<Task, ExecutionError> load_task(const std::filesystem::path& workspace, const std::string& id) noexcept;

/// Error: skill_not_found.
std::variant<SkillContent, ExecutionError> load_skill(const std::string& name,
                                                      const std::filesystem::path& project_root) noexcept;

struct UpstreamOutput {
  std::string path;
  std::string description;
  std::string content;
};

struct PromptParams {
  SkillContent skill = {};
  Task task;
  std::optional<std::string> product_context = {};
  std::vector<UpstreamOutput> upstream_outputs = {};
};

struct Prompt {
  std::string system_prompt;
  std::string user_message;
};

Prompt build_prompt(const PromptParams& params);

// Execution -----------------------------------------------------------------------------------------------------------

enum class ModelTier : std::uint8_t { opus, sonnet, haiku };

struct ExecutorConfig {
  std::filesystem::path project_root;
  std::filesystem::path workspace;
  std::map<ModelTier, std::string> model_map;
  ModelTier default_model_tier = ModelTier::sonnet;
  Milliseconds default_timeout{120'000};  ///< of one call
  Milliseconds overall_timeout{0};        ///< of all calls and the waits between them; 0: none
  Milliseconds longest_wait{60'000};      ///< whoever asks for a longer one is not asked again; 0: any is waited out
  int default_max_tokens = 16'384;
  int max_retries = 2;
  Milliseconds retry_delay{1000};  ///< before the first retry; doubles
  std::set<ExecutionErrorCode> retryable_errors;
  /// How it waits between tries; for tests. Answers false if it was stopped.
  std::function<bool(Milliseconds, const std::stop_token&)> sleep = cancellable_sleep;
};

/// The current folder, its `workspace/`, and the models of today.
ExecutorConfig default_config();

struct AgentConfig {
  std::optional<ModelTier> model_tier = {};  ///< of the configuration's models
  std::optional<Milliseconds> timeout = {};
  std::optional<int> max_retries = {};
  std::optional<std::string> model = {};  ///< its id, any that the client's API knows; instead of a tier
};

struct ExecuteOptions {
  std::stop_token stop = {};  ///< cancels it, at any moment
  AgentConfig agent = {};
};

enum class ExecutionStatus : std::uint8_t { completed, failed };

struct TokensUsed {
  std::int64_t input = 0;
  std::int64_t output = 0;
  std::int64_t total = 0;
};

struct ExecutionResult {
  std::string task_id;
  std::string skill;
  ExecutionStatus status = ExecutionStatus::failed;
  std::optional<std::string> output_path = {};  ///< from the workspace; none if it failed
  TokensUsed tokens_used = {};                  ///< of all calls, also those whose answer was of no use
  Milliseconds duration{0};
  std::optional<ExecutionError> error = {};  ///< with a completed task: a warning
  std::vector<std::string> warnings = {};    ///< what else should be known: an output that nobody looks for there
  /// Dollars for all calls by list prices; unset where a model has no price there, or what a call used is not known.
  std::optional<double> cost_usd = {};
};

/// Carries out tasks. Keeps nothing between them, so one may be used for many, and from many threads.
class Executor {
 public:
  Executor(std::shared_ptr<Client> client, ExecutorConfig config);

  [[nodiscard]] ExecutionResult execute(const Task& task, const ExecuteOptions& options = {}) const noexcept;

 private:
  std::shared_ptr<Client> client_;
  ExecutorConfig config_;
};

/// The same with what default_config() says.
ExecutionResult execute(const Task& task, std::shared_ptr<Client> client, const ExecuteOptions& options = {}) noexcept;

}  // namespace v1
}  // namespace baton
