// A bare libcurl-multi client over epoll: COUNT posts to URL, AT_ONCE of them in flight, answers thrown away.
// Usage: bench_curl_multi URL COUNT AT_ONCE
#include <curl/curl.h>
#include <sys/epoll.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

struct Client {
  CURLM* multi = curl_multi_init();
  int epoll = epoll_create1(0);
  long timeout_ms = -1;
};

std::size_t discard(char* /*bytes*/, std::size_t size, std::size_t count, void* /*data*/) { return size * count; }

int on_socket(CURL* /*easy*/, curl_socket_t fd, int what, void* data, void* known) {
  const auto& client = *static_cast<Client*>(data);
  epoll_event event{};
  event.data.fd = fd;
  event.events =
      ((what & CURL_POLL_IN) != 0 ? unsigned{EPOLLIN} : 0U) | ((what & CURL_POLL_OUT) != 0 ? unsigned{EPOLLOUT} : 0U);
  const int operation = what == CURL_POLL_REMOVE ? EPOLL_CTL_DEL : known == nullptr ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  epoll_ctl(client.epoll, operation, fd, &event);
  if (what != CURL_POLL_REMOVE) curl_multi_assign(client.multi, fd, data);
  return 0;
}

int on_timer(CURLM* /*multi*/, long timeout_ms, void* data) {
  static_cast<Client*>(data)->timeout_ms = timeout_ms;
  return 0;
}

void add(const Client& client, const std::string& url) {
  static const std::string body = R"({"model":"m","max_tokens":10,"messages":[{"role":"user","content":"hi"}]})";
  CURL* const easy = curl_easy_init();
  curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
  curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body.c_str());
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, discard);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_multi_add_handle(client.multi, easy);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  curl_global_init(CURL_GLOBAL_DEFAULT);
  const std::string url = argv[1];
  const long count = std::strtol(argv[2], nullptr, 10);
  const long at_once = std::strtol(argv[3], nullptr, 10);
  Client client;
  curl_multi_setopt(client.multi, CURLMOPT_SOCKETFUNCTION, on_socket);
  curl_multi_setopt(client.multi, CURLMOPT_SOCKETDATA, &client);
  curl_multi_setopt(client.multi, CURLMOPT_TIMERFUNCTION, on_timer);
  curl_multi_setopt(client.multi, CURLMOPT_TIMERDATA, &client);
  long added = 0;
  long good = 0;
  for (; added < at_once && added < count; ++added) add(client, url);
  for (long ended = 0; ended < count;) {
    epoll_event events[256];
    const int ready = epoll_wait(client.epoll, events, 256, static_cast<int>(client.timeout_ms));
    int running = 0;
    if (ready == 0) curl_multi_socket_action(client.multi, CURL_SOCKET_TIMEOUT, 0, &running);
    for (int i = 0; i < ready; ++i) curl_multi_socket_action(client.multi, events[i].data.fd, 0, &running);
    int left = 0;
    while (const CURLMsg* const message = curl_multi_info_read(client.multi, &left)) {
      CURL* const easy = message->easy_handle;
      good += message->data.result == CURLE_OK ? 1 : 0;
      ++ended;
      curl_multi_remove_handle(client.multi, easy);
      curl_easy_cleanup(easy);
      if (added < count) ++added, add(client, url);
    }
  }
  std::printf("%ld\n", good);
  return good == count ? 0 : 1;
}
