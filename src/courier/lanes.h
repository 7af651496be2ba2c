#pragma once

#include <curl/curl.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace baton::courier {

/// The transfers under way, spread over several of libcurl's multi handles: for each new request libcurl looks at every
/// connection that the handle has, and with thousands in one that is most of the work. Few calls share one lane.
class Lanes {
 public:
  struct Lane {
    Lanes* all = nullptr;
    CURLM* multi = nullptr;
    std::int64_t due;  ///< when libcurl wants to be called
    std::size_t under_way = 0;
  };
  /// Tells epoll what to look for at a socket.
  using Watch = std::function<void(int fd, std::uint32_t events, int operation)>;

  explicit Lanes(Watch watch) : watch_(std::move(watch)) {}
  ~Lanes();
  Lanes(const Lanes&) = delete;
  Lanes& operator=(const Lanes&) = delete;

  /// Begins the transfer. Null if libcurl does not want to; `code` says why.
  Lane* add(CURL* easy, CURLMcode& code);
  void remove(Lane& lane, CURL* easy);
  /// Something happened at a socket.
  void attend(int fd, std::uint32_t events);
  /// Does what is due.
  void tick(std::int64_t now);
  /// When something is due again.
  [[nodiscard]] std::int64_t due() const;
  /// The next transfer that has ended, and how; null: none has.
  CURL* next_ended(CURLcode& code);
  [[nodiscard]] std::size_t under_way() const { return under_way_; }

 private:
  static int on_socket(CURL* easy, curl_socket_t fd, int what, void* lane, void* known);
  static int on_timer(CURLM* multi, long timeout_ms, void* lane);
  Lane& with_room();

  Watch watch_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<Lane*> by_socket_;
  std::size_t under_way_ = 0;
};

}  // namespace baton::courier
