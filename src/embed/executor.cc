// One task from its file to its result: docs/library.md says what happens in which order.
#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <thread>

#include "base/error_code.h"
#include "base/limits.h"
#include "base/time.h"
#include "dialect/workspace/ids.h"
#include "dialect/workspace/owner.h"
#include "dialect/workspace/paths.h"
#include "embed/material.h"
#include "io/folder.h"
#include "io/identity.h"
#include "io/path_lock.h"
#include "price/prices.h"

namespace baton {
namespace {

using Code = ExecutionErrorCode;
using Clock = std::chrono::steady_clock;
using workspace::TaskStatus;

/// Requests a stop when its time is up, or when the caller wants one; knows which of the two it was.
class Deadline {
 public:
  Deadline(Milliseconds timeout, const std::stop_token& caller)
      : passed_on_{caller, [this] { source_.request_stop(); }} {
    if (timeout.count() <= 0) return;
    watch_ = std::jthread{[this, timeout](const std::stop_token& over) {
      std::unique_lock lock{mutex_};
      if (changed_.wait_for(lock, over, timeout, [] { return false; }) || over.stop_requested()) return;
      passed_ = true;
      source_.request_stop();
    }};
  }
  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }
  [[nodiscard]] bool passed() const { return passed_; }

 private:
  std::stop_source source_;
  std::atomic<bool> passed_ = false;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::stop_callback<std::function<void()>> passed_on_;
  std::jthread watch_;  // last: it is over before the rest is
};

std::string now_text() { return rfc3339(std::chrono::floor<Millis>(std::chrono::system_clock::now())); }

/// One execution.
class Execution {
 public:
  Execution(Client& client, const ExecutorConfig& config, const Task& task, const ExecuteOptions& options)
      : client_{client}, config_{config}, task_{task}, options_{options} {
    result_.task_id = task.id;
    result_.skill = task.to;
  }

  ExecutionResult run() {
    if (const auto status = workspace::task_status(task_.status); !status || !is_executable(*status)) {
      return failed(Code::task_not_executable, "task '" + task_.id + "' is " + task_.status);
    }
    if (options_.stop.stop_requested()) return failed(Code::aborted, "it was stopped before it began");
    auto folder = Folder::open(config_.workspace.string());
    if (!folder) return failed(Code::workspace_write_failed, folder.error().message);
    folder_ = std::move(*folder);
    if (auto error = claim()) return failed(*error);
    started_ = Clock::now();
    if (auto error = work()) {
      // What went wrong first is what is told, whatever becomes of the file.
      (void)move(TaskStatus::in_progress, TaskStatus::failed);
      return failed(std::move(*error));
    }
    result_.status = ExecutionStatus::completed;
    result_.output_path = output_path_;
    result_.duration = since_start();
    tell_cost();
    return std::move(result_);
  }

  /// Something threw: a client, or memory ran out.
  ExecutionResult broken(const std::string& what) {
    if (claimed_) (void)move(TaskStatus::in_progress, TaskStatus::failed);
    return failed(Code::unknown, what);
  }

 private:
  using Trouble = std::optional<ExecutionError>;

  Trouble trouble(Code code, std::string message) const { return embed::error_of(code, std::move(message), task_.id); }
  /// By its request's id a provider finds it again.
  static Trouble with_id(Trouble trouble, std::string request_id) {
    trouble->request_id = std::move(request_id);
    return trouble;
  }
  [[nodiscard]] Milliseconds since_start() const {
    return started_ == Clock::time_point{} ? Milliseconds{0}
                                           : std::chrono::duration_cast<Milliseconds>(Clock::now() - started_);
  }
  ExecutionResult failed(Code code, std::string message) {
    return failed(embed::error_of(code, std::move(message), task_.id));
  }
  ExecutionResult failed(ExecutionError error) {
    error.task_id = task_.id;
    result_.status = ExecutionStatus::failed;
    result_.output_path.reset();
    result_.duration = since_start();
    tell_cost();
    result_.error = std::move(error);
    return result_;
  }
  void tell_cost() { result_.cost_usd = cost_ ? std::optional{cost_->usd()} : std::nullopt; }

