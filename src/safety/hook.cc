#include "safety/hook.h"

#include <fmt/core.h>

#include "base/boost_json.h"
#include "base/text.h"
#include "safety/judge.h"

namespace baton::safety {
namespace {

namespace json = boost::json;

constexpr int blocks = 2;  // claude's own number for it
constexpr int depth_max = 200;
constexpr std::size_t said_bytes_max = 2000;

HookAnswer blocked(std::string_view why) { return {blocks, shorten(printable(why), said_bytes_max) + "\n"}; }

HookAnswer unreadable_hook(std::string_view what) {
  return blocked(fmt::format("Blocked by Baton's safety hook: {}, so the command could not be judged.", what));
}

json::value parsed(std::string_view text, json::error_code& error) {
  json::parse_options options;
  options.max_depth = depth_max;
  return json::parse({text.data(), text.size()}, error, {}, options);
}

/// Tools that run a command line. Others are never asked about; if they are, and have none, they may run.
bool is_shell_tool(std::string_view name) { return name == "Bash" || name == "Monitor"; }
constexpr std::string_view shell_tools = "Bash|Monitor";

json::object hook_entry(std::string_view baton, std::string_view policy_file) {
  const std::string command =
      fmt::format("{} safety hook --policy {} || exit {}", shell_quoted(baton), shell_quoted(policy_file), blocks);
  return {{"matcher", shell_tools}, {"hooks", json::array{json::object{{"type", "command"}, {"command", command}}}}};
}

/// The member, made if it is not there; nullptr if it is something else.
template <class T>
T* member(json::object& object, std::string_view key) {
  json::value& value = object[key];
  if (value.is_null()) value = T{};
  if constexpr (std::is_same_v<T, json::array>) {
    return value.if_array();
  } else {
    return value.if_object();
  }
}

}  // namespace

HookAnswer answer_hook(const Policy& policy, std::string_view input) {
  json::error_code error;
  const json::value value = parsed(input, error);
  if (error || !value.is_object()) return unreadable_hook("what it was given is not a JSON object");
  const json::object& object = value.get_object();
  const json::value* tool = object.if_contains("tool_name");
  if (tool == nullptr || !tool->is_string()) return unreadable_hook("no tool was named");
  if (!policy.enabled()) return {};
  const json::value* arguments = object.if_contains("tool_input");
  const json::value* command =
      arguments != nullptr && arguments->is_object() ? arguments->get_object().if_contains("command") : nullptr;
  if (command == nullptr && !is_shell_tool(tool->get_string())) return {};
  if (command == nullptr || !command->is_string()) return unreadable_hook("there is no command in it");
  const Verdict verdict = judge(policy, command->get_string());
  return verdict.blocked ? blocked(reason(verdict)) : HookAnswer{};
}

HookAnswer blocked_without_policy(const Faults& faults) {
  return unreadable_hook(faults.empty() ? "there is no policy" : faults.front().message);
}

std::string shell_quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string hook_settings(std::string_view baton, std::string_view policy_file) {
  return *hook_settings(baton, policy_file, "{}");
}

Expected<std::string> hook_settings(std::string_view baton, std::string_view policy_file, std::string_view own) {
  const auto bad = [](std::string_view what) {
    return fault("bad-agent-settings", fmt::format("the settings given to claude cannot be used: {}", what),
                 "look at --settings in runtime.claude.args; it takes a JSON object or a file that holds one");
  };
  json::error_code error;
  json::value value = parsed(own, error);
  if (error || !value.is_object()) return bad("they are not a JSON object");
  auto* hooks = member<json::object>(value.get_object(), "hooks");
  if (hooks == nullptr) return bad("'hooks' is not an object");
  auto* before_tools = member<json::array>(*hooks, "PreToolUse");
  if (before_tools == nullptr) return bad("'hooks.PreToolUse' is not a list");
  // One entry that claude cannot read makes it pass over all settings, ours with them, without a word.
  for (const json::value& entry : *before_tools) {
    const json::value* commands = entry.is_object() ? entry.get_object().if_contains("hooks") : nullptr;
    if (commands == nullptr || !commands->is_array()) return bad("'hooks.PreToolUse' has an entry without 'hooks'");
  }
  before_tools->push_back(hook_entry(baton, policy_file));
  return json::serialize(value) + "\n";
}

}  // namespace baton::safety
