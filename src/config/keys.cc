#include "config/keys.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace baton {
namespace {

constexpr Bounds positive{.least = 1};
constexpr Bounds above_zero{.least = 0, .most = 1e9, .is_above = true};
constexpr Bounds many{.least = 1, .most = 1e15};
constexpr Bounds slots{.least = 1, .most = 10000};

using enum KeyKind;

constexpr auto keys = std::to_array<KeySpec>({
    {"limits.jobs", integer, "4", "steps of a run at once", slots},
    {"limits.retries", integer, "",
     "retries of a step (unset: calls of model APIs and agent steps 2, tasks of a session 1, skills of a chain 0, "
     "command steps 0)"},
    {"limits.retry_delay", duration, "1s", "wait before the first retry; doubles, jitter adds at most 25 %"},
    {"limits.budget_usd", number, "", "dollars a run may spend before it is paused", above_zero},
    {"limits.budget_day_usd", number, "", "dollars all runs of this project may spend on a day (UTC); then they wait",
     above_zero},
    {"limits.budget_month_usd", number, "", "dollars all runs of this project may spend in a month (UTC)", above_zero},
    {"limits.allow_unpriced", boolean, "false", "start though one of these is set and nobody knows what a model costs"},
    {"limits.budget_tokens", integer, "", "tokens a run may use before it is paused", many},
    {"limits.budget_turns", integer, "", "answers of models a run may take before it is paused", many},
    {"limits.stall", duration, "15m",
     "an agent that gives no sign of life so long is warned of, after twice that stopped"},
    {"limits.step_timeout", duration, "", "how long one attempt may take"},
    {"limits.stop_grace", duration, "", "between TERM and KILL (unset: agents 5s, commands 1s)"},
    {"limits.concurrent_runs", integer, "", "runs of this project at once; further ones wait (0: no limit)"},
    {"limits.concurrent_steps", integer, "", "steps of all runs of this project at once (0: no limit)"},
    {"limits.rate_limit_backoff", duration, "60s",
     "how long a provider that limited us is left alone where it gave no time", above_zero},
    {"limits.wall_floor", duration, "1m",
     "how long a step keeps off a used-up quota that names no moment to come; doubles, up to an hour", above_zero},
    {"limits.rate_limit_retries", integer, "3", "how often a skill of a chain that was rate-limited is tried again"},
    {"limits.log_bytes", integer, "1073741824", "bytes an attempt may print before it is stopped",
     Bounds{.least = 1, .most = 1e15}},
    {"limits.lease", duration, "15s", "how long a driver that has gone silent keeps its run", above_zero},
    {"review.auto_accept", boolean, "false", "accept a review that passed without asking"},
    {"runtime.default", text, "", "the runtime of steps that name none"},
    {"runtime.*.command", list, "", "how the runtime's program is started"},
    {"runtime.*.model", text, "", "the model of steps that name none"},
    {"runtime.*.base_url", address, "", "where the runtime's API is"},
    {"runtime.*.args", list, "", "further arguments for the runtime's program"},
    {"runtime.*.tools", list, "", "tools that are used without asking, where the skill names none"},
    {"runtime.*.disallowed_tools", list, "", "tools that are not there at all"},
    {"runtime.*.unconfined_commands", boolean, "",
     "whether a model API's model may run commands where the kernel cannot confine them (unset: no)"},
    {"runtime.*.permission_mode",
     choice,
     "",
     "what the program may do without asking",
     {},
     "default|acceptEdits|plan|auto|dontAsk|bypassPermissions"},
    {"runtime.*.max_turns", integer, "", "answers of the model an attempt may take; then it fails", positive},
    {"runtime.*.max_budget_usd", number, "", "dollars an attempt may spend by the program's own count; then it fails",
     above_zero},
    {"runtime.*.max_tokens", integer, "", "tokens an answer may have", positive},
    {"runtime.*.key_file", path, "", "a file that holds the API's key"},
    {"runtime.*.key_command", list, "", "a command that prints the API's key"},
    {"runtime.*.stream", boolean, "", "whether answers of a model API are streamed (unset: they are)"},
    {"runtime.*.mode", choice, "", "batch: within a day, for half the price", {}, "call|batch"},
    {"runtime.*.thinking", thinking, "", "off, on, or how many tokens a model API's model may think"},
    {"runtime.*.effort", choice, "", "how hard a model API's model tries", {}, "low|medium|high|xhigh|max"},
    {"runtime.*.temperature",
     number,
     "",
     "of a model API's answers; only for models that take it",
     {.least = 0, .most = 2}},
    {"runtime.*.cache", choice, "", "how long a model API keeps prompts (unset: 5m)", {}, "5m|1h|off"},
    {"runtime.*.version", date, "", "the version of the model API (unset: 2023-06-01)"},
    {"runtime.*.first_timeout", duration, "",
     "how long the first of a model API's answer may take, or all of one that is not streamed (unset: 10m)"},
    {"runtime.*.idle_timeout", duration, "", "so long without more of a model API's answer is a timeout (unset: 120s)"},
    {"runtime.*.proxy", proxy, "", "the proxy for a model API (unset: that of the environment)"},
    {"runtime.*.ca_file", path, "", "certificates to trust beside a model API"},
    {"runtime.*.timeout", duration, "", "how long one attempt may take"},
    {"runtime.*.linger", duration, "",
     "how long the program may stay after its result before it is ended (unset: 10s)"},
    {"git.base", text, "", "the branch that worktrees start from and that accepted changes go to (unset: found)"},
    {"git.merge", choice, "merge", "how an accepted change is taken", {}, "merge|squash|rebase"},
    {"git.worktree_path", text, "", "the folder of worktrees (unset: .baton/worktrees)"},
    {"top.notify", choice, "off", "how 'baton top' tells that a run has ended", {}, "off|bell|desktop"},
    {"safety.enabled", boolean, "true", "check the commands of agents against the blocked patterns"},
    {"safety.blocked_patterns", patterns, "", "commands that agents may not run, as RE2 (unset: the built-in list)"},
    {"safety.allow", patterns, "", "exceptions: commands that one of these fits are let through"},
    {"markdown.inputless_skills", list, R"(["search","browser-research"])", "skills whose steps need no 'input'"},
    {"session.strict", boolean, "false", "a session's task is done only if its file says so and it has a summary"},
    {"workspace.folder", text, "", "the workspace in which pipelines run (unset: WORKSPACE_DIR, workspace/, the root)"},
    {"workspace.budget_usd", number, "",
     "dollars a month; from 80 % on less urgent tasks are put off, from 100 % on all", above_zero},
    {"session.agents.*", text, "", "the skill or agent that does the tasks which a session gives to this agent"},
    {"skills.paths", list, "", "further folders of skills, after the project's and the user's"},
    {"skills.*.model", text, "", "the model for this skill"},
    {"skills.*.timeout", duration, "", "how long an attempt with this skill may take"},
    {"skills.*.tools", list, "", "tools this skill may use without asking"},
    {"skills.*.disallowed_tools", list, "", "tools that are not there for this skill, besides the runtime's"},
    {"skills.*.max_turns", integer, "", "answers of the model an attempt with this skill may take", positive},
    {"skills.*.runtime", text, "", "the runtime for this skill"},
    {"workflows.*", names, "", "a chain of skills, by name"},
    {"workflows.*.skills", names, "", "the same as workflows.NAME"},
});

}  // namespace

