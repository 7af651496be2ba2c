#include "courier/call.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <fmt/core.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "courier/files.h"
#include "io/files.h"

namespace baton::courier {
namespace {

void drop(curl_slist*& list) {
  for (const curl_slist* item = list; item != nullptr; item = item->next) {
    ::explicit_bzero(item->data, ::strlen(item->data));
  }
  ::curl_slist_free_all(std::exchange(list, nullptr));
}

/// HOST:PORT of a URL as libcurl reads it; empty if it does not.
std::string host_of(const std::string& url) {
  const std::unique_ptr<CURLU, decltype(&::curl_url_cleanup)> parts{::curl_url(), ::curl_url_cleanup};
  char* host = nullptr;
  char* port = nullptr;
  std::string found;
  if (::curl_url_set(parts.get(), CURLUPART_URL, url.c_str(), CURLU_GUESS_SCHEME) == CURLUE_OK &&
      ::curl_url_get(parts.get(), CURLUPART_HOST, &host, 0) == CURLUE_OK &&
      ::curl_url_get(parts.get(), CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) == CURLUE_OK) {
    found = fmt::format("{}:{}", host, port);
  }
  ::curl_free(host);
  ::curl_free(port);
  return found;
}

bool has(const std::vector<HeaderField>& headers, const char* name) {
  return std::ranges::any_of(headers, [&](const HeaderField& h) { return ::strcasecmp(h.first.c_str(), name) == 0; });
}

}  // namespace

std::int64_t monotonic_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

Surroundings::~Surroundings() {
  for (std::string& entry : env) wipe(entry);
}

std::string_view Surroundings::variable(std::string_view name) const {
  for (const std::string_view entry : env) {
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=') {
      return entry.substr(name.size() + 1);
    }
  }
  return {};
}

std::string_view Surroundings::proxy_for(std::string_view url) const {
  // HTTP_PROXY in capitals is left out: where programs answer web requests, it is a header of whoever asks.
  constexpr const char* https[] = {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"};
  constexpr const char* http[] = {"http_proxy", "all_proxy", "ALL_PROXY"};
  const auto first = [&](const auto& names) -> std::string_view {
    for (const char* const name : names) {
      if (const std::string_view value = variable(name); !value.empty()) return value;
    }
    return {};
  };
  return url.starts_with("https:") ? first(https) : first(http);
}

Call::~Call() {
  if (easy != nullptr) ::curl_easy_cleanup(easy);
  drop(headers_);
  drop(forget_);
  wipe(key_);
}

std::optional<std::string> Call::prepare(std::string key, CURLSH* share) {
  key_ = std::move(key);
  veil_ = Veil{key_};
  progress_ = Progress{request.idle_events};
  easy = ::curl_easy_init();
  if (easy == nullptr) return "there is not enough memory";
  const auto set = [this](CURLoption option, auto value) { ::curl_easy_setopt(easy, option, value); };
  set(CURLOPT_PRIVATE, this);
  set(CURLOPT_ERRORBUFFER, error_);
  set(CURLOPT_SHARE, share);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_URL, request.url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);  // a password would stand in the request file
  set(CURLOPT_FOLLOWLOCATION, 0L);
  // A connection of its own for each call, which nobody uses after it. Over one that is shared a single reset would end
  // a hundred answers that are paid for; over one that is kept, what a server sends too much is taken for the next
  // answer, and nothing could tell that it came before it was asked for.
  set(CURLOPT_HTTP_VERSION, long{CURL_HTTP_VERSION_1_1});
  set(CURLOPT_FRESH_CONNECT, 1L);
  set(CURLOPT_FORBID_REUSE, 1L);
  set(CURLOPT_ACCEPT_ENCODING, "gzip, deflate");
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(std::max<std::int64_t>(request.connect_timeout_ms, 1)));
  set(CURLOPT_DNS_CACHE_TIMEOUT, -1L);  // forget_address() says when
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  set(CURLOPT_BUFFERSIZE, 1024L);  // thousands of these are there at once, and answers trickle
  set(CURLOPT_UPLOAD_BUFFERSIZE, 16384L);
  set(CURLOPT_HEADERFUNCTION, &Call::on_header);
  set(CURLOPT_HEADERDATA, this);
  set(CURLOPT_WRITEFUNCTION, &Call::on_body);
  set(CURLOPT_WRITEDATA, this);
  set(CURLOPT_OPENSOCKETFUNCTION, &Call::on_socket);
  set(CURLOPT_OPENSOCKETDATA, this);
  set(CURLOPT_PREREQFUNCTION, &Call::on_request);
  set(CURLOPT_PREREQDATA, this);
  set_headers();
  if (auto wrong = set_body()) return wrong;
  return set_route();
}

