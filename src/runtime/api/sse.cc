#include "runtime/api/sse.h"

#include <utility>

#include "base/number.h"
#include "base/utf8.h"

namespace baton::api {
namespace {}  // namespace

std::vector<SseEvent> SseReader::read(std::string_view bytes) {
  std::vector<SseEvent> events;
  // A byte order mark may itself come in pieces; what only looked like one is given back to the first line.
  while (!began_ && !bytes.empty()) {
    if (bytes.front() != byte_order_mark[mark_bytes_]) {
      keep(byte_order_mark.substr(0, mark_bytes_));
      began_ = true;
    } else {
      bytes.remove_prefix(1);
      began_ = ++mark_bytes_ == byte_order_mark.size();
    }
  }
  while (!bytes.empty()) {
    if (std::exchange(after_cr_, false) && bytes.front() == '\n') {
      bytes.remove_prefix(1);
      continue;
    }
    const auto end = bytes.find_first_of("\r\n");
    if (end == std::string_view::npos) {
      keep(bytes);
      break;
    }
    after_cr_ = bytes[end] == '\r';
    keep(bytes.substr(0, end));
    finish_line(events);
    bytes.remove_prefix(end + 1);
  }
  return events;
}

void SseReader::keep(std::string_view piece) {
  line_bytes_ += piece.size();
  event_bytes_ += piece.size();
  if (event_bytes_ > event_bytes_max) {
    line_ = {};
    event_ = {};
  } else {
    line_ += piece;
  }
}

void SseReader::finish_line(std::vector<SseEvent>& events) {
  if (line_bytes_ == 0) return dispatch(events);
  if (event_bytes_ <= event_bytes_max) take_line(line_);
  line_.clear();
  line_bytes_ = 0;
}

std::vector<SseEvent> SseReader::end() {
  std::vector<SseEvent> events;
  if (!began_) keep(byte_order_mark.substr(0, mark_bytes_));
  began_ = true;
  if (line_bytes_ > 0) finish_line(events);
  dispatch(events);
  return events;
}

void SseReader::take_line(std::string_view line) {
  if (line.front() == ':') return;
  const auto colon = line.find(':');
  std::string_view value = colon == std::string_view::npos ? std::string_view{} : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  take_field(line.substr(0, colon), value);
}

void SseReader::take_field(std::string_view name, std::string_view value) {
  if (name == "event") {
    event_.name = value;
  } else if (name == "data") {
    if (has_data_) event_.data += '\n';
    event_.data += value;
    has_data_ = true;
  } else if (name == "retry") {
    if (const auto ms = parse_whole<long long>(value); ms && *ms >= 0) retry_ms_ = *ms;
  }
}

void SseReader::dispatch(std::vector<SseEvent>& events) {
  if (event_bytes_ > event_bytes_max) {
    ++passed_over_;
  } else if (has_data_) {
    events.push_back(std::move(event_));
  }
  event_ = {};
  has_data_ = false;
  event_bytes_ = 0;
}

}  // namespace baton::api
