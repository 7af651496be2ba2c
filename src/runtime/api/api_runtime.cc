#include "runtime/api/api_runtime.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "base/text.h"
#include "plan/answer_document.h"
#include "runtime/api/characters.h"
#include "runtime/api/families.h"
#include "runtime/api/json_reading.h"

namespace baton {
namespace {

using api::Protocol;
using api::Trouble;

constexpr std::size_t answer_line_bytes_max = 400;
constexpr std::size_t lines_said_max = 200;

/// The step's own schema of its whole output, if it has one.
std::string schema_of(const Step* step) {
  if (step == nullptr || step->work->output_format != OutputFormat::json) return {};
  const auto found = std::ranges::find_if(step->work->checks, [](const Check& check) {
    return check.kind == Check::Kind::schema && (check.path.empty() || check.path == "$");
  });
  return found == step->work->checks.end() ? std::string{} : found->value;
}

std::string resolved(const std::string& model, const Prices& prices) {
  const auto alias = prices.aliases().find(model);
  return alias == prices.aliases().end() ? model : alias->second;
}

api::TransferEnd transfer_of(const Ended& end) {
  if (end.record.exit == 0) return {api::Transfer::complete, {}};
  if (auto told = api::transfer_end(end.last_error)) return *told;
  if (end.record.signal) {
    return {api::Transfer::reset, fmt::format("the courier was ended by signal {}", *end.record.signal)};
  }
  return {api::Transfer::other, end.last_error};
}

/// `path` without `.` and empty parts; what goes up is left to whoever opens it.
std::string beneath(const std::string& root, std::string_view path) {
  if (path.starts_with('/')) return std::string{path};
  std::string whole = root;
  for (const std::string_view part : split(path, '/')) {
    if (!part.empty() && part != ".") whole += "/" + std::string{part};
  }
  return whole;
}

}  // namespace

namespace api {

std::string_view default_base_url(Protocol protocol) {
  return protocol == Protocol::messages ? "https://api.anthropic.com" : "https://api.openai.com/v1";
}

std::string endpoint(Protocol protocol, std::string_view base_url, std::string_view path) {
  if (base_url.empty()) base_url = default_base_url(protocol);
  while (base_url.ends_with('/')) base_url.remove_suffix(1);
  const auto scheme = base_url.find("://");
  const bool has_path = base_url.find('/', scheme == std::string_view::npos ? 0 : scheme + 3) != std::string_view::npos;
  const bool has_version = base_url.ends_with("/v1") || (protocol == Protocol::chat && has_path);
  if (has_version && path.starts_with("v1/")) path.remove_prefix(3);
  return url_of(base_url, path);
}

std::string governed_name(Protocol protocol, std::string_view base_url, std::string_view model) {
  if (base_url.empty()) base_url = default_base_url(protocol);
  while (base_url.ends_with('/')) base_url.remove_suffix(1);
  return fmt::format("{} {}", base_url, model);
}

}  // namespace api

ApiRuntime::ApiRuntime(ApiSettings settings, std::shared_ptr<const Prices> prices,
                       std::shared_ptr<api::KnownAnswers> known)
    : settings_{std::move(settings)},
      prices_{prices != nullptr ? std::move(prices)
                                : std::shared_ptr<const Prices>{std::shared_ptr<void>{}, &Prices::built_in()}},
      known_{std::move(known)},
      ledger_{prices_, settings_.batch} {}

api::Ask ApiRuntime::ask_for(const Assignment& assignment) const {
  api::Ask ask;
  ask.model = resolved(assignment.model.empty() ? settings_.model : assignment.model, *prices_);
  ask.max_tokens = settings_.max_tokens;
  ask.stream = settings_.stream && !settings_.batch;
  ask.prompt = assignment.blocks;
  if (ask.prompt == PromptBlocks{}) ask.prompt.task = assignment.prompt;
  ask.schema = assignment.schema.empty() ? schema_of(assignment.step) : assignment.schema;
  ask.thinking = settings_.thinking;
  ask.effort = settings_.effort;
  ask.temperature = settings_.temperature;
  ask.cache_ttl = settings_.cache_ttl;
  if (!settings_.batch) ask.tools = api::tool_specs(settings_.tools);
  return ask;
}

Actions ApiRuntime::begin(const Assignment& assignment) {
  ledger_ = api::ApiLedger{prices_, settings_.batch};
  ask_ = ask_for(assignment);
  doing_ = settings_.batch ? Doing::batch : Doing::asking;
  exchange_ = 0;
  rounds_ = 0;
  pauses_ = 0;
  said_before_pause_.clear();
  lines_said_ = 0;
  line_.clear();
  told_usage_.reset();
  told_batch_.clear();
  wrote_output_ = false;
  output_path_ = assignment.output_path;
  root_ = assignment.root;
  format_ = assignment.step == nullptr ? OutputFormat::text : assignment.step->work->output_format;
  if (assignment.step != nullptr && assignment.step->work->answers) format_ = OutputFormat::text;
  if (ask_.model.empty()) {
    return fail({.code = ErrorCode::api_error,
                 .message = fmt::format("no model is named: give --model or set runtime.{}.model",
                                        api::runtime_of(settings_.protocol))},
                {});
  }
  if (!settings_.batch) return ask();
  api::Ask params = ask_;
  params.max_tokens = std::min(params.max_tokens, api::unstreamed_tokens_max);
  const auto id_of = [&](int attempt) {
    return api::batch_custom_id(assignment.key.run, assignment.key.step, attempt);
  };
  api::BatchJob::Wanted wanted{id_of(assignment.key.attempt), {}, assignment.began};
  for (const UnansweredAttempt& earlier : assignment.unanswered) {
    wanted.earlier_ids.push_back(id_of(earlier.n));
    wanted.since = std::min(wanted.since, earlier.began);
  }
  batch_.emplace(std::move(wanted), api::messages_body(params, settings_.version));
  return batch_goes_on(batch_->begin(), {});
}

std::string ApiRuntime::body() const {
  if (settings_.protocol == Protocol::messages) return api::messages_body(ask_, settings_.version);
  return api::chat_body(ask_, api::is_openai(settings_.base_url));
}

Action ApiRuntime::request(std::string method, std::string_view path, std::string text) {
  api::HttpRequest http;
  http.method = std::move(method);
  http.url = api::endpoint(settings_.protocol, settings_.base_url, path);
  http.auth = settings_.auth;
  if (!text.empty()) http.headers.emplace_back("content-type", "application/json");
  const bool streamed = doing_ == Doing::asking && api::streams(ask_);
  http.headers.emplace_back("accept", streamed ? "text/event-stream" : "application/json");
  http.headers.emplace_back("user-agent", "baton/" BATON_VERSION);
  if (settings_.protocol == Protocol::messages) http.headers.emplace_back("anthropic-version", settings_.version);
  http.headers.insert(http.headers.end(), settings_.headers.begin(), settings_.headers.end());
  http.headers_variable = settings_.headers_variable;
  http.connect_timeout = settings_.connect_timeout;
  http.idle_timeout = settings_.idle_timeout;
  if (doing_ == Doing::asking) {
    http.first_timeout = settings_.first_timeout;
    http.idle_events = {"ping"};
  }
  http.deadline = settings_.deadline;
  http.proxy = settings_.proxy;
  http.ca_file = settings_.ca_file;
  asked_bytes_ = text.size();
  asked_hash_ = hash64(text, hash64(http.url));
  http.body = std::move(text);
  reader_ = std::make_unique<api::ResponseReader>(settings_.protocol);
  has_met_ = false;
  const std::uint64_t prefix = exchange_ == 0 ? warmed_prefix() : 0;
  return Request{++exchange_, std::move(http), prefix, doing_ == Doing::asking};
}

/// 0 where the provider would not keep it: too short, or not asked to.
std::uint64_t ApiRuntime::warmed_prefix() const {
  constexpr std::size_t kept_bytes_min = 4096;
  if (settings_.protocol != Protocol::messages || settings_.batch || settings_.cache_ttl == "off") return 0;
  std::size_t bytes = ask_.prompt.skill.size() + ask_.prompt.context.size();
  for (const std::string& reference : ask_.prompt.references) bytes += reference.size();
  return bytes < kept_bytes_min ? 0 : api::prefix_hash(ask_);
}

Actions ApiRuntime::ask() {
  doing_ = Doing::asking;
  return {request("POST", settings_.protocol == Protocol::messages ? "v1/messages" : "v1/chat/completions", body())};
}

Actions ApiRuntime::next(const Observation& observation) {
  if (const auto* more = std::get_if<Printed>(&observation)) return printed(more->bytes);
  if (const auto* end = std::get_if<Ended>(&observation)) return ended(*end);
  if (doing_ != Doing::batch || !batch_) return {};
  if (std::holds_alternative<Cancelled>(observation)) return cancel_batch();
  return batch_goes_on(batch_->time_came(std::get<TimeCame>(observation).now), {});
}

Actions ApiRuntime::printed(std::string_view bytes) {
  Actions actions;
  if (doing_ == Doing::using_tools) {
    tool_log_ += bytes;
    return actions;
  }
  if (reader_ == nullptr) return actions;
  const std::string said = reader_->read(bytes);
  if (doing_ == Doing::batch) return actions;
  if (!has_met_ && reader_->has_head()) {
    has_met_ = true;
    actions.emplace_back(meeting(false));
  }
  say(said, actions, false);
  if (reader_->answer().usage.is_known) {
    ledger_.set(reader_->answer(), asked(), false);
    // A call that is under way is paid for, whatever becomes of it: what counts is whether another one may follow.
    tell_usage(actions, ask_.tools.empty() || api::is_last_word(reader_->answer().stop));
  }
  return actions;
}

/// An error inside a stream counts as what it would have been before it.
Meet ApiRuntime::meeting(bool has_ended, const std::optional<Trouble>& trouble) const {
  Meet meet;
  meet.provider = api::governed_name(settings_.protocol, settings_.base_url, ask_.model);
  meet.model = ask_.model;
  meet.status = trouble && trouble->status > 0 ? trouble->status : reader_->head().status;
  meet.headers = reader_->head().headers;
  meet.prefix = warmed_prefix();
  const api::AnswerUsage& usage = reader_->answer().usage;
  if (has_ended && usage.is_known) {
    meet.counted_input = usage.tokens.input + usage.tokens.cache_write;
    meet.counted_output = usage.tokens.output;
  }
  meet.ended = has_ended;
  return meet;
}

void ApiRuntime::say(std::string_view text, Actions& actions, bool is_all) {
  line_ += text;
  std::string_view rest = line_;
  for (auto end = rest.find('\n'); end != std::string_view::npos || (is_all && !rest.empty()); end = rest.find('\n')) {
    const std::string_view line = trim(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (line.empty() || lines_said_ > lines_said_max) continue;
    const bool is_too_much = ++lines_said_ > lines_said_max;
    actions.emplace_back(
        Say{is_too_much ? "…" : shorten(api::as_characters(std::string{line}), answer_line_bytes_max)});
  }
  line_ = std::string{rest};
}

void ApiRuntime::tell_usage(Actions& actions, bool is_all) {
  const Usage usage = ledger_.usage();
  if (told_usage_ == usage) return;
  told_usage_ = usage;
  actions.emplace_back(Spend{usage, is_all});
}

Actions ApiRuntime::fail(const Trouble& trouble, Actions actions) const {
  actions.emplace_back(Finish{api::failure_of(trouble)});
  return actions;
}

Actions ApiRuntime::ended(const Ended& end) {
  if (doing_ == Doing::using_tools) return tools_used(end);
  return doing_ == Doing::batch ? batch_replied(end) : answered(end);
}

/// A document came whole as far as can be read, but not as long as its server said.
bool ApiRuntime::has_lied(const Ended& end) const {
  return !reader_->is_stream() && transfer_of(end).how == api::Transfer::partial;
}

/// Why there is no answer; nothing if there is one. A stream that is whole counts, however the connection ended; a
/// document whose length lied does not.
std::optional<Trouble> ApiRuntime::trouble_of(const Ended& end) const {
  if (!end.record.spawn_error.empty()) {
    return Trouble{.code = ErrorCode::api_error,
                   .message = fmt::format("the courier could not be started: {}", end.record.spawn_error)};
  }
  if (reader_->has_error()) return api::told_trouble(reader_->error(), reader_->head(), end.record.finished);
  if (reader_->is_complete() && !has_lied(end)) {
    return known_ == nullptr ? std::nullopt : api::anothers_answer(*known_, *reader_, asked_hash_);
  }
  if (reader_->has_head() && reader_->head().media_type() == "text/html") {
    return Trouble{.code = ErrorCode::api_error,
                   .message = "a web page came instead of an answer: is base_url right, and no portal in between?",
                   .request_id = std::string{reader_->head().request_id()}};
  }
  const api::ResponseHead* head = reader_->has_head() ? &reader_->head() : nullptr;
  if (end.record.deadline) return api::transfer_trouble({api::Transfer::timeout_deadline, {}}, head);
  const api::TransferEnd transfer = transfer_of(end);
  // What was cut off makes no sense at its end, and that is not why.
  if (const std::string broken = reader_->broken(); !broken.empty() && transfer.how == api::Transfer::complete) {
    Trouble trouble{.code = ErrorCode::api_error, .message = broken, .may_retry = true};
    if (head != nullptr) trouble.request_id = head->request_id();
    return trouble;
  }
  return api::transfer_trouble(transfer, head);
}

Actions ApiRuntime::answered(const Ended& end) {
  Actions actions;
  say(reader_->end(), actions, true);
  const auto trouble = trouble_of(end);
  if (reader_->has_head()) actions.emplace_back(meeting(true, trouble));
  const bool was_charged = reader_->has_head() && reader_->head().status < 300;
  if (was_charged) {
    // Of another's answer the usage is another's, too.
    const bool is_anothers = trouble && reader_->is_complete() && !has_lied(end);
    ledger_.set(is_anothers ? api::Answer{} : reader_->answer(), asked(), trouble.has_value());
    tell_usage(actions);
  } else if (reader_->has_head() || !end.record.spawn_error.empty() ||
             (trouble && !trouble->may_retry && !end.record.stopped && trouble->code != ErrorCode::aborted)) {
    ledger_.forget();  // nothing was made, and that is known
    tell_usage(actions);
  }
  if (!trouble) return conclude(reader_->answer(), reader_->head(), std::move(actions));
  if (end.record.stopped && !reader_->has_error()) {
    actions.emplace_back(Finish{Failure{"attempt-stopped", "it was stopped", false}});
    return actions;
  }
  return fail(*trouble, std::move(actions));
}

Actions ApiRuntime::conclude(const api::Answer& answer, const api::ResponseHead& head, Actions actions) {
  if (auto trouble = api::answer_trouble(answer, head)) return fail(*trouble, std::move(actions));
  ledger_.settle();
  const bool pauses = answer.stop == api::StopReason::pause_turn;
  // A call that was cut off is no call.
  const bool calls = !ask_.tools.empty() && !answer.calls().empty() && !api::is_cut_off(answer.stop);
  if (pauses && ask_.tools.empty() && ++pauses_ > 1) {
    return fail({.code = ErrorCode::api_error,
                 .message = "it paused twice and never came to an end, though it has no tools to wait for",
                 .request_id = std::string{head.request_id()}},
                std::move(actions));
  }
  if (pauses) said_before_pause_ += answer.text();
  if (pauses || calls) return use_tools(answer, std::move(actions));
  const std::string text = said_before_pause_ + answer.text();
  if (trim(text).empty() && !wrote_output_) {
    return fail({.code = ErrorCode::response_empty,
                 .message = "its answer is empty",
                 .request_id = std::string{head.request_id()}},
                std::move(actions));
  }
  if (!output_path_.empty() && !wrote_output_) actions.emplace_back(WriteOutput{as_output(text, format_)});
  actions.emplace_back(Finish{std::nullopt, note_of(answer, head)});
  return actions;
}

std::optional<Failure> ApiRuntime::note_of(const api::Answer& answer, const api::ResponseHead& head) const {
  if (auto cut = api::truncation(answer, head.request_id())) return cut;
  if (ledger_.nonsense().empty()) return std::nullopt;
  return Failure{"usage-impossible", ledger_.nonsense(), false};
}

Actions ApiRuntime::use_tools(const api::Answer& answer, Actions actions) {
  calls_ = answer.calls();
  if (++rounds_ > settings_.tool_rounds_max) {
    return fail({.code = ErrorCode::tool_loop_limit,
                 .message = fmt::format("it used tools {} times and wanted more", settings_.tool_rounds_max),
                 .request_id = std::string{reader_->head().request_id()}},
                std::move(actions));
  }
  ask_.turns.push_back({answer, {}});
  api::ToolRound round = api::tool_round(calls_, settings_.tools);
  refused_ = std::move(round.refused);
  for (const api::ToolCall& call : calls_) actions.emplace_back(Say{api::about(call)});
  if (!round.uses.empty()) {
    doing_ = Doing::using_tools;
    tool_log_.clear();
    actions.emplace_back(
        UseTools{++exchange_, api::tool_uses_file({round.uses, root_, settings_.unconfined_commands})});
    return actions;
  }
  if (!calls_.empty()) ask_.turns.back().results = api::in_order(calls_, std::move(refused_));
  for (Action& action : ask()) actions.push_back(std::move(action));
  return actions;
}

Actions ApiRuntime::tools_used(const Ended& end) {
  auto answer = api::read_tool_results(tool_log_);
  if (!answer) {
    if (end.record.stopped) return {Finish{Failure{"attempt-stopped", "it was stopped", false}}};
    return fail(
        {.code = ErrorCode::unknown, .message = "the tools gave no answer: " + end.last_error, .may_retry = true}, {});
  }
  if (!answer->unavailable.empty()) {
    return {Finish{Failure{
        "sandbox-unavailable",
        answer->unavailable + "; with 'unconfined_commands = true' of the runtime they run all the same", false}}};
  }
  std::vector<api::ToolResult>& results = answer->results;
  wrote_output_ = wrote_output_ || answer->wrote_output;
  for (const api::ToolUse& use : api::tool_round(calls_, settings_.tools).uses) {
    if (use.kind != api::ToolUse::Kind::write || beneath(root_, use.path) != output_path_) continue;
    const auto done = std::ranges::find(results, use.id, &api::ToolResult::id);
    wrote_output_ = wrote_output_ || (done != results.end() && !done->is_error);
  }
  results.insert(results.end(), refused_.begin(), refused_.end());
  ask_.turns.back().results = api::in_order(calls_, std::move(results));
  return ask();
}

Actions ApiRuntime::batch_replied(const Ended& end) {
  (void)reader_->end();
  if (!end.record.spawn_error.empty()) return fail(*trouble_of(end), {});
  api::BatchJob::Reply reply;
  reply.head = reader_->has_head() ? &reader_->head() : nullptr;
  reply.body = reader_->body();
  reply.transfer = end.record.deadline ? api::TransferEnd{api::Transfer::timeout_deadline, {}} : transfer_of(end);
  reply.at = end.record.finished;
  Actions actions;
  if (reply.head != nullptr) actions.emplace_back(meeting(true));
  if (end.record.stopped || cancels_) {
    actions.emplace_back(Finish{Failure{"attempt-stopped", "it was stopped", false}});
    return actions;
  }
  return batch_goes_on(batch_->replied(reply), std::move(actions));
}

/// Whoever cancels does not wait long for a provider that does not answer: then the batch is left to it.
Actions ApiRuntime::cancel_batch() {
  constexpr Millis patience{10'000};
  const auto ask = batch_->cancel();
  if (!ask) return {};
  cancels_ = true;
  Action action = request(ask->method, ask->path, {});
  std::get<Request>(action).request.deadline = patience;
  return {std::move(action)};
}

Actions ApiRuntime::batch_goes_on(api::BatchJob::Next next, Actions actions) {
  if (auto* ask = std::get_if<api::BatchJob::Ask>(&next)) {
    actions.push_back(request(ask->method, ask->path, std::move(ask->body)));
  } else if (const auto* wait = std::get_if<api::BatchJob::Wait>(&next)) {
    if (told_batch_ != batch_->batch_id()) {
      told_batch_ = batch_->batch_id();
      actions.emplace_back(Say{fmt::format("[batch] {}", told_batch_)});
    }
    actions.emplace_back(WaitUntil{wait->until});
  } else if (const auto* trouble = std::get_if<Trouble>(&next)) {
    return fail(*trouble, std::move(actions));
  } else {
    const auto reader = api::answer_reader(settings_.protocol);
    reader->document(std::get<api::BatchJob::Message>(next).json);
    ledger_.set(reader->answer(), asked(), false);
    tell_usage(actions);
    say(reader->answer().text(), actions, true);
    return conclude(reader->answer(), reader_->head(), std::move(actions));
  }
  return actions;
}

}  // namespace baton
