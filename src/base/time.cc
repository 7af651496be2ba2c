#include "base/time.h"

#include <fmt/core.h>

#include <charconv>

namespace baton {

std::string rfc3339(Time t) {
  const auto day = std::chrono::floor<std::chrono::days>(t);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{t - day};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count(), clock.subseconds().count());
}

namespace {

// Longer than any run; keeps the arithmetic far from overflow.
constexpr double duration_ms_max = 1000.0 * 60 * 60 * 24 * 3650;

double unit_ms(std::string_view unit) {
  if (unit.empty() || unit == "s" || unit == "sec") return 1000;
  if (unit == "ms") return 1;
  if (unit == "m" || unit == "min") return 60'000;
  if (unit == "h") return 3'600'000;
  if (unit == "d") return 86'400'000;
  return -1;
}

}  // namespace

Expected<Millis> parse_duration(std::string_view text) {
  const auto refuse = [&] {
    return fault("bad-duration", fmt::format("'{}' is not a duration", text),
                 "write a number with a unit, such as 90s, 20m or 2h; a bare number is seconds");
  };
  double total_ms = 0;
  std::string_view rest = text;
  if (rest.empty()) return refuse();
  while (!rest.empty()) {
    double number = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number, std::chars_format::fixed);
    if (error != std::errc{} || number < 0) return refuse();
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    const std::size_t unit_size = std::min(rest.find_first_of("0123456789."), rest.size());
    const double factor = unit_ms(rest.substr(0, unit_size));
    if (factor < 0) return refuse();
    total_ms += number * factor;
    rest.remove_prefix(unit_size);
  }
  if (!(total_ms <= duration_ms_max)) return refuse();
  return Millis{static_cast<std::int64_t>(total_ms)};
}

std::string brief(Millis duration) {
  const auto ms = duration.count();
  if (ms < 10'000) return fmt::format("{}.{}s", ms / 1000, ms % 1000 / 100);
  const auto s = ms / 1000;
  if (s < 60) return fmt::format("{}s", s);
  if (s < 3600) return fmt::format("{}m {:02}s", s / 60, s % 60);
  return fmt::format("{}h {:02}m", s / 3600, s % 3600 / 60);
}

}  // namespace baton
