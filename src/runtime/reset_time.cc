#include "runtime/reset_time.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/number.h"
#include "base/text.h"

namespace baton {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;

/// The text as a program shows it may be old: what has passed so recently is this reset, not tomorrow's.
constexpr Millis just_passed{hours{1}};
/// Of a session's window a reset is never further off than this; clocks differ a little.
constexpr Millis session_window{hours{5} + minutes{15}};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return lower(c) >= 'a' && lower(c) <= 'z'; }

std::size_t find_word(std::string_view text, std::string_view word) {
  const auto found = std::ranges::search(text, word, {}, lower, lower);
  return found.empty() ? std::string_view::npos : static_cast<std::size_t>(found.begin() - text.begin());
}

/// Seconds, or milliseconds, since 1970.
std::optional<Time> moment_in(std::string_view text) {
  constexpr std::string_view mark = "limit reached|";
  const auto at = find_word(text, mark);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + mark.size());
  std::int64_t moment = take_number<std::int64_t>(text).value_or(0);
  constexpr std::int64_t seconds_min = 1'000'000'000;
  constexpr std::int64_t seconds_max = 4'102'444'800;
  if (moment > seconds_max) moment /= 1000;
  if (moment < seconds_min || moment > seconds_max) return std::nullopt;
  return time_from_ms(moment * 1000);
}

/// What a clock on the wall shows, perhaps on a day.
struct WallTime {
  unsigned month = 0;  ///< 0: no day is named
  unsigned day = 0;
  minutes since_midnight{0};
  std::string_view zone;
};

/// Reads words and numbers one after another.
class Words {
 public:
  explicit Words(std::string_view text) : rest_{text} {}

  std::optional<WallTime> read() {
    WallTime time;
    while (skip_blanks(), takes("at") || takes("on")) {
    }
    if (!rest_.empty() && is_letter(rest_.front())) {
      time.month = month();
      skip_blanks();
      time.day = number(31);
      if (time.month == 0 || time.day == 0) return std::nullopt;
      skip_blanks();
      takes("at");
      skip_blanks();
    }
    const auto clock = clock_time();
    if (!clock) return std::nullopt;
    time.since_midnight = *clock;
    time.zone = zone();
    return time;
  }

