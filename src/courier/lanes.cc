#include "courier/lanes.h"

#include <sys/epoll.h>

#include <algorithm>
#include <utility>

#include "base/ensure.h"
#include "courier/call.h"

namespace baton::courier {
namespace {

constexpr std::size_t transfers_max = 128;

}  // namespace

Lanes::~Lanes() {
  for (const auto& lane : lanes_) ::curl_multi_cleanup(lane->multi);
}

/// The first that has room.
Lanes::Lane& Lanes::with_room() {
  const auto found = std::ranges::find_if(lanes_, [](const auto& lane) { return lane->under_way < transfers_max; });
  if (found != lanes_.end()) return **found;
  Lane& lane = *lanes_.emplace_back(std::make_unique<Lane>(Lane{this, ::curl_multi_init(), never}));
  BATON_ENSURE(lane.multi != nullptr, "the courier needs libcurl", "");
  ::curl_multi_setopt(lane.multi, CURLMOPT_SOCKETFUNCTION, &Lanes::on_socket);
  ::curl_multi_setopt(lane.multi, CURLMOPT_SOCKETDATA, &lane);
  ::curl_multi_setopt(lane.multi, CURLMOPT_TIMERFUNCTION, &Lanes::on_timer);
  ::curl_multi_setopt(lane.multi, CURLMOPT_TIMERDATA, &lane);
  return lane;
}

Lanes::Lane* Lanes::add(CURL* easy, CURLMcode& code) {
  Lane& lane = with_room();
  code = ::curl_multi_add_handle(lane.multi, easy);
  if (code != CURLM_OK) return nullptr;
  ++lane.under_way;
  ++under_way_;
  return &lane;
}

void Lanes::remove(Lane& lane, CURL* easy) {
  ::curl_multi_remove_handle(lane.multi, easy);
  --lane.under_way;
  --under_way_;
}

void Lanes::attend(int fd, std::uint32_t events) {
  const auto place = static_cast<std::size_t>(fd);
  Lane* const lane = place < by_socket_.size() ? by_socket_[place] : nullptr;
  if (lane == nullptr) return;  // it was closed in this very turn
  const int what = ((events & EPOLLIN) != 0 ? CURL_CSELECT_IN : 0) | ((events & EPOLLOUT) != 0 ? CURL_CSELECT_OUT : 0) |
                   ((events & (EPOLLERR | EPOLLHUP)) != 0 ? CURL_CSELECT_ERR : 0);
  int running = 0;
  ::curl_multi_socket_action(lane->multi, fd, what, &running);
}

void Lanes::tick(std::int64_t now) {
  for (const auto& lane : lanes_) {
    if (now < lane->due) continue;
    lane->due = never;
    int running = 0;
    ::curl_multi_socket_action(lane->multi, CURL_SOCKET_TIMEOUT, 0, &running);
  }
}

std::int64_t Lanes::due() const {
  std::int64_t first = never;
  for (const auto& lane : lanes_) first = std::min(first, lane->due);
  return first;
}

CURL* Lanes::next_ended(CURLcode& code) {
  for (const auto& lane : lanes_) {
    int left = 0;
    while (const CURLMsg* const message = ::curl_multi_info_read(lane->multi, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      code = message->data.result;
      return message->easy_handle;
    }
  }
  return nullptr;
}

int Lanes::on_socket(CURL* /*easy*/, curl_socket_t fd, int what, void* data, void* known) {
  Lane& lane = *static_cast<Lane*>(data);
  std::vector<Lane*>& by_socket = lane.all->by_socket_;
  const auto place = static_cast<std::size_t>(fd);
  if (place >= by_socket.size()) by_socket.resize(place + 1);
  if (what == CURL_POLL_REMOVE) {
    by_socket[place] = nullptr;
    lane.all->watch_(fd, 0, EPOLL_CTL_DEL);
    return 0;
  }
  by_socket[place] = &lane;
  const std::uint32_t events = ((what & CURL_POLL_IN) != 0 ? std::uint32_t{EPOLLIN} : 0U) |
                               ((what & CURL_POLL_OUT) != 0 ? std::uint32_t{EPOLLOUT} : 0U);
  lane.all->watch_(fd, events, known == nullptr ? EPOLL_CTL_ADD : EPOLL_CTL_MOD);
  if (known == nullptr) ::curl_multi_assign(lane.multi, fd, data);
  return 0;
}

int Lanes::on_timer(CURLM* /*multi*/, long timeout_ms, void* data) {
  static_cast<Lane*>(data)->due = timeout_ms < 0 ? never : monotonic_ms() + timeout_ms;
  return 0;
}

}  // namespace baton::courier
