#include "courier/progress.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace baton::courier {
namespace {

constexpr std::string_view name_field = "event:";
constexpr std::string_view data_field = "data:";

}  // namespace

bool Progress::take(std::string_view bytes) {
  bool goes_on = false;
  while (!bytes.empty()) {
    if (std::exchange(after_cr_, false) && bytes.front() == '\n') {
      bytes.remove_prefix(1);
      continue;
    }
    const auto end = bytes.find_first_of("\r\n");
    keep(bytes.substr(0, end));
    if (end == std::string_view::npos) return counts(false) || goes_on;
    after_cr_ = bytes[end] == '\r';
    goes_on = end_line() || goes_on;
    bytes.remove_prefix(end + 1);
  }
  return goes_on;
}

void Progress::keep(std::string_view piece) {
  const std::size_t size = std::min(piece.size(), line_.size() - line_bytes_);
  std::copy_n(piece.begin(), size, line_.begin() + static_cast<std::ptrdiff_t>(line_bytes_));
  line_bytes_ += size;
}

bool Progress::end_line() {
  const bool goes_on = counts(true);
  if (line_bytes_ == 0) in_idle_event_ = false;
  if (line().starts_with(name_field)) in_idle_event_ = is_idle(trim(line().substr(name_field.size())));
  line_bytes_ = 0;
  return goes_on;
}

/// The line is data of an event that counts, as far as it has come.
bool Progress::counts(bool is_whole) const {
  if (in_idle_event_ || !line().starts_with(data_field)) return false;
  std::string data{line().substr(data_field.size())};
  std::erase(data, ' ');
  if (data.empty()) return false;
  return std::ranges::none_of(idle_events_, [&](const std::string& name) {
    const std::string mark = "{\"type\":\"" + name + "\"";
    return data.starts_with(mark) || (!is_whole && mark.starts_with(data));
  });
}

bool Progress::is_idle(std::string_view name) const {
  return std::ranges::find(idle_events_, name) != idle_events_.end();
}

}  // namespace baton::courier
