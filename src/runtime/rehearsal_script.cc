#include "runtime/rehearsal_script.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/number.h"
#include "base/text.h"
#include "text/yaml_json.h"
#include "text/yaml_tree.h"
#include "text/yaml_values.h"

namespace baton {
namespace {

constexpr std::int64_t tokens_max = 1'000'000'000'000;
constexpr double cost_usd_max = 1'000'000;
constexpr double speed_max = 1'000'000;

const std::vector<std::string>& script_keys() {
  static const std::vector<std::string> keys{"steps", "default", "speed"};
  return keys;
}
const std::vector<std::string>& step_keys() {
  static const std::vector<std::string> keys{"attempts", "real",      "answer",      "output",  "delay", "usage",
                                             "fail",     "retryable", "retry_after", "message", "hang",  "crash"};
  return keys;
}
const std::vector<std::string>& attempt_keys() {
  static const std::vector<std::string> keys{"answer",    "output",      "delay",   "usage", "fail",
                                             "retryable", "retry_after", "message", "hang",  "crash"};
  return keys;
}
const std::vector<std::string>& usage_keys() {
  static const std::vector<std::string> keys{"input", "output", "cache_read", "cache_write", "cost_usd"};
  return keys;
}

/// Whether trying again helps where the script does not say.
bool usually_retryable(std::string_view kind) {
  constexpr std::array<std::string_view, 6> lasting{"refused",     "bad-request", "not-authorized",
                                                    "invalid-key", "not-found",   "permission-denied"};
  return std::find(lasting.begin(), lasting.end(), kind) == lasting.end();
}

class ScriptReader {
 public:
  explicit ScriptReader(const std::string& file) : file_{file}, faults_{file} {}

  std::expected<RehearsalScript, Faults> read(std::string_view text) {
    YamlRead yaml = read_yaml(text, file_);
    faults_.add(std::move(yaml.faults));
    if (yaml.tree) {
      if (const auto root = yaml.tree->root()) read_root(*root);
    }
    Faults faults = faults_.take();
    if (has_errors(faults)) return std::unexpected(std::move(faults));
    return std::move(script_);
  }

 private:
  void read_root(const YamlNode& root) {
    if (root.is_null()) return;
    if (!root.is_mapping()) return wrong_type(root, "the script", "a mapping with 'steps', 'default' and 'speed'");
    for (std::size_t i = 0; i < root.size(); ++i) {
      const YamlNode key = root.key(i);
      const YamlNode value = root.value(i);
      if (key.text() == "steps") {
        read_steps(value);
      } else if (key.text() == "default") {
        script_.fallback = read_step(key, value, "'default'");
      } else if (key.text() == "speed") {
        script_.speed = read_number(value, "'speed'", speed_max).value_or(1);
        if (script_.speed <= 0) bad_number(value, "'speed'", "more than 0: 2 is twice as fast");
      } else {
        report_unknown_key(key, "the script", script_keys(), faults_);
      }
    }
  }

  void read_steps(const YamlNode& node) {
    if (node.is_null()) return;
    if (!node.is_mapping()) return wrong_type(node, "'steps'", "a mapping from step ids to what they do");
    for (std::size_t i = 0; i < node.size(); ++i) {
      const std::string id{node.key(i).text()};
      script_.steps.try_emplace(id, read_step(node.key(i), node.value(i), fmt::format("step '{}'", shorten(id, 80))));
    }
  }

  RehearsedStep read_step(const YamlNode& key, const YamlNode& node, const std::string& owner) {
    RehearsedStep step;
    step.place = {file_, key.line(), key.column()};
    if (node.is_null()) return step;
    if (!node.is_mapping()) {
      wrong_type(node, owner, "a mapping with 'attempts', or with what its one attempt does");
      return step;
    }
    const auto attempts = node.find("attempts");
    if (attempts) read_attempts(*attempts, owner, step);
    if (const auto real = node.find("real"))
      step.real = read_truth(*real, "'real' of " + owner, faults_).value_or(false);
    // The other keys are those of an only attempt.
    bool has_attempt_keys = false;
    for (std::size_t i = 0; i < node.size(); ++i) {
      const std::string_view word = node.key(i).text();
      if (word == "attempts" || word == "real") continue;
      if (attempts && is_attempt_key(word)) {
        faults_.error("conflicting-keys", spot_of(node.key(i)),
                      fmt::format("{} has 'attempts' and beside it '{}'", owner, word), "move it into an attempt");
      }
      has_attempt_keys = true;
    }
    if (has_attempt_keys && !attempts) step.attempts.push_back(read_attempt(node, owner, step_keys()));
    if (has_attempt_keys && attempts) report_unknown_keys(node, owner, step_keys());
    return step;
  }

