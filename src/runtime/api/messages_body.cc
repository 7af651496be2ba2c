#include <fmt/core.h>

#include <algorithm>

#include "base/hash.h"
#include "base/number.h"
#include "base/text.h"
#include "runtime/api/ask.h"
#include "runtime/api/model_facts.h"
#include "runtime/api/schema_fit.h"

namespace baton::api {
namespace {

constexpr std::int64_t thinking_budget_min = 1024;
// From this version on parameters of sampling are refused whatever the model.
constexpr std::string_view version_without_sampling = "2026-10-21";

std::string cache_mark(const Ask& ask) {
  if (ask.cache_ttl == "off") return {};
  if (ask.cache_ttl == "1h") return R"(,"cache_control":{"type":"ephemeral","ttl":"1h"})";
  return R"(,"cache_control":{"type":"ephemeral"})";
}

std::string text_block(std::string_view text, std::string_view mark = {}) {
  return fmt::format(R"({{"type":"text","text":{}{}}})", json_quote(text), mark);
}

/// Skill, then references; the last of them ends a prefix that is kept.
std::string system_blocks(const Ask& ask) {
  std::vector<std::string_view> texts;
  if (!trim(ask.prompt.skill).empty()) texts.emplace_back(ask.prompt.skill);
  for (const std::string& reference : ask.prompt.references) {
    if (!trim(reference).empty()) texts.emplace_back(reference);
  }
  std::vector<std::string> blocks;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    blocks.push_back(text_block(texts[i], i + 1 == texts.size() ? cache_mark(ask) : std::string{}));
  }
  return join(blocks, ",");
}

std::string block_json(const Block& block) {
  switch (block.kind) {
    case Block::Kind::text:
      return trim(block.text).empty() ? std::string{} : text_block(block.text);
    case Block::Kind::thinking:
      return fmt::format(R"({{"type":"thinking","thinking":{},"signature":{}}})", json_quote(block.text),
                         json_quote(block.signature));
    case Block::Kind::redacted_thinking:
      return fmt::format(R"({{"type":"redacted_thinking","data":{}}})", json_quote(block.data));
    case Block::Kind::tool_use:
      return fmt::format(R"({{"type":"tool_use","id":{},"name":{},"input":{}}})", json_quote(block.call.id),
                         json_quote(block.call.name), is_json_object(block.call.input) ? block.call.input : "{}");
    case Block::Kind::other:
      return block.data;
  }
  return {};
}

/// Results come before anything else in their message, all in one; the last one of all ends a prefix that is kept.
std::string marked_turn_messages(const Turn& turn, std::string_view mark) {
  std::vector<std::string> said;
  for (const Block& block : turn.answer.blocks) {
    if (std::string json = block_json(block); !json.empty()) said.push_back(std::move(json));
  }
  std::string messages = fmt::format(R"(,{{"role":"assistant","content":[{}]}})", join(said, ","));
  if (turn.results.empty()) return messages;
  std::vector<std::string> results;
  for (std::size_t i = 0; i < turn.results.size(); ++i) {
    const ToolResult& r = turn.results[i];
    results.push_back(fmt::format(R"({{"type":"tool_result","tool_use_id":{},"content":{}{}{}}})", json_quote(r.id),
                                  json_quote(r.content), r.is_error ? R"(,"is_error":true)" : "",
                                  i + 1 == turn.results.size() ? mark : std::string_view{}));
  }
  return messages + fmt::format(R"(,{{"role":"user","content":[{}]}})", join(results, ","));
}

std::string messages_json(const Ask& ask) {
  std::vector<std::string> blocks;
  if (!trim(ask.prompt.context).empty()) blocks.push_back(text_block(ask.prompt.context, cache_mark(ask)));
  if (!trim(ask.prompt.task).empty()) blocks.push_back(text_block(ask.prompt.task));
  if (blocks.empty()) blocks.push_back(text_block("Begin."));
  std::string messages = fmt::format(R"({{"role":"user","content":[{}]}})", join(blocks, ","));
  for (std::size_t i = 0; i < ask.turns.size(); ++i) {
    messages += marked_turn_messages(ask.turns[i], i + 1 == ask.turns.size() ? cache_mark(ask) : std::string{});
  }
  return messages;
}

std::string message_tools_json(const Ask& ask) {
  std::vector<std::string> tools;
  for (const ToolSpec& tool : ask.tools) {
    tools.push_back(fmt::format(R"({{"name":{},"description":{},"input_schema":{}}})", json_quote(tool.name),
                                json_quote(tool.description), tool.input_schema));
  }
  return join(tools, ",");
}

std::string thinking_json(const Ask& ask, const ModelFacts& facts, std::int64_t max_tokens) {
  if (ask.thinking.empty()) return {};
  if (ask.thinking == "off") {
    return facts.thinks_by_default && facts.may_disable_thinking ? R"({"type":"disabled"})" : std::string{};
  }
  const std::int64_t budget = parse_whole<std::int64_t>(ask.thinking).value_or(max_tokens / 2);
  const bool has_room = max_tokens > thinking_budget_min;
  if (facts.adaptive_thinking && (ask.thinking == "on" || !facts.manual_thinking)) return R"({"type":"adaptive"})";
  if (!has_room || (facts.is_known && !facts.manual_thinking)) return {};
  return fmt::format(R"({{"type":"enabled","budget_tokens":{}}})",
                     std::clamp(budget, thinking_budget_min, max_tokens - 1));
}

std::string output_config(const Ask& ask, const ModelFacts& facts) {
  std::vector<std::string> members;
  if (!ask.effort.empty() && (facts.effort || !facts.is_known)) {
    members.push_back(fmt::format(R"("effort":{})", json_quote(ask.effort)));
  }
  if (!ask.schema.empty() && facts.structured_output) {
    if (const auto schema = fitted_schema(ask.schema)) {
      members.push_back(fmt::format(R"("format":{{"type":"json_schema","schema":{}}})", *schema));
    }
  }
  return join(members, ",");
}

}  // namespace

bool streams(const Ask& ask) { return ask.stream || ask.max_tokens > unstreamed_tokens_max; }

std::string messages_body(const Ask& ask, std::string_view version) {
  const ModelFacts facts = model_facts(ask.model);
  const std::int64_t max_tokens =
      facts.output_tokens_max > 0 ? std::min(ask.max_tokens, facts.output_tokens_max) : ask.max_tokens;
  std::string body = fmt::format(R"({{"model":{},"max_tokens":{})", json_quote(ask.model), max_tokens);
  if (streams(ask)) body += R"(,"stream":true)";
  if (ask.temperature && facts.sampling && version < version_without_sampling) {
    body += fmt::format(R"(,"temperature":{})", *ask.temperature);
  }
  if (const std::string thinking = thinking_json(ask, facts, max_tokens); !thinking.empty()) {
    body += fmt::format(R"(,"thinking":{})", thinking);
  }
  if (const std::string config = output_config(ask, facts); !config.empty()) {
    body += fmt::format(R"(,"output_config":{{{}}})", config);
  }
  if (!ask.tools.empty()) body += fmt::format(R"(,"tools":[{}])", message_tools_json(ask));
  if (const std::string system = system_blocks(ask); !system.empty()) {
    body += fmt::format(R"(,"system":[{}])", system);
  }
  return body + fmt::format(R"(,"messages":[{}]}})", messages_json(ask));
}

std::uint64_t prefix_hash(const Ask& ask) {
  return hash64(ask.prompt.context, hash64(system_blocks(ask), hash64(message_tools_json(ask), hash64(ask.model))));
}

}  // namespace baton::api