std::span<const KeySpec> known_keys() { return keys; }

const std::vector<std::string>& runtime_names() {
  static const std::vector<std::string> names = {"claude",    "codex",  "gemini",  "opencode",
                                                 "anthropic", "openai", "command", "rehearsal"};
  return names;
}

std::optional<std::string_view> name_in(std::string_view pattern, std::string_view key) {
  const auto star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == key ? std::optional{std::string_view{}} : std::nullopt;
  const std::string_view head = pattern.substr(0, star);
  const std::string_view tail = pattern.substr(star + 1);
  if (key.size() <= head.size() + tail.size() || !key.starts_with(head) || !key.ends_with(tail)) return std::nullopt;
  const std::string_view name = key.substr(head.size(), key.size() - head.size() - tail.size());
  // With nothing after it, what follows a dot is a key of its own: the 'skilz' of 'workflows.fix.skilz'.
  if (tail.empty() && name.find('.') != std::string_view::npos) return std::nullopt;
  return name;
}

bool is_name_for(std::string_view pattern, std::string_view name) {
  if (pattern.find('*') == std::string_view::npos) return name.empty();
  if (pattern.starts_with("runtime.")) return std::ranges::find(runtime_names(), name) != runtime_names().end();
  return is_id(name) && !(pattern.starts_with("workflows.") && name.find('.') != std::string_view::npos);
}

const KeySpec* find_key(std::string_view key) {
  for (const KeySpec& spec : known_keys()) {
    const auto name = name_in(spec.pattern, key);
    if (name && is_name_for(spec.pattern, *name)) return &spec;
  }
  return nullptr;
}

std::string canonical_key(std::string_view key) {
  const auto name = name_in("workflows.*.skills", key);
  return name ? "workflows." + std::string{*name} : std::string{key};
}

}  // namespace baton
