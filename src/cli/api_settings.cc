#include "cli/api_settings.h"

#include <string.h>
#include <unistd.h>

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/text.h"
#include "config/value_check.h"

namespace baton::cli {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string{} : std::string{trim(value)};
}

bool is_set(const char* name) { return !variable(name).empty(); }

bool speaks_messages(const std::string& runtime) { return api::protocol_of(runtime) == api::Protocol::messages; }

const char* base_url_variable(const std::string& runtime) {
  return speaks_messages(runtime) ? "ANTHROPIC_BASE_URL" : "OPENAI_BASE_URL";
}

std::string base_url_of(const Config& config, const std::string& runtime) {
  const std::string set = config.text("runtime." + runtime + ".base_url").value_or("");
  return set.empty() ? variable(base_url_variable(runtime)) : set;
}

void add_environment(const std::string& runtime, ApiSettings& settings) {
  if (speaks_messages(runtime)) {
    // They may well be secrets: the courier looks itself.
    if (is_set("ANTHROPIC_CUSTOM_HEADERS")) settings.headers_variable = "ANTHROPIC_CUSTOM_HEADERS";
    return;
  }
  if (is_set("OPENAI_ORG_ID")) settings.headers.emplace_back("openai-organization", variable("OPENAI_ORG_ID"));
  if (is_set("OPENAI_PROJECT_ID")) settings.headers.emplace_back("openai-project", variable("OPENAI_PROJECT_ID"));
}

/// Our word for a tool; those of agent programs mean ours. Nothing if there is no such tool.
std::optional<std::string> tool_word(const std::string& name) {
  constexpr std::pair<std::string_view, std::string_view> theirs[] = {
      {"Read", "read"}, {"Write", "write"}, {"Edit", "write"}, {"Glob", "list"},
      {"LS", "list"},   {"Grep", "search"}, {"Bash", "run"}};
  std::string word = name.substr(0, name.find('('));
  if (std::ranges::find(api::tool_words(), word) != api::tool_words().end()) return word;
  for (const auto& [their, our] : theirs) {
    if (word == their) return std::string{our};
  }
  return std::nullopt;
}

/// Tools are off unless the configuration asks for them.
std::vector<std::string> tools_of(const Config& config, const std::string& runtime, const std::string& skill) {
  const std::string of_skill = "skills." + skill + ".tools";
  const std::vector<std::string> named =
      config.has(of_skill) ? config.list(of_skill) : config.list("runtime." + runtime + ".tools");
  std::vector<std::string> tools;
  for (const std::string& name : named) {
    const auto word = tool_word(name);
    if (word && std::ranges::find(tools, *word) == tools.end()) tools.push_back(*word);
  }
  return tools;
}

Fault bad_value(const Config& config, const std::string& key, std::string message, std::string help) {
  return {"bad-config-value", std::move(message), std::move(help), config.all().at(key).place};
}

/// A file that a setting names has to be there before anything starts.
void check_file(const Config& config, const std::string& key, const std::string& holds, Faults& faults) {
  const auto path = config.text(key);
  if (!path) return;
  std::error_code error;
  const bool is_file = std::filesystem::is_regular_file(*path, error);
  if (is_file && ::access(path->c_str(), R_OK) == 0) return;
  const std::string why = error ? error.message() : is_file ? ::strerror(errno) : "it is no file";
  faults.push_back(bad_value(config, key, fmt::format("{} names '{}', which cannot be read: {}", key, *path, why),
                             fmt::format("name a file that holds {}; ~/ is your home, and what is relative is beneath "
                                         "the project's root",
                                         holds)));
}

void check_tools(const Config& config, const std::string& runtime, Faults& faults) {
  const std::string key = "runtime." + runtime + ".tools";
  for (const std::string& name : config.list(key)) {
    if (tool_word(name)) continue;
    const std::string near = nearest(name, api::tool_words());
    faults.push_back(
        bad_value(config, key, fmt::format("{} names the tool '{}', and there is none", key, name),
                  fmt::format("{}there are {}", near.empty() ? "" : fmt::format("did you mean '{}'? ", near),
                              join(api::tool_words(), ", "))));
  }
}

void check_address(const Config& config, const std::string& runtime, Faults& faults) {
  if (config.has("runtime." + runtime + ".base_url")) return;  // it was looked at when it was read
  const char* name = base_url_variable(runtime);
  if (!is_set(name)) return;
  if (auto wrong = address_fault(name, variable(name), {name, 0, 0})) faults.push_back(std::move(*wrong));
}

}  // namespace

