#include "runtime/api/batch.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/boost_json.h"
#include "base/hash.h"
#include "base/text.h"
#include "runtime/api/error_body.h"
#include "runtime/api/json_reading.h"
#include "runtime/api/rate_headers.h"

namespace baton::api {

namespace json = boost::json;

namespace {

constexpr Millis first_look{15'000};
constexpr Millis slowest_look{300'000};
constexpr int submissions_max = 2;
constexpr int failures_max = 20;
// Clocks differ: so much earlier than the attempt a batch of its may seem to have been made.
constexpr Millis clock_slack{120'000};

bool is_good_reply(const BatchJob::Reply& reply) {
  return reply.head != nullptr && reply.head->status >= 200 && reply.head->status < 300;
}

/// It becomes part of an address.
bool is_batch_id(std::string_view id) {
  return !id.empty() && id.size() <= 128 && std::ranges::all_of(id, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

/// The request never got there: nothing can have come of it.
bool never_arrived(const BatchJob::Reply& reply) {
  switch (reply.transfer.how) {
    case Transfer::dns:
    case Transfer::refused:
    case Transfer::tls:
    case Transfer::timeout_connect:
      return true;
    case Transfer::complete:
    case Transfer::timeout_idle:
    case Transfer::timeout_deadline:
    case Transfer::reset:
    case Transfer::partial:
    case Transfer::cancelled:
    case Transfer::other:
      return false;
  }
  return false;
}

/// Refused, or too much for the provider right now.
bool was_not_made(const BatchJob::Reply& reply) {
  if (reply.head == nullptr) return never_arrived(reply);
  const int status = reply.head->status;
  return (status >= 400 && status < 500) || status == 503 || status == 529;
}

/// A batch of one request, as every one of ours is.
bool has_one_request(const json::object& batch) {
  const json::object* counts = object_at(batch, "request_counts");
  if (counts == nullptr) return true;
  std::int64_t sum = 0;
  for (const std::string_view key : {"processing", "succeeded", "errored", "canceled", "expired"}) {
    sum += count_at(*counts, key).value_or(0);
  }
  return sum <= 1;
}

}  // namespace

std::string batch_custom_id(std::string_view run, std::string_view step, int attempt) {
  const std::string whole = fmt::format("{}\n{}\n{}", run, step, attempt);
  return fmt::format("baton-{}{}", hex(hash64(whole)), hex(hash64(whole, 1)));
}

BatchJob::Next BatchJob::begin() { return wanted_.earlier_ids.empty() ? submit() : list(); }

/// Page by page, the newest first.
BatchJob::Next BatchJob::list() {
  state_ = State::listing;
  return Ask{"GET", "v1/messages/batches?limit=100" + (page_after_.empty() ? "" : "&after_id=" + page_after_), {}};
}

BatchJob::Next BatchJob::submit() {
  state_ = State::submitting;
  ++submissions_;
  return Ask{"POST", "v1/messages/batches",
             fmt::format(R"({{"requests":[{{"custom_id":{},"params":{}}}]}})", json_quote(wanted_.custom_id), params_)};
}

BatchJob::Next BatchJob::replied(const Reply& reply) {
  switch (state_) {
    case State::submitting:
      return submitted(reply);
    case State::listing:
      return listed(reply);
    case State::polling:
      return polled(reply);
    case State::fetching:
      return fetched(reply);
    case State::waiting:
    case State::over:
      break;
  }
  return give_up({.code = ErrorCode::unknown, .message = "a reply that nobody asked for"});
}

BatchJob::Next BatchJob::time_came(Time now) {
  if (state_ != State::waiting || now < wait_until_) return Wait{wait_until_};
  if (lists_) return list();
  state_ = State::polling;
  return Ask{"GET", "v1/messages/batches/" + batch_id_, {}};
}

std::optional<BatchJob::Ask> BatchJob::cancel() const {
  if (state_ != State::waiting || !is_ours_) return std::nullopt;
  return Ask{"POST", "v1/messages/batches/" + batch_id_ + "/cancel", {}};
}

BatchJob::Next BatchJob::give_up(Trouble trouble) {
  state_ = State::over;
  return trouble;
}

Trouble BatchJob::trouble_of(const Reply& reply) const {
  if (reply.head == nullptr) return transfer_trouble(reply.transfer, nullptr);
  if (!is_good_reply(reply)) return told_trouble(error_body(reply.head->status, reply.body), *reply.head, reply.at);
  Trouble trouble = transfer_trouble(reply.transfer, reply.head);
  trouble.message = "what the API says of the batch cannot be read";
  return trouble;
}

BatchJob::Next BatchJob::submitted(const Reply& reply) {
  const auto body = is_good_reply(reply) ? read_json(reply.body) : std::nullopt;
  if (body && body->is_object() && is_batch_id(string_at(body->get_object(), "id"))) {
    batch_id_ = string_at(body->get_object(), "id");
    is_ours_ = true;
    return look_again(reply, std::nullopt);
  }
  Trouble trouble = trouble_of(reply);
  if (was_not_made(reply) || reply.transfer.how == Transfer::cancelled) return give_up(std::move(trouble));
  // It may have been made, and the reply got lost: before it is made again, look.
  lost_ = std::move(trouble);
  was_answered_ = reply.head != nullptr;
  page_after_.clear();
  return list();
}

BatchJob::Next BatchJob::listed(const Reply& reply) {
  const auto body = is_good_reply(reply) ? read_json(reply.body) : std::nullopt;
  const json::array* all = body && body->is_object() ? array_at(body->get_object(), "data") : nullptr;
  lists_ = all == nullptr;
  if (all == nullptr) {
    // Whether it was made is not known: to submit it now might be to pay twice.
    Trouble trouble = trouble_of(reply);
    if (!trouble.may_retry || ++failures_ > failures_max) return give_up(std::move(trouble));
    return look_again(reply, trouble.retry_after);
  }
  failures_ = 0;
  bool is_older = false;
  std::string last;
  for (const json::value& item : *all) {
    if (!item.is_object() || !is_batch_id(string_at(item.get_object(), "id"))) continue;
    last = string_at(item.get_object(), "id");
    const auto created = rfc3339_time(string_at(item.get_object(), "created_at"));
    is_older = created && *created < wanted_.since - clock_slack;
    if (!created || is_older || !has_one_request(item.get_object())) continue;
    candidates_.push_back(last);
  }
  const json::value* more = body->get_object().if_contains("has_more");
  if (more != nullptr && more->is_bool() && more->get_bool() && !is_older && !last.empty() && last != page_after_) {
    page_after_ = std::move(last);
    return list();
  }
  std::ranges::reverse(candidates_);
  polls_ = 0;
  return next_candidate(reply);
}

/// Each in turn; one that is in progress may be anybody's, and is looked at again after the others.
BatchJob::Next BatchJob::next_candidate(const Reply& reply) {
  if (candidates_.empty() && !in_progress_.empty()) {
    candidates_ = std::exchange(in_progress_, {});
    std::ranges::reverse(candidates_);
    batch_id_ = std::move(candidates_.back());
    candidates_.pop_back();
    return look_again(reply, std::nullopt);
  }
  if (candidates_.empty()) {
    // A server that says that it is in trouble is given the time that lies between two attempts.
    const bool may_submit = submissions_ < submissions_max && !(submissions_ > 0 && was_answered_);
    return may_submit ? submit() : give_up(lost_);
  }
  batch_id_ = std::move(candidates_.back());
  candidates_.pop_back();
  state_ = State::polling;
  return Ask{"GET", "v1/messages/batches/" + batch_id_, {}};
}

/// 15 s, 30 s, 1 min … 5 min; not before the time that the API asked for.
BatchJob::Next BatchJob::look_again(const Reply& reply, std::optional<Millis> asked) {
  const int doublings = std::min(polls_++, 10);
  const Millis wait = std::min(first_look * (1 << doublings), slowest_look);
  wait_until_ = reply.at + std::max(wait, asked.value_or(Millis{0}));
  state_ = State::waiting;
  return Wait{wait_until_};
}

BatchJob::Next BatchJob::polled(const Reply& reply) {
  const auto body = is_good_reply(reply) ? read_json(reply.body) : std::nullopt;
  if (!body || !body->is_object()) {
    Trouble trouble = trouble_of(reply);
    if (reply.head != nullptr && reply.head->status == 404 && !is_ours_) return next_candidate(reply);
    if (!trouble.may_retry || ++failures_ > failures_max) return give_up(std::move(trouble));
    return look_again(reply, trouble.retry_after);
  }
  failures_ = 0;
  if (string_at(body->get_object(), "processing_status") != "ended") {
    if (is_ours_) return look_again(reply, std::nullopt);
    in_progress_.push_back(batch_id_);
    return next_candidate(reply);
  }
  state_ = State::fetching;
  return Ask{"GET", "v1/messages/batches/" + batch_id_ + "/results", {}};
}

BatchJob::Next BatchJob::fetched(const Reply& reply) {
  if (!is_good_reply(reply) || reply.transfer.how != Transfer::complete) {
    Trouble trouble = trouble_of(reply);
    if (!trouble.may_retry || ++failures_ > failures_max) return give_up(std::move(trouble));
    return look_again(reply, trouble.retry_after);
  }
  for (const std::string_view line : split(reply.body, '\n')) {
    const auto value = read_json(trim(line));
    const json::object* item = value ? value->if_object() : nullptr;
    if (item == nullptr) continue;
    const std::string_view id = string_at(*item, "custom_id");
    const bool is_earlier = std::ranges::find(wanted_.earlier_ids, id) != wanted_.earlier_ids.end();
    if (id != wanted_.custom_id && !is_earlier) continue;
    const json::object* result = object_at(*item, "result");
    const std::string_view type = result == nullptr ? std::string_view{} : string_at(*result, "type");
    if (type == "succeeded" && object_at(*result, "message") != nullptr) {
      state_ = State::over;
      return Message{json::serialize(*object_at(*result, "message"))};
    }
    if (is_earlier) return next_candidate(reply);  // it came to nothing, and that attempt is over
    if (type == "errored" && object_at(*result, "error") != nullptr) {
      // The error response, whole or its inner part.
      const json::object& error = *object_at(*result, "error");
      return give_up(told_trouble(error_in(error), *reply.head, reply.at));
    }
    if (type == "canceled") return give_up({.code = ErrorCode::aborted, .message = "the batch was cancelled"});
    return give_up({.code = ErrorCode::api_timeout, .message = "the batch expired", .may_retry = true});
  }
  if (!is_ours_) return next_candidate(reply);
  return give_up(
      {.code = ErrorCode::api_error, .message = "the batch has no answer to this request", .may_retry = true});
}

}  // namespace baton::api
