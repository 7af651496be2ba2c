#include "runtime/claude_verdict.h"

#include <string.h>

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/letters.h"
#include "base/number.h"
#include "base/text.h"

namespace baton {
namespace {

using claude::Result;

constexpr std::size_t verdict_bytes_max = 300;

/// Whatever the result calls itself, it says that the work was not done.
bool names_failure(const Result& r) {
  constexpr std::array<std::string_view, 5> reasons = {"api_error", "prompt_too_long", "blocking_limit", "max_turns",
                                                       "budget_exhausted"};
  return (r.api_error_status && *r.api_error_status >= 400) || !r.api_error.empty() ||
         r.terminal_reason.starts_with("aborted") ||
         std::ranges::find(reasons, std::string_view{r.terminal_reason}) != reasons.end();
}

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

/// What the program said last, on one line.
std::string last_words(const Result* result, const std::string& last_error) {
  std::string_view text = last_error;
  if (result != nullptr && !result->errors.empty()) text = result->errors.front();
  if (result != nullptr && !trim(result->text).empty()) text = result->text;
  text = trim(text);
  return shorten(text.substr(0, text.find('\n')), verdict_bytes_max);
}

std::string saying(std::string text, const std::string& words) {
  if (!words.empty()) text += ": " + words;
  return text;
}

// What the program says of a failure stands at the beginning of its message.
constexpr std::size_t told_early = 60;

/// `API Error: 529 …`, `Repeated 529 …`, `Request rejected (429)`: older versions tell the status in words only.
std::optional<int> status_in(std::string_view text) {
  for (const std::string_view mark : {"API Error: ", "Repeated ", "API Error (", "Request rejected ("}) {
    const auto at = text.substr(0, told_early).find(mark);
    if (at == std::string_view::npos) continue;
    constexpr std::size_t digits = 3;
    std::string_view rest = text.substr(at + mark.size());
    const std::size_t before = rest.size();
    const auto status = take_number<int>(rest);
    if (status && *status >= 400 && before - rest.size() == digits) return status;
  }
  return std::nullopt;
}

bool begins_with_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return text.starts_with(word); });
}

/// The program says that a quota is used up, in one of the forms it has for that: "Claude AI usage limit reached|…",
/// "You've hit your weekly limit · resets …", "5-hour limit reached ∙ resets 3pm". A model that writes about limits
/// uses the same words, but does not begin so.
bool is_word_of_quota(std::string_view text) {
  if (text.starts_with("api error: ")) text.remove_prefix(11);
  if (text.starts_with("error: ")) text.remove_prefix(7);
  for (const std::string_view you : {"you've ", "you’ve ", "you have "}) {
    if (!text.starts_with(you)) continue;
    const std::string_view rest = text.substr(you.size());
    return begins_with_any(rest, {"hit your ", "reached your "}) && has_any(rest.substr(0, 40), {"limit", "usage"});
  }
  if (begins_with_any(text, {"you're out of ", "you’re out of ", "you are out of "})) {
    return has_any(text.substr(0, 40), {"usage"});
  }
  // Before it stands the name of a window, and no sentence.
  const auto at = text.substr(0, told_early).find("limit reached");
  return at != std::string_view::npos && text.substr(0, at).find_first_of(".,;:!?") == std::string_view::npos;
}

/// A result that is an error, and what else is known about it.
class Diagnosis {
 public:
  Diagnosis(const ClaudeSeen& seen, const Result& result, const Ended& end, const OffsetOf& offset_of)
      : seen_{seen},
        result_{result},
        offset_of_{offset_of},
        finished_{end.record.finished},
        words_{last_words(&result, end.last_error)},
        text_{lower(words_)},
        is_own_{trim(result.text).empty() || result.api_error_status || !result.api_error.empty() ||
                !seen.error.error.empty() || result.terminal_reason == "api_error" || text_.starts_with("api error")},
        status_{result.api_error_status ? result.api_error_status
                : seen.error.status     ? seen.error.status
                                        : status_in(words_)} {}

  [[nodiscard]] Failure failure() const {
    if (auto found = by_reason()) return *found;
    if (auto found = by_status()) return *found;
    if (result_.terminal_reason == "api_error" || result_.api_error == "connection_failed" || is("server_error")) {
      return {"agent-overloaded", saying("the model could not be reached", words_), true};
    }
    return {"agent-failed", saying("claude ended with an error", words_), true};
  }

