#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "price/prices.h"
#include "runtime/api/ask.h"
#include "runtime/api/batch.h"
#include "runtime/api/http.h"
#include "runtime/api/known_answers.h"
#include "runtime/api/response_reader.h"
#include "runtime/api/tools.h"
#include "runtime/api/trouble.h"
#include "runtime/runtime.h"

namespace baton {

/// How a model's API is called, put together from configuration, environment and skill.
struct ApiSettings {
  api::Protocol protocol = api::Protocol::messages;
  std::string base_url;           ///< empty: the provider's own
  std::optional<api::Auth> auth;  ///< where the key is; local servers want none
  api::Headers headers;           ///< further ones
  std::string headers_variable;   ///< of the environment, has more of them; empty: none
  std::string version{api::messages_version};
  std::string model;  ///< where the attempt names none; an alias or an id
  std::int64_t max_tokens = 16384;
  bool stream = true;
  bool batch = false;  ///< half the price, within a day; Messages only
  std::string thinking;
  std::string effort;
  std::optional<double> temperature;
  std::string cache_ttl = "5m";
  std::vector<std::string> tools;    ///< words of api::tool_words(); none: off
  bool unconfined_commands = false;  ///< they are run where the kernel cannot confine them, too
  int tool_rounds_max = 10;
  Millis connect_timeout{10'000};
  Millis first_timeout{600'000};  ///< until an answer begins; for all of one that is not streamed
  Millis idle_timeout{120'000};   ///< from one event of a streamed answer to the next
  Millis deadline{0};
  std::string proxy;
  std::string ca_file;
};

namespace api {

/// The provider's own address where nobody sets another.
std::string_view default_base_url(Protocol protocol);
/// `path` of an API beneath a base that may end in `/v1` or not.
std::string endpoint(Protocol protocol, std::string_view base_url, std::string_view path);

/// By what all who use a model of a provider's know each other.
std::string governed_name(Protocol protocol, std::string_view base_url, std::string_view model);

/// What the exchanges of one attempt used, from its beginning.
class ApiLedger {
 public:
  ApiLedger(std::shared_ptr<const Prices> prices, bool is_batch) : prices_{std::move(prices)}, is_batch_{is_batch} {}

  struct Asked {
    std::string model;
    std::size_t bytes = 0;
    std::int64_t tokens = 0;  ///< that the answer may have
  };
  /// What the present exchange has used so far. Where the server did not tell, or told what cannot be, it is guessed
  /// from bytes, and its cost is not known; a stream that was cut off told too little of what was written.
  void set(const Answer& answer, const Asked& asked, bool is_cut);
  /// The present exchange is over.
  void settle();
  /// Nothing was charged for the present exchange.
  void forget() { present_ = {}; }
  [[nodiscard]] Usage usage() const;
  /// What a server told that cannot be; empty: nothing.
  [[nodiscard]] const std::string& nonsense() const { return nonsense_; }

 private:
  struct Sum {
    Tokens tokens;
    std::optional<Cost> cost = Cost{0};
    std::int64_t turns = 0;
    std::string model = {};  ///< as the server names the one that answered
  };

  std::shared_ptr<const Prices> prices_;
  bool is_batch_;
  Sum settled_;
  Sum present_;
  std::string nonsense_;
};

}  // namespace api

/// One attempt at a model's API: one request, or a bounded loop of tools, or a batch. What it means is derived from the
/// logs of its exchanges alone, so an attempt that is taken up again is read again from its beginning.
class ApiRuntime final : public Runtime {
 public:
  /// `known`: answers that others had too.
  explicit ApiRuntime(ApiSettings settings, std::shared_ptr<const Prices> prices = nullptr,
                      std::shared_ptr<api::KnownAnswers> known = nullptr);

  Actions begin(const Assignment& assignment) override;
  Actions next(const Observation& observation) override;

 private:
  enum class Doing : std::uint8_t { asking, using_tools, batch };

  [[nodiscard]] api::Ask ask_for(const Assignment& assignment) const;
  [[nodiscard]] std::string body() const;
  [[nodiscard]] std::uint64_t warmed_prefix() const;
  [[nodiscard]] Action request(std::string method, std::string_view path, std::string text);
  Actions ask();
  Actions printed(std::string_view bytes);
  Actions ended(const Ended& end);
  Actions answered(const Ended& end);
  Actions tools_used(const Ended& end);
  Actions cancel_batch();
  Actions batch_replied(const Ended& end);
  Actions batch_goes_on(api::BatchJob::Next next, Actions actions);
  Actions conclude(const api::Answer& answer, const api::ResponseHead& head, Actions actions);
  Actions use_tools(const api::Answer& answer, Actions actions);
  Actions fail(const api::Trouble& trouble, Actions actions) const;
  void say(std::string_view text, Actions& actions, bool is_all);
  void tell_usage(Actions& actions, bool is_all = false);
  [[nodiscard]] std::optional<api::Trouble> trouble_of(const Ended& end) const;
  [[nodiscard]] bool has_lied(const Ended& end) const;
  [[nodiscard]] api::ApiLedger::Asked asked() const { return {ask_.model, asked_bytes_, ask_.max_tokens}; }
  [[nodiscard]] std::optional<Failure> note_of(const api::Answer& answer, const api::ResponseHead& head) const;
  [[nodiscard]] Meet meeting(bool has_ended, const std::optional<api::Trouble>& trouble = {}) const;

  ApiSettings settings_;
  std::shared_ptr<const Prices> prices_;
  std::shared_ptr<api::KnownAnswers> known_;
  api::ApiLedger ledger_;
  std::unique_ptr<api::ResponseReader> reader_;
  std::optional<api::BatchJob> batch_;
  std::string told_batch_;  ///< its id
  bool cancels_ = false;    ///< the batch, as its last exchange
  api::Ask ask_;
  Doing doing_ = Doing::asking;
  int exchange_ = 0;
  int rounds_ = 0;
  int pauses_ = 0;
  std::size_t asked_bytes_ = 0;
  std::uint64_t asked_hash_ = 0;  ///< of the request, by which it is known
  bool has_met_ = false;
  std::string tool_log_;
  std::vector<api::ToolCall> calls_;      ///< of the present round
  std::vector<api::ToolResult> refused_;  ///< of the present round
  std::string output_path_;
  std::string root_;
  OutputFormat format_ = OutputFormat::text;
  bool wrote_output_ = false;      ///< by a tool of its own
  std::string said_before_pause_;  ///< of the same answer
  std::string line_;               ///< said, but not ended yet
  std::size_t lines_said_ = 0;
  std::optional<Usage> told_usage_;
};

}  // namespace baton
