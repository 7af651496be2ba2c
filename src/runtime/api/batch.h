#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/time.h"
#include "runtime/api/http.h"
#include "runtime/api/trouble.h"

namespace baton::api {

/// The id of an attempt's request in a batch: a hash of run, step and attempt, so that whoever asks again knows it.
std::string batch_custom_id(std::string_view run, std::string_view step, int attempt);

/// One request sent as a batch: half the price, and an answer within a day. Submits it, asks politely how it is getting
/// on, fetches the answer. A reply that got lost does not make it be submitted twice, nor does an attempt that failed
/// before: batches that were made since then are looked through first, and as long as they cannot be, nothing is
/// submitted. Pure: requests and times out, responses and times in.
class BatchJob {
 public:
  /// What a request of this job ended with.
  struct Reply {
    const ResponseHead* head = nullptr;  ///< null: there was no response
    std::string_view body;
    TransferEnd transfer;
    Time at{};  ///< when it ended
  };
  struct Ask {
    std::string method;
    std::string path;  ///< beneath the API's address
    std::string body;
  };
  struct Wait {
    Time until{};
  };
  struct Message {
    std::string json;  ///< the answer, as if it had been asked for alone
  };
  using Next = std::variant<Ask, Wait, Message, Trouble>;

  /// What is wanted: by the id of this attempt, or by those of earlier ones that may have submitted it and got no
  /// answer.
  struct Wanted {
    std::string custom_id;
    std::vector<std::string> earlier_ids;
    Time since{};  ///< when the first of these attempts began
  };

  BatchJob(Wanted wanted, std::string params) : wanted_{std::move(wanted)}, params_{std::move(params)} {}

  /// REQUIRES: called once, first.
  Next begin();
  Next replied(const Reply& reply);
  Next time_came(Time now);
  /// What tells the provider that nobody wants the answer any more. Nothing: no batch is known to be this job's.
  [[nodiscard]] std::optional<Ask> cancel() const;

  /// Of a batch that is known to be this job's; empty as long as there is none.
  [[nodiscard]] std::string_view batch_id() const { return is_ours_ ? std::string_view{batch_id_} : ""; }

 private:
  enum class State : std::uint8_t { submitting, listing, waiting, polling, fetching, over };

  Next submit();
  Next submitted(const Reply& reply);
  Next listed(const Reply& reply);
  Next polled(const Reply& reply);
  Next fetched(const Reply& reply);
  Next list();
  Next next_candidate(const Reply& reply);
  Next look_again(const Reply& reply, std::optional<Millis> asked);
  Next give_up(Trouble trouble);
  [[nodiscard]] Trouble trouble_of(const Reply& reply) const;

  Wanted wanted_;
  std::string params_;
  State state_ = State::submitting;
  std::string batch_id_;
  bool is_ours_ = false;                  ///< the batch is known to be this job's
  bool lists_ = false;                    ///< what comes after a wait
  std::string page_after_;                ///< the last batch of the page before
  std::vector<std::string> candidates_;   ///< batches that may be ours, the newest last
  std::vector<std::string> in_progress_;  ///< of these: those that cannot be told apart yet
  int submissions_ = 0;
  Trouble lost_;               ///< why it is not known whether the last submission was heard
  bool was_answered_ = false;  ///< by a server that did not say so
  int polls_ = 0;
  int failures_ = 0;  ///< one after the other
  Time wait_until_{};
};

}  // namespace baton::api
