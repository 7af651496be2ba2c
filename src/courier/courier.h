#pragma once

#include <curl/curl.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/frame.h"
#include "courier/call.h"
#include "courier/ending.h"
#include "courier/gates.h"
#include "courier/keys.h"
#include "courier/lanes.h"

namespace baton::courier {

/// Makes the HTTP calls that the holder at the other end of a socket asks for, all of them in one loop. It decides
/// nothing and tries nothing twice: an order in, the answer into the order's files, then word that it has ended.
class Courier {
 public:
  /// `calls_max`: so many are under way at once; others wait.
  Courier(int holder, std::size_t calls_max);
  ~Courier();
  Courier(const Courier&) = delete;
  Courier& operator=(const Courier&) = delete;

  /// Until the holder is gone or talks nonsense. True if it is gone.
  bool serve();

 private:
  using Id = std::uint64_t;

  // The holder.
  void hear();
  bool obey(const Message& message);
  bool learn(MessageReader& reader);
  void say(const Message& message);
  void flush();

  // The loop.
  void watch(int fd, std::uint32_t events, int operation) const;
  std::int64_t turn();
  void attend(int fd, std::uint32_t events);

  // The life of a call.
  void accept(Order order);
  void take_key(Id id, Keys::Key key);
  void enter(Call& call);
  void begin_ready();
  void begin(Call& call);
  void arm(Call& call);
  void check_times(std::int64_t now);
  void check_leaders(std::int64_t now);
  void collect();
  void conclude(Call& call, CURLcode code);
  void finish(Call& call, Ending ending, const std::string& message);
  void go_on(const std::string& host, Id id, Gates::Outcome outcome, std::int64_t now, const std::string& why = {});
  Call* find(Id id);

  int holder_;
  std::size_t calls_max_;
  int epoll_;
  std::unique_ptr<CURLSH, CURLSHcode (*)(CURLSH*)> share_;  // outlives the lanes
  Lanes lanes_;
  std::string in_;
  std::string out_;
  bool watches_output_ = false;
  bool gone_ = false;
  bool nonsense_ = false;
  std::map<std::string, std::shared_ptr<const Surroundings>> runs_;
  std::map<Id, std::unique_ptr<Call>> calls_;
  std::set<std::pair<std::int64_t, Id>> timers_;
  std::deque<Id> ready_;  // may be given to libcurl
  std::set<Id> leaders_;  // look up an address for others
  Gates gates_;
  Keys keys_;
};

}  // namespace baton::courier
