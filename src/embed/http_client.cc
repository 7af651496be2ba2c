// Asks a model's API with libcurl: one exchange a call, on the caller's thread, which a stop wakes at once.
#include <curl/curl.h>
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <mutex>

#include "base/hash.h"
#include "base/text.h"
#include "courier/ending.h"
#include "courier/progress.h"
#include "courier/response_head.h"
#include "courier/veil.h"
#include "embed/material.h"
#include "runtime/api/api_runtime.h"
#include "runtime/api/families.h"
#include "runtime/api/known_answers.h"

namespace baton {
namespace {

using Code = ExecutionErrorCode;
using std::chrono::steady_clock;

constexpr long connect_timeout_ms = 30'000;

static_assert(static_cast<int>(Code::tool_loop_limit) == static_cast<int>(ErrorCode::tool_loop_limit));

struct EasyDeleter {
  void operator()(CURL* easy) const { ::curl_easy_cleanup(easy); }
};
struct MultiDeleter {
  void operator()(CURLM* multi) const { ::curl_multi_cleanup(multi); }
};
struct ListDeleter {
  void operator()(curl_slist* list) const { ::curl_slist_free_all(list); }
};
using Easy = std::unique_ptr<CURL, EasyDeleter>;
using Multi = std::unique_ptr<CURLM, MultiDeleter>;
using List = std::unique_ptr<curl_slist, ListDeleter>;

api::Protocol protocol_of(ApiFamily family) {
  return family == ApiFamily::anthropic ? api::Protocol::messages : api::Protocol::chat;
}

/// What libcurl said, in the words of the readers.
api::TransferEnd transfer_of(CURLcode code, const char* message) {
  const std::string line =
      courier::ending_line(courier::ending_of(code), *message != 0 ? message : ::curl_easy_strerror(code), 0);
  return api::transfer_end(trim(line)).value_or(api::TransferEnd{});
}

/// One request and what comes back. The key goes into a header and nowhere else: what comes back is covered.
class Exchange {
 public:
  Exchange(const HttpClientConfig& config, api::Protocol protocol) : veil_{config.api_key}, reader_{protocol} {}

  void add_header(const std::string& line) { headers_.reset(::curl_slist_append(headers_.release(), line.c_str())); }

  void prepare(const HttpClientConfig& config, const std::string& url, const std::string& body, Milliseconds timeout) {
    const auto set = [this](CURLoption option, auto value) { ::curl_easy_setopt(easy_.get(), option, value); };
    set(CURLOPT_ERRORBUFFER, error_);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_URL, url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_FOLLOWLOCATION, 0L);
    set(CURLOPT_HTTP_VERSION, long{CURL_HTTP_VERSION_1_1});
    set(CURLOPT_FRESH_CONNECT, 1L);  // as the courier has it: what is kept may hold what nobody asked for
    set(CURLOPT_FORBID_REUSE, 1L);
    set(CURLOPT_ACCEPT_ENCODING, "gzip, deflate");
    set(CURLOPT_CONNECTTIMEOUT_MS, connect_timeout_ms);
    set(CURLOPT_TCP_KEEPALIVE, 1L);
    if (timeout.count() > 0) set(CURLOPT_TIMEOUT_MS, static_cast<long>(timeout.count()));
    first_timeout_ = config.first_timeout;
    idle_timeout_ = config.idle_timeout;
    if (!config.proxy.empty()) set(CURLOPT_PROXY, config.proxy.c_str());
    if (!config.ca_file.empty()) set(CURLOPT_CAINFO, config.ca_file.c_str());
    set(CURLOPT_HTTPHEADER, headers_.get());
    set(CURLOPT_POSTFIELDS, body.c_str());
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    body_bytes_ = static_cast<curl_off_t>(body.size());
    set(CURLOPT_HEADERFUNCTION, &Exchange::on_header);
    set(CURLOPT_HEADERDATA, this);
    set(CURLOPT_WRITEFUNCTION, &Exchange::on_body);
    set(CURLOPT_WRITEDATA, this);
  }

