// safety: what the blocked patterns say of a command, which there are, and the hook that agents' programs ask.
#include <unistd.h>

#include <fmt/core.h>

#include "base/limits.h"
#include "base/text.h"
#include "cli/reporter.h"
#include "cli/run_settings.h"
#include "cli/safety_policy.h"
#include "cli/standard_input.h"
#include "cli/verbs.h"
#include "engine/real_files.h"
#include "safety/hook.h"
#include "safety/judge.h"
#include "view/json_text.h"

namespace baton::cli {
namespace {

constexpr std::string_view plain_signs = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";

/// One word is a command line as it is; several are the words of one, as a shell would hand them over.
Expected<std::string> command_text(const std::vector<std::string>& words) {
  if (words.empty()) return fault("bad-usage", "there is no command to judge", "baton safety test 'rm -rf build'");
  if (words.size() > 1) {
    std::vector<std::string> quoted;
    for (const std::string& word : words) {
      const bool is_plain = word.find_first_not_of(plain_signs) == std::string::npos && !word.empty();
      quoted.push_back(is_plain ? word : safety::shell_quoted(word));
    }
    return join(quoted, " ");
  }
  if (words.front() == "-") return read_whole("-", "bad-usage");
  return words.front();
}

std::string to_text(const safety::Verdict& v, const std::string& command, const safety::Policy& policy) {
  const auto row = [](std::string_view name, std::string_view value) {
    return value.empty() ? std::string{} : fmt::format("  {:<9} {}\n", name, printable(value));
  };
  std::string text = fmt::format("{}: {}\n", v.blocked ? "blocked" : "allowed", printable(trim(command)));
  if (!v.fits()) text += fmt::format("  none of {} patterns fits\n", policy.text().blocked.size());
  if (v.fits()) {
    text += row("rule", v.rule.name) + row("why", v.rule.why) + row("pattern", v.rule.pattern);
    text += row("from", v.rule.origin) + row("found", v.found);
    if (v.read_as != v.found) text += row("read as", v.read_as);
    if (v.source != trim(command)) text += row("written", v.source);
  }
  if (!v.allowed_by.empty()) text += row("but", fmt::format("safety.allow has '{}'", v.allowed_by));
  if (v.blocked) text += row("to allow", "add a pattern for it to safety.allow (docs/safety.md)");
  if (!policy.enabled()) text += "  note: safety.enabled is false, so agents are not asked\n";
  return text;
}

std::string to_json(const safety::Verdict& v, const std::string& command, const safety::Policy& policy) {
  JsonObject object;
  object.text("verdict", v.blocked ? "blocked" : "allowed").text("command", command);
  object.flag("enabled", policy.enabled());
  object.maybe("rule", v.rule.name).maybe("why", v.rule.why).maybe("pattern", v.rule.pattern);
  object.maybe("origin", v.rule.origin).maybe("found", v.found).maybe("read_as", v.read_as);
  return object.maybe("written", v.source).maybe("allowed_by", v.allowed_by).done() + "\n";
}

int test(const Common& common, const safety::Policy& policy, const std::vector<std::string>& words) {
  const auto command = command_text(words);
  if (!command) return print(common, command.error()), exit_refused;
  const safety::Verdict verdict = safety::judge(policy, *command);
  write_out(STDOUT_FILENO, common.json ? to_json(verdict, *command, policy) : to_text(verdict, *command, policy));
  return verdict.blocked ? exit_failed : exit_done;
}

int list(const Common& common, const safety::Policy& policy) {
  if (common.json) return write_out(STDOUT_FILENO, safety::to_json(policy.text())), exit_done;
  std::string text = policy.enabled() ? "" : "safety.enabled is false: agents are not asked.\n";
  for (const safety::Rule& rule : policy.text().blocked) {
    const bool own = rule.is_own();
    text += fmt::format("{:<22} {}  [{}]\n", own ? "blocked" : rule.name, printable(own ? rule.pattern : rule.why),
                        printable(rule.origin));
    if (!own && common.verbose > 0) text += fmt::format("{:<22} {}\n", "", rule.pattern);
  }
  for (const safety::Rule& rule : policy.text().allow) {
    text += fmt::format("{:<22} {}  [{}]\n", "allowed", printable(rule.pattern), printable(rule.origin));
  }
  if (policy.text().blocked.empty()) text += "Nothing is blocked.\n";
  write_out(STDOUT_FILENO, text);
  return exit_done;
}

std::expected<safety::Policy, Faults> policy_in(const std::string& file) {
  const auto text = RealFiles{}.read(file, Limits::file_bytes_max);
  if (!text) return std::unexpected(Faults{text.error()});
  if (!*text) return std::unexpected(Faults{{"file-unreadable", fmt::format("there is no policy at {}", file)}});
  return safety::read_policy(**text);
}

}  // namespace

int safety_verb(const Common& common, const SafetyOptions& options) {
  auto project = Project::open(common);
  if (!project) return print(common, project.error()), exit_refused;
  const auto policy = policy_of(project->config());
  if (!policy) return print(common, policy.error()), exit_refused;
  return options.action == "list" ? list(common, *policy) : test(common, *policy, options.words);
}

int safety_hook(const std::vector<std::string>& arguments) {
  const bool is_called_rightly = arguments.size() == 2 && arguments.front() == "--policy";
  const auto policy = is_called_rightly
                          ? policy_in(arguments.back())
                          : std::unexpected(Faults{{"bad-usage", "it was not called with --policy FILE"}});
  const auto input = read_standard_input(Limits::file_bytes_max);
  const safety::HookAnswer answer =
      policy ? safety::answer_hook(*policy, input.value_or("")) : safety::blocked_without_policy(policy.error());
  write_out(STDERR_FILENO, answer.said);
  return answer.code;
}

}  // namespace baton::cli
