#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

/// How fast a provider may be asked: learned from what it says of its limits, shared by all who ask it. Pure: a state
/// and a time in, a state and a time out.
namespace baton::governor {

/// One limit of a provider's, as far as a response told of it.
struct RateLimit {
  std::optional<std::int64_t> limit;      ///< in a minute, for all we know
  std::optional<std::int64_t> remaining;  ///< right now
  std::optional<Time> reset;              ///< when all of it is there again

  bool operator==(const RateLimit&) const = default;
};

struct RateLimits {
  RateLimit requests;
  RateLimit tokens;
  RateLimit input_tokens;
  RateLimit output_tokens;

  bool operator==(const RateLimits&) const = default;
};

/// What a request is going to take of a provider's limits, as far as that can be known before.
struct Load {
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;  ///< `max_tokens` counts against no limit

  bool operator==(const Load&) const = default;
};

/// How a request came out.
struct Outcome {
  enum class Kind : std::uint8_t {
    answered,
    limited,     ///< 429
    overloaded,  ///< 503, 529
    neither,     ///< it says nothing about how much the provider can take
  };
  Kind kind = Kind::answered;
  Time asked{};  ///< when it was let go
  Time at{};     ///< when it ended
  std::optional<Millis> retry_after = {};
  RateLimits limits = {};
  Load guessed = {};                               ///< as it was let go
  std::optional<std::int64_t> counted_input = {};  ///< what counts against limits: reads of a cache do not
  std::optional<std::int64_t> counted_output = {};
};

/// What is known of how much one provider takes for one model. A row that all processes share: small, and the same for
/// the same history.
struct State {
  /// One limit, as a bucket that fills steadily. Unknown limits let everything through.
  struct Bucket {
    std::int64_t limit = 0;    ///< in a minute; 0: not known
    std::int64_t level_m = 0;  ///< thousandths of what is left; below 0: more was taken than there is
    Time at{};                 ///< when it was so

    bool operator==(const Bucket&) const = default;
  };
  enum Which : std::uint8_t { requests, input_tokens, output_tokens, tokens, buckets_count };
  std::array<Bucket, buckets_count> buckets = {};
  Millis gap{0};          ///< at least so long between two requests; 0: none
  Time last{};            ///< when a request was last let go, or is going to be
  Time not_before{};      ///< the provider asked for time
  Time slowed{};          ///< when the gap was last widened
  std::int32_t good = 0;  ///< answers since then
  Load typical = {};      ///< what requests took of late; known only where tokens are limited

  bool operator==(const State&) const = default;
};

/// When a request may be made.
struct Permit {
  Time at{};
  bool kept = false;  ///< that moment is kept for it; else it has to ask again then
  Load taken = {};    ///< what was set aside for it: Outcome::guessed
};

/// Now, or in a few seconds at a moment that is kept for this request: whoever comes next gets a later one, so that
/// those who wait do not all come at once. What is further away is not promised: by then more is known. A load that
/// nobody knows is taken to be like those before; and while more tokens were used than there are, nobody goes.
Permit ask(State& state, const Load& load, Time now);

/// Nothing is known that could hold anybody back.
bool lets_all(const State& state, Time now);

/// Learns from a request that has ended. Requests that failed together count once: only one that was let go after the
/// last slowing slows again. Answers widen what was narrowed, step by step.
void learn(State& state, const Outcome& outcome);

/// As kept in a row, on one line. What cannot be read is a state that knows nothing.
std::string to_text(const State& state);
State state_of(std::string_view text);

/// Which calls wait for another one to bring their prefix into the provider's cache: an entry can be read only once the
/// response that made it has begun.
class Warmth {
 public:
  static constexpr Millis lives{300'000};
  static constexpr Millis waits_max{20'000};  ///< a first call that is silent so long holds nobody back any more

  /// A call with this prefix wants to start. Nothing: go. Else: not before that moment, unless it is warm earlier.
  std::optional<Time> ask(std::uint64_t prefix, Time now);
  /// A response with this prefix has begun.
  void began(std::uint64_t prefix, Time now);
  /// The call that was to warm it has ended without a response.
  void failed(std::uint64_t prefix);

 private:
  struct Entry {
    Time asked{};
    Time warm{};  ///< the epoch: not yet
  };
  std::map<std::uint64_t, Entry> entries_;
};

}  // namespace baton::governor