  static bool is_attempt_key(std::string_view word) {
    return std::find(attempt_keys().begin(), attempt_keys().end(), word) != attempt_keys().end();
  }

  void report_unknown_keys(const YamlNode& node, const std::string& owner, const std::vector<std::string>& known) {
    for (std::size_t i = 0; i < node.size(); ++i) {
      const bool is_known = std::find(known.begin(), known.end(), node.key(i).text()) != known.end();
      if (!is_known) report_unknown_key(node.key(i), owner, known, faults_);
    }
  }

  void read_attempts(const YamlNode& node, const std::string& owner, RehearsedStep& step) {
    if (node.is_null()) return;
    if (!node.is_sequence()) return wrong_type(node, "'attempts' of " + owner, "a list");
    for (std::size_t i = 0; i < node.size(); ++i) {
      const std::string name = fmt::format("attempt {} of {}", i + 1, owner);
      if (node.item(i).is_mapping()) {
        step.attempts.push_back(read_attempt(node.item(i), name, attempt_keys()));
      } else if (node.item(i).is_null()) {
        step.attempts.emplace_back();
      } else {
        wrong_type(node.item(i), name, "a mapping");
      }
    }
  }

  RehearsedAttempt read_attempt(const YamlNode& node, const std::string& owner, const std::vector<std::string>& known) {
    report_unknown_keys(node, owner, known);
    RehearsedAttempt attempt;
    if (const auto answer = node.find("answer")) attempt.answer = read_text(*answer, "'answer' of " + owner, faults_);
    if (const auto output = node.find("output")) read_output(*output, attempt);
    if (const auto delay = node.find("delay")) attempt.delay = read_duration(*delay, "'delay' of " + owner);
    if (const auto usage = node.find("usage")) attempt.usage = read_usage(*usage, owner);
    if (const auto hang = node.find("hang"))
      attempt.hang = read_truth(*hang, "'hang' of " + owner, faults_).value_or(false);
    if (const auto crash = node.find("crash")) {
      attempt.crash = read_truth(*crash, "'crash' of " + owner, faults_).value_or(false);
    }
    if (const auto fail = node.find("fail")) read_failure(node, *fail, owner, attempt);
    if (int{attempt.hang} + int{attempt.crash} + int{attempt.failure.has_value()} > 1) {
      faults_.error("conflicting-keys", spot_of(node), fmt::format("{} ends in more than one way", owner),
                    "choose one of 'fail', 'hang' and 'crash'");
    }
    return attempt;
  }

  static void read_output(const YamlNode& node, RehearsedAttempt& attempt) {
    if (node.is_null()) {
      attempt.output = RehearsedAttempt::Output::none;
      return;
    }
    attempt.output = RehearsedAttempt::Output::given;
    attempt.output_text = node.is_scalar() ? std::string{node.text()} : yaml_as_json(node);
  }

  void read_failure(const YamlNode& node, const YamlNode& fail, const std::string& owner, RehearsedAttempt& attempt) {
    const auto kind = read_text(fail, "'fail' of " + owner, faults_);
    if (!kind) return;
    if (slug(*kind, 64) != *kind || kind->empty()) {
      faults_.error("bad-enum", spot_of(fail), fmt::format("'fail' of {} cannot be '{}'", owner, shorten(*kind, 80)),
                    "write a code word such as transient, rate-limited or refused");
      return;
    }
    Failure failure{*kind, fmt::format("rehearsed failure: {}", *kind), usually_retryable(*kind), {}};
    if (const auto message = node.find("message")) {
      failure.message = read_text(*message, "'message' of " + owner, faults_).value_or("");
    }
    if (const auto retryable = node.find("retryable")) {
      failure.may_retry = read_truth(*retryable, "'retryable' of " + owner, faults_).value_or(false);
    }
    if (const auto after = node.find("retry_after"))
      failure.retry_after = read_duration(*after, "'retry_after' of " + owner);
    attempt.failure = std::move(failure);
  }

