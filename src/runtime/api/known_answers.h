#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "runtime/api/response_reader.h"
#include "runtime/api/trouble.h"

namespace baton::api {

/// The ids of answers that were had, and which request each was the answer to. A second answer of the same id to
/// another request is no answer to that: a server, or something before it, mixed them up.
class KnownAnswers {
 public:
  static constexpr std::size_t ids_max = 100'000;

  /// False if it is the id of an answer to another request. Else it is known from now on.
  bool take(std::string_view id, std::uint64_t request);

 private:
  std::unordered_map<std::string, std::uint64_t> requests_;
  std::deque<std::string> oldest_first_;
};

/// Trouble if the answer was had before, for another request; by its own id, and by that of its response. REQUIRES: it
/// is complete.
std::optional<Trouble> anothers_answer(KnownAnswers& known, const ResponseReader& reader, std::uint64_t request);

}  // namespace baton::api
