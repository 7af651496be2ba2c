#include "runtime/api/answer.h"

#include <algorithm>

#include "base/text.h"
#include "runtime/api/characters.h"

namespace baton::api {
namespace {

/// Some servers leave a model's thinking in its text: `<think>…</think>` at the very beginning.
std::string without_thinking(std::string text) {
  constexpr std::string_view open = "<think>";
  constexpr std::string_view close = "</think>";
  const std::string_view seen = trim(text);
  if (!seen.starts_with(open)) return text;
  const auto end = text.find(close);
  if (end == std::string::npos) return text;
  const auto rest = text.find_first_not_of(" \t\r\n", end + close.size());
  return rest == std::string::npos ? std::string{} : text.substr(rest);
}

void add_paragraph(std::string_view text, std::string& all) {
  constexpr std::size_t newlines = 2;
  if (trim(text).empty()) return;
  const auto end = all.find_last_not_of('\n');
  const std::size_t there =
      all.size() - (end == std::string::npos ? 0 : end + 1) + std::min(text.find_first_not_of('\n'), text.size());
  if (there < newlines) all.append(newlines - there, '\n');
  all += text;
}

}  // namespace

std::string Answer::text() const {
  std::string all;
  const Block* before = nullptr;  // what stands right before, if that is text
  for (const Block& block : blocks) {
    const bool is_text = block.kind == Block::Kind::text;
    const bool goes_on = before != nullptr && (before->is_cited || block.is_cited);
    before = is_text ? &block : nullptr;
    if (!is_text) continue;
    if (goes_on || trim(all).empty()) {
      all += block.text;
    } else {
      add_paragraph(block.text, all);
    }
  }
  return without_thinking(std::move(all));
}

void AnswerReader::mend_characters() {
  for (Block& block : answer_.blocks) {
    block.text = as_characters(std::move(block.text));
    if (block.kind == Block::Kind::tool_use) {
      block.call.input = as_characters(with_halves_as_bytes(block.call.input));
    }
  }
  answer_.stop_details = as_characters(std::move(answer_.stop_details));
}

std::vector<ToolCall> Answer::calls() const {
  std::vector<ToolCall> calls;
  for (const Block& block : blocks) {
    if (block.kind == Block::Kind::tool_use) calls.push_back(block.call);
  }
  return calls;
}

std::size_t Answer::written_bytes() const {
  std::size_t bytes = 0;
  for (const Block& block : blocks) bytes += block.text.size() + block.call.input.size();
  return bytes;
}

StopReason messages_stop(std::string_view word) {
  if (word.empty()) return StopReason::none;
  if (word == "end_turn") return StopReason::end_turn;
  if (word == "max_tokens") return StopReason::max_tokens;
  if (word == "stop_sequence") return StopReason::stop_sequence;
  if (word == "tool_use") return StopReason::tool_use;
  if (word == "pause_turn") return StopReason::pause_turn;
  if (word == "refusal") return StopReason::refusal;
  if (word == "model_context_window_exceeded") return StopReason::context_exceeded;
  return StopReason::other;
}

StopReason chat_stop(std::string_view word) {
  if (word.empty()) return StopReason::none;
  if (word == "stop" || word == "eos" || word == "eos_token" || word == "end_turn") return StopReason::end_turn;
  if (word == "length" || word == "max_tokens") return StopReason::max_tokens;
  if (word == "tool_calls" || word == "function_call" || word == "tool_use") return StopReason::tool_use;
  if (word == "content_filter" || word == "refusal") return StopReason::refusal;
  if (word == "abort" || word == "error" || word == "cancelled") return StopReason::broken_off;
  return StopReason::other;
}

}  // namespace baton::api
