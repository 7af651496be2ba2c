#include "config/keys.h"

#include <fmt/core.h>

#include <charconv>

#include "base/text.h"
#include "base/time.h"

namespace baton {

const std::vector<KeySpec>& known_keys() {
  using enum KeyKind;
  static const std::vector<KeySpec> keys = {
      {"limits.jobs", integer, "4", "steps of a run at once"},
      {"limits.retries", integer, "", "retries of a step (unset: agent steps 2, command steps 0)"},
      {"limits.retry_delay", duration, "1s", "wait before the first retry; doubles, jitter adds at most 25 %"},
      {"limits.budget_usd", number, "", "dollars a run may spend before it is paused"},
      {"limits.budget_tokens", integer, "", "tokens a run may use before it is paused"},
      {"limits.budget_turns", integer, "", "answers of models a run may take before it is paused"},
      {"limits.stall", duration, "15m",
       "an agent that gives no sign of life so long is warned of, after twice that stopped"},
      {"limits.step_timeout", duration, "", "how long one attempt may take"},
      {"limits.stop_grace", duration, "", "between TERM and KILL (unset: agents 5s, commands 1s)"},
      {"limits.concurrent_runs", integer, "", "runs of this project at once"},
      {"limits.lease", duration, "15s", "how long a driver that has gone silent keeps its run"},
      {"review.auto_accept", boolean, "false", "accept a review that passed without asking"},
      {"runtime.default", text, "", "the runtime of steps that name none"},
      {"runtime.*.command", list, "", "how the runtime's program is started"},
      {"runtime.*.model", text, "", "the model of steps that name none"},
      {"runtime.*.base_url", text, "", "where the runtime's API is"},
      {"runtime.*.args", list, "", "further arguments for the runtime's program"},
      {"runtime.*.tools", list, "", "tools that are used without asking, where the skill names none"},
      {"runtime.*.disallowed_tools", list, "", "tools that are not there at all"},
      {"runtime.*.permission_mode", text, "", "claude: default, acceptEdits, plan, dontAsk, bypassPermissions"},
      {"runtime.*.max_turns", integer, "", "answers of the model an attempt may take; then it fails"},
      {"runtime.*.max_budget_usd", number, "",
       "dollars an attempt may spend by the program's own count; then it fails"},
      {"runtime.*.max_tokens", integer, "", "tokens an answer may have"},
      {"runtime.*.timeout", duration, "", "how long one attempt may take"},
      {"runtime.*.linger", duration, "",
       "how long the program may stay after its result before it is ended (unset: 10s)"},
      {"git.base", text, "", "the branch that worktrees start from"},
      {"git.merge", choice, "merge", "how an accepted change is taken", "merge|squash|rebase"},
      {"markdown.inputless_skills", list, R"(["search","browser-research"])", "skills whose steps need no 'input'"},
      {"skills.paths", list, "", "further folders of skills, after the project's and the user's"},
      {"skills.*.model", text, "", "the model for this skill"},
      {"skills.*.timeout", duration, "", "how long an attempt with this skill may take"},
      {"skills.*.tools", list, "", "tools this skill may use"},
      {"skills.*.runtime", text, "", "the runtime for this skill"},
      {"workflows.*", list, "", "a chain of skills, by name"},
      {"workflows.*.skills", list, "", "a chain of skills, by name"},
  };
  return keys;
}

namespace {

bool fits(std::string_view pattern, std::string_view key) {
  const auto wanted = split(pattern, '.');
  const auto given = split(key, '.');
  if (wanted.size() != given.size()) return false;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == "*" ? !is_id(given[i]) : wanted[i] != given[i]) return false;
  }
  return true;
}

bool is_whole(std::string_view value) {
  long long number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  return error == std::errc{} && end == value.data() + value.size() && number >= 0;
}

bool is_number(std::string_view value) {
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  return error == std::errc{} && end == value.data() + value.size() && number >= 0;
}

}  // namespace

const KeySpec* find_key(std::string_view key) {
  for (const KeySpec& spec : known_keys()) {
    if (fits(spec.pattern, key)) return &spec;
  }
  return nullptr;
}

std::string misfit(const KeySpec& spec, std::string_view value) {
  switch (spec.kind) {
    case KeyKind::text:
      return value.empty() ? "a text that is not empty" : "";
    case KeyKind::list:
      return {};
    case KeyKind::integer:
      return is_whole(value) ? "" : "a whole number";
    case KeyKind::number:
      return is_number(value) ? "" : "a number";
    case KeyKind::boolean:
      return value == "true" || value == "false" ? "" : "true or false";
    case KeyKind::duration:
      return parse_duration(value) ? "" : "a duration such as 90s, 20m or 2h";
    case KeyKind::choice:
      for (const auto choice : split(spec.choices, '|')) {
        if (choice == value) return {};
      }
      return fmt::format("one of {}", spec.choices);
  }
  return {};
}

}  // namespace baton