  /// Until it has ended or is to stop; false if it was stopped.
  bool perform(CURLM* multi, const std::stop_token& stop) {
    const std::stop_callback wake{stop, [multi] { ::curl_multi_wakeup(multi); }};
    ::curl_multi_add_handle(multi, easy_.get());
    int running = 1;
    seen_at_ = steady_clock::now();
    while (running > 0 && !stop.stop_requested() && !cut_off_) {
      if (::curl_multi_perform(multi, &running) != CURLM_OK) break;
      if (running > 0) ::curl_multi_poll(multi, nullptr, 0, static_cast<int>(patience().count()), nullptr);
    }
    int left = 0;
    while (const CURLMsg* message = ::curl_multi_info_read(multi, &left)) {
      if (message->msg == CURLMSG_DONE) code_ = message->data.result;
    }
    ::curl_multi_remove_handle(multi, easy_.get());
    (void)reader_.read(veil_.rest());
    (void)reader_.end();
    return running == 0 || !stop.stop_requested();
  }

  /// The answer was had before, for another request than this one.
  void compare_with(api::KnownAnswers& known, std::uint64_t request) {
    if (reader_.is_complete() && !has_lied()) anothers_ = api::anothers_answer(known, reader_, request);
  }

  [[nodiscard]] const api::ResponseReader& reader() const { return reader_; }
  [[nodiscard]] bool is_ready() const { return easy_ != nullptr; }
  [[nodiscard]] bool is_anothers() const { return anothers_.has_value(); }

  /// Why there is no answer; nothing if there is one, however the connection ended.
  [[nodiscard]] std::optional<api::Trouble> trouble() const {
    const auto now = std::chrono::floor<Millis>(std::chrono::system_clock::now());
    if (reader_.has_error()) return api::told_trouble(reader_.error(), reader_.head(), now);
    if (anothers_) return anothers_;
    if (reader_.is_complete() && !has_lied()) return api::answer_trouble(reader_.answer(), reader_.head());
    const api::ResponseHead* head = reader_.has_head() ? &reader_.head() : nullptr;
    if (cut_off_) return api::transfer_trouble(*cut_off_, head);
    if (const std::string broken = reader_.broken(); !broken.empty() && code_ == CURLE_OK) {
      api::Trouble trouble{.code = ErrorCode::api_error, .message = broken, .may_retry = true};
      if (head != nullptr) trouble.request_id = head->request_id();
      return trouble;
    }
    return api::transfer_trouble(transfer_of(code_, error_), head);
  }

 private:
  static std::size_t on_header(char* bytes, std::size_t size, std::size_t count, void* self) {
    auto& exchange = *static_cast<Exchange*>(self);
    const std::size_t all = size * count;
    if (exchange.head_.is_whole()) return all;
    if (!exchange.head_.take({bytes, all})) return 0;
    if (exchange.head_.is_good() && exchange.sent() < exchange.body_bytes_) {
      exchange.cut_off_ = {api::Transfer::reset, "an answer came before the request was sent whole"};
      return 0;
    }
    if (exchange.head_.is_whole()) exchange.take(exchange.head_.text());
    return all;
  }
  static std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* self) {
    auto& exchange = *static_cast<Exchange*>(self);
    if (exchange.progress_.take({bytes, size * count})) {
      exchange.progressed_ = true;
      exchange.seen_at_ = steady_clock::now();
    }
    exchange.take({bytes, size * count});
    return size * count;
  }
  /// The server, about the length of its document.
  [[nodiscard]] bool has_lied() const { return !reader_.is_stream() && code_ == CURLE_PARTIAL_FILE; }
  /// Of the request's body.
  [[nodiscard]] curl_off_t sent() const {
    curl_off_t sent = 0;
    ::curl_easy_getinfo(easy_.get(), CURLINFO_SIZE_UPLOAD_T, &sent);
    return sent;
  }

