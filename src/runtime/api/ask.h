#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/api/answer.h"
#include "runtime/prompt_blocks.h"

namespace baton::api {

/// A tool as a model is told of it.
struct ToolSpec {
  std::string name;
  std::string description;
  std::string input_schema;  ///< JSON

  bool operator==(const ToolSpec&) const = default;
};

/// What a tool answered.
struct ToolResult {
  std::string id;  ///< of the call
  std::string content;
  bool is_error = false;

  bool operator==(const ToolResult&) const = default;
};

/// What was said since the first message: an answer of the model's, and what its tools came to. Without results the
/// model only paused.
struct Turn {
  Answer answer;
  std::vector<ToolResult> results;
};

/// What a model is asked. What is empty is left to the model.
struct Ask {
  std::string model;
  std::int64_t max_tokens = 16384;
  bool stream = true;
  PromptBlocks prompt;
  std::string schema;    ///< JSON Schema of the answer
  std::string thinking;  ///< `off`, `on`, or a budget of tokens
  std::string effort;    ///< `low` … `max`
  std::optional<double> temperature;
  std::string cache_ttl = "5m";  ///< `5m`, `1h`, or `off`
  std::vector<ToolSpec> tools;
  std::vector<Turn> turns;
};

/// An answer of so many tokens is only ever streamed: a connection that is silent for ten minutes does not live.
constexpr std::int64_t unstreamed_tokens_max = 21'333;

/// The version of the Messages API that is spoken unless somebody sets another one.
constexpr std::string_view messages_version = "2023-06-01";

/// The body of a request to the Messages API. Only what the model takes is in it: what a model answers with an error is
/// left out, `max_tokens` is at most what it can write. For a batch: without `stream`.
std::string messages_body(const Ask& ask, std::string_view version = messages_version);

/// The body of a request for a chat completion. OpenAI's own service names some things anew; others know the old names.
std::string chat_body(const Ask& ask, bool is_openai);

/// Whether the answer is going to be streamed.
bool streams(const Ask& ask);

/// The part that siblings share, as a number: the same prefix, the same number.
std::uint64_t prefix_hash(const Ask& ask);

}  // namespace baton::api
