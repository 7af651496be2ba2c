#include "courier/response_head.h"

#include <fmt/core.h>

#include "base/number.h"
#include "base/text.h"

namespace baton::courier {
namespace {

int status_of(std::string_view line) {
  const auto blank = line.find(' ');
  if (blank == std::string_view::npos) return 0;
  line.remove_prefix(blank + 1);
  return take_number<int>(line).value_or(0);
}

char lowered(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 32) : c; }

char on_one_line(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c; }

}  // namespace

bool ResponseHead::take(std::string_view line) {
  if (whole_) return true;  // what follows a body is of no use to anybody
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  if (line.starts_with("HTTP/")) {
    status_ = status_of(line);
    text_ = fmt::format("baton-http/1 {}\n", status_);
  } else if (!line.empty()) {
    add(line);
  } else if (status_ >= 200) {
    text_ += '\n';
    whole_ = true;
  }
  return text_.size() <= bytes_max;
}

void ResponseHead::add(std::string_view line) {
  const bool goes_on =
      line.front() == ' ' || line.front() == '\t';  // the value of the line before, as it once was done
  const auto colon = goes_on ? std::string_view::npos : line.find(':');
  if (goes_on && text_.find('\n') + 1 < text_.size()) {
    text_.back() = ' ';
  } else if (colon == std::string_view::npos || colon == 0) {
    return;
  } else {
    for (const char c : trim(line.substr(0, colon))) text_ += lowered(on_one_line(c));
    text_ += ": ";
  }
  for (const char c : trim(goes_on ? line : line.substr(colon + 1))) text_ += on_one_line(c);
  text_ += '\n';
}

}  // namespace baton::courier