std::optional<api::Auth> api_key(const Config& config, const std::string& runtime) {
  const std::string prefix = "runtime." + runtime + ".";
  api::Auth auth{"x-api-key", "", api::KeyFromEnvironment{"ANTHROPIC_API_KEY"}};
  if (!speaks_messages(runtime)) auth = {"authorization", "Bearer ", api::KeyFromEnvironment{"OPENAI_API_KEY"}};
  if (const auto command = config.list(prefix + "key_command"); !command.empty()) {
    auth.source = api::KeyFromCommand{command};
    return auth;
  }
  if (const auto file = config.text(prefix + "key_file"); file && !file->empty()) {
    auth.source = api::KeyFromFile{*file};
    return auth;
  }
  if (is_set(std::get<api::KeyFromEnvironment>(auth.source).name.c_str())) return auth;
  if (speaks_messages(runtime) && is_set("ANTHROPIC_AUTH_TOKEN")) {
    return api::Auth{"authorization", "Bearer ", api::KeyFromEnvironment{"ANTHROPIC_AUTH_TOKEN"}};
  }
  return std::nullopt;
}

Faults api_faults(const Config& config, const std::string& runtime) {
  Faults faults;
  const std::string prefix = "runtime." + runtime + ".";
  if (!api_key(config, runtime) && base_url_of(config, runtime).empty()) {
    const char* variables = speaks_messages(runtime) ? "ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN" : "OPENAI_API_KEY";
    faults.push_back(
        {"runtime-not-found",
         fmt::format("no key is set: {}, {}key_file and {}key_command were looked at", variables, prefix, prefix),
         "set one of them, or base_url for a server of your own; --rehearse needs none"});
  }
  check_address(config, runtime, faults);
  // A command is asked before a file: where there is one, nobody looks at the file.
  if (config.list(prefix + "key_command").empty()) check_file(config, prefix + "key_file", "the key", faults);
  check_file(config, prefix + "ca_file", "certificates to trust", faults);
  check_tools(config, runtime, faults);
  return faults;
}

std::vector<std::string> tools_not_there(const Config& config, const std::string& skill) {
  std::vector<std::string> names = config.list("skills." + skill + ".tools");
  std::erase_if(names, [](const std::string& name) { return tool_word(name).has_value(); });
  return names;
}

std::string api_model(const Config& config, const std::string& runtime) {
  return config.text("runtime." + runtime + ".model").value_or(speaks_messages(runtime) ? "sonnet" : "");
}

ApiSettings api_settings(const Config& config, const std::string& runtime, const std::string& skill) {
  const std::string prefix = "runtime." + runtime + ".";
  const auto text = [&](const char* key) { return config.text(prefix + key).value_or(""); };
  ApiSettings settings;
  settings.protocol = api::protocol_of(runtime);
  settings.base_url = base_url_of(config, runtime);
  settings.auth = api_key(config, runtime);
  add_environment(runtime, settings);
  if (const std::string version = text("version"); !version.empty()) settings.version = version;
  settings.model = api_model(config, runtime);
  settings.max_tokens = config.integer(prefix + "max_tokens").value_or(static_cast<int>(settings.max_tokens));
  settings.stream = text("stream") != "false";
  settings.batch = text("mode") == "batch" && settings.protocol == api::Protocol::messages;
  settings.thinking = text("thinking");
  settings.effort = text("effort");
  settings.temperature = config.number(prefix + "temperature");
  if (const std::string cache = text("cache"); !cache.empty()) settings.cache_ttl = cache;
  settings.tools = tools_of(config, runtime, skill);
  settings.unconfined_commands = text("unconfined_commands") == "true";
  settings.tool_rounds_max = config.integer("skills." + skill + ".max_turns")
                                 .value_or(config.integer(prefix + "max_turns").value_or(settings.tool_rounds_max));
  settings.first_timeout = config.duration(prefix + "first_timeout").value_or(settings.first_timeout);
  settings.idle_timeout = config.duration(prefix + "idle_timeout").value_or(settings.idle_timeout);
  settings.proxy = text("proxy");
  settings.ca_file = text("ca_file");
  return settings;
}

}  // namespace baton::cli
