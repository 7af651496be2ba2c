#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/frame.h"
#include "host/attempt_host.h"

namespace baton {

/// An exit record from the fields the holder gives it (step, attempt, pid, exit or "-", signal or "-", deadline,
/// stopped, started, finished, spawn error), beginning at `first`.
std::optional<ExitRecord> parse_exit(const std::string& run, const Message& fields, std::size_t first);

/// The fields of the record, as parse_exit() takes them.
Message exit_fields(const ExitRecord& record);

/// What the holder wrote down about a run: which attempts were started and how they ended. Lines that are torn or
/// damaged read as absent, whatever stands around them.
class HeldLog {
 public:
  using Key = std::pair<std::string, int>;  // step, attempt

  HeldLog(std::string run, std::string path) : run_(std::move(run)), path_(std::move(path)) {}

  /// Reads what was added since the last time. A file that is not there is an empty one.
  void refresh();

  /// Takes in more of the log; only whole lines count, the rest is kept until its end comes.
  void take(std::string_view bytes);

  bool started(const Key& key) const { return started_.contains(key); }
  const ExitRecord* exit(const Key& key) const;
  const std::map<Key, ExitRecord>& exits() const { return exits_; }
  const std::string& path() const { return path_; }

 private:
  void take_line(std::string_view line);

  std::string run_;
  std::string path_;
  std::int64_t offset_ = 0;
  std::string rest_;
  std::set<Key> started_;
  std::map<Key, ExitRecord> exits_;
};

}  // namespace baton
