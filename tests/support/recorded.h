#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "journal/event_codec.h"
#include "journal/journal.h"
#include "support/story.h"

namespace baton::test {

inline Lease lease_for(const std::string& run, const std::string& owner = "me") {
  return {.run = run, .owner = owner, .host = "here", .pid = 7};
}
inline bool nobody_is_dead(const Lease& /*lease*/) { return false; }
inline bool everybody_is_dead(const Lease& /*lease*/) { return true; }

/// A story that is written down in a journal as it is told.
class Recorded {
 public:
  Recorded(Journal& journal, const std::string& id, std::string_view graph)
      : story(graph), journal_(journal), id_(id) {}

  Story story;
  Lease lease;

  Status take(const std::string& owner = "me", bool (*is_dead)(const Lease&) = nobody_is_dead) {
    auto got = journal_.acquire(lease_for(id_, owner), story.now, Millis{1000}, is_dead);
    if (!got) return std::unexpected(got.error());
    lease = *got;
    return {};
  }
  /// Appends what happened since the last time.
  Status store(const std::vector<std::int64_t>& consumed = {}) {
    const std::vector<Event> fresh(story.history.begin() + static_cast<std::ptrdiff_t>(stored_), story.history.end());
    auto done = journal_.append(lease, static_cast<Seq>(stored_), fresh, story.run, consumed);
    if (done) stored_ = story.history.size();
    return done;
  }
  [[nodiscard]] std::size_t stored() const { return stored_; }

 private:
  Journal& journal_;
  std::string id_;
  std::size_t stored_ = 0;
};

inline std::string written(const std::vector<Event>& events) {
  std::string text;
  for (const Event& e : events) {
    text += std::to_string(to_ms(e.at)) + " " + std::string{kind_of(e.body)} + " " + encode(e.body) + "\n";
  }
  return text;
}

}  // namespace baton::test
