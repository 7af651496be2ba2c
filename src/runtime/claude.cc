#include "runtime/claude.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "plan/answer_document.h"
#include "runtime/claude_words.h"

namespace baton {
namespace {

constexpr std::size_t said_bytes_max = 400;
constexpr std::size_t lines_of_text_max = 20;
constexpr std::size_t garbage_said_max = 20;
// How long the program waits for its own background tasks, and a little more.
constexpr Millis background_tasks_max{std::chrono::minutes{11}};

void say(Actions& actions, std::string_view text) {
  const std::string_view line = trim(text);
  if (!line.empty()) actions.emplace_back(Say{shorten(line, said_bytes_max)});
}

/// What the agent says, line by line; of a long speech the beginning.
void say_text(Actions& actions, const claude::Said& said) {
  std::size_t lines = 0;
  for (const std::string_view line : split(said.text, '\n')) {
    if (trim(line).empty()) continue;
    if (++lines > lines_of_text_max) return say(actions, "…");
    say(actions, said.by_helper ? fmt::format("[agent] {}", line) : std::string{line});
  }
}

void add_list(std::vector<std::string>& argv, const char* option, const std::vector<std::string>& words) {
  if (words.empty()) return;
  argv.emplace_back(option);
  argv.push_back(join(words, ","));
}

}  // namespace

const std::vector<std::string>& enclosing_session_marks() {
  static const std::vector<std::string> marks = {
      "CLAUDECODE",
      "CLAUDE_CODE_ENTRYPOINT",
      "CLAUDE_CODE_SSE_PORT",
      "CLAUDE_CODE_SESSION",
      "CLAUDE_CODE_SESSION_ID",
      "CLAUDE_CODE_SESSION_ACCESS_TOKEN",
      "CLAUDE_CODE_CHILD_SESSION",
      "CLAUDE_CODE_HOST_SESSION_ID",
      "CLAUDE_CODE_PARENT_SESSION_ID",
      "CLAUDE_CODE_BRIDGE_SESSION_ID",
      "CLAUDE_CODE_EXECPATH",
      "CLAUDE_CODE_TASK_LIST_ID",
      "CLAUDE_CODE_TEAM_NAME",
      "CLAUDE_CODE_AGENT_ID",
      "CLAUDE_CODE_AGENT_NAME",
      "CLAUDE_AGENT_SDK_VERSION",
      "CLAUDE_AGENT_SDK_CLIENT_APP",
      "CLAUDE_PID",
      "CLAUDE_JOB_DIR",
      "CLAUDE_ENV_FILE",
      "CLAUDE_PROJECT_DIR",
      "CLAUDE_PLUGIN_ROOT",
      "CLAUDE_PLUGIN_DATA",
      "CLAUDE_EFFORT",
      "AI_AGENT",
  };
  return marks;
}

ClaudeRuntime::ClaudeRuntime(ClaudeSettings settings, std::shared_ptr<const Prices> prices)
    : settings_{std::move(settings)},
      // The built-in table lives as long as the program.
      prices_{prices != nullptr ? std::move(prices)
                                : std::shared_ptr<const Prices>{std::shared_ptr<void>{}, &Prices::built_in()}},
      ledger_{prices_} {}

Actions ClaudeRuntime::begin(const Assignment& assignment) {
  stream_ = {};
  ledger_ = ClaudeLedger{prices_};
  seen_ = {};
  told_usage_.reset();
  lingers_ = false;
  stops_at_.reset();
  garbage_said_ = 0;
  began_ = assignment.began;
  answers_ = assignment.step != nullptr && assignment.step->work->answers;
  format_ = answers_ ? assignment.step->work->output_format : OutputFormat::text;
  task_.has_output = !assignment.output_path.empty() && !answers_;
  task_.wants_structured_output = std::ranges::any_of(settings_.extra_args, [](const std::string& arg) {
    return arg == "--json-schema" || arg.starts_with("--json-schema=");
  });

  Spawn spawn;
  spawn.argv = arguments(assignment);
  spawn.env_unset = enclosing_session_marks();
  spawn.stdin_path = assignment.prompt_path;
  // A command left in the background would keep the program up to ten minutes beyond its result.
  if (!settings_.keeps_background_setting) spawn.env.emplace_back("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1");
  return {spawn};
}

std::vector<std::string> ClaudeRuntime::arguments(const Assignment& assignment) const {
  std::vector<std::string> argv = settings_.command;
  for (const char* word : {"-p", "--output-format", "stream-json", "--verbose"}) argv.emplace_back(word);
  const std::string& model = assignment.model.empty() ? settings_.model : assignment.model;
  const auto add = [&](const char* option, std::string value) {
    argv.emplace_back(option);
    argv.push_back(std::move(value));
  };
  if (!model.empty()) add("--model", model);
  if (settings_.max_turns > 0) add("--max-turns", fmt::format("{}", settings_.max_turns));
  if (settings_.max_budget_usd) add("--max-budget-usd", fmt::format("{}", *settings_.max_budget_usd));
  if (!settings_.permission_mode.empty()) add("--permission-mode", settings_.permission_mode);
  if (settings_.tools) add("--tools", join(*settings_.tools, ","));
  add_list(argv, "--allowedTools", settings_.allowed_tools);
  add_list(argv, "--disallowedTools", settings_.disallowed_tools);
  if (!settings_.settings_file.empty()) add("--settings", settings_.settings_file);
  argv.insert(argv.end(), settings_.extra_args.begin(), settings_.extra_args.end());
  return argv;
}

Actions ClaudeRuntime::next(const Observation& observation) {
  if (const auto* more = std::get_if<Printed>(&observation)) return printed(stream_.read(more->bytes));
  if (const auto* end = std::get_if<Ended>(&observation)) return ended(*end);
  const auto* time = std::get_if<TimeCame>(&observation);
  return time == nullptr ? Actions{} : time_came(time->now);
}

Actions ClaudeRuntime::printed(claude::Events events) {
  Actions actions;
  const bool lingered = lingers_;
  for (claude::Event& event : events) note(event, actions);
  // Before the first word of the model's nothing is known: what a request under way costs is told later, or never.
  if (const Usage usage = ledger_.usage(); ledger_.has_news() && told_usage_ != usage) {
    told_usage_ = usage;
    actions.emplace_back(Spend{usage, lingers_});
  }
  // No clock in here: a moment that has passed makes the engine tell the time at once.
  if (lingers_ && !lingered) actions.emplace_back(WaitUntil{began_});
  return actions;
}

Actions ClaudeRuntime::time_came(Time now) {
  if (!lingers_) return {};
  if (!stops_at_) {
    stops_at_ = now + (settings_.keeps_background_setting ? std::max(settings_.linger, background_tasks_max)
                                                          : settings_.linger);
  }
  if (now < *stops_at_) return {WaitUntil{*stops_at_}};
  lingers_ = false;
  return {Say{"[note] still there after its result: it is stopped"}, Stop{}};
}

Actions ClaudeRuntime::ended(const Ended& end) {
  Actions actions = printed(stream_.end());
  std::erase_if(actions, [](const Action& action) { return std::holds_alternative<WaitUntil>(action); });
  // What never ran has cost nothing, and that is known.
  if (!end.record.spawn_error.empty()) actions.emplace_back(Spend{Usage{{}, Cost{0}}});
  Finish finish = judge_claude(seen_, task_, end, settings_.offset_of);
  if (answers_ && !finish.failure && seen_.result) {
    // One that was asked for a document may say nothing beside it: then that is the answer.
    const bool says_nothing = trim(seen_.result->text).empty();
    const std::string& said = says_nothing ? seen_.result->structured_output : seen_.result->text;
    actions.emplace_back(WriteOutput{as_output(said, format_)});
  }
  actions.emplace_back(std::move(finish));
  return actions;
}

void ClaudeRuntime::note(claude::Event& event, Actions& actions) {
  ++seen_.events;
  if (auto* result = std::get_if<claude::Result>(&event)) return note_result(*result, actions);
  lingers_ = false;
  if (auto* began = std::get_if<claude::Began>(&event)) {
    seen_.began = true;
    seen_.session = std::move(began->session);
    seen_.model = std::move(began->model);
    ledger_.expect(seen_.model);
  } else if (const auto* said = std::get_if<claude::Said>(&event)) {
    say_text(actions, *said);
  } else if (const auto* tool = std::get_if<claude::UsedTool>(&event)) {
    say(actions, about(*tool));
    if (!settings_.warns_of || tool->command.empty()) return;
    if (const auto warning = settings_.warns_of(tool->command)) {
      say(actions, "WARNING: safety pattern matched: " + *warning);
    }
  } else if (const auto* message = std::get_if<claude::Message>(&event)) {
    seen_.error = {};  // it came through after all
    ledger_.add(*message);
  } else if (auto* error = std::get_if<claude::ErrorMessage>(&event)) {
    seen_.error = std::move(*error);
  } else if (const auto* retries = std::get_if<claude::Retries>(&event)) {
    seen_.rate_limit_delay = retries->status == 429 ? std::optional{retries->delay} : std::nullopt;
    say(actions, about(*retries));
  } else if (const auto* denied = std::get_if<claude::Denied>(&event)) {
    say(actions, about(*denied));
  } else if (const auto* limit = std::get_if<claude::RateLimit>(&event)) {
    if (limit->status == "rejected") {
      seen_.used_up[limit->window] = limit->resets;
    } else {
      seen_.used_up.erase(limit->window);
    }
    if (limit->status != "allowed") say(actions, about(*limit));
  } else if (const auto* notice = std::get_if<claude::Notice>(&event)) {
    say(actions, "[note] " + notice->text);
  } else if (const auto* garbage = std::get_if<claude::Garbage>(&event)) {
    --seen_.events;
    if (garbage_said_++ < garbage_said_max) say(actions, "[?] " + garbage->text);
  } else if (const auto* passed = std::get_if<claude::PassedOver>(&event)) {
    say(actions, about(*passed));
  }
}

void ClaudeRuntime::note_result(claude::Result& result, Actions& actions) {
  ledger_.settle(result);
  if (!result.session.empty()) seen_.session = result.session;
  if (!result.denials.empty()) {
    say(actions, "[denied] in all: " + join(result.denials, ", "));
  }
  seen_.result = std::move(result);
  lingers_ = true;
  stops_at_.reset();
}

}  // namespace baton
