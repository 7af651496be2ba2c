#include "runtime/api/known_answers.h"

#include <fmt/core.h>

namespace baton::api {
namespace {

/// Long enough to have been made for one answer. Small servers give all of theirs the same (`msg_1`), or draw from a
/// thousand (`chatcmpl-123`).
bool tells_apart(std::string_view id) {
  constexpr std::size_t bytes_min = 8;
  const auto prefix = id.find_first_of("_-");
  if (prefix != std::string_view::npos) id.remove_prefix(prefix + 1);
  return id.size() >= bytes_min;
}

}  // namespace

bool KnownAnswers::take(std::string_view id, std::uint64_t request) {
  if (!tells_apart(id)) return true;
  const auto [known, is_new] = requests_.try_emplace(std::string{id}, request);
  if (!is_new) return known->second == request;
  oldest_first_.push_back(known->first);
  if (oldest_first_.size() > ids_max) {
    requests_.erase(oldest_first_.front());
    oldest_first_.pop_front();
  }
  return true;
}

std::optional<Trouble> anothers_answer(KnownAnswers& known, const ResponseReader& reader, std::uint64_t request) {
  for (const std::string_view id : {std::string_view{reader.answer().id}, reader.head().request_id()}) {
    if (known.take(id, request)) continue;
    return Trouble{.code = ErrorCode::api_error,
                   .message = fmt::format("what came is the answer to another request, which had it before ({})", id),
                   .may_retry = true,
                   .request_id = std::string{reader.head().request_id()}};
  }
  return std::nullopt;
}

}  // namespace baton::api