 private:
  [[nodiscard]] bool is(std::string_view error) const {
    return seen_.error.error == error || result_.api_error == error;
  }

  [[nodiscard]] bool ends(std::string_view subtype, std::string_view reason) const {
    return result_.subtype == subtype || result_.terminal_reason == reason;
  }

  /// The program's own message is this, or holds it. A model may write of the same things: words of which nobody knows
  /// whose they are have to begin so.
  [[nodiscard]] bool says(std::initializer_list<std::string_view> words) const {
    return is_own_ ? has_any(text_, words) : begins_with_any(text_, words);
  }

  [[nodiscard]] std::optional<Failure> by_reason() const {
    if (ends("error_max_turns", "max_turns")) {
      return Failure{"agent-max-turns", saying("it needed more turns than it was given", words_), false};
    }
    if (ends("error_max_budget_usd", "budget_exhausted")) {
      return Failure{"agent-budget", saying("it spent what it was given", words_), false};
    }
    if (result_.terminal_reason.starts_with("aborted")) {
      return Failure{"agent-aborted", fmt::format("it was interrupted ({})", result_.terminal_reason), true};
    }
    if (result_.subtype == "error_max_structured_output_retries") {
      return Failure{"agent-no-structured-output", saying("it gave no answer of the form asked for", words_), true};
    }
    if (result_.stop_reason == "refusal") {
      return Failure{"agent-refused", saying("the model refused", words_), false};
    }
    if (is("max_output_tokens")) {
      return Failure{"agent-output-limit", saying("its answer was cut off again and again", words_), false};
    }
    if (result_.terminal_reason == "prompt_too_long" || result_.terminal_reason == "blocking_limit" ||
        says({"prompt is too long"})) {
      return Failure{"agent-context-exceeded", saying("there is more to read than the model can hold", words_), false};
    }
    if (says({"no conversation found with session id"})) {
      return Failure{"agent-session-missing", saying("the session to go on with is not there", words_), false};
    }
    if (is("billing_error") || status_ == 402 || says({"credit balance is too low"})) {
      return Failure{"agent-no-credit", saying("the account has no credit", words_), false};
    }
    if (is_quota()) return used_up();
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Failure> by_status() const {
    if (is("authentication_failed") || status_ == 401 || status_ == 403 ||
        says({"not logged in", "invalid api key", "please run /login"}) || text_.ends_with("please run /login")) {
      return Failure{"agent-not-logged-in", saying("claude may not use the model", words_), false};
    }
    if (is("rate_limit") || status_ == 429) {
      return Failure{"agent-rate-limited", saying("too many requests", words_), true, seen_.rate_limit_delay};
    }
    if (!status_) return std::nullopt;
    if (*status_ == 413) {
      return Failure{"agent-context-exceeded", saying("the request is too large", words_), false};
    }
    if (*status_ >= 500 || *status_ == 408 || *status_ == 409) {
      return Failure{"agent-overloaded", saying(fmt::format("the model's API failed ({})", *status_), words_), true};
    }
    return Failure{"agent-bad-request", saying(fmt::format("the model's API refused ({})", *status_), words_), false};
  }

  /// A plan's quota, not a rate that a moment's patience would mend.
  [[nodiscard]] bool is_quota() const {
    if (is_word_of_quota(text_)) return true;
    const bool was_refused = status_ == 429 || is("rate_limit");
    return was_refused &&
           (!seen_.used_up.empty() || has_any(text_, {"hit your limit", "session limit", "weekly limit", "usage limit",
                                                      "hit your usage", "out of extra usage", "5-hour limit"}));
  }

  [[nodiscard]] Failure used_up() const {
    std::optional<Time> until;
    for (const auto& [window, resets] : seen_.used_up) {
      if (resets) until = until ? std::max(*until, *resets) : *resets;
    }
    // Words for people are the last to be asked: they tell minutes at best.
    if (!until) until = reset_in(trim(result_.text).empty() ? words_ : result_.text, finished_, offset_of_);
    Failure failure{"agent-usage-limit", saying("the quota is used up", words_), true};
    failure.used_up = true;
    failure.parked_until = until;
    return failure;
  }

  const ClaudeSeen& seen_;
  const Result& result_;
  const OffsetOf& offset_of_;
  Time finished_;
  std::string words_;
  std::string text_;
  bool is_own_;  ///< the words are the program's, not the model's
  std::optional<int> status_;
};

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return fmt::format("signal {} ({})", signal, name != nullptr ? name : "?");
}

