#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace baton::api {

/// What a model takes and what it answers with an error. Of a model that nobody knows only what all take is assumed.
struct ModelFacts {
  bool is_known = false;
  bool manual_thinking = false;       ///< `{"type":"enabled","budget_tokens":N}`
  bool adaptive_thinking = false;     ///< `{"type":"adaptive"}`
  bool thinks_by_default = false;     ///< thinking tokens count in `max_tokens`
  bool may_disable_thinking = true;   ///< `{"type":"disabled"}`
  bool effort = false;                ///< `output_config.effort`
  bool sampling = true;               ///< `temperature` and its like
  bool forced_tools = true;           ///< `tool_choice` of `any` or `tool`
  bool structured_output = false;     ///< `output_config.format`
  std::int64_t cache_tokens_min = 0;  ///< a shorter prefix is not cached; 0: not known
  std::int64_t context_tokens = 0;    ///< 0: not known
  std::int64_t output_tokens_max = 0;
};

/// By id, also as providers dress it up; dates behind it do not matter.
ModelFacts model_facts(std::string_view model);

/// Whether a model behind chat completions takes `max_completion_tokens` and not `max_tokens`, whoever serves it:
/// OpenAI's reasoning models do. Nothing where its name does not say whose it is (a deployment, say).
std::optional<bool> takes_completion_tokens(std::string_view model);

}  // namespace baton::api
