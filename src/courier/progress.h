#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace baton::courier {

/// Tells whether a stream of server-sent events goes on: bytes of an event's data are progress, and those of events
/// that only keep the connection open are not. It knows no protocol: whoever makes the request says how such events are
/// called (by their `event:`, or by the `type` that their JSON begins with). Comments and blank lines are nothing.
class Progress {
 public:
  Progress() = default;
  explicit Progress(std::vector<std::string> idle_events) : idle_events_(std::move(idle_events)) {}

  /// True if there is progress in these bytes; they may be cut anywhere.
  bool take(std::string_view bytes);

 private:
  void keep(std::string_view piece);
  [[nodiscard]] std::string_view line() const { return {line_.data(), line_bytes_}; }
  bool end_line();
  [[nodiscard]] bool counts(bool is_whole) const;
  [[nodiscard]] bool is_idle(std::string_view name) const;

  std::vector<std::string> idle_events_;
  std::array<char, 96> line_{};  ///< how the present line begins
  std::size_t line_bytes_ = 0;
  bool in_idle_event_ = false;
  bool after_cr_ = false;  ///< an LF that comes now belongs to the line end before it
};

}  // namespace baton::courier
