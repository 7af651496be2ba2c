#include "runtime/api/rate_headers.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/number.h"
#include "base/text.h"

namespace baton::api {
namespace {

constexpr Millis wait_max{std::chrono::hours{24}};

std::optional<double> number(std::string_view text) {
  const auto value = parse_whole<double>(trim(text));
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<std::int64_t> count(std::string_view text) {
  const auto value = number(text);
  if (!value || *value < 0 || *value > 1e15) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

std::optional<Millis> wait_of(double ms) {
  if (!(ms >= 0)) return std::nullopt;
  return Millis{std::min<std::int64_t>(std::llround(std::min(ms, 1e12)), wait_max.count())};
}

/// Digits at a fixed place; nothing if there are others.
std::optional<int> digits(std::string_view text, std::size_t at, std::size_t size) {
  if (at + size > text.size()) return std::nullopt;
  int value = 0;
  for (const char c : text.substr(at, size)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

struct Civil {
  int year = 0;
  int month = 0;
  int day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
};

std::optional<Time> moment(const Civil& c) {
  const std::chrono::year_month_day date{std::chrono::year{c.year}, std::chrono::month{static_cast<unsigned>(c.month)},
                                         std::chrono::day{static_cast<unsigned>(c.day)}};
  if (!date.ok() || c.hour > 23 || c.minute > 59 || c.second > 60) return std::nullopt;
  return Time{std::chrono::sys_days{date}.time_since_epoch() + std::chrono::hours{c.hour} +
              std::chrono::minutes{c.minute} + std::chrono::seconds{c.second}};
}

/// A reset is a moment (Anthropic), a duration (OpenAI), or a bare number: seconds from now, or since 1970.
std::optional<Time> reset_of(std::string_view text, Time now) {
  if (text.empty()) return std::nullopt;
  if (auto time = rfc3339_time(text)) return time;
  constexpr double epoch_s = 1e9;
  if (const auto seconds = number(text); seconds && *seconds > epoch_s && *seconds < 1e11) {
    return time_from_ms(std::llround(*seconds * 1000));
  }
  if (const auto wait = reset_duration(text)) return now + *wait;
  return std::nullopt;
}

RateLimit limit_of(const ResponseHead& head, Time now, const std::string& pattern_limit,
                   const std::string& pattern_remaining, const std::string& pattern_reset) {
  return {count(head.header(pattern_limit)), count(head.header(pattern_remaining)),
          reset_of(trim(head.header(pattern_reset)), now)};
}

/// Anthropic's own names first; where they say nothing, OpenAI's.
RateLimit either(const ResponseHead& head, Time now, std::string_view kind) {
  RateLimit own = limit_of(head, now, fmt::format("anthropic-ratelimit-{}-limit", kind),
                           fmt::format("anthropic-ratelimit-{}-remaining", kind),
                           fmt::format("anthropic-ratelimit-{}-reset", kind));
  if (own != RateLimit{}) return own;
  return limit_of(head, now, fmt::format("x-ratelimit-limit-{}", kind), fmt::format("x-ratelimit-remaining-{}", kind),
                  fmt::format("x-ratelimit-reset-{}", kind));
}

}  // namespace

RateLimits rate_limits(const ResponseHead& head, Time now) {
  return {either(head, now, "requests"), either(head, now, "tokens"), either(head, now, "input-tokens"),
          either(head, now, "output-tokens")};
}

std::optional<Millis> retry_after(const ResponseHead& head, Time now) {
  if (const auto ms = number(head.header("retry-after-ms"))) {
    if (auto wait = wait_of(*ms)) return wait;
  }
  const std::string_view text = trim(head.header("retry-after"));
  if (text.empty()) return std::nullopt;
  if (const auto seconds = number(text)) return wait_of(*seconds * 1000);
  const auto date = http_date(text);
  if (!date) return std::nullopt;
  return std::clamp(*date - now, Millis{0}, wait_max);
}

std::optional<Millis> limited_for(const ResponseHead& head, Time now) {
  auto wait = retry_after(head, now);
  if (wait) return wait;
  const RateLimits limits = rate_limits(head, now);
  for (const RateLimit* limit : {&limits.requests, &limits.tokens, &limits.input_tokens, &limits.output_tokens}) {
    if (limit->remaining != 0 || !limit->reset || *limit->reset <= now) continue;
    wait = std::max(wait.value_or(Millis{0}), *limit->reset - now);
  }
  return wait;
}

std::optional<bool> should_retry(const ResponseHead& head) {
  const std::string_view text = trim(head.header("x-should-retry"));
  if (text == "true") return true;
  if (text == "false") return false;
  return std::nullopt;
}

std::optional<Millis> reset_duration(std::string_view text) {
  text = trim(text);
  if (const auto seconds = number(text)) return wait_of(*seconds * 1000);
  constexpr std::array<std::pair<std::string_view, double>, 5> units = {
      {{"ms", 1}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1000}, {"d", 86'400'000}}};
  double total = 0;
  while (!text.empty()) {
    const auto value = take_number<double>(text);
    if (!value || *value < 0 || !std::isfinite(*value)) return std::nullopt;
    const auto unit = std::ranges::find_if(units, [&](const auto& u) { return text.starts_with(u.first); });
    if (unit == units.end()) return std::nullopt;
    total += *value * unit->second;
    text.remove_prefix(unit->first.size());
  }
  return total > 0 ? wait_of(total) : std::optional{Millis{0}};
}

std::optional<Time> rfc3339_time(std::string_view text) {
  const auto year = digits(text, 0, 4);
  const auto month = digits(text, 5, 2);
  const auto day = digits(text, 8, 2);
  const auto hour = digits(text, 11, 2);
  const auto minute = digits(text, 14, 2);
  const auto second = digits(text, 17, 2);
  if (!year || !month || !day || !hour || !minute || !second || text[4] != '-' || text[7] != '-') return std::nullopt;
  auto time = moment({*year, *month, *day, *hour, *minute, *second});
  if (!time) return std::nullopt;
  std::string_view rest = text.substr(19);
  if (rest.starts_with('.')) {
    const auto fraction_end = rest.find_first_not_of("0123456789", 1);
    const auto fraction = number("0" + std::string{rest.substr(0, fraction_end)});
    if (fraction) *time += Millis{static_cast<std::int64_t>(*fraction * 1000)};
    rest = fraction_end == std::string_view::npos ? std::string_view{} : rest.substr(fraction_end);
  }
  if (rest == "Z" || rest == "z") return time;
  const auto hours = digits(rest, 1, 2);
  const auto minutes = digits(rest, 4, 2);
  if (rest.size() != 6 || !hours || !minutes || (rest[0] != '+' && rest[0] != '-')) return std::nullopt;
  const Millis offset = std::chrono::hours{*hours} + std::chrono::minutes{*minutes};
  return rest[0] == '+' ? *time - offset : *time + offset;
}

std::optional<Time> http_date(std::string_view text) {
  constexpr std::array<std::string_view, 12> months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto comma = text.find(", ");
  if (comma == std::string_view::npos || !text.ends_with(" GMT")) return std::nullopt;
  const std::string_view rest = text.substr(comma + 2);  // 06 Nov 1994 08:49:37 GMT
  const auto day = digits(rest, 0, 2);
  const auto month = std::ranges::find(months, rest.size() < 6 ? std::string_view{} : rest.substr(3, 3));
  const auto year = digits(rest, 7, 4);
  const auto hour = digits(rest, 12, 2);
  const auto minute = digits(rest, 15, 2);
  const auto second = digits(rest, 18, 2);
  if (!day || month == months.end() || !year || !hour || !minute || !second) return std::nullopt;
  return moment({*year, static_cast<int>(month - months.begin()) + 1, *day, *hour, *minute, *second});
}

}  // namespace baton::api
