#pragma once

#include <sys/types.h>

#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "courier/call.h"
#include "courier/request.h"
#include "io/descriptor.h"

namespace baton::courier {

/// Gets keys from where a request says they are. They live in memory only, and no longer than needed.
class Keys {
 public:
  using Key = std::expected<std::string, std::string>;  ///< or why there is none; never a word of the key
  using Taker = std::function<void(Key)>;
  using Watch = std::function<void(int fd, bool on)>;  ///< tells the loop which descriptors to look at

  explicit Keys(Watch watch) : watch_(std::move(watch)) {}
  ~Keys();
  Keys(const Keys&) = delete;
  Keys& operator=(const Keys&) = delete;

  /// Answers at once, or, where a command is to be asked, later. One command at a time is asked for all who want the
  /// same.
  void fetch(const KeySource& source, const std::shared_ptr<const Surroundings>& around, Taker taker);
  /// A watched descriptor has news. False if it is none of ours.
  bool heard(int fd);
  /// Ends commands that take too long, forgets what is old. When to come again.
  std::int64_t tend(std::int64_t now);

 private:
  /// Commands are the same if their words and what they find around them are.
  using Name = std::pair<const Surroundings*, std::vector<std::string>>;
  struct Asked {
    Name name;
    std::shared_ptr<const Surroundings> around;
    pid_t pid = 0;
    Descriptor process = {};  ///< readable when it has ended
    Descriptor output = {};
    std::int64_t kill_at = 0;
    bool overran = false;
    std::vector<Taker> takers = {};
  };
  struct Kept {
    std::shared_ptr<const Surroundings> around;
    std::string key;
    std::int64_t until = 0;
  };

  void ask(const KeySource& source, const std::shared_ptr<const Surroundings>& around, Taker taker);
  static Key answer_of(Asked& asked);

  Watch watch_;
  std::map<int, Asked> asked_;  // by the descriptor of the process
  std::map<Name, Kept> kept_;
};

}  // namespace baton::courier