  /// Nobody else has it: its file says something that can be carried out, and from now on that it is in progress.
  Trouble claim() {
    const auto moved = move(std::nullopt, TaskStatus::in_progress);
    claimed_ = moved.has_value();
    if (moved) return std::nullopt;
    const Code code =
        moved.error().code == "task-not-executable" ? Code::task_not_executable : Code::workspace_write_failed;
    return trouble(code, moved.error().message);
  }

  /// `from`: what it has to be; none: anything that can be carried out.
  Status move(std::optional<TaskStatus> from, TaskStatus to) {
    const std::string file = workspace::task_path(task_.id);
    const auto lock = PathLock::take(folder_->path() + "/" + file,
                                     {.given_up = [this] { return !claimed_ && options_.stop.stop_requested(); }});
    if (!lock) return std::unexpected(lock.error());
    const auto text = folder_->read(file, Limits::file_bytes_max);
    if (!text) return std::unexpected(text.error());
    if (!*text) return fault("task-file-missing", "there is no file " + file);
    const workspace::TaskRead read = workspace::read_task(**text, file);
    if (!read.task) return std::unexpected(read.faults.front());
    const bool fits = from ? read.task->status == *from : is_executable(read.task->status);
    if (!fits) {
      drop_owner();  // somebody else has decided
      return fault("task-not-executable", "task '" + task_.id + "' is " + std::string{name(read.task->status)});
    }
    const workspace::TaskChange change{to, now_text()};
    if (to == TaskStatus::in_progress) {
      owner_ = workspace::write_owner({own_identity().text(), workspace::mark_for(*read.task, change)});
      if (auto signed_for = folder_->write(workspace::owner_path(task_.id), owner_); !signed_for) return signed_for;
    }
    auto wrote = folder_->write(file, workspace::edit_task(**text, change));
    // Of a task whose end cannot be written it stays: who comes when we are gone knows that nobody has it.
    if (wrote.has_value() == (to != TaskStatus::in_progress)) drop_owner();
    return wrote;
  }

  /// REQUIRES: the task's lock is ours.
  void drop_owner() const {
    const std::string path = workspace::owner_path(task_.id);
    const auto now = folder_->read(path, Limits::file_bytes_max);
    if (owner_.empty() || !now || *now != owner_) return;  // it is another's
    std::error_code ignored;
    std::filesystem::remove(folder_->path() + "/" + path, ignored);
  }

  Trouble work() {
    PromptParams params;
    params.task = task_;
    auto skill = load_skill(task_.to, config_.project_root);
    if (auto* error = std::get_if<ExecutionError>(&skill)) return std::move(*error);
    params.skill = std::move(std::get<SkillContent>(skill));
    if (auto context = folder_->read(workspace::context_path, Limits::file_bytes_max); context && *context) {
      params.product_context = std::move(**context);
    }
    if (auto error = read_inputs(params)) return error;
    workspace::Task task;
    task.id = task_.id;
    task.to = task_.to;
    task.output_path = task_.output_path;
    const workspace::SquadsRead squads = embed::squads_of(*folder_, config_.project_root.string());
    for (const Fault& f : squads.faults) result_.warnings.push_back(f.message);
    const auto place = workspace::output_place(task, squads.squads, "");
    if (!place) return trouble(Code::workspace_write_failed, place.error().message);
    if (place->warning) result_.warnings.push_back(place->warning->message);
    if (auto writable = folder_->may_write(place->path); !writable) {
      return trouble(Code::workspace_write_failed, writable.error().message);
    }
    ClientReply reply = call(params);
    if (auto* error = std::get_if<ExecutionError>(&reply)) return std::move(*error);
    return take_in(std::get<ClientResponse>(reply), place->path);
  }

