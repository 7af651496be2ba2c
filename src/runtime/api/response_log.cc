#include "runtime/api/response_log.h"

#include "base/number.h"
#include "base/text.h"

namespace baton::api {
namespace {

constexpr std::string_view opening = "baton-http/1 ";

}  // namespace

std::string_view ResponseLog::read(std::string_view bytes) {
  while (state_ == State::head && !bytes.empty()) {
    const auto end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    head_bytes_ += piece.size() + (end == std::string_view::npos ? 0 : 1);
    if (head_bytes_ > head_bytes_max) {
      state_ = State::broken;
      break;
    }
    line_ += piece;
    if (end == std::string_view::npos) return {};
    bytes.remove_prefix(end + 1);
    if (!take_line(line_)) state_ = State::broken;
    line_.clear();
  }
  return state_ == State::body ? bytes : std::string_view{};
}

bool ResponseLog::take_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (head_.status == 0) {
    if (!line.starts_with(opening)) return false;
    line.remove_prefix(opening.size());
    const int status = parse_whole<int>(line).value_or(0);
    if (status < 100 || status > 999) return false;
    head_.status = status;
    return true;
  }
  if (line.empty()) {
    state_ = State::body;
    return true;
  }
  const auto colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return true;  // not ours to judge
  head_.headers.emplace_back(line.substr(0, colon), trim(line.substr(colon + 1)));
  return true;
}

}  // namespace baton::api
