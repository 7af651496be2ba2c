#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/time.h"

namespace baton::api {

/// Where a key is found when a request is made. Never the key itself.
struct KeyFromEnvironment {
  std::string name;
  bool operator==(const KeyFromEnvironment&) const = default;
};
struct KeyFromFile {
  std::string path;
  bool operator==(const KeyFromFile&) const = default;
};
struct KeyFromCommand {
  std::vector<std::string> argv;
  bool operator==(const KeyFromCommand&) const = default;
};
using KeySource = std::variant<KeyFromEnvironment, KeyFromFile, KeyFromCommand>;

/// The header that carries the key, and what stands before it there.
struct Auth {
  std::string header;
  std::string prefix;
  KeySource source;
  bool operator==(const Auth&) const = default;
};

using Headers = std::vector<std::pair<std::string, std::string>>;

/// A request as the courier is given it (docs/decisions/0017).
struct HttpRequest {
  std::string method = "POST";
  std::string url;
  Headers headers;
  std::string headers_variable;  ///< of the environment: has further headers, `name: value`, one a line; empty: none
  std::optional<Auth> auth;
  std::string body;  ///< kept in a file of its own
  Millis connect_timeout{10'000};
  Millis idle_timeout{120'000};  ///< so long without a byte, or without progress, is a timeout
  /// Progress is an event of the stream that is none of `idle_events`, and until the first of them, or for all of what
  /// is no stream, there is so much time. Not said: every byte is progress.
  std::optional<Millis> first_timeout = {};
  std::vector<std::string> idle_events = {};
  Millis deadline{0};  ///< of the whole; 0: none
  std::string proxy;
  std::string ca_file;
};

/// The text of the request file. Without a `body_file` the body stands in it.
std::string request_file(const HttpRequest& request, std::string_view body_file);

/// How a response begins.
struct ResponseHead {
  int status = 0;
  Headers headers;  ///< names in lower case

  /// The first one of that name; empty if there is none.
  [[nodiscard]] std::string_view header(std::string_view name) const;
  /// `text/event-stream`, `application/json`: without parameters, in lower case.
  [[nodiscard]] std::string media_type() const;
  /// By which the provider finds this request again; empty if it gave none.
  [[nodiscard]] std::string_view request_id() const;
};

/// How a transfer ended, by the courier's last line.
enum class Transfer {
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
struct TransferEnd {
  Transfer how = Transfer::other;
  std::string message;
};

/// Reads the courier's last line; it may have been cut. Nothing if it is none of the courier's.
std::optional<TransferEnd> transfer_end(std::string_view line);

/// `base` with `path` after it, with one slash between.
std::string url_of(std::string_view base, std::string_view path);

}  // namespace baton::api
