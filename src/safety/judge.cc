#include "safety/judge.h"

#include <fmt/core.h>

#include "base/text.h"
#include "safety/shell_reader.h"

namespace baton::safety {
namespace {

constexpr std::size_t shown_bytes_max = 300;

/// Goes through a text with all rules that count for it, and stops at the first that no exception lifts.
class Judge {
 public:
  explicit Judge(const Policy& policy) : policy_(policy) {}

  /// True if it is blocked.
  bool look(std::string_view text, std::string_view source, bool is_reading) {
    const auto& rules = policy_.text().blocked;
    for (std::size_t i = 0; i < rules.size(); ++i) {
      if (!is_reading && !rules[i].is_own()) continue;
      auto found = policy_.find(i, text);
      if (!found) continue;
      const Rule* exception = policy_.exception_in(text);
      if (exception == nullptr && is_reading) exception = policy_.exception_in(source);
      // What is blocked counts more than what was let pass before.
      if (exception != nullptr && verdict_.fits()) continue;
      verdict_ = {exception == nullptr,
                  rules[i],
                  shorten(trim(*found), shown_bytes_max),
                  is_reading ? shorten(text, shown_bytes_max) : "",
                  shorten(source, shown_bytes_max),
                  exception == nullptr ? "" : exception->pattern};
      if (verdict_.blocked) return true;
    }
    return false;
  }

  Verdict verdict() { return std::move(verdict_); }

 private:
  const Policy& policy_;
  Verdict verdict_;
};

Verdict unreadable_verdict(std::string_view command) {
  Rule rule{"unreadable", "(none)", "it is too long, or nested too deep, to be read", "built-in"};
  return {true, std::move(rule), shorten(command.substr(0, shown_bytes_max), shown_bytes_max), "", "", ""};
}

}  // namespace

Verdict judge(const Policy& policy, std::string_view command) {
  if (policy.text().blocked.empty()) return {};
  Judge judge{policy};
  if (judge.look(command, command, false)) return judge.verdict();
  const Readings readings = read_shell(command);
  for (const Reading& reading : readings.all) {
    if (judge.look(reading.text, reading.source, true)) return judge.verdict();
  }
  if (!readings.complete) return unreadable_verdict(command);
  return judge.verdict();
}

std::string reason(const Verdict& verdict) {
  const std::string by = verdict.rule.is_own() ? fmt::format("the project's pattern '{}'", verdict.rule.pattern)
                                               : fmt::format("rule '{}'", verdict.rule.name);
  const std::string why = verdict.rule.why.empty() ? "" : ": " + verdict.rule.why;
  return printable(
      fmt::format("Blocked by Baton's {}{}. Found: {}. Do not try to do the same in another way; if the task "
                  "cannot be done without it, stop and say so.",
                  by, why, verdict.found));
}

std::string brief_reason(const Verdict& verdict) {
  const std::string& by = verdict.rule.is_own() ? verdict.rule.pattern : verdict.rule.name;
  return printable(fmt::format("{} ({})", by, verdict.found));
}

}  // namespace baton::safety
