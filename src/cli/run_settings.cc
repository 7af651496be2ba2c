#include "cli/run_settings.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/limits.h"
#include "base/number.h"
#include "cli/agent_runtimes.h"
#include "cli/standard_input.h"
#include "core/unpriced.h"
#include "engine/real_files.h"
#include "runtime/rehearsal_script.h"

namespace baton::cli {
namespace {

constexpr int jobs_max = 10000;

std::optional<double> number_from(const std::string& text, const char* flag, Faults& faults) {
  if (const auto value = parse_whole<double>(text); value && *value > 0 && *value < 1e9) return value;
  faults.push_back({"bad-number", fmt::format("'{}' of {} is not a number above 0", text, flag),
                    fmt::format("write {} 2.50, say", flag)});
  return std::nullopt;
}

void apply_flags(RunSettings& s, const RunOptions& options, Faults& faults) {
  if (options.jobs) {
    if (*options.jobs < 1 || *options.jobs > jobs_max) {
      faults.push_back(
          {"bad-number", fmt::format("--jobs {} is not between 1 and {}", *options.jobs, jobs_max), "try --jobs 4"});
    } else {
      s.jobs = *options.jobs;
    }
  }
  if (!options.budget.empty()) {
    if (const auto usd = number_from(options.budget, "--budget", faults))
      s.cost_budget = Cost{std::llround(*usd * 1e9)};
  }
  if (!options.token_budget.empty()) {
    if (const auto n = number_from(options.token_budget, "--token-budget", faults)) s.token_budget = std::llround(*n);
  }
  if (!options.turn_budget.empty()) {
    if (const auto n = number_from(options.turn_budget, "--turn-budget", faults)) s.turn_budget = std::llround(*n);
  }
  if (!options.timeout.empty()) {
    if (const auto time = parse_duration(options.timeout)) {
      s.time_budget = *time;
    } else {
      faults.push_back(time.error());
    }
  }
  if (options.allow_unpriced) set_unpriced(s, Unpriced::allowed);
  if (!options.runtime.empty()) s.options["runtime"] = options.runtime;
  if (!options.model.empty()) s.options["model"] = options.model;
}

}  // namespace

namespace {

/// What --set said holds for `resume`, `retry` and `wake` too.
void record_sets(RunSettings& s, const Config& config) {
  for (const auto& [key, setting] : config.all()) {
    if (setting.origin == "--set") s.options[std::string{set_prefix} + key] = setting.value;
  }
}

/// What the configuration says, where `counts` lets the key's origin count.
template <class Counts>
void apply_config(RunSettings& s, const Config& config, Counts counts) {
  const auto has = [&](const std::string& key) {
    const auto found = config.all().find(key);
    return found != config.all().end() && counts(found->second.origin);
  };
  if (has("limits.jobs")) s.jobs = std::clamp(config.integer("limits.jobs").value_or(4), 1, jobs_max);
  if (has("limits.wall_floor")) s.wall_floor = config.duration("limits.wall_floor").value_or(s.wall_floor);
  if (has("limits.log_bytes")) s.log_bytes_max = std::llround(config.number("limits.log_bytes").value_or(0));
  if (has("limits.budget_usd"))
    s.cost_budget = Cost{std::llround(config.number("limits.budget_usd").value_or(0) * 1e9)};
  if (has("limits.budget_tokens")) s.token_budget = std::llround(config.number("limits.budget_tokens").value_or(0));
  if (has("limits.budget_turns")) s.turn_budget = std::llround(config.number("limits.budget_turns").value_or(0));
  if (s.cost_budget && s.cost_budget->nano_usd == 0) s.cost_budget.reset();
  if (has("limits.allow_unpriced")) {
    set_unpriced(s, config.text("limits.allow_unpriced") == "true" ? Unpriced::allowed : Unpriced::refused);
  }
}

}  // namespace

std::vector<std::string> recorded_sets(const RunSettings& settings) {
  std::vector<std::string> sets;
  for (const auto& [key, value] : settings.options) {
    if (key.starts_with(set_prefix)) sets.push_back(key.substr(set_prefix.size()) + "=" + value);
  }
  return sets;
}

RunSettings first_settings(const Config& config, const RunOptions& options, std::uint64_t seed, Faults& faults) {
  RunSettings s;
  s.seed = seed;
  set_unpriced(s, Unpriced::refused);
  apply_config(s, config, [](const std::string&) { return true; });
  apply_flags(s, options, faults);
  record_sets(s, config);
  return s;
}

std::optional<RunSettings> changed_settings(const RunSettings& before, const Config& config, const RunOptions& anew,
                                            Faults& faults) {
  check_runtime_name(anew.runtime, faults);
  RunSettings after = before;
  apply_config(after, config, [](const std::string& origin) { return origin == "--set"; });
  apply_flags(after, anew, faults);
  record_sets(after, config);
  return after == before ? std::nullopt : std::optional{after};
}

Expected<std::string> read_whole(const std::string& path, const char* code) {
  if (path == "-") return read_standard_input(Limits::file_bytes_max);
  auto text = RealFiles{}.read(path, Limits::file_bytes_max);
  if (!text) return std::unexpected(text.error());
  if (!*text) return fault(code, fmt::format("there is no file '{}'", path), "give the path of a file, or - for stdin");
  return std::move(**text);
}

void add_rehearsal(const RunOptions& options, const Plan& plan, RunSettings& settings, Faults& faults) {
  if (!options.rehearse) return;
  settings.options["rehearse"] = "1";
  if (options.rehearse->empty()) return;
  auto text = read_whole(*options.rehearse, "no-rehearsal-script");
  if (!text) {
    faults.push_back(text.error());
    return;
  }
  auto script = read_rehearsal_script(*text, *options.rehearse);
  if (!script) {
    faults.insert(faults.end(), script.error().begin(), script.error().end());
    return;
  }
  const Faults unfit = check_rehearsal_script(*script, plan);
  faults.insert(faults.end(), unfit.begin(), unfit.end());
  settings.options["rehearsal_script"] = *text;
}

}  // namespace baton::cli
