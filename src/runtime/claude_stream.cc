// Lines of Claude Code's stream-json, read by simdjson's on-demand parser, which stays in this file. Values are looked
// at as they go by and nothing is built that is not asked for. Numbers and truths are taken from their tokens, so that
// one function is all that is needed of simdjson's library (cmake/simdjson_library.cc).
#include "runtime/claude_stream.h"

#define SIMDJSON_EXCEPTIONS 0
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/number.h"
#include "base/text.h"
#include "runtime/api/characters.h"

namespace baton {
namespace {

namespace od = simdjson::ondemand;
using claude::Events;
using claude::ModelUsage;
using claude::Result;

constexpr std::size_t about_bytes_max = 200;
constexpr std::size_t garbage_bytes_max = 200;
constexpr std::size_t tool_error_bytes_max = 2000;
constexpr std::size_t key_bytes_max = 64;
constexpr std::size_t message_bytes_max = 1U << 20U;
constexpr std::size_t errors_max = 16;
constexpr std::size_t denials_max = 100;
constexpr std::size_t models_max = 64;
// A parser that has read a line longer than this is replaced: it keeps several times the size of its longest line.
constexpr std::size_t parsed_bytes_kept = 1U << 20U;
constexpr std::int64_t told_tokens_max = 1'000'000'000'000;
constexpr double told_cost_usd_max = 1e9;
static_assert(LineCutter::padding >= simdjson::SIMDJSON_PADDING);

// What values hold. None of these fails: a value of another type is as good as none. ----------------------------
std::string_view key_of(od::raw_json_string key) {
  const char* begin = key.raw();
  std::size_t size = 0;
  while (size < key_bytes_max && begin[size] != '"') ++size;
  return {begin, size};
}

std::string_view token_of(od::value& value) {
  std::string_view token = value.raw_json_token();
  while (!token.empty() && token.back() <= ' ' && token.back() >= 0) token.remove_suffix(1);
  return token;
}

/// Texts that cannot be unescaped (half a surrogate pair, say) are taken as they are written.
std::string_view text_of(od::value& value) {
  const std::string_view raw = token_of(value);
  if (raw.size() < 2 || raw.front() != '"') return {};
  std::string_view text;
  if (value.get_string().get(text) == simdjson::SUCCESS) return text;
  return raw.substr(1, raw.size() - 2);
}

/// What a model said: of half a character as much as there is.
std::string kept_text(od::value& value) {
  const char* const raw = token_of(value).data();
  const std::string_view text = text_of(value);
  const bool is_as_written = !text.empty() && text.data() == raw + 1;
  if (is_as_written) return shorten(api::unescaped(text), message_bytes_max);
  return shorten(text, message_bytes_max);
}

bool is_true(od::value& value) { return token_of(value) == "true"; }

std::optional<double> told_number(od::value& value) {
  std::string_view token = token_of(value);
  if (token.starts_with('"')) token = text_of(value);
  const auto number = take_number<double>(token);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::int64_t count_of(od::value& value) {
  if (const auto count = parse_whole<std::int64_t>(token_of(value))) {
    return std::clamp<std::int64_t>(*count, 0, told_tokens_max);
  }
  const double number = told_number(value).value_or(0);
  if (!(number > 0)) return 0;
  return number >= static_cast<double>(told_tokens_max) ? told_tokens_max : static_cast<std::int64_t>(number);
}

std::optional<int> status_of(od::value& value) {
  const auto number = told_number(value);
  if (!number || *number < 100 || *number > 999) return std::nullopt;
  return static_cast<int>(*number);
}

std::optional<Cost> cost_of(od::value& value) {
  const auto usd = told_number(value);
  if (!usd || *usd < 0) return std::nullopt;
  return Cost{std::llround(std::min(*usd, told_cost_usd_max) * 1e9)};
}

/// Seconds since 1970, or milliseconds: told apart by their size. Nothing if it is no moment of this century.
std::optional<Time> told_moment(od::value& value) {
  constexpr double earliest_s = 978'307'200;  // 2001
  constexpr double latest_s = 4'102'444'800;  // 2100
  double seconds = told_number(value).value_or(0);
  if (seconds > latest_s) seconds /= 1000;
  if (seconds < earliest_s || seconds > latest_s) return std::nullopt;
  return time_from_ms(std::llround(seconds * 1000));
}

// Walking. An error means that the line is no JSON. --------------------------------------------------------------
/// Calls on(key, value) for each member.
template <class On>
simdjson::error_code each(od::object object, On&& on) {
  for (auto field : object) {
    od::raw_json_string key;
    if (const auto error = field.key().get(key)) return error;
    od::value value;
    if (const auto error = field.value().get(value)) return error;
    if (const auto error = on(key_of(key), value)) return error;
  }
  return simdjson::SUCCESS;
}

/// The same for a value that may turn out not to be an object.
template <class On>
simdjson::error_code each_in(od::value& value, On&& on) {
  if (!token_of(value).starts_with('{')) return simdjson::SUCCESS;
  od::object object;
  if (const auto error = value.get_object().get(object)) return error;
  return each(object, on);
}

/// Calls on(value) for each item of what may be an array.
template <class On>
simdjson::error_code items_in(od::value& value, On&& on) {
  if (!token_of(value).starts_with('[')) return simdjson::SUCCESS;
  od::array array;
  if (const auto error = value.get_array().get(array)) return error;
  for (auto item : array) {
    od::value inner;
    if (const auto error = item.get(inner)) return error;
    if (const auto error = on(inner)) return error;
  }
  return simdjson::SUCCESS;
}

// The parts of messages. -----------------------------------------------------------------------------------------
simdjson::error_code read_usage(od::value& value, Tokens& tokens, std::int64_t& cache_write_1h) {
  return each_in(value, [&](std::string_view key, od::value& v) {
    if (key == "input_tokens") tokens.input = count_of(v);
    if (key == "output_tokens") tokens.output = count_of(v);
    if (key == "cache_read_input_tokens") tokens.cache_read = count_of(v);
    if (key == "cache_creation_input_tokens") tokens.cache_write = count_of(v);
    if (key != "cache_creation") return simdjson::SUCCESS;
    return each_in(v, [&](std::string_view kind, od::value& count) {
      if (kind == "ephemeral_1h_input_tokens") cache_write_1h = count_of(count);
      return simdjson::SUCCESS;
    });
  });
}

/// How much a member of a tool's input tells of the call: the least rank is shown.
std::size_t rank_of(std::string_view key) {
  constexpr std::array<std::string_view, 10> telling = {
      "command", "file_path", "path", "notebook_path", "pattern", "url", "query", "description", "skill", "prompt"};
  return static_cast<std::size_t>(std::ranges::find(telling, key) - telling.begin());
}

simdjson::error_code read_tool_input(od::value& value, claude::UsedTool& tool) {
  std::size_t best = std::string_view::npos;
  return each_in(value, [&](std::string_view key, od::value& v) {
    const std::size_t rank = rank_of(key);
    if (rank >= best || !token_of(v).starts_with('"')) return simdjson::SUCCESS;
    const std::string_view text = trim(text_of(v));
    if (key == "command") tool.command = shorten(text, message_bytes_max);
    tool.about = shorten(text.substr(0, text.find('\n')), about_bytes_max);
    best = rank;
    return simdjson::SUCCESS;
  });
}

struct AssistantLine {
  claude::Message message;
  claude::ErrorMessage error;
  bool is_error = false;
  bool by_helper = false;
};

simdjson::error_code read_block(od::value& block, Events& events) {
  std::string type;
  std::string text;
  claude::UsedTool tool;
  const auto error = each_in(block, [&](std::string_view key, od::value& v) {
    if (key == "type") type = shorten(text_of(v), key_bytes_max);
    if (key == "text" || key == "thinking") text = kept_text(v);
    if (key == "name") tool.name = shorten(text_of(v), about_bytes_max);
    if (key == "input") return read_tool_input(v, tool);
    return simdjson::SUCCESS;
  });
  if (error != simdjson::SUCCESS) return error;
  const bool is_empty = trim(text).empty();
  if (type == "text" && !is_empty) {
    events.emplace_back(claude::Said{std::move(text)});
  } else if (type == "thinking" && !is_empty) {
    events.emplace_back(claude::Thought{std::move(text)});
  }
  if (type == "tool_use") events.emplace_back(std::move(tool));
  return simdjson::SUCCESS;
}

simdjson::error_code read_message(od::value& value, AssistantLine& line, Events& events) {
  return each_in(value, [&](std::string_view key, od::value& v) {
    if (key == "id") line.message.id = shorten(text_of(v), about_bytes_max);
    if (key == "model") line.message.model = shorten(text_of(v), about_bytes_max);
    if (key == "usage") return read_usage(v, line.message.tokens, line.message.cache_write_1h);
    if (key == "content") return items_in(v, [&](od::value& block) { return read_block(block, events); });
    return simdjson::SUCCESS;
  });
}

simdjson::error_code read_assistant(od::object root, Events& events) {
  AssistantLine line;
  const std::size_t before = events.size();
  const auto error = each(root, [&](std::string_view key, od::value& v) {
    if (key == "message") return read_message(v, line, events);
    if (key == "parent_tool_use_id") line.by_helper = token_of(v).starts_with('"');
    if (key == "error") line.error.error = shorten(text_of(v), about_bytes_max);
    if (key == "api_error_status") line.error.status = status_of(v);
    if (key == "is_api_error_message" || key == "isApiErrorMessage") line.is_error = is_true(v);
    return simdjson::SUCCESS;
  });
  if (error != simdjson::SUCCESS) return error;
  // Whose words these are comes after them.
  for (std::size_t i = before; line.by_helper && i < events.size(); ++i) {
    if (auto* said = std::get_if<claude::Said>(&events[i])) said->by_helper = true;
    if (auto* tool = std::get_if<claude::UsedTool>(&events[i])) tool->by_helper = true;
  }
  if (line.is_error || !line.error.error.empty()) {
    events.emplace_back(std::move(line.error));
  } else if (line.message.model != "<synthetic>" && !line.message.id.empty()) {
    line.message.by_helper = line.by_helper;
    events.emplace_back(std::move(line.message));
  }
  return simdjson::SUCCESS;
}

/// A tool's answer: a text, or blocks of which some are texts.
simdjson::error_code read_tool_answer(od::value& value, std::string& text) {
  if (token_of(value).starts_with('"')) return text = shorten(text_of(value), tool_error_bytes_max), simdjson::SUCCESS;
  return items_in(value, [&](od::value& block) {
    return each_in(block, [&](std::string_view key, od::value& v) {
      if (key == "text" && text.size() < tool_error_bytes_max) text += shorten(text_of(v), tool_error_bytes_max);
      return simdjson::SUCCESS;
    });
  });
}

simdjson::error_code read_tool_result(od::value& block, Events& events) {
  claude::ToolFailed failed;
  bool is_error = false;
  const auto error = each_in(block, [&](std::string_view key, od::value& v) {
    if (key == "is_error") is_error = is_true(v);
    if (key == "content") return read_tool_answer(v, failed.message);
    return simdjson::SUCCESS;
  });
  if (error != simdjson::SUCCESS) return error;
  if (is_error) {
    events.emplace_back(std::move(failed));
  } else {
    events.emplace_back(claude::ToolAnswered{std::move(failed.message)});
  }
  return error;
}

simdjson::error_code read_user(od::object root, Events& events) {
  const std::size_t before = events.size();
  bool by_helper = false;
  const auto error = each(root, [&](std::string_view key, od::value& v) {
    if (key == "parent_tool_use_id") by_helper = token_of(v).starts_with('"');
    if (key != "message") return simdjson::SUCCESS;
    return each_in(v, [&](std::string_view inner, od::value& part) {
      if (inner != "content") return simdjson::SUCCESS;
      return items_in(part, [&](od::value& block) { return read_tool_result(block, events); });
    });
  });
  for (std::size_t i = before; by_helper && i < events.size(); ++i) {
    if (auto* failed = std::get_if<claude::ToolFailed>(&events[i])) failed->by_helper = true;
  }
  return error;
}

/// Partial messages, where somebody asked for them: only the last one tells how much the model really wrote.
simdjson::error_code read_stream_event(od::object root, Events& events) {
  claude::Message message;
  const auto error = each(root, [&](std::string_view key, od::value& v) {
    if (key == "api_message_id") message.id = shorten(text_of(v), about_bytes_max);
    if (key != "event") return simdjson::SUCCESS;
    return each_in(v, [&](std::string_view inner, od::value& part) {
      if (inner == "usage") return read_usage(part, message.tokens, message.cache_write_1h);
      return simdjson::SUCCESS;
    });
  });
  if (error == simdjson::SUCCESS && !message.id.empty() && message.tokens.total() > 0) {
    events.emplace_back(std::move(message));
  }
  return error;
}

// The program's own events. --------------------------------------------------------------------------------------
struct SystemLine {
  std::string subtype;
  std::string session;
  std::string model;
  std::string tool;
  std::string message;
  claude::Retries retries;
};

simdjson::error_code read_system(od::object root, Events& events) {
  SystemLine line;
  const auto error = each(root, [&](std::string_view key, od::value& v) {
    if (key == "subtype") line.subtype = shorten(text_of(v), key_bytes_max);
    if (key == "session_id") line.session = shorten(text_of(v), about_bytes_max);
    if (key == "model") line.model = shorten(text_of(v), about_bytes_max);
    if (key == "tool_name") line.tool = shorten(text_of(v), about_bytes_max);
    if (key == "message" || key == "content") line.message = shorten(text_of(v), about_bytes_max);
    if (key == "attempt") line.retries.attempt = count_of(v);
    if (key == "max_retries") line.retries.attempts_max = count_of(v);
    if (key == "retry_delay_ms") line.retries.delay = Millis{count_of(v)};
    if (key == "error_status") line.retries.status = status_of(v);
    if (key == "error") line.retries.error = shorten(text_of(v), about_bytes_max);
    return simdjson::SUCCESS;
  });
  if (error != simdjson::SUCCESS) return error;
  if (line.subtype == "init") {
    events.emplace_back(claude::Began{std::move(line.session), std::move(line.model)});
  } else if (line.subtype == "api_retry") {
    events.emplace_back(std::move(line.retries));
  } else if (line.subtype == "permission_denied") {
    events.emplace_back(claude::Denied{std::move(line.tool), std::move(line.message)});
  } else if ((line.subtype == "model_fallback" || line.subtype == "informational") && !line.message.empty()) {
    events.emplace_back(claude::Notice{std::move(line.message)});
  }
  return simdjson::SUCCESS;
}

/// The latest reset of the windows that are used up.
simdjson::error_code read_windows(od::value& value, std::optional<Time>& resets) {
  return each_in(value, [&](std::string_view, od::value& window) {
    double used = 0;
    std::optional<Time> its_reset;
    const auto error = each_in(window, [&](std::string_view key, od::value& v) {
      if (key == "utilization") used = told_number(v).value_or(0);
      if (key == "resetsAt") its_reset = told_moment(v);
      return simdjson::SUCCESS;
    });
    if (used >= 1 && its_reset) resets = resets ? std::max(*resets, *its_reset) : *its_reset;
    return error;
  });
}

simdjson::error_code read_rate_limit(od::object root, Events& events) {
  claude::RateLimit limit;
  std::optional<Time> of_windows;
  const auto error = each(root, [&](std::string_view key, od::value& v) {
    if (key != "rate_limit_info") return simdjson::SUCCESS;
    return each_in(v, [&](std::string_view inner, od::value& part) {
      if (inner == "status") limit.status = shorten(text_of(part), key_bytes_max);
      if (inner == "rateLimitType") limit.window = shorten(text_of(part), key_bytes_max);
      if (inner == "resetsAt" || inner == "reset") limit.resets = told_moment(part);
      if (inner == "unifiedWindows") return read_windows(part, of_windows);
      return simdjson::SUCCESS;
    });
  });
  if (error != simdjson::SUCCESS || limit.status.empty()) return error;
  if (!limit.resets) limit.resets = of_windows;
  events.emplace_back(std::move(limit));
  return simdjson::SUCCESS;
}

// The result. ----------------------------------------------------------------------------------------------------
simdjson::error_code read_model_usage(od::value& value, std::vector<ModelUsage>& models) {
  if (!token_of(value).starts_with('{')) return simdjson::SUCCESS;
  od::object object;
  if (const auto error = value.get_object().get(object)) return error;
  for (auto field : object) {
    std::string_view name;
    if (const auto error = field.unescaped_key().get(name)) return error;
    ModelUsage usage;
    usage.model = shorten(name, about_bytes_max);
    od::value members;
    if (const auto error = field.value().get(members)) return error;
    const auto error = each_in(members, [&](std::string_view key, od::value& v) {
      if (key == "inputTokens") usage.tokens.input = count_of(v);
      if (key == "outputTokens") usage.tokens.output = count_of(v);
      if (key == "cacheReadInputTokens") usage.tokens.cache_read = count_of(v);
      if (key == "cacheCreationInputTokens") usage.tokens.cache_write = count_of(v);
      if (key == "cacheCreationEphemeral1hInputTokens") usage.cache_write_1h = count_of(v);
      if (key == "costUSD") usage.cost = cost_of(v);
      return simdjson::SUCCESS;
    });
    if (error != simdjson::SUCCESS) return error;
    if (models.size() < models_max) models.push_back(std::move(usage));
  }
  return simdjson::SUCCESS;
}

simdjson::error_code read_denials(od::value& value, std::vector<std::string>& denials) {
  return items_in(value, [&](od::value& denial) {
    return each_in(denial, [&](std::string_view key, od::value& v) {
      if (key == "tool_name" && denials.size() < denials_max) denials.push_back(shorten(text_of(v), about_bytes_max));
      return simdjson::SUCCESS;
    });
  });
}

simdjson::error_code read_structured(od::value& value, Result& result) {
  if (token_of(value) == "null") return simdjson::SUCCESS;
  std::string_view json;
  if (const auto error = simdjson::to_json_string(value).get(json)) return error;
  result.has_structured_output = true;
  result.structured_output = json;
  return simdjson::SUCCESS;
}

simdjson::error_code read_result_member(std::string_view key, od::value& v, Result& r) {
  if (key == "subtype") r.subtype = shorten(text_of(v), key_bytes_max);
  if (key == "is_error") {
    const std::string_view token = token_of(v);
    r.tells_error = token != "null";
    r.is_error = r.tells_error && token != "false";  // what is neither is no word of success
  }
  if (key == "result") r.text = kept_text(v);
  if (key == "terminal_reason") r.terminal_reason = shorten(text_of(v), key_bytes_max);
  if (key == "stop_reason") r.stop_reason = shorten(text_of(v), key_bytes_max);
  if (key == "api_error_status") r.api_error_status = status_of(v);
  if (key == "api_error") r.api_error = shorten(text_of(v), about_bytes_max);
  if (key == "num_turns") r.turns = count_of(v);
  if (key == "total_cost_usd") r.total_cost = cost_of(v);
  if (key == "session_id") r.session = shorten(text_of(v), about_bytes_max);
  if (key == "usage" && token_of(v).starts_with('{')) {
    return read_usage(v, r.turn_tokens.emplace(), r.turn_cache_write_1h);
  }
  if (key == "modelUsage" && token_of(v).starts_with('{')) return read_model_usage(v, r.session_usage.emplace());
  if (key == "model_usage_since_last_result" && token_of(v).starts_with('{')) {
    return read_model_usage(v, r.turn_usage.emplace());
  }
  if (key == "permission_denials") return read_denials(v, r.denials);
  if (key == "structured_output") return read_structured(v, r);
  if (key != "errors") return simdjson::SUCCESS;
  return items_in(v, [&](od::value& error) {
    if (r.errors.size() < errors_max) r.errors.push_back(kept_text(error));
    return simdjson::SUCCESS;
  });
}

simdjson::error_code read_result(od::object root, Events& events) {
  Result result;
  const auto error = each(root, [&](std::string_view key, od::value& v) { return read_result_member(key, v, result); });
  if (error == simdjson::SUCCESS) events.emplace_back(std::move(result));
  return error;
}

// Which lines are worth a look. ----------------------------------------------------------------------------------
/// The text between `prefix` and the next quotation mark, where the line begins so.
std::optional<std::string_view> word_after(std::string_view line, std::string_view prefix) {
  if (!line.starts_with(prefix)) return std::nullopt;
  const std::string_view rest = line.substr(prefix.size(), key_bytes_max);
  const auto end = rest.find('"');
  if (end == std::string_view::npos) return std::nullopt;
  return rest.substr(0, end);
}

/// True for lines that begin like an event that tells us nothing. The results of tools are most of a stream: they are
/// not parsed at all.
bool tells_nothing(std::string_view line, ClaudeStream::Wants wants) {
  const auto type = word_after(line, R"({"type":")");
  if (!type) return false;
  if (*type == "user") return wants == ClaudeStream::Wants::outcome;
  if (*type == "control_request" || *type == "control_response") return true;
  if (const auto part = word_after(line, R"({"type":"stream_event","event":{"type":")"))
    return *part != "message_delta";
  if (const auto kind = word_after(line, R"({"type":"system","subtype":")")) {
    return *kind != "init" && *kind != "api_retry" && *kind != "permission_denied" && *kind != "model_fallback" &&
           *kind != "informational";
  }
  return false;
}

/// Without what a torn file may leave before a line.
std::string_view without_blanks(std::string_view line) {
  const auto first = line.find_first_not_of(std::string_view{" \t\r\0", 4});
  return first == std::string_view::npos ? std::string_view{} : line.substr(first);
}

}  // namespace

class ClaudeStream::Reader {
 public:
  explicit Reader(Wants wants) : wants_{wants} {}

  void read(std::string_view whole, Events& events) {
    const std::string_view line = without_blanks(whole);
    if (line.empty() || tells_nothing(line, wants_)) return;
    const std::size_t before = events.size();
    if (line.front() == '{' && understood(line, events)) return;
    events.resize(before);
    events.emplace_back(claude::Garbage{shorten(printable(line.substr(0, 2 * garbage_bytes_max)), garbage_bytes_max)});
  }

 private:
  bool understood(std::string_view line, Events& events) {
    if (parser_ == nullptr) parser_ = std::make_unique<od::parser>(LineCutter::line_bytes_max + LineCutter::padding);
    auto error = parse(line, events);
    if (error == simdjson::UTF8_ERROR) {
      std::string mended = api::as_characters(std::string{line});
      const std::size_t size = std::min(mended.size(), LineCutter::line_bytes_max);
      mended.append(LineCutter::padding, '\0');
      error = parse(std::string_view{mended}.substr(0, size), events);
    }
    if (line.size() > parsed_bytes_kept) parser_.reset();
    return error == simdjson::SUCCESS;
  }

  simdjson::error_code parse(std::string_view line, Events& events) {
    od::document document;
    if (const auto error =
            parser_->iterate(line.data(), line.size(), line.size() + LineCutter::padding).get(document)) {
      return error;
    }
    od::object root;
    if (const auto error = document.get_object().get(root)) return error;
    std::string_view type;
    const auto found = word_after(line, R"({"type":")");
    if (found) {
      type = *found;
    } else {
      od::value value;
      const auto error = root.find_field_unordered("type").get(value);
      if (error == simdjson::NO_SUCH_FIELD) return simdjson::SUCCESS;
      if (error != simdjson::SUCCESS) return error;
      type = text_of(value);
      document.rewind();
      if (const auto again = document.get_object().get(root)) return again;
    }
    if (type == "assistant") return read_assistant(root, events);
    if (type == "system") return read_system(root, events);
    if (type == "result") return read_result(root, events);
    if (type == "rate_limit_event") return read_rate_limit(root, events);
    if (type == "stream_event") return read_stream_event(root, events);
    if (type == "user" && wants_ == Wants::transcript) return read_user(root, events);
    return simdjson::SUCCESS;
  }

  Wants wants_;
  std::unique_ptr<od::parser> parser_;
};

ClaudeStream::ClaudeStream() : ClaudeStream{Wants::outcome} {}
ClaudeStream::ClaudeStream(Wants wants) : reader_{std::make_unique<Reader>(wants)} {}
ClaudeStream::~ClaudeStream() = default;
ClaudeStream::ClaudeStream(ClaudeStream&&) noexcept = default;
ClaudeStream& ClaudeStream::operator=(ClaudeStream&&) noexcept = default;

Events ClaudeStream::read(std::string_view bytes) {
  Events events;
  lines_.cut(bytes, [&](std::string_view line) { reader_->read(line, events); });
  tell_passed_over(events);
  return events;
}

Events ClaudeStream::end() {
  Events events;
  lines_.end([&](std::string_view line) { reader_->read(line, events); });
  tell_passed_over(events);
  return events;
}

void ClaudeStream::tell_passed_over(Events& events) {
  const std::size_t all = lines_.passed_over();
  if (all > passed_over_told_) events.emplace_back(claude::PassedOver{all - std::exchange(passed_over_told_, all)});
}

}  // namespace baton
