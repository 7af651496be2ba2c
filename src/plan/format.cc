#include "plan/format.h"

#include <chrono>
#include <map>
#include <optional>

#include "base/text.h"
#include "plan/pattern.h"

namespace baton {
namespace {

Pattern known(const char* expression) { return *Pattern::compile(expression); }

/// The forms alone; what has to be right besides is looked at below.
const std::map<std::string, Pattern, std::less<>>& forms() {
  static const std::map<std::string, Pattern, std::less<>> patterns{
      {"date", known(R"(^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$)")},
      {"time", known(R"(^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([zZ]|[+-]([01]\d|2[0-3]):[0-5]\d)$)")},
      {"date-time", known(R"(^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[tT ])"
                          R"(([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([zZ]|[+-]([01]\d|2[0-3]):[0-5]\d)$)")},
      {"email", known(R"(^[^@\s]+@[^@\s]+$)")},
      {"uri", known(R"(^[A-Za-z][A-Za-z0-9+.-]*:[^\s]*$)")},
      {"uuid", known("^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$")},
      {"ipv4", known(R"(^((25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(25[0-5]|2[0-4]\d|1?\d?\d)$)")}};
  return patterns;
}

constexpr std::size_t date_size = 10;

int number_at(std::string_view text, std::size_t at, std::size_t digits) {
  int number = 0;
  for (const char c : text.substr(at, digits)) number = number * 10 + (c - '0');
  return number;
}

/// REQUIRES: it has a date's form.
bool is_in_calendar(std::string_view date) {
  namespace ch = std::chrono;
  return ch::year_month_day{ch::year{number_at(date, 0, 4)}, ch::month(static_cast<unsigned>(number_at(date, 5, 2))),
                            ch::day(static_cast<unsigned>(number_at(date, 8, 2)))}
      .ok();
}

/// Leap seconds come at the end of a day in UTC, whatever the clock shows elsewhere.
/// REQUIRES: it has a time's form.
bool is_on_clock(std::string_view time) {
  if (number_at(time, 6, 2) < 60) return true;
  constexpr int day = 24 * 60;
  int minutes = number_at(time, 0, 2) * 60 + number_at(time, 3, 2);
  if (const auto zone = time.find_first_of("+-"); zone != std::string_view::npos) {
    const int ahead = number_at(time, zone + 1, 2) * 60 + number_at(time, zone + 4, 2);
    minutes += time[zone] == '+' ? -ahead : ahead;
  }
  return (minutes + day) % day == day - 1;
}

}  // namespace

const std::vector<std::string>& known_formats() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& [name, pattern] : forms()) all.push_back(name);
    return all;
  }();
  return names;
}

bool meets_format(std::string_view format, std::string_view text) {
  const auto form = forms().find(format);
  if (form == forms().end()) return true;
  if (!form->second.is_in(text)) return false;
  if (format == "date") return is_in_calendar(text);
  if (format == "time") return is_on_clock(text);
  return format != "date-time" ||
         (is_in_calendar(text.substr(0, date_size)) && is_on_clock(text.substr(date_size + 1)));
}

}  // namespace baton