  /// How long the next bytes may be waited for. Where nothing has gone on for too long, it is over.
  Milliseconds patience() {
    constexpr Milliseconds looks_every{1000};
    const auto now = steady_clock::now();
    if (const curl_off_t sent_now = sent(); sent_now != sent_) {
      sent_ = sent_now;
      seen_at_ = now;
    }
    const Milliseconds silence_max = progressed_ ? idle_timeout_ : first_timeout_;
    if (silence_max.count() <= 0) return looks_every;
    const auto left = std::chrono::ceil<Milliseconds>(seen_at_ + silence_max - now);
    if (left.count() <= 0) {
      cut_off_ = {api::Transfer::timeout_idle,
                  fmt::format("{} came for {} ms", progressed_ ? "nothing new" : "no answer", silence_max.count())};
    }
    return std::clamp(left, Milliseconds{0}, looks_every);
  }
  void take(std::string_view bytes) { (void)reader_.read(veil_.cover(bytes)); }

  Easy easy_{::curl_easy_init()};
  List headers_;
  courier::Veil veil_;
  courier::ResponseHead head_;
  api::ResponseReader reader_;
  CURLcode code_ = CURLE_OK;
  std::optional<api::TransferEnd> cut_off_;  ///< by ourselves
  std::optional<api::Trouble> anothers_;     ///< it is the answer to another request
  curl_off_t body_bytes_ = 0;
  curl_off_t sent_ = 0;  ///< of them
  Milliseconds first_timeout_{0};
  Milliseconds idle_timeout_{0};
  courier::Progress progress_{{"ping"}};
  bool progressed_ = false;
  steady_clock::time_point seen_at_;
  char error_[CURL_ERROR_SIZE] = "";
};

StopReason public_stop(api::StopReason stop) {
  switch (stop) {
    case api::StopReason::none:
    case api::StopReason::end_turn:
      return StopReason::end_turn;
    case api::StopReason::max_tokens:
      return StopReason::max_tokens;
    case api::StopReason::stop_sequence:
      return StopReason::stop_sequence;
    case api::StopReason::refusal:
      return StopReason::refusal;
    case api::StopReason::context_exceeded:
      return StopReason::context_exceeded;
    case api::StopReason::tool_use:
    case api::StopReason::pause_turn:
    case api::StopReason::broken_off:
    case api::StopReason::other:
      break;
  }
  return StopReason::other;
}

/// What was spent, also where it came to nothing.
template <typename Spent>
Spent with_tokens(Spent spent, const api::AnswerUsage& usage) {
  spent.input_tokens = usage.tokens.input + usage.tokens.cache_read + usage.tokens.cache_write;
  spent.output_tokens = usage.tokens.output;
  spent.cache_read_tokens = usage.tokens.cache_read;
  spent.cache_write_tokens = usage.tokens.cache_write;
  return spent;
}

ClientReply reply_of(const Exchange& exchange, bool stopped, std::string_view key) {
  const api::Answer& answer = exchange.reader().answer();
  if (const auto trouble = exchange.trouble(); trouble || stopped) {
    ExecutionError error;
    if (stopped && !exchange.reader().is_complete()) {
      error = {.code = Code::aborted, .message = "it was stopped", .retryable = false};
      if (exchange.reader().has_head()) error.request_id = exchange.reader().head().request_id();
    } else if (trouble) {
      error.code = static_cast<Code>(trouble->code);
      error.message = courier::veiled(trouble->message, key);
      error.retryable = trouble->may_retry;
      if (trouble->retry_after) error.retry_after = Milliseconds{trouble->retry_after->count()};
      error.request_id = trouble->request_id;
    }
    // Of another's answer the usage is another's, too.
    const api::AnswerUsage used = exchange.is_anothers() ? api::AnswerUsage{} : answer.usage;
    if (trouble || error.code == Code::aborted) return with_tokens(std::move(error), used);
  }
  ClientResponse response{.content = answer.text(), .stop_reason = public_stop(answer.stop)};
  response.model = answer.model;
  response.request_id = exchange.reader().head().request_id();
  return with_tokens(std::move(response), answer.usage);
}

}  // namespace

