#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace baton::courier {

/// How a transfer ended. What it means for an attempt is not the courier's to say.
enum class Ending {
  complete,
  timeout_idle,
  timeout_deadline,
  timeout_connect,
  dns,
  refused,
  tls,
  reset,
  partial,
  cancelled,
  other,
};

std::string_view word_of(Ending ending);

/// What libcurl's code (a CURLcode) says.
Ending ending_of(int curl_code);

/// The last line of an attempt's error file, with its newline.
std::string ending_line(Ending ending, std::string_view message, std::int64_t bytes);

}  // namespace baton::courier
