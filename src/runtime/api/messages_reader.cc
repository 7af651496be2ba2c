#include "runtime/api/messages_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/boost_json.h"
#include "base/limits.h"
#include "base/text.h"
#include "runtime/api/error_body.h"
#include "runtime/api/json_reading.h"

namespace baton::api {

namespace json = boost::json;

namespace {

constexpr std::size_t message_blocks_max = 10'000;
constexpr std::size_t message_id_bytes_max = 200;

Block::Kind kind_of(std::string_view type) {
  if (type == "text") return Block::Kind::text;
  if (type == "thinking") return Block::Kind::thinking;
  if (type == "redacted_thinking") return Block::Kind::redacted_thinking;
  if (type == "tool_use") return Block::Kind::tool_use;
  return Block::Kind::other;
}

Block block_of(const json::object& object) {
  Block block{.kind = kind_of(string_at(object, "type")), .text = {}, .signature = {}, .data = {}};
  switch (block.kind) {
    case Block::Kind::text:
      block.text = string_at(object, "text");
      if (const json::array* sources = array_at(object, "citations")) block.is_cited = !sources->empty();
      break;
    case Block::Kind::thinking:
      block.text = string_at(object, "thinking");
      block.signature = string_at(object, "signature");
      break;
    case Block::Kind::redacted_thinking:
      block.data = string_at(object, "data");
      break;
    case Block::Kind::tool_use:
      block.call = {std::string{string_at(object, "id")}, std::string{string_at(object, "name")}, "{}"};
      if (const json::value* input = object.if_contains("input")) block.call.input = json::serialize(*input);
      break;
    case Block::Kind::other:
      block.data = json::serialize(object);
      break;
  }
  return block;
}

void take_greater(std::int64_t& known, const json::object& usage, std::string_view key) {
  if (const auto told = count_at(usage, key)) known = std::max(known, *told);
}

}  // namespace

std::string MessagesReader::event(std::string_view name, std::string_view data) {
  if (is_complete() || has_error() || !broken().empty()) return {};
  if (name == "ping") return {};
  const auto value = read_json(data);
  const json::object* event = value ? value->if_object() : nullptr;
  if (event == nullptr) {
    // Of an event that nobody knows it does not matter what it says.
    const bool matters = name.empty() || name.starts_with("message") || name.starts_with("content_block");
    if (name == "error") fail({.status = 0, .type = {}, .code = {}, .message = shorten(trim(data), 500)});
    if (matters) break_off(fmt::format("an event of the stream is no JSON: {}", shorten(trim(data), 120)));
    return {};
  }
  std::string_view type = string_at(*event, "type");
  if (type.empty()) type = name;
  if (type == "message_start") {
    begin(*event);
  } else if (type == "content_block_start") {
    return start_block(*event);
  } else if (type == "content_block_delta") {
    return add_delta(*event);
  } else if (type == "content_block_stop") {
    stop_block(*event);
  } else if (type == "message_delta") {
    if (const auto* delta = object_at(*event, "delta")) read_stop(*delta);
    if (const auto* usage = object_at(*event, "usage")) read_usage(*usage);
  } else if (type == "message_stop") {
    finish();
  } else if (type == "error" || (type.empty() && tells_error(*event))) {
    fail(error_in(*event));
  }
  return {};
}

void MessagesReader::begin(const json::object& event) {
  if (std::exchange(has_begun_, true)) return break_off("a second answer begins in the middle of the first");
  if (const auto* message = object_at(event, "message")) read_message(*message);
}

void MessagesReader::finish() {
  if (!has_begun_) return break_off("the answer has no beginning");
  for (auto& [index, open] : open_) close(open);
  open_.clear();
  is_complete_ = true;
}

void MessagesReader::end() {
  const bool is_told = has_begun_ && open_.empty() && answer_.stop != StopReason::none;
  if (is_told && !has_error() && broken().empty()) is_complete_ = true;
  mend_characters();
}

void MessagesReader::document(std::string_view body) {
  const auto value = read_json(body);
  const json::object* message = value ? value->if_object() : nullptr;
  if (message == nullptr) return break_off(fmt::format("the answer is no JSON: {}", shorten(trim(body), 120)));
  if (string_at(*message, "type") == "error" || tells_error(*message)) return fail(error_in(*message));
  if (array_at(*message, "content") == nullptr) return break_off("the answer has no content");
  read_message(*message);
  is_complete_ = true;
  mend_characters();
}

void MessagesReader::read_message(const json::object& message) {
  answer_.id = shorten(string_at(message, "id"), message_id_bytes_max);
  answer_.model = shorten(string_at(message, "model"), message_id_bytes_max);
  if (const auto* content = array_at(message, "content")) {
    for (const json::value& block : *content) {
      if (block.is_object() && answer_.blocks.size() < message_blocks_max)
        answer_.blocks.push_back(block_of(block.get_object()));
    }
  }
  read_stop(message);
  if (const auto* usage = object_at(message, "usage")) read_usage(*usage);
}

/// Counts are told anew with each event, from the beginning on: the greatest holds.
void MessagesReader::read_usage(const json::object& usage) {
  AnswerUsage& u = answer_.usage;
  u.is_known = true;
  take_greater(u.tokens.input, usage, "input_tokens");
  take_greater(u.tokens.output, usage, "output_tokens");
  take_greater(u.tokens.cache_read, usage, "cache_read_input_tokens");
  take_greater(u.tokens.cache_write, usage, "cache_creation_input_tokens");
  if (const auto* written = object_at(usage, "cache_creation")) {
    take_greater(u.cache_write_1h, *written, "ephemeral_1h_input_tokens");
  }
  if (const auto* details = object_at(usage, "output_tokens_details")) {
    take_greater(u.thinking_tokens, *details, "thinking_tokens");
  }
}

void MessagesReader::read_stop(const json::object& holder) {
  if (const auto word = string_at(holder, "stop_reason"); !word.empty()) {
    answer_.stop_word = shorten(word, message_id_bytes_max);
    answer_.stop = messages_stop(word);
  }
  if (const auto* details = object_at(holder, "stop_details")) {
    const std::string category{string_at(*details, "category")};
    const std::string explanation = shorten(string_at(*details, "explanation"), 500);
    answer_.stop_details =
        category.empty() || explanation.empty() ? category + explanation : fmt::format("{}: {}", category, explanation);
  }
}

Block* MessagesReader::block_at(std::int64_t index, Block::Kind kind) {
  auto open = open_.find(index);
  if (open == open_.end()) {
    // A delta of a block whose beginning did not come: better its words than none.
    if (answer_.blocks.size() >= message_blocks_max) return nullptr;
    open = open_.emplace(index, Open{answer_.blocks.size(), {}}).first;
    answer_.blocks.push_back({.kind = kind, .text = {}, .signature = {}, .data = {}});
  }
  return &answer_.blocks[open->second.at];
}

/// Whoever reads along is shown paragraphs too, as far as can be known before a block's sources have come.
std::string MessagesReader::start_block(const json::object& event) {
  const auto* content = object_at(event, "content_block");
  if (content == nullptr || answer_.blocks.size() >= message_blocks_max) return {};
  Block block = block_of(*content);
  std::string said = block.kind == Block::Kind::text ? block.text : "";
  const bool may_go_on = content->contains("citations") || (!answer_.blocks.empty() && answer_.blocks.back().is_cited);
  const bool said_before = std::ranges::any_of(
      answer_.blocks, [](const Block& b) { return b.kind == Block::Kind::text && !b.text.empty(); });
  if (block.kind == Block::Kind::text && said_before && !may_go_on) said.insert(0, "\n\n");
  open_[count_at(event, "index").value_or(0)] = Open{answer_.blocks.size(), {}};
  answer_.blocks.push_back(std::move(block));
  return said;
}

std::string MessagesReader::add_delta(const json::object& event) {
  const auto* delta = object_at(event, "delta");
  if (delta == nullptr) return {};
  const std::int64_t index = count_at(event, "index").value_or(0);
  const std::string_view type = string_at(*delta, "type");
  text_bytes_ += string_at(*delta, "text").size() + string_at(*delta, "thinking").size() +
                 string_at(*delta, "partial_json").size();
  if (text_bytes_ > Limits::output_bytes_max) return break_off("the answer is longer than all measure"), std::string{};
  if (type == "text_delta") {
    Block* block = block_at(index, Block::Kind::text);
    if (block != nullptr && block->kind == Block::Kind::text) block->text += string_at(*delta, "text");
    return std::string{string_at(*delta, "text")};
  }
  if (type == "thinking_delta") {
    if (Block* block = block_at(index, Block::Kind::thinking)) block->text += string_at(*delta, "thinking");
  } else if (type == "signature_delta") {
    if (Block* block = block_at(index, Block::Kind::thinking)) block->signature += string_at(*delta, "signature");
  } else if (type == "citations_delta") {
    if (Block* block = block_at(index, Block::Kind::text)) block->is_cited = true;
  } else if (type == "input_json_delta") {
    if (block_at(index, Block::Kind::tool_use) != nullptr) {
      open_[index].partial_json += string_at(*delta, "partial_json");
    }
  }
  return {};
}

void MessagesReader::stop_block(const json::object& event) {
  const auto open = open_.find(count_at(event, "index").value_or(0));
  if (open == open_.end()) return;
  close(open->second);
  open_.erase(open);
}

void MessagesReader::close(Open& open) {
  Block& block = answer_.blocks[open.at];
  if (block.kind == Block::Kind::tool_use && !trim(open.partial_json).empty()) {
    block.call.input = std::move(open.partial_json);
  }
}

}  // namespace baton::api
