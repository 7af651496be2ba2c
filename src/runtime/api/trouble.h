#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error_code.h"
#include "base/time.h"
#include "core/failure.h"
#include "runtime/api/answer.h"
#include "runtime/api/http.h"
#include "runtime/api/rate_headers.h"

namespace baton::api {

/// Why there is no answer, and whether asking again can help.
struct Trouble {
  ErrorCode code = ErrorCode::unknown;
  std::string message;
  bool may_retry = false;
  std::optional<Millis> retry_after = {};  ///< the server said when to come back
  int status = 0;                          ///< of HTTP, or what an error inside a stream amounts to; 0: no response
  std::string request_id = {};
};

/// The server told of an error. What can never mend itself (a wrong key, a spending cap, a request that is too long) is
/// not retried whatever else is said; then `x-should-retry` counts, then the kind of error.
Trouble told_trouble(const ServerError& error, const ResponseHead& head, Time now);

/// Nothing was told: the connection failed, or the stream ended before the answer did. `head`: the response had begun.
Trouble transfer_trouble(const TransferEnd& end, const ResponseHead* head);

/// An answer is there, but it is none that can be used; nothing if it can. Truncation is no trouble (see truncation()).
std::optional<Trouble> answer_trouble(const Answer& answer, const ResponseHead& head);

/// A complete answer that was cut off, at `max_tokens` or where the context was full: to be said of an attempt that
/// ended well.
std::optional<Failure> truncation(const Answer& answer, std::string_view request_id = {});

/// With the request's id at the end of the message, where there is one.
Failure failure_of(const Trouble& trouble);

}  // namespace baton::api