/// It ended without ever saying how.
Failure without_result(const ClaudeSeen& seen, const Ended& end) {
  const ExitRecord& r = end.record;
  const std::string words = last_words(nullptr, end.last_error);
  if (r.signal) return {"agent-aborted", saying(fmt::format("ended by {}", signal_name(*r.signal)), words), true};
  const int exit = r.exit.value_or(0);
  if (exit == 129 || exit == 130 || exit == 143) {
    return {"agent-aborted", saying(fmt::format("ended by {}", signal_name(exit - 128)), words), true};
  }
  if (exit == 0) return {"agent-no-result", "it ended without a result", true};
  // Wrong arguments, a mode that root may not use, no such program for a wrapper: said on stderr before anything else.
  if (seen.events == 0 && !words.empty()) {
    return {"agent-not-started", saying(fmt::format("it gave up at once (exit code {})", exit), words), false};
  }
  return {"agent-crashed", saying(fmt::format("it fell over (exit code {}) without a result", exit), words), true};
}

Finish good(const Result& result, const ClaudeTask& task) {
  if (task.wants_structured_output && !result.has_structured_output) {
    return {Failure{"agent-no-structured-output", "it gave no answer of the form asked for", true}};
  }
  if (!task.has_output && !result.has_structured_output && trim(result.text).empty()) {
    return {Failure{"agent-empty-answer", "its answer is empty", true}};
  }
  if (result.stop_reason == "max_tokens" || result.stop_reason == "model_context_window_exceeded") {
    return {std::nullopt, Failure{"response-truncated", "its answer was cut off at the model's limit", false}};
  }
  return {std::nullopt};
}

std::optional<Failure> how_it_failed(const ClaudeSeen& seen, const Ended& end, const OffsetOf& offset_of) {
  const ExitRecord& r = end.record;
  if (!r.spawn_error.empty()) return Failure{"agent-not-started", r.spawn_error, false};
  if (r.deadline) return Failure{"attempt-timed-out", "still running at its deadline", true};
  const bool ended_well = seen.result && tells_success(*seen.result);
  // One that lingered after its result was stopped for that.
  if (ended_well && (r.exit == 0 || r.stopped)) return std::nullopt;
  // Not so one that had said how it failed and only would not go.
  if (r.stopped && !seen.result) return Failure{"attempt-stopped", "it was stopped", false};
  if (!seen.result) return without_result(seen, end);
  if (!ended_well) return Diagnosis{seen, *seen.result, end, offset_of}.failure();
  const std::string how = r.signal ? signal_name(*r.signal) : fmt::format("exit code {}", r.exit.value_or(0));
  return Failure{"agent-crashed", saying(fmt::format("it said it was done, then ended with {}", how), end.last_error),
                 true};
}

}  // namespace

bool tells_success(const Result& result) {
  if (result.is_error || names_failure(result)) return false;
  if (!result.subtype.empty()) return result.subtype == "success";
  if (result.tells_error) return result.errors.empty();
  // Neither member is there: an answer is the only mark left, and an error would be told in its place.
  return result.errors.empty() && (result.has_structured_output || !trim(result.text).empty()) &&
         !lower(trim(result.text)).starts_with("api error");
}

Finish judge_claude(const ClaudeSeen& seen, const ClaudeTask& task, const Ended& end, const OffsetOf& offset_of) {
  std::optional<Failure> failure = how_it_failed(seen, end, offset_of);
  if (!failure) return good(*seen.result, task);
  if (seen.result && !seen.result->denials.empty()) {
    failure->message +=
        fmt::format(" (tools it was denied: {})", shorten(join(seen.result->denials, ", "), verdict_bytes_max));
  }
  return {std::move(failure)};
}

}  // namespace baton