std::optional<std::string> Call::set_body() {
  // What is read piece by piece has a buffer of 16 KiB for as long as the call lasts. A small body goes with the head,
  // and needs none (but with TLS): thousands of calls may be there at once.
  constexpr std::int64_t small = 32 << 10;
  std::int64_t size = -1;
  if (request.body) {
    size = static_cast<std::int64_t>(request.body->size());
  } else if (!request.body_file.empty()) {
    auto file = open_regular(request.body_file);
    if (!file) return file.error();
    body_file_ = std::move(file->file);
    size = static_cast<std::int64_t>(file->size);
    if (size <= small) {
      if (auto wrong = take_in_body(static_cast<std::size_t>(size))) return wrong;
    }
  }
  body_bytes_ = std::max<std::int64_t>(size, 0);
  if (size >= 0) {
    ::curl_easy_setopt(easy, CURLOPT_POST, 1L);
    ::curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(size));
    if (size <= small) {
      ::curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body->data());
    } else {
      ::curl_easy_setopt(easy, CURLOPT_READFUNCTION, &Call::on_read);
      ::curl_easy_setopt(easy, CURLOPT_READDATA, this);
    }
  } else if (request.method == "POST") {
    ::curl_easy_setopt(easy, CURLOPT_POSTFIELDS, "");
    ::curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, 0L);
  } else if (request.method == "HEAD") {
    ::curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
  }
  ::curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  return std::nullopt;
}

std::optional<std::string> Call::take_in_body(std::size_t size) {
  request.body.emplace(size, '\0');
  const ssize_t got = ::pread(body_file_.get(), request.body->data(), size, 0);
  if (got < 0) return fmt::format("{}: {}", request.body_file, ::strerror(errno));
  if (static_cast<std::size_t>(got) < size) return fmt::format("{}: it became shorter meanwhile", request.body_file);
  body_file_.close();
  return std::nullopt;
}

std::optional<std::string> Call::set_route() {
  const Surroundings& around = *order.around;
  const std::string proxy = request.proxy ? *request.proxy : std::string{around.proxy_for(request.url)};
  ::curl_easy_setopt(easy, CURLOPT_PROXY, proxy.c_str());
  if (!proxy.empty() && !request.proxy) {
    std::string_view exempt = around.variable("no_proxy");
    if (exempt.empty()) exempt = around.variable("NO_PROXY");
    ::curl_easy_setopt(easy, CURLOPT_NOPROXY, std::string{exempt}.c_str());
  }
  const std::string system_ca{around.variable("SSL_CERT_FILE")};
  const std::string& ca = request.ca_file.empty() ? system_ca : request.ca_file;
  if (!ca.empty()) ::curl_easy_setopt(easy, CURLOPT_CAINFO, ca.c_str());
  ::curl_easy_setopt(easy, CURLOPT_CAPATH, nullptr);  // with a folder, libcurl would read all of it for each connection
  const std::string target = host_of(request.url);
  if (target.empty()) return "the URL makes no sense";
  lookups_ = {target};
  host_ = target;
  if (!proxy.empty()) {
    lookups_.push_back(host_of(proxy));
    host_ += " by " + lookups_.back();
  }
  return std::nullopt;
}

void Call::forget_address() {
  for (const std::string& place : lookups_) {
    if (!place.empty()) forget_ = ::curl_slist_append(forget_, ("-" + place).c_str());
  }
  ::curl_easy_setopt(easy, CURLOPT_RESOLVE, forget_);
}

void Call::add_header(const std::string& name, std::string_view value) {
  std::string line = value.empty() ? name + ";" : fmt::format("{}: {}", name, value);
  headers_ = ::curl_slist_append(headers_, line.c_str());
  wipe(line);
}

void Call::set_headers() {
  for (const auto& [name, value] : request.headers) add_header(name, value);
  if (!request.headers_env.empty()) {
    for (auto& [name, value] : header_lines(order.around->variable(request.headers_env))) {
      add_header(name, value);
      veil_.add(value);
      wipe(value);
    }
  }
  if (request.auth) {
    std::string value = request.auth->prefix + key_;
    add_header(request.auth->header, value);
    wipe(value);
  }
  headers_ = ::curl_slist_append(headers_, "Expect:");
  headers_ =
      ::curl_slist_append(headers_, "Connection: close");  // the server closes first, and keeps what is left of it
  if (!has(request.headers, "content-type")) headers_ = ::curl_slist_append(headers_, "Content-Type:");
  ::curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers_);
  if (!has(request.headers, "user-agent")) ::curl_easy_setopt(easy, CURLOPT_USERAGENT, "baton/" BATON_VERSION);
}

std::int64_t Call::deadline_at() const { return request.deadline_ms > 0 ? accepted_at + request.deadline_ms : never; }

std::int64_t Call::idle_at() const {
  const std::int64_t silence = silence_max();
  return connected && silence > 0 ? seen_at_ + silence : never;
}