  Usage read_usage(const YamlNode& node, const std::string& owner) {
    Usage usage;
    usage.cost = Cost{0};
    if (!node.is_mapping()) {
      wrong_type(node, "'usage' of " + owner, "a mapping such as {input: 10, output: 5, cost_usd: 0.01}");
      return usage;
    }
    report_unknown_keys(node, "'usage' of " + owner, usage_keys());
    const auto count = [&](const char* key) {
      const auto value = node.find(key);
      if (!value) return std::int64_t{0};
      return read_count(*value, fmt::format("'{}' in the usage of {}", key, owner), tokens_max, "bad-number", faults_)
          .value_or(0);
    };
    usage.tokens = {count("input"), count("output"), count("cache_read"), count("cache_write")};
    if (const auto cost = node.find("cost_usd")) {
      const double usd = read_number(*cost, "'cost_usd' of " + owner, cost_usd_max).value_or(0);
      usage.cost = Cost{static_cast<std::int64_t>(std::llround(usd * 1e9))};
    }
    return usage;
  }

  std::optional<Millis> read_duration(const YamlNode& node, const std::string& what) {
    const auto text = read_text(node, what, faults_);
    if (!text) return std::nullopt;
    const auto duration = parse_duration(trim(*text));
    if (duration) return *duration;
    faults_.error("bad-duration", spot_of(node), fmt::format("{}: {}", what, duration.error().message),
                  duration.error().help);
    return std::nullopt;
  }

  std::optional<double> read_number(const YamlNode& node, const std::string& what, double max) {
    if (const auto number = parse_whole<double>(node.text()); number && *number >= 0 && *number <= max) return number;
    bad_number(node, what, fmt::format("a number from 0 to {}", max));
    return std::nullopt;
  }

  void bad_number(const YamlNode& node, const std::string& what, const std::string& expected) {
    faults_.error("bad-number", spot_of(node), fmt::format("{} has to be {}", what, expected),
                  node.is_scalar() ? fmt::format("it is '{}'", shorten(node.text(), 40)) : "");
  }

  void wrong_type(const YamlNode& node, const std::string& what, const std::string& expected) {
    faults_.error("wrong-type", spot_of(node), fmt::format("{} has to be {}", what, expected));
  }

  const std::string& file_;
  FaultList faults_;
  RehearsalScript script_;
};

}  // namespace

bool RehearsalScript::wants_real(std::string_view step) const {
  const auto found = steps.find(step);
  return found == steps.end() ? fallback.real : found->second.real;
}

RehearsedAttempt RehearsalScript::attempt(std::string_view step, int number) const {
  const auto found = steps.find(step);
  const auto& attempts =
      found == steps.end() || found->second.attempts.empty() ? fallback.attempts : found->second.attempts;
  if (attempts.empty()) return {};
  const std::size_t index = static_cast<std::size_t>(std::max(number, 1)) - 1;
  return attempts[std::min(index, attempts.size() - 1)];
}

std::expected<RehearsalScript, Faults> read_rehearsal_script(std::string_view text, const std::string& file) {
  return ScriptReader{file}.read(text);
}

Faults check_rehearsal_script(const RehearsalScript& script, const Plan& plan) {
  std::vector<std::string> ids;
  for (const Step& step : plan.steps) ids.push_back(step.id);
  Faults faults;
  for (const auto& [id, step] : script.steps) {
    if (std::find(ids.begin(), ids.end(), id) != ids.end()) continue;
    const std::string near = nearest(id, ids);
    faults.push_back({"unknown-step",
                      fmt::format("the script speaks of step '{}', which the workflow does not have", id),
                      near.empty() ? fmt::format("steps: {}", shorten(join(ids, ", "), 400))
                                   : fmt::format("did you mean '{}'?", near),
                      step.place});
  }
  return faults;
}

}  // namespace baton
