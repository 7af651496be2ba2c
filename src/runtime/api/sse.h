#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace baton::api {

/// One event of a stream of server-sent events.
struct SseEvent {
  std::string name;  ///< of its `event:` field; empty: `message`
  std::string data;  ///< its `data:` lines, joined by '\n'

  bool operator==(const SseEvent&) const = default;
};

/// Reads server-sent events from bytes cut anywhere: lines that end in CR, LF or CRLF, comments, a byte order mark,
/// several `data:` lines, fields that nobody knows. What it tells is the same however the bytes were cut.
class SseReader {
 public:
  static constexpr std::size_t event_bytes_max = 16U << 20U;

  std::vector<SseEvent> read(std::string_view bytes);
  /// The stream has ended. By the standard an event that no empty line has closed is none; but servers that forget that
  /// line are many, so it is told too. Whether it is whole, its reader sees.
  std::vector<SseEvent> end();

  /// `retry:` as it was last told, in milliseconds; 0: never.
  [[nodiscard]] long long retry_ms() const { return retry_ms_; }
  /// How many events were longer than all measure, and passed over.
  [[nodiscard]] std::size_t passed_over() const { return passed_over_; }

 private:
  void finish_line(std::vector<SseEvent>& events);
  void take_line(std::string_view line);
  void take_field(std::string_view name, std::string_view value);
  void dispatch(std::vector<SseEvent>& events);
  void keep(std::string_view piece);

  std::string line_;  ///< begun, but not ended yet
  std::size_t line_bytes_ = 0;
  std::size_t event_bytes_ = 0;  ///< of all lines of the present event
  SseEvent event_;
  bool has_data_ = false;
  bool after_cr_ = false;       ///< an LF that comes now belongs to the line end before it
  std::size_t mark_bytes_ = 0;  ///< of a byte order mark at the very beginning, so far
  bool began_ = false;
  long long retry_ms_ = 0;
  std::size_t passed_over_ = 0;
};

}  // namespace baton::api