  Trouble read_inputs(PromptParams& params) const {
    for (const TaskInput& input : task_.inputs) {
      const auto path = workspace::inner_path(input.path);
      if (!path) return trouble(Code::input_not_found, path.error().message);
      if (*path == workspace::context_path) continue;  // it may be missing
      auto text = folder_->read(*path, Limits::output_bytes_max);
      if (!text) return trouble(Code::input_not_found, text.error().message);
      if (!*text) return trouble(Code::input_not_found, "input " + input.path + " is not there");
      params.upstream_outputs.push_back({input.path, input.description, std::move(**text)});
    }
    return std::nullopt;
  }

  ClientReply call(const PromptParams& params) {
    const Prompt prompt = build_prompt(params);
    ClientRequest request;
    request.system_prompt = prompt.system_prompt;
    request.user_message = prompt.user_message;
    if (options_.agent.model) {
      request.model = *options_.agent.model;
    } else {
      const auto model = config_.model_map.find(options_.agent.model_tier.value_or(config_.default_model_tier));
      if (model == config_.model_map.end())
        return *trouble(Code::unknown, "the configuration has no model for this tier");
      request.model = model->second;
    }
    request.max_tokens = config_.default_max_tokens;
    request.timeout = options_.agent.timeout.value_or(config_.default_timeout);
    const Deadline overall{config_.overall_timeout, options_.stop};
    const int retries = options_.agent.max_retries.value_or(config_.max_retries);
    for (int attempt = 0;; ++attempt) {
      ClientReply reply = one_call(request, overall);
      auto* error = std::get_if<ExecutionError>(&reply);
      if (error == nullptr || attempt >= retries || !may_retry(*error)) return reply;
      const Milliseconds backoff = config_.retry_delay * (std::int64_t{1} << std::min(attempt, 30));
      const Milliseconds wait = error->retry_after.value_or(backoff);
      // The caller is told how long it would be, and may come back then.
      if (error->retry_after && config_.longest_wait.count() > 0 && wait > config_.longest_wait) return reply;
      if (config_.sleep(wait, overall.token())) continue;
      if (overall.passed()) return reply;
      return *with_id(trouble(Code::aborted, "it was stopped while it waited to try again"), error->request_id);
    }
  }

  /// Each call has a time of its own. Which of its ends came, the caller's or the clock's, is told apart.
  ClientReply one_call(ClientRequest request, const Deadline& overall) {
    const Deadline deadline{request.timeout, overall.token()};
    request.stop = deadline.token();
    ClientReply reply = client_.complete(request);
    if (auto* response = std::get_if<ClientResponse>(&reply)) {
      spend(*response, response->model.empty() ? request.model : response->model, false);
      return reply;
    }
    ExecutionError& error = std::get<ExecutionError>(reply);
    // What was sent away before it began cost nothing. Of what was broken off that is not known, if nobody told.
    spend(error, request.model, error.code != Code::api_timeout && error.code != Code::aborted);
    if (options_.stop.stop_requested()) {
      error = *with_id(trouble(Code::aborted, "it was stopped"), error.request_id);
    } else if (error.code == Code::aborted && (deadline.passed() || overall.passed())) {
      const char* const why = overall.passed() ? "the time for all of it was up" : "no answer in time";
      error = *with_id(trouble(Code::api_timeout, why), error.request_id);
      error.retryable = !overall.passed();
    }
    return reply;
  }

  /// `Spent`: an answer, or an error that was paid for all the same. `free_if_silent`: it cost nothing if it told
  /// nothing.
  template <typename Spent>
  void spend(const Spent& spent, const std::string& model, bool free_if_silent) {
    result_.tokens_used.input += spent.input_tokens;
    result_.tokens_used.output += spent.output_tokens;
    result_.tokens_used.total = result_.tokens_used.input + result_.tokens_used.output;
    const Tokens tokens{.input = spent.input_tokens - spent.cache_read_tokens - spent.cache_write_tokens,
                        .output = spent.output_tokens,
                        .cache_read = spent.cache_read_tokens,
                        .cache_write = spent.cache_write_tokens};
    if (free_if_silent && tokens == Tokens{}) return;
    const auto cost = tokens == Tokens{} ? std::nullopt : Prices::built_in().cost_of(model, tokens);
    cost_ = cost_ && cost ? std::optional{*cost_ + *cost} : std::nullopt;
  }

