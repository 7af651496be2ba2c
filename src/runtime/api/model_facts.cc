#include "runtime/api/model_facts.h"

#include <array>

#include "base/number.h"

namespace baton::api {
namespace {

enum class Thinking : std::uint8_t { manual, both, adaptive, always };

struct Row {
  std::string_view id;  ///< how ids of it begin, after `claude-`
  Thinking thinking;
  bool on_by_default;
  bool effort;
  bool sampling;
  bool forced_tools;
  bool structured;
  std::int64_t cache_min;
  std::int64_t context_k;
  std::int64_t output_k;
};

using enum Thinking;

// The longer of two that fit is the one: `opus-4-5` before `opus-4`. By the provider's documentation of November 2026.
constexpr std::array<Row, 18> rows = {{
    // id          thinking   on     effort sampl. forced struct. cache  context out
    {"fable-5-1", always, true, true, false, false, true, 0, 1000, 128},
    {"fable-5", always, true, true, false, true, true, 512, 1000, 128},
    {"mythos-5", always, true, true, false, true, true, 512, 1000, 128},
    {"opus-5-5", always, true, true, false, false, true, 0, 1000, 128},
    {"opus-5", adaptive, true, true, false, true, true, 512, 1000, 128},
    {"opus-4-8", adaptive, false, true, false, true, true, 1024, 1000, 128},
    {"opus-4-7", adaptive, false, true, false, true, true, 2048, 1000, 128},
    {"opus-4-6", both, false, true, true, true, true, 4096, 1000, 128},
    {"opus-4-5", manual, false, true, true, true, true, 4096, 200, 64},
    {"opus-4", manual, false, false, true, true, false, 1024, 200, 32},
    {"sonnet-5-5", adaptive, true, true, false, false, true, 0, 1000, 128},
    {"sonnet-5", adaptive, true, true, false, true, true, 1024, 1000, 128},
    {"sonnet-4-6", both, false, true, true, true, true, 1024, 1000, 64},
    {"sonnet-4-5", manual, false, false, true, true, true, 1024, 200, 64},
    {"haiku-5-5", adaptive, false, true, false, true, true, 0, 1000, 128},
    {"haiku-4-5", manual, false, false, true, true, true, 4096, 200, 64},
    {"3-5-haiku", manual, false, false, true, true, false, 2048, 200, 8},
    {"3-", manual, false, false, true, true, false, 2048, 200, 8},
}};

bool is_numeral(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::optional<bool> takes_completion_tokens(std::string_view model) {
  if (const auto slash = model.rfind('/'); slash != std::string_view::npos) model.remove_prefix(slash + 1);
  if (model.starts_with("ft:")) model.remove_prefix(3);
  if (model.size() > 1 && model[0] == 'o' && is_numeral(model[1])) return true;
  constexpr std::string_view family = "gpt-";
  constexpr int first_with_reasoning = 5;
  if (!model.starts_with(family)) return std::nullopt;
  model.remove_prefix(family.size());
  return take_number<int>(model).value_or(0) >= first_with_reasoning;
}

ModelFacts model_facts(std::string_view model) {
  const auto at = model.find("claude-");
  if (at == std::string_view::npos) return {};
  const std::string_view id = model.substr(at + 7);
  const Row* best = nullptr;
  for (const Row& row : rows) {
    if (!id.starts_with(row.id)) continue;
    // `opus-5` is no beginning of `opus-55`.
    const bool ends =
        row.id.ends_with('-') || id.size() == row.id.size() || id[row.id.size()] < '0' || id[row.id.size()] > '9';
    if (ends && (best == nullptr || row.id.size() > best->id.size())) best = &row;
  }
  if (best == nullptr) return {};
  ModelFacts facts;
  facts.is_known = true;
  facts.manual_thinking = best->thinking == manual || best->thinking == both;
  facts.adaptive_thinking = best->thinking != manual;
  facts.thinks_by_default = best->on_by_default;
  facts.may_disable_thinking = best->thinking != always;
  facts.effort = best->effort;
  facts.sampling = best->sampling;
  facts.forced_tools = best->forced_tools;
  facts.structured_output = best->structured;
  facts.cache_tokens_min = best->cache_min;
  facts.context_tokens = best->context_k * 1000;
  facts.output_tokens_max = best->output_k * 1000;
  return facts;
}

}  // namespace baton::api
