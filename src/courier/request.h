#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace baton::courier {

/// Where a key comes from. The key itself stands in no file of ours.
struct KeySource {
  enum class Kind { environment, file, command };
  Kind kind = Kind::environment;
  std::string name = {};               ///< of the variable or the file
  std::vector<std::string> argv = {};  ///< of the command that prints it
};

struct Auth {
  std::string header;
  std::string prefix;  ///< before the key: "Bearer "
  KeySource source;
};

using HeaderField = std::pair<std::string, std::string>;

/// One HTTP request, as a request file says it (docs/courier.md).
struct Request {
  std::string method;
  std::string url;
  std::vector<HeaderField> headers = {};
  std::string headers_env = {};  ///< a variable with further headers; empty: none
  std::optional<Auth> auth = {};
  std::string body_file = {};              ///< empty: none
  std::optional<std::string> body = {};    ///< instead of a file
  std::optional<std::string> proxy = {};   ///< empty: none; not said: as the environment says
  std::string ca_file = {};                ///< empty: the system's
  std::int64_t idle_timeout_ms = 120'000;  ///< without a byte, or without progress; 0: for ever
  /// So long for the first event of a stream, and from then on `idle_timeout_ms` from one to the next. Not said: every
  /// byte is progress. What is no stream of events has to be there in this time.
  std::optional<std::int64_t> first_timeout_ms = {};
  std::vector<std::string> idle_events = {};  ///< names of events that are no progress
  std::int64_t deadline_ms = 0;               ///< for all of it; 0: none
  std::int64_t connect_timeout_ms = 30'000;

  bool has_body() const { return body || !body_file.empty(); }
};

/// An error says what is wrong with the file.
std::expected<Request, std::string> read_request(std::string_view json);

/// `name: value`, one a line. What cannot be a header of a request is left out.
std::vector<HeaderField> header_lines(std::string_view text);

/// True if that may stand in a header's value.
bool is_header_value(std::string_view text);

}  // namespace baton::courier