 private:
  void skip_blanks() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == ',')) rest_.remove_prefix(1);
  }

  /// The word, and not the beginning of a longer one.
  bool takes(std::string_view word) {
    if (rest_.size() < word.size() || !std::ranges::equal(rest_.substr(0, word.size()), word, {}, lower)) return false;
    if (rest_.size() > word.size() && is_letter(rest_[word.size()])) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  /// 0 if there is none, or one larger than that.
  unsigned number(unsigned most) {
    std::string_view rest = rest_;
    const unsigned value = take_number<unsigned>(rest).value_or(0);
    if (value > most) return 0;
    rest_ = rest;
    return value;
  }

  unsigned month() {
    constexpr std::array<std::string_view, 12> months = {"jan", "feb", "mar", "apr", "may", "jun",
                                                         "jul", "aug", "sep", "oct", "nov", "dec"};
    std::string word;
    while (!rest_.empty() && is_letter(rest_.front())) {
      word += lower(rest_.front());
      rest_.remove_prefix(1);
    }
    if (rest_.starts_with('.')) rest_.remove_prefix(1);
    const auto found = std::ranges::find(months, std::string_view{word}.substr(0, 3));
    return found == months.end() ? 0 : static_cast<unsigned>(found - months.begin()) + 1;
  }

  /// `3pm`, `1:40 pm`, `15:00`; a number alone is no time of day.
  std::optional<minutes> clock_time() {
    if (rest_.empty() || !is_digit(rest_.front())) return std::nullopt;
    unsigned hour = 0;
    std::size_t digits = 0;
    for (; digits < 2 && !rest_.empty() && is_digit(rest_.front()); ++digits) {
      hour = hour * 10 + static_cast<unsigned>(rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    unsigned minute = 0;
    const bool has_minutes = rest_.size() >= 3 && rest_[0] == ':' && is_digit(rest_[1]) && is_digit(rest_[2]);
    if (has_minutes) {
      minute = static_cast<unsigned>(rest_[1] - '0') * 10 + static_cast<unsigned>(rest_[2] - '0');
      rest_.remove_prefix(3);
    }
    if (!rest_.empty() && is_digit(rest_.front())) return std::nullopt;
    skip_blanks();
    const bool is_pm = takes("pm");
    const bool has_half = is_pm || takes("am");
    if (minute > 59 || (has_half ? hour < 1 || hour > 12 : !has_minutes || hour > 23)) return std::nullopt;
    if (has_half) hour = hour % 12 + (is_pm ? 12 : 0);
    return hours{hour} + minutes{minute};
  }

  std::string_view zone() {
    skip_blanks();
    const auto end = rest_.find(')');
    if (!rest_.starts_with('(') || end == std::string_view::npos) return {};
    return trim(rest_.substr(1, end - 1));
  }

  std::string_view rest_;
};

/// The moment at which clocks there show it. Where they are turned back or forth on the way, the later offset counts.
std::optional<Time> moment_of(std::chrono::sys_days day, const WallTime& wall, const OffsetOf& offset_of) {
  const Time shown{day + wall.since_midnight};
  const auto first = offset_of(wall.zone, shown);
  const auto offset = first ? offset_of(wall.zone, shown - *first) : std::nullopt;
  return offset ? std::optional{shown - *offset} : std::nullopt;
}

Millis distance(Time a, Time b) { return a < b ? b - a : a - b; }

/// Of the days of that name in the years around, the nearest: what was read late is not next year.
std::optional<Time> nearest_day(const WallTime& wall, std::chrono::year year, Time now, const OffsetOf& offset_of) {
  std::optional<Time> nearest;
  for (int later = -1; later < 2; ++later) {
    const std::chrono::year_month_day named{year + std::chrono::years{later}, std::chrono::month{wall.month},
                                            std::chrono::day{wall.day}};
    if (!named.ok()) continue;
    const auto moment = moment_of(std::chrono::sys_days{named}, wall, offset_of);
    if (!moment) return std::nullopt;
    if (!nearest || distance(*moment, now) < distance(*nearest, now)) nearest = moment;
  }
  return nearest;
}

/// The next time that clocks show it, if that is at most `ahead_max` off; else the last time they did.
std::optional<Time> nearest_time(const WallTime& wall, std::chrono::sys_days today, Time now, Millis ahead_max,
                                 const OffsetOf& offset_of) {
  std::optional<Time> last;
  for (int later = -1; later < 3; ++later) {
    const auto moment = moment_of(today + days{later}, wall, offset_of);
    if (!moment) return std::nullopt;
    if (*moment > now) {
      const bool has_passed = last && (now - *last <= just_passed || *moment - now > ahead_max);
      return has_passed ? last : moment;
    }
    last = moment;
  }
  return last;
}

}  // namespace

std::optional<Time> reset_in(std::string_view text, Time now, const OffsetOf& offset_of) {
  if (const auto moment = moment_in(text)) return moment;
  if (!offset_of) return std::nullopt;
  constexpr std::string_view mark = "resets";
  const auto at = find_word(text, mark);
  if (at == std::string_view::npos) return std::nullopt;
  const auto wall = Words{text.substr(at + mark.size())}.read();
  const auto offset = wall ? offset_of(wall->zone, now) : std::nullopt;
  if (!offset) return std::nullopt;
  const auto today = std::chrono::floor<days>(now + *offset);
  if (wall->month != 0) return nearest_day(*wall, std::chrono::year_month_day{today}.year(), now, offset_of);
  const auto names = [&](std::string_view window) { return find_word(text, window) != std::string_view::npos; };
  const bool is_session = names("session limit") || names("5-hour limit");
  return nearest_time(*wall, today, now, is_session ? session_window : Millis::max(), offset_of);
}

}  // namespace baton
