#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "runtime/api/http.h"

namespace baton::api {

/// Reads the log of a response (docs/decisions/0017): first its head, then its body. Bytes may be cut anywhere.
class ResponseLog {
 public:
  static constexpr std::size_t head_bytes_max = 128U << 10U;

  enum class State { head, body, broken };

  /// Takes more bytes; answers those of them that belong to the body.
  std::string_view read(std::string_view bytes);

  [[nodiscard]] State state() const { return state_; }
  /// Whole once the state is `body`.
  [[nodiscard]] const ResponseHead& head() const { return head_; }

 private:
  bool take_line(std::string_view line);

  State state_ = State::head;
  ResponseHead head_;
  std::string line_;
  std::size_t head_bytes_ = 0;
};

}  // namespace baton::api
