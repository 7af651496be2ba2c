#include "runtime/api/trouble.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/letters.h"
#include "base/number.h"
#include "base/text.h"

namespace baton::api {
namespace {

using enum ErrorCode;

constexpr std::size_t trouble_bytes_max = 300;

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

/// The status that an error inside a stream would have had before it.
int status_of_type(const ServerError& error) {
  constexpr std::array<std::pair<std::string_view, int>, 17> types = {{
      {"invalid_request_error", 400},
      {"authentication_error", 401},
      {"billing_error", 402},
      {"permission_error", 403},
      {"not_found_error", 404},
      {"conflict_error", 409},
      {"request_too_large", 413},
      {"rate_limit_error", 429},
      {"rate_limit_exceeded", 429},
      {"insufficient_quota", 429},
      {"api_error", 500},
      {"server_error", 500},
      {"internal_server_error", 500},
      {"timeout_error", 504},
      {"overloaded_error", 529},
      {"service_unavailable", 503},
      {"exceed_context_size_error", 400},
  }};
  for (const std::string_view word : {std::string_view{error.code}, std::string_view{error.type}}) {
    const int number = parse_whole<int>(word).value_or(0);
    if (number >= 400 && number < 600) return number;
    const auto found = std::ranges::find(types, word, &std::pair<std::string_view, int>::first);
    if (found != types.end()) return found->second;
  }
  return 0;
}

/// Money that is used up does not come back by asking again.
bool is_spending_cap(const ServerError& error, int status) {
  if (error.code == "enforced_spend_limit_reached" || error.code == "insufficient_quota" ||
      error.type == "insufficient_quota" || error.code == "billing_hard_limit_reached") {
    return true;
  }
  const std::string text = lower(error.message);
  if (status == 429 && has_any(text, {"spend limit", "spending limit", "spend cap", "exceeded your current quota"})) {
    return true;
  }
  return status == 400 && has_any(text, {"specified api usage limits", "spend limit", "credit balance is too low"});
}

bool is_context_exceeded(const ServerError& error, int status) {
  if (status == 413) return true;
  if (error.code == "context_length_exceeded" || error.type == "exceed_context_size_error") return true;
  if (status != 400 && status != 422 && status != 500) return false;
  return has_any(lower(error.message),
                 {"prompt is too long", "exceed context limit", "maximum context length", "context length exceeded",
                  "exceeds the available context", "context window", "exceed the model's context"});
}

bool is_refused(const ServerError& error) {
  return error.code == "content_filter" || error.code == "content_policy_violation" ||
         error.type == "content_filter_error";
}

struct Meaning {
  ErrorCode code = api_error;
  bool may_retry = false;
  std::string_view words;
};

Meaning meaning_of(int status) {
  switch (status) {
    case 0:
      return {api_error, true, "the model's API told of an error"};
    case 400:
    case 422:
      return {api_error, false, "the model's API does not accept the request"};
    case 401:
      return {api_error, false, "invalid API key"};
    case 402:
      return {api_error, false, "the account cannot pay for the request"};
    case 403:
      return {api_error, false, "the API key may not do this"};
    case 404:
      return {api_error, false, "there is no such model or address"};
    case 408:
      return {api_timeout, true, "the model's API waited too long"};
    case 409:
      return {api_error, true, "the request was in conflict with another"};
    case 429:
      return {api_rate_limited, true, "too many requests"};
    case 503:
    case 529:
      return {api_overloaded, true, "the model's API is overloaded"};
    case 504:
    case 524:
      return {api_timeout, true, "the model's API timed out"};
    default:
      break;
  }
  if (status >= 500) return {api_error, true, "the model's API failed"};
  return {api_error, false, "the model's API answered with what is no answer"};
}

std::string saying(std::string_view what, int status, std::string_view words) {
  std::string text = status == 0 ? std::string{what} : fmt::format("{} ({})", what, status);
  const std::string_view line = trim(words);
  if (!line.empty()) text += ": " + shorten(line.substr(0, line.find('\n')), trouble_bytes_max);
  return text;
}

std::string with_id(std::string message, std::string_view request_id) {
  if (!request_id.empty()) message += fmt::format(" (request {})", shorten(request_id, 100));
  return message;
}

}  // namespace

Trouble told_trouble(const ServerError& error, const ResponseHead& head, Time now) {
  const bool in_stream = error.status == 0;
  const int status = in_stream ? status_of_type(error) : error.status;
  const std::string id = error.request_id.empty() ? std::string{head.request_id()} : error.request_id;
  const auto final_trouble = [&](ErrorCode code, std::string_view what) {
    return Trouble{code, saying(what, status, error.message), false, {}, status, id};
  };
  if (is_spending_cap(error, status)) return final_trouble(budget_exhausted, "the account's spending limit is reached");
  if (is_context_exceeded(error, status)) return final_trouble(context_exceeded, "the request is too long");
  if (is_refused(error)) return final_trouble(refused, "the provider refused");
  if (status >= 300 && status < 400) {
    const std::string_view target = head.header("location");
    const std::string where = target.empty() ? std::string{"elsewhere"} : fmt::format("to {}", shorten(target, 300));
    return Trouble{
        api_error, fmt::format("the address redirects {} ({}): set base_url to where the API is", where, status),
        false,     {},
        status,    id};
  }
  const Meaning meaning = meaning_of(status);
  Trouble trouble{meaning.code, saying(meaning.words, status, error.message), meaning.may_retry, {}, status, id};
  if (status == 401 || status == 402 || status == 403) return trouble;
  if (const auto said = should_retry(head); said && !in_stream) trouble.may_retry = *said;
  if (!trouble.may_retry) return trouble;
  trouble.retry_after = trouble.code == api_rate_limited ? limited_for(head, now) : retry_after(head, now);
  return trouble;
}

Trouble transfer_trouble(const TransferEnd& end, const ResponseHead* head) {
  const std::string id = head == nullptr ? std::string{} : std::string{head->request_id()};
  const int status = head == nullptr ? 0 : head->status;
  const auto trouble = [&](ErrorCode code, bool may_retry, std::string_view what) {
    return Trouble{code, saying(what, 0, end.message), may_retry, {}, status, id};
  };
  switch (end.how) {
    case Transfer::timeout_idle:
      return trouble(api_timeout, true, "nothing came for too long");
    case Transfer::timeout_deadline:
      return trouble(api_timeout, true, "the request took too long");
    case Transfer::timeout_connect:
    case Transfer::dns:
    case Transfer::refused:
      return trouble(api_timeout, true, "the model's API cannot be reached");
    case Transfer::tls:
      return trouble(api_error, false, "no secure connection to the model's API");
    case Transfer::cancelled:
      return trouble(aborted, false, "it was stopped");
    case Transfer::complete:
    case Transfer::partial:
    case Transfer::reset:
      if (head != nullptr) return trouble(api_error, true, "the stream ended before the answer did");
      return trouble(api_timeout, true, "the connection broke before there was a response");
    case Transfer::other:
      break;
  }
  // Before a response: no key, an address that is none. That does not mend itself.
  return trouble(api_error, head != nullptr, "the request failed");
}

std::optional<Trouble> answer_trouble(const Answer& answer, const ResponseHead& head) {
  const auto trouble = [&](ErrorCode code, std::string_view what, std::string_view words, bool may_retry = false) {
    return Trouble{code, saying(what, 0, words), may_retry, {}, head.status, std::string{head.request_id()}};
  };
  const bool says_something = !trim(answer.text()).empty();
  switch (answer.stop) {
    case StopReason::refusal:
      return trouble(refused, "the model refused", answer.stop_details);
    case StopReason::context_exceeded:
      if (says_something) break;  // it is cut off, and kept
      return trouble(context_exceeded, "the model's context is full", answer.stop_details);
    case StopReason::broken_off:
      return trouble(api_error, "the server broke the answer off", answer.stop_word, true);
    case StopReason::none:
    case StopReason::end_turn:
    case StopReason::max_tokens:
    case StopReason::stop_sequence:
    case StopReason::tool_use:
    case StopReason::pause_turn:
    case StopReason::other:
      break;
  }
  if (says_something || !answer.calls().empty() || answer.stop == StopReason::pause_turn) return {};
  if (answer.stop == StopReason::max_tokens) {
    return trouble(response_empty, "all its tokens went before it said anything", "give it more 'max_tokens'");
  }
  return trouble(response_empty, "its answer is empty", answer.stop == StopReason::other ? answer.stop_word : "");
}

Failure failure_of(const Trouble& trouble) {
  return {std::string{kebab(trouble.code)}, with_id(trouble.message, trouble.request_id), trouble.may_retry,
          trouble.retry_after};
}

std::optional<Failure> truncation(const Answer& answer, std::string_view request_id) {
  if (!is_cut_off(answer.stop)) return std::nullopt;
  const char* const where =
      answer.stop == StopReason::max_tokens ? "at 'max_tokens'" : "where the model's context was full";
  return Failure{"response-truncated", with_id(fmt::format("its answer was cut off {}", where), request_id), false};
}

}  // namespace baton::api
