#include "courier/courier.h"

#include <errno.h>
#include <unistd.h>

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>

#include "base/ensure.h"

namespace baton::courier {
Courier::Courier(int holder, std::size_t calls_max)
    : holder_(holder),
      calls_max_(calls_max),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      share_(::curl_share_init(), ::curl_share_cleanup),
      lanes_([this](int fd, std::uint32_t events, int operation) { watch(fd, events, operation); }),
      keys_([this](int fd, bool on) { watch(fd, EPOLLIN, on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL); }) {
  BATON_ENSURE(epoll_ >= 0 && share_ != nullptr, "the courier needs epoll and libcurl", "");
  ::curl_share_setopt(share_.get(), CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
  ::curl_share_setopt(share_.get(), CURLSHOPT_SHARE, CURL_LOCK_DATA_DNS);
  watch(holder_, EPOLLIN, EPOLL_CTL_ADD);
}

Courier::~Courier() {
  for (const auto& [id, call] : calls_) {
    if (call->lane != nullptr) lanes_.remove(*call->lane, call->easy);
  }
  calls_.clear();
  ::close(epoll_);
}

void Courier::watch(int fd, std::uint32_t events, int operation) const {
  epoll_event event{.events = events, .data = {.fd = fd}};
  ::epoll_ctl(epoll_, operation, fd, &event);
}

bool Courier::serve() {
  say({"ready"});
  while (!gone_ && !nonsense_) {
    const std::int64_t due = turn();
    const std::int64_t pause = due == never ? -1 : std::clamp<std::int64_t>(due - monotonic_ms(), 0, 60'000);
    epoll_event events[256];
    const int count = ::epoll_wait(epoll_, events, std::size(events), static_cast<int>(pause));
    for (int i = 0; i < count; ++i) attend(events[i].data.fd, events[i].events);
  }
  return gone_;
}

/// Does all that can be done now. When something is due again.
std::int64_t Courier::turn() {
  begin_ready();
  lanes_.tick(monotonic_ms());
  collect();
  const std::int64_t now = monotonic_ms();
  check_leaders(now);
  check_times(now);
  begin_ready();
  const std::int64_t keys_due = keys_.tend(now);
  if (!watches_output_) flush();
  return std::min({lanes_.due(), keys_due, timers_.empty() ? never : timers_.begin()->first});
}

void Courier::attend(int fd, std::uint32_t events) {
  if (fd == holder_) {
    if ((events & EPOLLOUT) != 0) flush();
    if ((events & ~std::uint32_t{EPOLLOUT}) != 0) hear();
    return;
  }
  if (keys_.heard(fd)) return;
  lanes_.attend(fd, events);
}

void Courier::hear() {
  char chunk[65536];
  const ssize_t size = ::recv(holder_, chunk, sizeof chunk, 0);
  if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) gone_ = true;
  if (size <= 0) return;
  in_.append(chunk, static_cast<std::size_t>(size));
  std::size_t used = 0;
  while (!nonsense_) {
    const Decoded frame = decode_frame(std::string_view{in_}.substr(used));
    if (frame.kind == Decoded::Kind::partial) break;
    nonsense_ = frame.kind == Decoded::Kind::garbage || !obey(frame.message);
    used += frame.size;
  }
  in_.erase(0, used);
  if (in_.empty()) in_.shrink_to_fit();  // it may have held an environment
}

bool Courier::obey(const Message& message) {
  MessageReader reader{message, 1};
  const std::string& verb = message.front();
  if (verb == "environment") return learn(reader);
  if (verb == "forget") {
    runs_.erase(reader.text());
    return reader.done();
  }
  const Id id = reader.number<Id>();
  if (verb == "cancel") {
    if (Call* const call = find(id)) finish(*call, Ending::cancelled, "it was cancelled");
    return reader.done();
  }
  if (verb != "call") return false;
  const auto run = runs_.find(reader.text());
  Order order{
      .id = id, .request_path = reader.text(), .out_path = reader.text(), .err_path = reader.text(), .around = {}};
  if (!reader.done() || run == runs_.end() || find(id) != nullptr) return false;
  order.around = run->second;
  accept(std::move(order));
  return true;
}

bool Courier::learn(MessageReader& reader) {
  const std::string run = reader.text();
  Surroundings around{.folder = reader.text(), .env = reader.list()};
  if (!reader.done()) return false;
  auto& place = runs_[run];
  // Said again by an engine that came back. What it says is mostly the same, and then a command's key stays good.
  if (place == nullptr || place->folder != around.folder || place->env != around.env) {
    place = std::make_shared<const Surroundings>(std::move(around));
  }
  return true;
}

void Courier::say(const Message& message) { out_ += encode_frame(message); }

void Courier::flush() {
  while (!out_.empty()) {
    const ssize_t size = ::send(holder_, out_.data(), out_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno != EAGAIN) gone_ = true;
    if (size <= 0) break;
    out_.erase(0, static_cast<std::size_t>(size));
  }
  const bool more = !out_.empty();
  if (more == watches_output_) return;
  watches_output_ = more;
  watch(holder_, more ? EPOLLIN | EPOLLOUT : EPOLLIN, EPOLL_CTL_MOD);
}

}  // namespace baton::courier