  [[nodiscard]] bool may_retry(const ExecutionError& error) const {
    if (error.code == Code::aborted) return false;
    if (!config_.retryable_errors.contains(error.code)) return false;
    return error.retryable.value_or(true);
  }

  Trouble take_in(const ClientResponse& response, const std::string& path) {
    const auto told = [&](Code code, const char* message) {
      return with_id(trouble(code, message), response.request_id);
    };
    if (response.stop_reason == StopReason::refusal) return told(Code::refused, "the model refused");
    const bool is_empty = is_empty_answer(response.content);
    if (response.stop_reason == StopReason::context_exceeded && is_empty) {
      return told(Code::context_exceeded, "the prompt is longer than the model's context");
    }
    if (is_empty) return told(Code::response_empty, "the answer is empty");
    if (auto wrote = folder_->write(path, response.content); !wrote) {
      return trouble(Code::workspace_write_failed, wrote.error().message);
    }
    if (auto done = move(TaskStatus::in_progress, TaskStatus::completed); !done) {
      return trouble(Code::workspace_write_failed, done.error().message);
    }
    if (response.stop_reason == StopReason::max_tokens) {
      result_.error = told(Code::response_truncated, "the answer reached the limit of its length");
    } else if (response.stop_reason == StopReason::context_exceeded) {
      result_.error = told(Code::response_truncated, "the answer ends where the model's context was full");
    }
    output_path_ = path;
    return std::nullopt;
  }

  Client& client_;
  const ExecutorConfig& config_;
  const Task& task_;
  const ExecuteOptions& options_;
  ExecutionResult result_;
  std::optional<Folder> folder_;
  bool claimed_ = false;
  std::string owner_;  ///< what says that the task is ours, as it was written
  std::string output_path_;
  std::optional<Cost> cost_ = Cost{0};  ///< nothing: not known
  Clock::time_point started_{};
};

}  // namespace

inline namespace v1 {

ExecutorConfig default_config() {
  ExecutorConfig config;
  std::error_code ignored;
  config.project_root = std::filesystem::current_path(ignored);
  config.workspace = config.project_root / "workspace";
  config.model_map = {{ModelTier::opus, "claude-opus-5-5"},
                      {ModelTier::sonnet, "claude-sonnet-5-5"},
                      {ModelTier::haiku, "claude-haiku-5-5"}};
  config.retryable_errors = {ExecutionErrorCode::api_error, ExecutionErrorCode::api_rate_limited,
                             ExecutionErrorCode::api_overloaded, ExecutionErrorCode::api_timeout};
  return config;
}

Executor::Executor(std::shared_ptr<Client> client, ExecutorConfig config)
    : client_{std::move(client)}, config_{std::move(config)} {}

ExecutionResult Executor::execute(const Task& task, const ExecuteOptions& options) const noexcept {
  ExecutionResult result;
  try {
    result.task_id = task.id;
    result.skill = task.to;
    if (client_ == nullptr) {
      result.error = embed::error_of(ExecutionErrorCode::unknown, "there is no client", task.id);
      return result;
    }
    Execution execution{*client_, config_, task, options};
    try {
      return execution.run();
    } catch (const std::exception& e) {
      return execution.broken(e.what());
    } catch (...) {
      return execution.broken("something was thrown that is no exception");
    }
  } catch (...) {
    // Memory ran out while a failure was written down: what is left is the bare fact.
    result.error = ExecutionError{};
    return result;
  }
}

ExecutionResult execute(const Task& task, std::shared_ptr<Client> client, const ExecuteOptions& options) noexcept {
  try {
    return Executor{std::move(client), default_config()}.execute(task, options);
  } catch (...) {
    ExecutionResult result;
    result.error = ExecutionError{};
    return result;
  }
}

}  // namespace v1
}  // namespace baton