/// How long a silence may last now; 0: for ever.
std::int64_t Call::silence_max() const {
  return request.first_timeout_ms && !progressed_ ? *request.first_timeout_ms : request.idle_timeout_ms;
}

std::int64_t Call::silence_min() const {
  std::int64_t least = never;
  for (const std::int64_t ms : {request.idle_timeout_ms, request.first_timeout_ms.value_or(0)}) {
    if (ms > 0) least = std::min(least, ms);
  }
  return least;
}

std::string Call::silence() const {
  const char* const what = !request.first_timeout_ms ? "no byte" : progressed_ ? "nothing new" : "no answer";
  return fmt::format("{} came for {} ms", what, silence_max());
}

bool Call::refuse(std::string why) {
  if (trouble_.empty()) trouble_ = std::move(why);
  return false;
}

bool Call::log(std::string_view bytes) {
  if (bytes.empty()) return true;
  if (!log_) log_ = open_log(order.out_path);
  const int error = log_ ? write_all(log_.get(), bytes) : errno;
  return error == 0 || refuse(fmt::format("{}: {}", order.out_path, ::strerror(error)));
}

void Call::close_log() {
  log(veil_.rest());
  log_.close();
}

std::size_t Call::on_header(char* bytes, std::size_t size, std::size_t count, void* data) {
  Call& self = *static_cast<Call*>(data);
  if (!self.request.first_timeout_ms) self.seen_at_ = monotonic_ms();
  if (!self.head_.take({bytes, size * count})) {
    self.refuse("the answer's headers are larger than 64 KiB");
    return 0;
  }
  // A server may say early that it takes no more of it. What it says to a request that it has not read is no answer.
  if (self.head_.is_good() && !self.request_is_sent()) {
    self.answered_early = true;
    self.refuse("an answer came before the request was sent whole");
    return 0;
  }
  if (self.head_.is_whole() && !std::exchange(self.head_logged_, true)) {
    if (!self.log(self.veil_.cover(self.head_.text()))) return 0;
  }
  return size * count;
}

std::size_t Call::on_body(char* bytes, std::size_t size, std::size_t count, void* data) {
  Call& self = *static_cast<Call*>(data);
  if (!self.request.first_timeout_ms || self.progress_.take({bytes, size * count})) {
    self.progressed_ = true;
    self.seen_at_ = monotonic_ms();
  }
  self.bytes_ += static_cast<std::int64_t>(size * count);
  if (self.bytes_ > static_cast<std::int64_t>(Limits::response_bytes_max)) {
    self.refuse("the answer is larger than 1 GiB");
    return 0;
  }
  return self.log(self.veil_.cover({bytes, size * count})) ? size * count : 0;
}

std::size_t Call::on_read(char* bytes, std::size_t size, std::size_t count, void* data) {
  Call& self = *static_cast<Call*>(data);
  self.seen_at_ = monotonic_ms();
  if (self.body_file_) {
    const ssize_t got = ::pread(self.body_file_.get(), bytes, size * count, static_cast<off_t>(self.body_read_));
    if (got < 0) {
      self.refuse(fmt::format("{}: {}", self.request.body_file, ::strerror(errno)));
      return CURL_READFUNC_ABORT;
    }
    self.body_read_ += static_cast<std::size_t>(got);
    return static_cast<std::size_t>(got);
  }
  if (!self.request.body) return 0;
  std::string& body = *self.request.body;
  const std::size_t got = std::min(size * count, body.size() - self.body_read_);
  std::copy_n(body.data() + self.body_read_, got, bytes);
  self.body_read_ += got;
  if (self.body_read_ == body.size()) std::exchange(body, {}), self.body_read_ = 0;  // it is large, and was sent
  return got;
}

curl_socket_t Call::on_socket(void* data, curlsocktype /*purpose*/, curl_sockaddr* address) {
  static_cast<Call*>(data)->opened = true;
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

int Call::on_request(void* data, char* /*remote*/, char* /*local*/, int /*remote_port*/, int /*local_port*/) {
  Call& self = *static_cast<Call*>(data);
  self.connected = true;
  self.seen_at_ = monotonic_ms();
  return CURL_PREREQFUNC_OK;
}

bool Call::request_is_sent() const {
  curl_off_t sent = 0;
  ::curl_easy_getinfo(easy, CURLINFO_SIZE_UPLOAD_T, &sent);
  return sent >= body_bytes_;
}

bool Call::tunnel_refused() const {
  long status = 0;
  ::curl_easy_getinfo(easy, CURLINFO_HTTP_CONNECTCODE, &status);
  return !connected && status >= 300;
}

std::string Call::explain(CURLcode code) const {
  if (code == CURLE_OK) return {};
  if (!trouble_.empty()) return veil_text(trouble_);
  return veil_text(error_[0] != '\0' ? error_ : ::curl_easy_strerror(code));
}

}  // namespace baton::courier