inline namespace v1 {

/// What libcurl reads of certificates is kept between calls: a line is what one call at a time has.
struct HttpClient::State {
  HttpClientConfig config;
  std::mutex mutex;
  std::vector<Multi> lines;
  api::KnownAnswers known;

  ~State() { courier::wipe(config.api_key); }

  Multi take() {
    const std::lock_guard lock{mutex};
    if (lines.empty()) return Multi{::curl_multi_init()};
    Multi line = std::move(lines.back());
    lines.pop_back();
    return line;
  }
  void give_back(Multi line) {
    const std::lock_guard lock{mutex};
    lines.push_back(std::move(line));
  }
};

HttpClientConfig http_config_from_environment(ApiFamily family) {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string{value == nullptr ? "" : value};
  };
  HttpClientConfig config;
  config.family = family;
  const bool is_anthropic = family == ApiFamily::anthropic;
  config.api_key = variable(is_anthropic ? "ANTHROPIC_API_KEY" : "OPENAI_API_KEY");
  if (config.api_key.empty() && is_anthropic) {
    config.api_key = variable("ANTHROPIC_AUTH_TOKEN");
    config.is_token = !config.api_key.empty();
  }
  config.base_url = variable(is_anthropic ? "ANTHROPIC_BASE_URL" : "OPENAI_BASE_URL");
  return config;
}

HttpClient::HttpClient(HttpClientConfig config) : state_{std::make_unique<State>()} {
  static std::once_flag once;
  std::call_once(once, [] { ::curl_global_init(CURL_GLOBAL_DEFAULT); });
  state_->config = std::move(config);
}
HttpClient::~HttpClient() = default;

ClientReply HttpClient::complete(const ClientRequest& request) {
  if (request.stop.stop_requested()) {
    return ExecutionError{.code = Code::aborted, .message = "it was stopped", .retryable = false};
  }
  const HttpClientConfig& config = state_->config;
  const api::Protocol protocol = protocol_of(config.family);
  const bool is_messages = protocol == api::Protocol::messages;
  api::Ask ask;
  ask.model = request.model;
  if (request.max_tokens > 0) ask.max_tokens = request.max_tokens;
  ask.stream = config.stream;
  ask.prompt.skill = request.system_prompt;
  ask.prompt.task = request.user_message;
  const std::string body = is_messages ? api::messages_body(ask) : api::chat_body(ask, api::is_openai(config.base_url));
  Exchange exchange{config, protocol};
  Multi line = state_->take();
  if (!exchange.is_ready() || line == nullptr) {
    return ExecutionError{.code = Code::unknown, .message = "there is not enough memory", .retryable = false};
  }
  exchange.add_header("content-type: application/json");
  exchange.add_header("user-agent: baton/" BATON_VERSION);
  exchange.add_header("expect:");
  exchange.add_header("connection: close");
  if (is_messages) exchange.add_header("anthropic-version: " + std::string{api::messages_version});
  if (!config.api_key.empty()) {
    std::string header = (is_messages && !config.is_token ? "x-api-key: " : "authorization: Bearer ") + config.api_key;
    exchange.add_header(header);
    courier::wipe(header);
  }
  const std::string url = api::endpoint(protocol, config.base_url, is_messages ? "v1/messages" : "v1/chat/completions");
  exchange.prepare(config, url, body, request.timeout);
  const bool went_on = exchange.perform(line.get(), request.stop);
  state_->give_back(std::move(line));
  {
    const std::lock_guard lock{state_->mutex};
    exchange.compare_with(state_->known, hash64(body, hash64(url)));
  }
  return reply_of(exchange, !went_on, config.api_key);
}

}  // namespace v1
}  // namespace baton
