#include "text/iso_time.h"

namespace baton {
namespace {

/// Takes so many digits off the front; nothing if they are not there.
std::optional<int> take_number(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return std::nullopt;
  int value = 0;
  for (const char c : text.substr(0, digits)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  text.remove_prefix(digits);
  return value;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

/// The thousandths of a fraction of any length.
int take_fraction(std::string_view& text) {
  int ms = 0;
  for (int place = 100; !text.empty() && text.front() >= '0' && text.front() <= '9'; place /= 10) {
    ms += place * (text.front() - '0');
    text.remove_prefix(1);
  }
  return ms;
}

/// Behind UTC by so much; nothing if there is something else.
std::optional<std::chrono::minutes> take_zone(std::string_view text) {
  if (text.empty() || text == "Z" || text == "z") return std::chrono::minutes{0};
  const int sign = text.front() == '-' ? -1 : 1;
  if (!take(text, '+') && !take(text, '-')) return std::nullopt;
  const auto hours = take_number(text, 2);
  take(text, ':');
  const auto minutes = take_number(text, 2);
  if (!hours || !minutes || !text.empty()) return std::nullopt;
  return std::chrono::minutes{sign * (*hours * 60 + *minutes)};
}

}  // namespace

std::optional<Time> read_time(std::string_view text) {
  const auto year = take_number(text, 4);
  if (!year || !take(text, '-')) return std::nullopt;
  const auto month = take_number(text, 2);
  if (!month || !take(text, '-')) return std::nullopt;
  const auto day = take_number(text, 2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{*year}, std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok()) return std::nullopt;
  Time time = std::chrono::time_point_cast<Millis>(std::chrono::sys_days{date});
  if (text.empty()) return time;
  if (!take(text, 'T') && !take(text, ' ')) return std::nullopt;
  const auto hour = take_number(text, 2);
  if (!hour || !take(text, ':')) return std::nullopt;
  const auto minute = take_number(text, 2);
  if (!minute) return std::nullopt;
  const auto second = take(text, ':') ? take_number(text, 2) : std::optional{0};
  if (!second || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  const int ms = take(text, '.') ? take_fraction(text) : 0;
  const auto zone = take_zone(text);
  if (!zone) return std::nullopt;
  return time + std::chrono::hours{*hour} + std::chrono::minutes{*minute} + std::chrono::seconds{*second} + Millis{ms} -
         *zone;
}

std::string utc_seconds(std::int64_t ms) { return rfc3339(time_from_ms(ms)).substr(0, 19) + "Z"; }

std::string bus_time(Time time) {
  std::string text = rfc3339(time);
  text.pop_back();  // the Z
  return text + "+00:00";
}

}  // namespace baton
