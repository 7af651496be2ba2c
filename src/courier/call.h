#pragma once

#include <curl/curl.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "courier/ending.h"
#include "courier/lanes.h"
#include "courier/progress.h"
#include "courier/request.h"
#include "courier/response_head.h"
#include "courier/veil.h"
#include "io/descriptor.h"

namespace baton::courier {

std::int64_t monotonic_ms();
constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();  ///< on that clock

/// What a run's calls find around them. In memory only: it holds secrets.
struct Surroundings {
  std::string folder;
  std::vector<std::string> env;

  ~Surroundings();
  /// The value of a variable; nothing for one that is not set or empty.
  std::string_view variable(std::string_view name) const;
  /// As a shell's user means them: by the scheme, then for all.
  std::string_view proxy_for(std::string_view url) const;
};

struct Order {
  std::uint64_t id = 0;
  std::string request_path;
  std::string out_path;
  std::string err_path;
  std::shared_ptr<const Surroundings> around;
};

/// One HTTP call from its order to the end of its transfer: libcurl's handle, and the log that the answer goes to.
class Call {
 public:
  explicit Call(Order its_order) : order(std::move(its_order)), accepted_at(monotonic_ms()) {}
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// Makes it ready to be handed to libcurl; otherwise says why that cannot be.
  std::optional<std::string> prepare(std::string key, CURLSH* share);
  /// It is to look its host's address up, whatever is known.
  void forget_address();
  /// The host (and the proxy) as Gates knows it. REQUIRES: prepare() went well.
  const std::string& host() const { return host_; }

  /// When it has taken too long: of all of it, or of silence. REQUIRES: `request` was read.
  std::int64_t deadline_at() const;
  std::int64_t idle_at() const;
  /// The shortest silence that may end it; `never`: none does.
  std::int64_t silence_min() const;
  /// What did not come, and for how long.
  std::string silence() const;

  /// Writes what is left for the log. Nothing more comes.
  void close_log();
  /// A message about how it ended, without the key.
  std::string explain(CURLcode code) const;
  std::string veil_text(std::string_view text) const { return veiled(text, key_); }
  std::int64_t bytes() const { return bytes_; }
  bool tunnel_refused() const;

  const Order order;
  const std::int64_t accepted_at;
  Request request = {};
  CURL* easy = nullptr;
  Lanes::Lane* lane = nullptr;  ///< where it is under way
  std::int64_t timer = 0;       ///< when it is looked at; 0: not at all

  bool opened = false;          ///< it has an address: a socket was made for it
  bool connected = false;       ///< the request is on its way
  bool answered_early = false;  ///< an answer came before the request was sent whole: it is nobody's

 private:
  static std::size_t on_header(char* bytes, std::size_t size, std::size_t count, void* self);
  static std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* self);
  static std::size_t on_read(char* bytes, std::size_t size, std::size_t count, void* self);
  static curl_socket_t on_socket(void* self, curlsocktype purpose, curl_sockaddr* address);
  static int on_request(void* self, char* remote, char* local, int remote_port, int local_port);

  bool request_is_sent() const;
  std::optional<std::string> set_body();
  std::optional<std::string> take_in_body(std::size_t size);
  std::optional<std::string> set_route();
  void set_headers();
  void add_header(const std::string& name, std::string_view value);
  std::int64_t silence_max() const;
  bool log(std::string_view bytes);
  bool refuse(std::string why);

  std::string key_;
  Veil veil_;
  ResponseHead head_;
  std::string host_;
  std::vector<std::string> lookups_;  // HOST:PORT of what may have to be looked up
  curl_slist* headers_ = nullptr;
  curl_slist* forget_ = nullptr;
  Descriptor body_file_;
  std::size_t body_read_ = 0;
  std::int64_t body_bytes_ = 0;
  Descriptor log_;
  bool head_logged_ = false;
  std::int64_t bytes_ = 0;
  Progress progress_;
  bool progressed_ = false;
  std::int64_t seen_at_ = 0;  // progress
  std::string trouble_;       // why we ended it ourselves
  char error_[CURL_ERROR_SIZE] = "";
};

}  // namespace baton::courier
