#include "runtime/api/tools.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/boost_json.h"
#include "base/text.h"
#include "runtime/api/json_reading.h"

namespace baton::api {

namespace json = boost::json;

namespace {

using Kind = ToolUse::Kind;

constexpr std::size_t calls_max = 128;
constexpr std::size_t result_bytes_max = 1U << 20U;

struct Tool {
  Kind kind;
  std::string_view word;
  std::string_view name;
  std::string_view description;
  std::string_view schema;
  std::string_view needs;  ///< the member that must be there
};

constexpr std::array<Tool, 5> tools = {{
    {Kind::read, "read", "read_file",
     "Read a text file. Paths are relative to the working folder, and stay beneath it.",
     R"({"type":"object","properties":{"file_path":{"type":"string"},"offset":{"type":"integer","description":"first line, from 1"},"limit":{"type":"integer","description":"lines"}},"required":["file_path"],"additionalProperties":false})",
     "file_path"},
    {Kind::write, "write", "write_file", "Write a text file as a whole; missing folders are made.",
     R"({"type":"object","properties":{"file_path":{"type":"string"},"content":{"type":"string"}},"required":["file_path","content"],"additionalProperties":false})",
     "file_path"},
    {Kind::list, "list", "list_files", "List the files beneath a folder.",
     R"({"type":"object","properties":{"path":{"type":"string"}},"required":[],"additionalProperties":false})", ""},
    {Kind::search, "search", "search_files", "Find the lines of files that a regular expression (RE2) fits.",
     R"({"type":"object","properties":{"pattern":{"type":"string"},"path":{"type":"string"}},"required":["pattern"],"additionalProperties":false})",
     "pattern"},
    {Kind::run, "run", "bash", "Run a shell command in the working folder; its output and exit code come back.",
     R"({"type":"object","properties":{"command":{"type":"string"},"timeout":{"type":"integer","description":"seconds"}},"required":["command"],"additionalProperties":false})",
     "command"},
}};

const Tool* find_tool(std::string_view name, const std::vector<std::string>& words) {
  const auto found = std::ranges::find(tools, name, &Tool::name);
  if (found == tools.end() || std::ranges::find(words, found->word) == words.end()) return nullptr;
  return &*found;
}

ToolUse use_of(const json::object& input, Kind kind, std::string id) {
  ToolUse use;
  use.id = std::move(id);
  use.kind = kind;
  use.path = kind == Kind::read || kind == Kind::write ? string_at(input, "file_path") : string_at(input, "path");
  use.content = string_at(input, "content");
  use.pattern = string_at(input, "pattern");
  use.command = string_at(input, "command");
  use.offset = count_at(input, "offset").value_or(0);
  use.limit = count_at(input, kind == Kind::run ? "timeout" : "limit").value_or(0);
  return use;
}

bool is_true_at(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_bool() && value->get_bool();
}

std::string_view word_of(Kind kind) { return tools.at(static_cast<std::size_t>(kind)).word; }

}  // namespace

const std::vector<std::string>& tool_words() {
  static const std::vector<std::string> words = {"read", "write", "list", "search", "run"};
  return words;
}

std::vector<ToolSpec> tool_specs(const std::vector<std::string>& words) {
  std::vector<ToolSpec> specs;
  for (const Tool& tool : tools) {
    if (std::ranges::find(words, tool.word) == words.end()) continue;
    specs.push_back({std::string{tool.name}, std::string{tool.description}, std::string{tool.schema}});
  }
  return specs;
}

ToolRound tool_round(const std::vector<ToolCall>& calls, const std::vector<std::string>& words) {
  ToolRound round;
  const auto refuse = [&](const ToolCall& call, std::string why) {
    round.refused.push_back({call.id, std::move(why), true});
  };
  for (const ToolCall& call : calls) {
    const Tool* tool = find_tool(call.name, words);
    if (tool == nullptr) {
      refuse(call, fmt::format("there is no tool '{}'", shorten(call.name, 100)));
      continue;
    }
    const auto input = read_json(call.input);
    if (!input || !input->is_object()) {
      refuse(call, "the input is no JSON object");
    } else if (!tool->needs.empty() && string_at(input->get_object(), tool->needs).empty()) {
      refuse(call, fmt::format("'{}' is missing", tool->needs));
    } else if (round.uses.size() >= calls_max) {
      refuse(call, "too many calls at once");
    } else {
      round.uses.push_back(use_of(input->get_object(), tool->kind, call.id));
    }
  }
  return round;
}

std::string tool_uses_file(const ToolOrder& order) {
  std::vector<std::string> items;
  for (const ToolUse& use : order.uses) {
    items.push_back(fmt::format(
        R"({{"id":{},"tool":"{}","path":{},"content":{},"pattern":{},"command":{},"offset":{},"limit":{}}})",
        json_quote(use.id), word_of(use.kind), json_quote(use.path), json_quote(use.content), json_quote(use.pattern),
        json_quote(use.command), use.offset, use.limit));
  }
  return fmt::format(R"({{"version":1,"folder":{},"unconfined":{},"uses":[{}]}})", json_quote(order.folder),
                     order.unconfined, join(items, ",")) +
         "\n";
}

std::optional<ToolOrder> read_tool_uses(std::string_view text) {
  const auto root = read_json(text);
  if (!root || !root->is_object()) return std::nullopt;
  const json::array* items = array_at(root->get_object(), "uses");
  if (items == nullptr || count_at(root->get_object(), "version") != 1) return std::nullopt;
  ToolOrder order;
  order.folder = string_at(root->get_object(), "folder");
  order.unconfined = is_true_at(root->get_object(), "unconfined");
  for (const json::value& item : *items) {
    if (!item.is_object()) return std::nullopt;
    const json::object& o = item.get_object();
    const auto tool = std::ranges::find(tools, string_at(o, "tool"), &Tool::word);
    if (tool == tools.end()) return std::nullopt;
    order.uses.push_back({std::string{string_at(o, "id")}, tool->kind, std::string{string_at(o, "path")},
                          std::string{string_at(o, "content")}, std::string{string_at(o, "pattern")},
                          std::string{string_at(o, "command")}, count_at(o, "offset").value_or(0),
                          count_at(o, "limit").value_or(0)});
  }
  return order;
}

std::string tool_results_text(const ToolAnswer& answer) {
  std::vector<std::string> items;
  for (const ToolResult& r : answer.results) {
    items.push_back(
        fmt::format(R"({{"id":{},"content":{},"is_error":{}}})", json_quote(r.id), json_quote(r.content), r.is_error));
  }
  const std::string unavailable =
      answer.unavailable.empty() ? "" : fmt::format(R"(,"unavailable":{})", json_quote(answer.unavailable));
  return fmt::format(R"({{"results":[{}],"wrote_output":{}{}}})", join(items, ","), answer.wrote_output, unavailable) +
         "\n";
}

std::optional<ToolAnswer> read_tool_results(std::string_view text) {
  const auto root = read_json(text);
  const json::array* items = root && root->is_object() ? array_at(root->get_object(), "results") : nullptr;
  if (items == nullptr) return std::nullopt;
  ToolAnswer answer;
  answer.wrote_output = is_true_at(root->get_object(), "wrote_output");
  answer.unavailable = string_at(root->get_object(), "unavailable");
  for (const json::value& item : *items) {
    if (!item.is_object()) return std::nullopt;
    const json::object& o = item.get_object();
    answer.results.push_back({std::string{string_at(o, "id")}, shorten(string_at(o, "content"), result_bytes_max),
                              is_true_at(o, "is_error")});
  }
  return answer;
}

std::vector<ToolResult> in_order(const std::vector<ToolCall>& calls, std::vector<ToolResult> results) {
  std::vector<ToolResult> ordered;
  for (const ToolCall& call : calls) {
    const auto found = std::ranges::find(results, call.id, &ToolResult::id);
    if (found == results.end()) {
      ordered.push_back({call.id, "the tool gave no answer", true});
    } else {
      ordered.push_back(std::move(*found));
      results.erase(found);
    }
  }
  return ordered;
}

std::string about(const ToolCall& call) {
  std::string what;
  if (const auto input = read_json(call.input); input && input->is_object()) {
    for (const std::string_view key : {"command", "file_path", "pattern", "path"}) {
      if (what.empty()) what = string_at(input->get_object(), key);
    }
  }
  return fmt::format("[{}] {}", shorten(call.name, 60), shorten(what.substr(0, what.find('\n')), 200));
}

}  // namespace baton::api
