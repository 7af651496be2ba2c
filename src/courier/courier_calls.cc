// The life of a call: its order, its key, its turn, its times, its end.
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "courier/courier.h"
#include "courier/files.h"
#include "io/files.h"

namespace baton::courier {

Call* Courier::find(Id id) {
  const auto place = calls_.find(id);
  return place == calls_.end() ? nullptr : place->second.get();
}

void Courier::accept(Order order) {
  const Id id = order.id;
  Call& call = *calls_.emplace(id, std::make_unique<Call>(std::move(order))).first->second;
  const auto text = read_file(call.order.request_path, Limits::request_bytes_max);
  if (!text) return finish(call, Ending::other, text.error());
  auto request = read_request(*text);
  if (!request) return finish(call, Ending::other, fmt::format("{}: {}", call.order.request_path, request.error()));
  call.request = std::move(*request);
  arm(call);
  if (!call.request.auth) return take_key(id, std::string{});
  keys_.fetch(call.request.auth->source, call.order.around,
              [this, id](Keys::Key key) { take_key(id, std::move(key)); });
}

void Courier::take_key(Id id, Keys::Key key) {
  Call* const call = find(id);
  if (call == nullptr) return;  // it was given up meanwhile
  if (!key) return finish(*call, Ending::other, key.error());
  if (auto wrong = call->prepare(std::move(*key), share_.get())) return finish(*call, Ending::other, *wrong);
  enter(*call);
}

void Courier::enter(Call& call) {
  const Id id = call.order.id;
  const Gates::Way way = gates_.enter(call.host(), id, monotonic_ms());
  if (way == Gates::Way::leads) leaders_.insert(id);
  if (way != Gates::Way::waits) ready_.push_back(id);
}

void Courier::begin_ready() {
  while (!ready_.empty() && lanes_.under_way() < calls_max_) {
    Call* const call = find(ready_.front());
    ready_.pop_front();
    if (call != nullptr) begin(*call);
  }
}

void Courier::begin(Call& call) {
  if (leaders_.contains(call.order.id)) call.forget_address();
  CURLMcode code = CURLM_OK;
  call.lane = lanes_.add(call.easy, code);
  if (call.lane == nullptr) finish(call, Ending::other, ::curl_multi_strerror(code));
}

/// Looked at when its times may be over. That a byte came is noticed only then, so that bytes cost nothing.
void Courier::arm(Call& call) {
  timers_.erase({call.timer, call.order.id});
  // Before it is connected there is no silence yet, but there may be one in no less than that time; and from its first
  // event on a shorter one may be too long.
  const std::int64_t least = call.silence_min();
  const std::int64_t idle = least == never ? never : monotonic_ms() + least;
  call.timer = std::min({call.deadline_at(), call.idle_at(), idle});
  timers_.emplace(call.timer, call.order.id);
}

void Courier::check_times(std::int64_t now) {
  while (!timers_.empty() && timers_.begin()->first <= now) {
    Call& call = *find(timers_.begin()->second);
    if (now >= call.deadline_at()) {
      finish(call, Ending::timeout_deadline, fmt::format("it took longer than {} ms", call.request.deadline_ms));
    } else if (now >= call.idle_at()) {
      finish(call, Ending::timeout_idle, call.silence());
    } else {
      arm(call);
    }
  }
}

void Courier::check_leaders(std::int64_t now) {
  for (const Id id : std::vector<Id>{leaders_.begin(), leaders_.end()}) {
    const Call& call = *find(id);
    if (call.opened) go_on(call.host(), id, Gates::Outcome::found, now);
  }
}

void Courier::go_on(const std::string& host, Id id, Gates::Outcome outcome, std::int64_t now, const std::string& why) {
  leaders_.erase(id);
  const std::vector<Id> free = gates_.settle(host, id, outcome, now);
  for (const Id other : free) {
    Call* const call = find(other);
    if (call == nullptr) continue;
    if (outcome == Gates::Outcome::not_found) {
      finish(*call, Ending::dns, call->veil_text(why));
      continue;
    }
    if (outcome != Gates::Outcome::found) leaders_.insert(other);
    ready_.push_back(other);
  }
}

void Courier::collect() {
  CURLcode code = CURLE_OK;
  while (CURL* const easy = lanes_.next_ended(code)) {
    Call* call = nullptr;
    ::curl_easy_getinfo(easy, CURLINFO_PRIVATE, &call);
    conclude(*call, code);
  }
}

void Courier::conclude(Call& call, CURLcode code) {
  Ending ending = ending_of(code);
  if (ending == Ending::reset && call.tunnel_refused()) ending = Ending::other;
  // What was broken off by ourselves is not the other side's doing.
  if (code == CURLE_WRITE_ERROR || code == CURLE_ABORTED_BY_CALLBACK) ending = Ending::other;
  if (code == CURLE_OPERATION_TIMEDOUT && !call.opened) ending = Ending::dns;
  if (call.answered_early) ending = Ending::reset;
  finish(call, ending, call.explain(code));
}

void Courier::finish(Call& call, Ending ending, const std::string& message) {
  const Id id = call.order.id;
  if (call.lane != nullptr) lanes_.remove(*call.lane, call.easy);
  timers_.erase({call.timer, id});
  call.close_log();
  bool told = true;
  if (ending != Ending::complete) {  // all was well: the exit says so, and a file less is made
    const Descriptor err = open_log(call.order.err_path);
    told = err && write_all(err.get(), ending_line(ending, message, call.bytes())) == 0;
  }
  const std::unique_ptr<Call> ended = std::move(calls_.at(id));
  calls_.erase(id);
  if (!ended->host().empty()) {
    const bool no_address = ending == Ending::dns && !ended->opened;
    const bool led = leaders_.contains(id);
    const auto outcome = no_address && led ? Gates::Outcome::not_found : Gates::Outcome::left;
    go_on(ended->host(), id, outcome, monotonic_ms(), message);
  }
  // Last: whoever hears it finds everything in its place.
  say({"ended", std::to_string(id), ending == Ending::complete && told ? "0" : "1"});
}

}  // namespace baton::courier
