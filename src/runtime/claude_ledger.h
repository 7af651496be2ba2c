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
/// count holds. What a result tells holds (it knows of sub-agents and final counts), and prices fill only what it does
/// not tell: the cost where it names none, and requests that were cut off, which a failed turn leaves out though they
/// were paid for. A result counts the whole session, also what earlier runs of a resumed one used; newer versions say
/// beside it what is new, and only that is taken. Older ones and programs that follow the format may tell a total and
/// the tokens of the turn, and nothing by model.
class ClaudeLedger {
 public:
  explicit ClaudeLedger(std::shared_ptr<const Prices> prices) : prices_{std::move(prices)} {}

  /// The program says by which model it is going to be answered.
  void expect(const std::string& model);
  void add(const claude::Message& message);
  void settle(const claude::Result& result);

  /// Anything was told so far: tokens, a cost, or at least that the model answered.
  [[nodiscard]] bool has_news() const { return tokens_told_ || cost_told_ || messages_ > 0; }
  [[nodiscard]] Usage usage() const;

 private:
  /// A sum that is of unknown cost as soon as one part of it is.
  struct Sum {
    Tokens tokens;
    std::optional<Cost> cost = Cost{0};

    void operator+=(const Sum& other);
  };

  [[nodiscard]] Sum priced(const claude::Message& message) const;
  [[nodiscard]] Sum sum_of(const std::vector<claude::ModelUsage>& models) const;
  [[nodiscard]] Sum unsettled() const;
  void settle_by_model(const claude::Result& result, const Sum& seen);
  void settle_by_total(const claude::Result& result, Sum seen);
  void name_model(const claude::Result& result);

  std::shared_ptr<const Prices> prices_;
  Sum settled_;                         ///< turns whose result was read
  Tokens session_;                      ///< as the last result counted the whole session
  Cost total_;                          ///< likewise
  Sum cut_off_;                         ///< requests that results left out
  Sum older_;                           ///< of this turn, messages that no line can belong to any more
  std::deque<claude::Message> recent_;  ///< of this turn; several agents may speak by turns
  std::string last_model_;              ///< before the first message: the one that is expected
  std::string answering_model_;         ///< the last one that was no sub-agent's
  std::int64_t messages_ = 0;           ///< answers of the model, sub-agents' too
  bool tokens_told_ = false;
  bool cost_told_ = false;
};

}  // namespace baton
