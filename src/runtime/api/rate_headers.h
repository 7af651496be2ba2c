#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/time.h"
#include "core/governor.h"
#include "runtime/api/http.h"

namespace baton::api {

using governor::RateLimit;
using governor::RateLimits;

/// Of `anthropic-ratelimit-*` and `x-ratelimit-*` headers. What cannot be read is left out.
RateLimits rate_limits(const ResponseHead& head, Time now);

/// How long the provider asks us to stay away: `retry-after-ms`, else `retry-after` (seconds, fractions of them, or an
/// HTTP date). Never negative, and a day at most.
std::optional<Millis> retry_after(const ResponseHead& head, Time now);

/// How long a provider that was asked too often says that it wants to be left alone: as above, else until each limit
/// that is used up is there again. Nothing if it does not say.
std::optional<Millis> limited_for(const ResponseHead& head, Time now);

/// `x-should-retry`; nothing if it says nothing.
std::optional<bool> should_retry(const ResponseHead& head);

/// `6m0s`, `1.5s`, `20ms`, `1h2m3s`; also a bare number of seconds.
std::optional<Millis> reset_duration(std::string_view text);

/// `2026-11-15T09:30:00Z`, with fractions and offsets.
std::optional<Time> rfc3339_time(std::string_view text);

/// `Sun, 06 Nov 1994 08:49:37 GMT`.
std::optional<Time> http_date(std::string_view text);

}  // namespace baton::api
