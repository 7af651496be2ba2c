#include "cli/time_zone.h"

#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace baton::cli {
namespace {

/// While it lives, the C library's zone is another one.
class ElsewhereClock {
 public:
  explicit ElsewhereClock(const std::string& zone) {
    const char* own = std::getenv("TZ");
    if (own != nullptr) own_ = own;
    ::setenv("TZ", zone.c_str(), 1);
    ::tzset();
  }
  ~ElsewhereClock() {
    if (own_) {
      ::setenv("TZ", own_->c_str(), 1);
    } else {
      ::unsetenv("TZ");
    }
    ::tzset();
  }
  ElsewhereClock(const ElsewhereClock&) = delete;
  ElsewhereClock& operator=(const ElsewhereClock&) = delete;

 private:
  std::optional<std::string> own_;
};

std::optional<Millis> offset_here(Time at) {
  const auto seconds = static_cast<time_t>(to_ms(at) / 1000);
  tm local{};
  if (::localtime_r(&seconds, &local) == nullptr) return std::nullopt;
  return Millis{std::chrono::seconds{local.tm_gmtoff}};
}

/// The C library takes a name it does not know for UTC, and one that is a path for a file.
bool is_known(std::string_view zone) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' || c == '_' ||
           c == '-' || c == '+';
  };
  if (zone.empty() || zone.front() == '/' || !std::ranges::all_of(zone, fits)) return false;
  const char* folder = std::getenv("TZDIR");
  std::error_code error;
  return std::filesystem::is_regular_file(
      std::filesystem::path{folder != nullptr && *folder != '\0' ? folder : "/usr/share/zoneinfo"} / zone, error);
}

}  // namespace

std::optional<Millis> offset_of_zone(std::string_view zone, Time at) {
  if (zone.empty()) return offset_here(at);
  if (zone == "UTC" || zone == "GMT") return Millis{0};
  if (!is_known(zone)) return std::nullopt;
  const ElsewhereClock elsewhere{std::string{zone}};
  return offset_here(at);
}

}  // namespace baton::cli
