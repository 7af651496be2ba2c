#include "runtime/rehearsal.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/hash.h"
#include "base/text.h"
#include "runtime/rehearsal_answer.h"
#include "runtime/rehearsal_output.h"

namespace baton {
namespace {

constexpr Millis agent_delay_min{300};
constexpr Millis agent_delay_max{1500};
constexpr Millis command_delay_min{80};
constexpr Millis command_delay_max{300};
constexpr Millis for_ever = std::chrono::hours{24 * 3650};

/// What one attempt is going to do, before it is laid out in time.
class Rehearsing {
 public:
  Rehearsing(const Assignment& assignment, const RehearsedAttempt& script, double speed)
      : step_{*assignment.step},
        assignment_{assignment},
        script_{script},
        chance_{hash64(step_.id, mix(assignment.seed) + static_cast<std::uint64_t>(assignment.key.attempt))},
        delay_{scaled(script.delay.value_or(made_up_delay()), speed)},
        usage_{script.usage.value_or(made_up_usage())} {}

  [[nodiscard]] Time moment(double part) const {
    return assignment_.began + Millis{static_cast<std::int64_t>(static_cast<double>(delay_.count()) * part)};
  }

  /// What has been used up when `part` of the time has gone: the input at once, the output little by little.
  [[nodiscard]] Spend spent(double part) const {
    Usage so_far = usage_;
    so_far.tokens.output = share(usage_.tokens.output, part);
    if (so_far.cost) so_far.cost->nano_usd = share(usage_.cost->nano_usd, part);
    if (!step_.work->is_command()) so_far.turns = 1 + share(3, part);
    return {so_far};
  }

  [[nodiscard]] std::string opening() const {
    const Work& work = *step_.work;
    if (work.is_command()) return "rehearsal: the command is not run";
    if (work.skill.empty()) return "rehearsal: no model is asked";
    return fmt::format("rehearsal: {} is played, no model is asked", work.skill);
  }

  [[nodiscard]] std::vector<std::string> remarks() const {
    const Work& work = *step_.work;
    std::vector<std::string> lines;
    if (work.is_command()) {
      lines.push_back("would run: " + shorten(join(work.command, " "), 200));
      return lines;
    }
    lines.push_back(work.inputs.empty() ? "Looking around" : "Reading " + join(work.inputs, ", "));
    lines.push_back("Working on it: " + made_up_words(step_, mix(chance_ + 1)));
    if (!work.output.empty()) lines.push_back("Writing " + work.output);
    return lines;
  }

  [[nodiscard]] Actions ending() const {
    Actions actions{spent(1)};
    if (script_.answer) actions.emplace_back(Say{*script_.answer});
    const bool is_good = !script_.failure && !script_.crash;
    if (auto output = output_text(is_good)) actions.emplace_back(WriteOutput{std::move(*output)});
    if (script_.crash) {
      actions.emplace_back(Finish{Failure{"attempt-crashed", "rehearsed crash", true, {}}});
    } else {
      actions.emplace_back(Finish{script_.failure});
    }
    return actions;
  }

 private:
  static Millis scaled(Millis delay, double speed) {
    return Millis{static_cast<std::int64_t>(static_cast<double>(delay.count()) / speed)};
  }

  static std::int64_t share(std::int64_t whole, double part) {
    return part >= 1 ? whole : static_cast<std::int64_t>(static_cast<double>(whole) * part);
  }

  [[nodiscard]] Millis made_up_delay() const {
    const bool is_command = step_.work->is_command();
    const Millis min = is_command ? command_delay_min : agent_delay_min;
    const Millis max = is_command ? command_delay_max : agent_delay_max;
    return min + Millis{static_cast<std::int64_t>(unit_interval(chance_) * static_cast<double>((max - min).count()))};
  }

  [[nodiscard]] Usage made_up_usage() const {
    if (step_.work->is_command()) return {{}, Cost{0}};
    const auto prompt_tokens = static_cast<std::int64_t>(assignment_.prompt.size() / 4);
    const auto drawn = [&](std::uint64_t salt, double max) {
      return static_cast<std::int64_t>(unit_interval(chance_ ^ salt) * max);
    };
    return {{.input = 600 + prompt_tokens + drawn(1, 1800), .output = 150 + drawn(2, 900)}, Cost{0}};
  }

  [[nodiscard]] std::optional<std::string> output_text(bool is_good) const {
    const Work& work = *step_.work;
    if (!work.has_output()) return std::nullopt;
    switch (script_.output) {
      case RehearsedAttempt::Output::none:
        return std::nullopt;
      case RehearsedAttempt::Output::given:
        return script_.output_text;
      case RehearsedAttempt::Output::made_up:
        break;
    }
    if (!is_good) return std::nullopt;
    if (work.answers) return script_.answer.value_or(made_up_answer(step_, chance_));
    if (script_.answer && work.output_format == OutputFormat::text && work.checks.empty()) return script_.answer;
    return made_up_output(step_, chance_, assignment_.compared_outputs, assignment_.comparisons);
  }

  const Step& step_;
  const Assignment& assignment_;
  const RehearsedAttempt& script_;
  std::uint64_t chance_;
  Millis delay_;
  Usage usage_;
};

}  // namespace

Rehearsal::Rehearsal(std::shared_ptr<const RehearsalScript> script) : script_{std::move(script)} {
  if (script_ == nullptr) script_ = std::make_shared<const RehearsalScript>();
}

Actions Rehearsal::begin(const Assignment& assignment) {
  const RehearsedAttempt script = script_->attempt(assignment.step->id, assignment.key.attempt);
  const Rehearsing rehearsing{assignment, script, script_->speed};
  moments_.clear();
  moments_past_ = 0;

  moments_.push_back({assignment.began, {Say{rehearsing.opening()}, rehearsing.spent(0)}});
  const std::vector<std::string> remarks = rehearsing.remarks();
  for (std::size_t i = 0; i < remarks.size(); ++i) {
    const double part = static_cast<double>(i + 1) / static_cast<double>(remarks.size() + 1);
    moments_.push_back({rehearsing.moment(part), {Say{remarks[i]}, rehearsing.spent(part)}});
  }
  if (script.hang) {
    moments_.push_back({assignment.began + for_ever, {}});
  } else {
    moments_.push_back({rehearsing.moment(1), rehearsing.ending()});
  }
  return until(assignment.began);
}

Actions Rehearsal::next(const Observation& observation) {
  const auto* time = std::get_if<TimeCame>(&observation);
  if (time == nullptr) return {};  // there is no process: nothing is printed and nothing ends
  return until(time->now);
}

Actions Rehearsal::until(Time now) {
  Actions actions;
  while (moments_past_ < moments_.size() && moments_[moments_past_].when <= now) {
    std::ranges::copy(moments_[moments_past_++].actions, std::back_inserter(actions));
  }
  if (moments_past_ < moments_.size()) {
    actions.emplace_back(WaitUntil{moments_[moments_past_].when});
  } else if (!moments_.empty() && moments_.back().actions.empty()) {
    actions.emplace_back(WaitUntil{now + for_ever});  // hangs on
  }
  return actions;
}

}  // namespace baton
