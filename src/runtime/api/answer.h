#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/usage.h"

namespace baton::api {

/// The two families of APIs: Anthropic's Messages, and chat completions as OpenAI has them and many others too.
enum class Protocol : std::uint8_t { messages, chat };

enum class StopReason : std::uint8_t {
  none,  ///< nothing was said about it
  end_turn,
  max_tokens,
  stop_sequence,
  tool_use,
  pause_turn,  ///< the model wants to go on: its words are to be sent back as they are
  refusal,
  context_exceeded,
  broken_off,  ///< the server itself gave up halfway
  other,       ///< a word of versions to come
};

/// A tool the model wants to be used.
struct ToolCall {
  std::string id;
  std::string name;
  std::string input;  ///< JSON, an object; as it came if it is none

  bool operator==(const ToolCall&) const = default;
};

/// One piece of an answer. Pieces are chosen by their kind, never by their place.
struct Block {
  enum class Kind : std::uint8_t { text, thinking, redacted_thinking, tool_use, other };
  Kind kind = Kind::other;
  std::string text;       ///< of text and thinking
  std::string signature;  ///< of thinking
  std::string data;       ///< of redacted thinking; of others: the whole block, as JSON
  ToolCall call = {};     ///< of tool_use
  bool is_cited = false;  ///< text with sources: a piece of a sentence, maybe

  bool operator==(const Block&) const = default;
};

/// What an answer used. Input is what was not in the cache; all that was read is the three together.
struct AnswerUsage {
  Tokens tokens;
  std::int64_t cache_write_1h = 0;   ///< of tokens.cache_write
  std::int64_t thinking_tokens = 0;  ///< of tokens.output
  bool is_known = false;             ///< the server told

  bool operator==(const AnswerUsage&) const = default;
};

struct Answer {
  std::string id;
  std::string model;
  std::vector<Block> blocks;
  StopReason stop = StopReason::none;
  std::string stop_word;     ///< as it was told
  std::string stop_details;  ///< why it refused, say; for people
  AnswerUsage usage;

  bool operator==(const Answer&) const = default;

  /// All its text blocks, a blank line between two of them, but for those that sources cut a sentence into. Thinking
  /// that a server left in the text is cut off.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::vector<ToolCall> calls() const;
  /// Bytes of everything the model wrote, thinking and calls too.
  [[nodiscard]] std::size_t written_bytes() const;
};

/// An error as the server told it.
struct ServerError {
  int status = 0;    ///< of HTTP; 0: inside a stream that had begun well
  std::string type;  ///< `overloaded_error`, `insufficient_quota`, …
  std::string code;  ///< a finer word, where there is one
  std::string message;
  std::string request_id;

  bool operator==(const ServerError&) const = default;
};

/// It stopped where there was no more room, not where it had said all.
constexpr bool is_cut_off(StopReason stop) {
  return stop == StopReason::max_tokens || stop == StopReason::context_exceeded;
}

/// It has come to its end, and nothing of what it asked for has to be done first.
constexpr bool is_last_word(StopReason stop) {
  return stop != StopReason::none && stop != StopReason::tool_use && stop != StopReason::pause_turn;
}

/// The stop reason that a server's word means.
StopReason messages_stop(std::string_view word);
StopReason chat_stop(std::string_view word);

/// Reads one answer of one protocol, event by event or as one document.
class AnswerReader {
 public:
  virtual ~AnswerReader() = default;

  /// One event of the stream. Answers the text that the model said with it, for whoever reads along.
  virtual std::string event(std::string_view name, std::string_view data) = 0;
  /// The whole answer at once.
  virtual void document(std::string_view body) = 0;
  /// There will be no more events.
  virtual void end() = 0;

  [[nodiscard]] const Answer& answer() const { return answer_; }
  /// The server said that it is all there is.
  [[nodiscard]] bool is_complete() const { return is_complete_; }
  /// An error that was told where an answer should be; its message is empty if there was none.
  [[nodiscard]] const ServerError& error() const { return error_; }
  [[nodiscard]] bool has_error() const { return has_error_; }
  /// What cannot be read in what came; empty: nothing.
  [[nodiscard]] const std::string& broken() const { return broken_; }

 protected:
  void break_off(std::string why) {
    if (broken_.empty()) broken_ = std::move(why);
  }
  void fail(ServerError error) {
    if (!has_error_) error_ = std::move(error);
    has_error_ = true;
  }
  /// What came in pieces is text now.
  void mend_characters();

  Answer answer_;
  bool is_complete_ = false;

 private:
  ServerError error_;
  bool has_error_ = false;
  std::string broken_;
};

}  // namespace baton::api
