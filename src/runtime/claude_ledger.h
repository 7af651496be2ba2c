#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/usage.h"
#include "price/prices.h"
#include "runtime/claude_stream.h"

namespace baton {

/// What an attempt has used, from its beginning: live from the messages that went by, put right by each result.
///
/// A message is printed in several lines, each with the usage as far as it was known then; so the greatest of each
/// count holds. A result knows better (sub-agents, final counts), save for requests that were cut off: those it may
/// leave out though they were paid for. A result counts the whole session, also what earlier runs of a resumed one
/// used; newer versions say beside it what is new, and only that is taken.
class ClaudeLedger {
 public:
  explicit ClaudeLedger(std::shared_ptr<const Prices> prices) : prices_{std::move(prices)} {}

  void add(const claude::Message& message);
  void settle(const claude::Result& result);

  [[nodiscard]] Usage usage() const;

 private:
  /// A sum that is of unknown cost as soon as one part of it is.
  struct Sum {
    Tokens tokens;
    std::optional<Cost> cost = Cost{0};

    void operator+=(const Sum& other);
  };

  [[nodiscard]] Sum priced(const claude::Message& message) const;
  [[nodiscard]] Sum unsettled() const;
  [[nodiscard]] Sum with_what_is_missing(Sum told, const Tokens& seen) const;

  std::shared_ptr<const Prices> prices_;
  Sum settled_;                         ///< turns whose result was read
  Tokens seen_;                         ///< what the messages of those turns told
  Sum older_;                           ///< of this turn, messages that no line can belong to any more
  std::deque<claude::Message> recent_;  ///< of this turn; several agents may speak by turns
  std::string last_model_;
  std::int64_t messages_ = 0;  ///< answers of the model, sub-agents' too
};

}  // namespace baton
