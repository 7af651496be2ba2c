#include "runtime/api/chat_reader.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/boost_json.h"
#include "base/limits.h"
#include "base/text.h"
#include "runtime/api/error_body.h"
#include "runtime/api/json_reading.h"

namespace baton::api {

namespace json = boost::json;

namespace {

constexpr std::size_t chat_blocks_max = 10'000;
constexpr std::size_t chat_id_bytes_max = 200;

/// A text, or a list of parts of which some are texts.
std::string content_of(const json::object& message) {
  if (const auto text = string_at(message, "content"); !text.empty()) return std::string{text};
  std::string all;
  if (const auto* parts = array_at(message, "content")) {
    for (const json::value& part : *parts) {
      if (part.is_object()) all += string_at(part.get_object(), "text");
    }
  }
  return all;
}

/// What different servers call a model's thinking.
std::string_view reasoning_of(const json::object& message) {
  for (const std::string_view key : {"reasoning_content", "reasoning", "thinking"}) {
    if (const auto text = string_at(message, key); !text.empty()) return text;
  }
  return {};
}

/// Arguments are a text that holds JSON; Ollama's own form has the object itself.
std::string arguments_of(const json::object& function) {
  const json::value* arguments = function.if_contains("arguments");
  if (arguments == nullptr || arguments->is_null()) return {};
  return arguments->is_string() ? std::string{string_at(function, "arguments")} : json::serialize(*arguments);
}

}  // namespace

std::string ChatReader::event(std::string_view name, std::string_view data) {
  if (is_complete() || has_error() || !broken().empty()) return {};
  data = trim(data);
  if (data == "[DONE]") {
    is_complete_ = true;
    return {};
  }
  if (data.empty()) return {};
  const auto value = read_json(data);
  const json::object* chunk = value ? value->if_object() : nullptr;
  if (chunk == nullptr) {
    if (name == "error") {
      fail({.status = 0, .type = {}, .code = {}, .message = shorten(data, 500)});
    } else {
      break_off(fmt::format("an event of the stream is no JSON: {}", shorten(data, 120)));
    }
    return {};
  }
  if (tells_error(*chunk) || name == "error" || string_at(*chunk, "object") == "error") {
    fail(error_in(*chunk));
    return {};
  }
  read_head(*chunk);
  const auto* choices = array_at(*chunk, "choices");
  if (choices == nullptr || choices->empty() || !choices->front().is_object()) return {};
  return read_choice(choices->front().get_object());
}

void ChatReader::document(std::string_view body) {
  const auto value = read_json(body);
  const json::object* root = value ? value->if_object() : nullptr;
  if (root == nullptr) return break_off(fmt::format("the answer is no JSON: {}", shorten(trim(body), 120)));
  if (tells_error(*root) || string_at(*root, "object") == "error") return fail(error_in(*root));
  const auto* choices = array_at(*root, "choices");
  if (choices == nullptr || choices->empty() || !choices->front().is_object()) {
    return break_off("the answer has no choices");
  }
  read_head(*root);
  (void)read_choice(choices->front().get_object());
  is_complete_ = true;
  end();
}

void ChatReader::read_head(const json::object& object) {
  if (answer_.id.empty()) answer_.id = shorten(string_at(object, "id"), chat_id_bytes_max);
  if (answer_.model.empty()) answer_.model = shorten(string_at(object, "model"), chat_id_bytes_max);
  if (const auto* usage = object_at(object, "usage")) read_usage(*usage);
  if (const auto* groq = object_at(object, "x_groq")) {
    if (const auto* usage = object_at(*groq, "usage")) read_usage(*usage);
  }
}

/// What was in the cache is counted among the prompt's tokens here; ours are counted apart.
void ChatReader::read_usage(const json::object& usage) {
  AnswerUsage& u = answer_.usage;
  const std::int64_t prompt = count_at(usage, "prompt_tokens").value_or(0);
  std::int64_t read = 0;
  std::int64_t written = 0;
  if (const auto* details = object_at(usage, "prompt_tokens_details")) {
    read = std::min(count_at(*details, "cached_tokens").value_or(0), prompt);
    written = std::min(count_at(*details, "cache_write_tokens").value_or(0), prompt - read);
  }
  u.is_known = true;
  u.tokens.input = std::max(u.tokens.input, prompt - read - written);
  u.tokens.cache_read = std::max(u.tokens.cache_read, read);
  u.tokens.cache_write = std::max(u.tokens.cache_write, written);
  u.tokens.output = std::max(u.tokens.output, count_at(usage, "completion_tokens").value_or(0));
  if (const auto* details = object_at(usage, "completion_tokens_details")) {
    u.thinking_tokens = std::max(u.thinking_tokens, count_at(*details, "reasoning_tokens").value_or(0));
  }
}

std::string ChatReader::read_choice(const json::object& choice) {
  if (count_at(choice, "index").value_or(0) != 0) return {};
  std::string said;
  const auto* message = object_at(choice, "delta");
  if (message == nullptr) message = object_at(choice, "message");
  if (message != nullptr) said = read_words(*message);
  if (const auto word = string_at(choice, "finish_reason"); !word.empty()) {
    answer_.stop_word = shorten(word, chat_id_bytes_max);
    // A refusal that was told in words stays one.
    if (answer_.stop != StopReason::refusal) answer_.stop = chat_stop(word);
  }
  if (tells_error(choice)) fail(error_in(choice));
  return said;
}

/// An answer has one text and one train of thought, whatever comes in between.
Block& ChatReader::block_of(Block::Kind kind) {
  const auto known = std::ranges::find(answer_.blocks, kind, &Block::kind);
  if (known != answer_.blocks.end()) return *known;
  answer_.blocks.push_back({.kind = kind, .text = {}, .signature = {}, .data = {}});
  return answer_.blocks.back();
}

std::string ChatReader::read_words(const json::object& message) {
  std::string text = content_of(message);
  const std::string_view reasoning = reasoning_of(message);
  text_bytes_ += text.size() + reasoning.size();
  if (text_bytes_ > Limits::output_bytes_max || answer_.blocks.size() > chat_blocks_max) {
    return break_off("the answer is longer than all measure"), std::string{};
  }
  if (!reasoning.empty()) block_of(Block::Kind::thinking).text += reasoning;
  if (!text.empty()) block_of(Block::Kind::text).text += text;
  if (const auto refusal = string_at(message, "refusal"); !refusal.empty()) {
    answer_.stop = StopReason::refusal;
    answer_.stop_details += refusal;
  }
  read_calls(message);
  return text;
}

void ChatReader::read_calls(const json::object& message) {
  const auto* calls = array_at(message, "tool_calls");
  if (calls == nullptr) return;
  for (const json::value& item : *calls) {
    const json::object* call = item.if_object();
    if (call == nullptr || answer_.blocks.size() > chat_blocks_max) continue;
    const std::string_view id = string_at(*call, "id");
    // Without an index a call with an id is a new one, and what has none goes on with the last.
    const auto last = calls_.empty() ? -1 : calls_.rbegin()->first;
    const std::int64_t index = count_at(*call, "index").value_or(id.empty() && last >= 0 ? last : last + 1);
    auto known = calls_.find(index);
    if (known == calls_.end()) {
      known = calls_.emplace(index, answer_.blocks.size()).first;
      answer_.blocks.push_back({.kind = Block::Kind::tool_use, .text = {}, .signature = {}, .data = {}});
    }
    ToolCall& open = answer_.blocks[known->second].call;
    if (!id.empty()) open.id = shorten(id, chat_id_bytes_max);
    if (const auto* function = object_at(*call, "function")) {
      if (const auto name = string_at(*function, "name"); !name.empty() && open.name.empty()) open.name = name;
      const std::string arguments = arguments_of(*function);
      text_bytes_ += arguments.size();
      if (text_bytes_ > Limits::output_bytes_max) return break_off("the answer is longer than all measure");
      open.input += arguments;
    }
  }
}

/// A server that told why it stopped has told all, with `[DONE]` or without.
void ChatReader::end() {
  if (answer_.stop != StopReason::none && !has_error() && broken().empty()) is_complete_ = true;
  int n = 0;
  for (Block& block : answer_.blocks) {
    if (block.kind != Block::Kind::tool_use) continue;
    if (trim(block.call.input).empty()) block.call.input = "{}";
    if (block.call.id.empty()) block.call.id = fmt::format("call_{}", ++n);
  }
  mend_characters();
}

}  // namespace baton::api
