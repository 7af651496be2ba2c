#include "cli/safety_policy.h"

#include <algorithm>

#include "base/limits.h"
#include "base/text.h"
#include "config/toml_layer.h"
#include "engine/real_files.h"
#include "host/program_path.h"
#include "safety/hook.h"
#include "safety/judge.h"

namespace baton::cli {
namespace {

/// A text that is no list is one pattern: expressions have commas of their own.
std::optional<safety::ConfiguredPatterns> patterns_of(const Config& config, const std::string& key) {
  const auto found = config.all().find(key);
  if (found == config.all().end()) return std::nullopt;
  const Setting& setting = found->second;
  auto list = read_toml_list(setting.value);
  if (!list) list = setting.value.empty() ? std::vector<std::string>{} : std::vector{setting.value};
  return safety::ConfiguredPatterns{std::move(*list), setting.origin};
}

/// Leaves a file alone that says the same: attempts are many, and it is read while it stands there.
Status write_if_new(const std::string& path, const std::string& text) {
  RealFiles files;
  const auto there = files.read(path, Limits::file_bytes_max);
  if (there && *there && **there == text) return {};
  return files.write(path, text);
}

/// Takes the user's own `--settings` out of the arguments: claude listens to one only.
std::optional<std::string> take_own_settings(std::vector<std::string>& args) {
  constexpr std::string_view option = "--settings";
  std::optional<std::string> value;
  for (auto at = args.begin(); at != args.end();) {
    if (*at == option && at + 1 != args.end()) {
      value = *(at + 1);
      at = args.erase(at, at + 2);
    } else if (at->starts_with("--settings=")) {
      value = at->substr(option.size() + 1);
      at = args.erase(at);
    } else {
      ++at;
    }
  }
  return value;
}

/// The text that `--settings` stands for: JSON itself, or a file that holds it.
std::optional<std::string> settings_text(const std::string& value, const std::string& root) {
  if (trim(value).starts_with('{')) return value;
  const auto read = RealFiles{}.read(value.starts_with('/') ? value : root + "/" + value, Limits::file_bytes_max);
  return read && *read ? *read : std::nullopt;
}

}  // namespace

std::expected<safety::Policy, Faults> policy_of(const Config& config) {
  safety::PolicyWords words;
  words.enabled = config.text("safety.enabled").value_or("true") == "true";
  words.blocked = patterns_of(config, "safety.blocked_patterns");
  words.allow = patterns_of(config, "safety.allow").value_or(safety::ConfiguredPatterns{});
  return safety::Policy::from(words);
}

SafetyFiles safety_files(const std::string& run_folder) {
  return {run_folder + "/safety.json", run_folder + "/claude-settings.json"};
}

Status write_safety_files(const std::string& run_folder, const safety::Policy& policy, const std::string& baton) {
  const SafetyFiles files = safety_files(run_folder);
  if (auto wrote = write_if_new(files.policy, safety::to_json(policy.text())); !wrote) return wrote;
  if (!policy.enabled()) return {};
  return write_if_new(files.settings, safety::hook_settings(baton, files.policy));
}

bool has_agents(const std::vector<Step>& steps) {
  return std::ranges::any_of(steps, [](const Step& s) {
    if (s.flow != nullptr && has_agents(s.flow->body)) return true;
    return s.work != nullptr && !s.work->is_command() && !s.work->is_nothing();
  });
}

const safety::Policy& RunPolicies::of(const std::string& run_folder, const Config& config) {
  const auto known = policies_.find(run_folder);
  if (known != policies_.end()) return known->second;
  const auto text = RealFiles{}.read(safety_files(run_folder).policy, Limits::file_bytes_max);
  // A policy that is damaged is not replaced: the hook blocks everything, and says why.
  auto policy = text && *text ? safety::read_policy(**text) : policy_of(config);
  return policies_.emplace(run_folder, policy ? *policy : safety::Policy::built_in()).first->second;
}

std::vector<std::string> RunPolicies::rules(const std::string& run_folder, const Config& config) {
  const safety::Policy& policy = of(run_folder, config);
  return policy.enabled() ? safety::rules(policy) : std::vector<std::string>{};
}

void RunPolicies::apply(ClaudeSettings& settings, const std::string& run_folder, const Config& config,
                        const std::string& root) {
  const safety::Policy& policy = of(run_folder, config);
  if (!policy.enabled()) return;
  settings.warns_of = [policy](std::string_view command) -> std::optional<std::string> {
    const safety::Verdict verdict = safety::judge(policy, command);
    return verdict.blocked ? std::optional{safety::brief_reason(verdict)} : std::nullopt;
  };
  const SafetyFiles files = safety_files(run_folder);
  const std::string baton = sibling_program("baton");
  std::string text = safety::hook_settings(baton, files.policy);
  const auto before = take_own_settings(settings.command);
  const auto behind = take_own_settings(settings.extra_args);
  if (const auto own = behind ? behind : before) {
    const auto own_text = settings_text(*own, root);
    if (!own_text) {
      // There is no such file: claude refuses to start, and says so.
      settings.extra_args.insert(settings.extra_args.end(), {"--settings", *own});
      return;
    }
    // Settings that claude cannot read it passes over without a word. Then ours stand alone.
    if (auto both = safety::hook_settings(baton, files.policy, *own_text)) text = std::move(*both);
  }
  RealFiles real;
  if (auto there = real.read(files.policy, Limits::file_bytes_max); there && !*there) {
    (void)write_if_new(files.policy, safety::to_json(policy.text()));
  }
  // Where it cannot be written claude is still told of it, and refuses to start: better than unguarded.
  (void)write_if_new(files.settings, text);
  settings.settings_file = files.settings;
}

}  // namespace baton::cli
