// How an output is checked: what the checks need is read here, what they say is decided in plan/check.h. Command checks
// are processes of the host like attempts, known by the step's id with a `~` and their number, which no step can have.
#include <fmt/core.h>

#include <algorithm>

#include "base/hash.h"
#include "base/limits.h"
#include "base/number.h"
#include "base/text.h"
#include "core/facts.h"
#include "engine/driven.h"
#include "engine/engine.h"
#include "engine/output_place.h"
#include "engine/run_outputs.h"

namespace baton {
namespace {

constexpr Millis check_lasts_max{600'000};
constexpr Millis check_grace{1000};
constexpr std::size_t printed_bytes_max = 64U << 10U;

bool is_rehearsed(const Run& run, StepIndex step, int attempt) {
  return run.interned(run.attempt(step, attempt)->runtime) == "rehearsal";
}

std::string check_name(const std::string& step, std::size_t number) { return fmt::format("{}~{}", step, number); }

}  // namespace

std::optional<std::string> Engine::output_of(const Driven& d, const std::string& step) {
  const auto other = d.run.find(step);
  if (!other || !d.run.step(*other).work->has_output()) return std::nullopt;
  const auto text = seams_.files.read(output_path(d, *other), Limits::output_bytes_max);
  return text ? *text : std::nullopt;
}

std::string Engine::output_path(const Driven& d, StepIndex step) const {
  const Step& s = d.run.step(step);
  if (s.work->answers) return d.folder.path + "/" + answer_file(s.id);
  return s.work->output.empty() ? std::string{} : terms_.root + "/" + s.work->output;
}

void Engine::check(Driven& d, StepIndex step, int attempt) {
  // Cancelled in the very moment it ended: nobody waits for the results.
  if (d.run.of(step).state != StepState::checking || d.run.of(step).attempts.back().n != attempt) return;
  // What it changed is kept before anything is said of it: whoever comes next begins from there.
  if (has_tree(d, step)) return commit_tree(d, step, attempt);
  if (std::vector<std::string> argv = d.dialect->after(d.run, step); !argv.empty()) {
    return run_tree_job(d, {TreeJob::Kind::commit, step, {d.id, {}, attempt}, std::move(argv), attempt, 0});
  }
  check_output(d, step, attempt);
}

/// A step whose output is no longer what was checked, and on which this one is about to build.
std::optional<StepIndex> Engine::doubted_by(Driven& d, StepIndex step) {
  if (d.has_own_turns()) return std::nullopt;
  return d.checked_outputs.doubted_by(d.run, d.writers, step, seams_.files, terms_.root);
}

void Engine::verify_outputs(Driven& d) {
  const auto doubted =
      d.has_own_turns() ? std::nullopt : d.checked_outputs.doubted(d.run, d.writers, seams_.files, terms_.root);
  if (doubted) {
    d.inbox.emplace_back(event::OutputDoubted{*doubted, {}}, std::nullopt);
  } else {
    d.inbox.emplace_back(event::OutputsStand{}, std::nullopt);
  }
}

/// The attempt made what lies at its output's path: it was not there before, or is another since.
bool Engine::has_written(const Driven& d, StepIndex step, int attempt) const {
  const Attempt& a = *d.run.attempt(step, attempt);
  const std::string now = sight_of(seams_.files, output_path(d, step));
  return !now.empty() && (!a.detail || now != a.detail->before);
}

void Engine::check_output(Driven& d, StepIndex step, int attempt) {
  const Work& work = *d.run.step(step).work;
  const std::size_t commands = command_checks(work.checks).size();
  if (commands == 0) return finish_check(d, step, attempt, {});
  // A rehearsal runs no command of the user's, and a check's is one.
  if (is_rehearsed(d.run, step, attempt)) {
    return finish_check(d, step, attempt, std::vector<CommandOutcome>(commands, {true, "Not run in rehearsal"}));
  }
  const bool is_its_own = !why_not_its_own(seams_.files, work, terms_.root);
  if (!is_its_own || !has_written(d, step, attempt)) return finish_check(d, step, attempt, {});
  const Attempt& a = *d.run.attempt(step, attempt);
  const auto rounds = static_cast<std::size_t>(a.detail ? a.detail->times_checked : 0);
  d.check_rounds[step] = {.attempt = attempt, .before = rounds * commands};
  next_check_command(d, step);
}

void Engine::next_check_command(Driven& d, StepIndex step) {
  CheckRound& round = d.check_rounds.at(step);
  const Step& s = d.run.step(step);
  const std::vector<const Check*> commands = command_checks(s.work->checks);
  if (round.outcomes.size() == commands.size()) {
    std::ranges::move(round.ended, std::back_inserter(d.unacknowledged));
    const int attempt = round.attempt;
    const std::vector<CommandOutcome> outcomes = std::move(round.outcomes);
    d.check_rounds.erase(step);
    return finish_check(d, step, attempt, outcomes);
  }
  if (!ensure_attached(d)) return;
  SpawnSpec spec;
  spec.key = {d.id, check_name(s.id, round.number()), round.attempt};
  const auto seen = std::ranges::find_if(d.sightings, [&](const Sighting& x) { return x.key == spec.key; });
  if (seen != d.sightings.end()) {
    const Sighting sighting = std::move(*seen);
    d.sightings.erase(seen);
    if (sighting.kind == Sighting::Kind::exited) check_command_ended(d, step, sighting.record);
    return;  // alive: its end is told
  }
  if (!round.no_leftovers && seams_.host.was_started(spec.key)) {
    return seams_.host.stop(spec.key, check_grace);  // its holder died: ends what lives on; answers that it is lost
  }
  const Check& check = *commands[round.outcomes.size()];
  spec.argv = check.argv;
  spec.env = {"BATON_RUN=" + d.id, "BATON_STEP=" + spec.key.step, fmt::format("BATON_ATTEMPT={}", round.attempt),
              "BATON_FOLDER=" + d.folder.path, "BATON_OUTPUT=" + output_path(d, step)};
  spec.env.insert(spec.env.end(), check.env.begin(), check.env.end());
  spec.cwd = terms_.root;
  spec.stdout_path = d.folder.output_log(spec.key.step, round.attempt);
  spec.stderr_path = d.folder.error_log(spec.key.step, round.attempt);
  spec.deadline = s.timeout().count() > 0 ? s.timeout() : check_lasts_max;
  spec.grace = check_grace;
  seams_.host.spawn(spec);
}

/// True if the notice was about a check command.
bool Engine::heard_check(Driven& d, const AttemptKey& key, const HostNotice& notice) {
  if (heard_tree(d, key, notice)) return true;
  const auto mark = key.step.rfind('~');
  if (mark == std::string::npos) return false;
  const auto step = d.run.find(key.step.substr(0, mark));
  const auto round = step ? d.check_rounds.find(*step) : d.check_rounds.end();
  const bool is_of_attempt = round != d.check_rounds.end() && round->second.attempt == key.attempt;
  const std::size_t number = parse_whole<std::size_t>(std::string_view{key.step}.substr(mark + 1)).value_or(0);
  const bool current = is_of_attempt && number == round->second.number();
  if (const auto* exited = std::get_if<AttemptExitedNotice>(&notice)) {
    const bool of_round = is_of_attempt && number > round->second.before;
    if (current) {
      check_command_ended(d, *step, exited->record);
    } else if (!of_round) {
      seams_.host.acknowledge(key);
    } else if (std::ranges::find(round->second.ended, key) == round->second.ended.end()) {
      // A later one, that an engine before us had come to: its turn comes. Those before are acknowledged with the
      // round.
      see_again(d, exited->record);
    }
  } else if (current && std::holds_alternative<AttemptLostNotice>(notice)) {
    round->second.no_leftovers = true;
    next_check_command(d, *step);  // it changes nothing, so it may run again
  } else if (std::holds_alternative<AttemptLostNotice>(notice)) {
    forget_sighting(d, key);
  }
  return true;
}

/// What was seen at work when the run was taken up, and nobody has asked for since, has ended: whoever asks finds that.
void Engine::see_again(Driven& d, const ExitRecord& record) {
  forget_sighting(d, record.key);
  d.sightings.push_back({record.key, Sighting::Kind::exited, record.pid, record.started, false, record});
}

void Engine::forget_sighting(Driven& d, const AttemptKey& key) {
  std::erase_if(d.sightings, [&](const Sighting& seen) { return seen.key == key; });
}

void Engine::check_command_ended(Driven& d, StepIndex step, const ExitRecord& record) {
  CheckRound& round = d.check_rounds.at(step);
  const std::string printed =
      seams_.files.read_from(d.folder.output_log(record.key.step, record.key.attempt), 0, printed_bytes_max) +
      seams_.files.read_from(d.folder.error_log(record.key.step, record.key.attempt), 0, printed_bytes_max);
  if (!record.spawn_error.empty()) {
    round.outcomes.push_back({false, "cannot be started: " + record.spawn_error});
  } else if (record.deadline) {
    round.outcomes.push_back({false, "still running when its time was up"});
  } else {
    round.outcomes.push_back(command_outcome(record.exit, record.signal.value_or(0), printed));
  }
  round.ended.push_back(record.key);
  round.no_leftovers = false;
  next_check_command(d, step);
}

void Engine::finish_check(Driven& d, StepIndex step, int attempt, std::vector<CommandOutcome> commands) {
  const Work& work = *d.run.step(step).work;
  const bool may_extend = work.extends != Extends::nothing || d.traits().hears_workers;
  if (may_extend && will_add_steps(d)) {
    d.postponed_answers.emplace_back(step, attempt);  // steps are numbered on: one extension at a time
    return;
  }
  event::OutputChecked e{step, attempt, {}, {}};
  std::optional<std::string> answer;
  const auto content = seams_.files.read(output_path(d, step), Limits::output_bytes_max);
  if (auto wrong = why_not_its_own(seams_.files, work, terms_.root)) {
    e.results.push_back(std::move(*wrong));
  } else if (!content) {
    e.results.push_back({"file_readable", false, content.error().message});
  } else if (!*content) {
    e.results.push_back(output_missing(work.answers ? answer_file(d.run.step(step).id) : work.output));
  } else if (!has_written(d, step, attempt)) {
    e.results.push_back(output_unchanged(work.output));
  } else {
    const Evidence evidence{[this, &d](const std::string& id) { return output_of(d, id); }, std::move(commands)};
    e.results = evaluate(work.checks, work.output_format, **content, evidence);
    if (auto empty = why_empty(work, **content)) e.results.push_back(std::move(*empty));
    e.digest = hex(hash64(**content));
    if (work.answers) answer = **content;
  }
  DialectRun::Judgement judgement = d.dialect->judge(d.run, {step, attempt, std::move(answer), all_passed(e.results)});
  std::ranges::move(judgement.results, std::back_inserter(e.results));
  if (all_passed(e.results)) {
    e.failure = std::move(judgement.failure);
    for (EventBody& body : judgement.before) d.inbox.emplace_back(std::move(body), std::nullopt);
  }
  if (d.run.of(step).state.is_checked_again() && !all_passed(e.results))
    e.results.insert(e.results.begin(), output_spoilt(work.output));
  const bool extends = work.extends != Extends::nothing && all_passed(e.results) && !e.failure;
  d.inbox.emplace_back(std::move(e), std::nullopt);
  // In the same commit as the answer: nothing goes on by the old plan in between.
  if (!extends) return;
  const event::PlanExtended nothing_new{step, step_index(d.run.step_count()), {}, false, {}};
  extend(d, std::move(judgement.extension).value_or(DialectRun::Extension{nothing_new}));
}

/// An engine before us may have died after it recorded a cancellation and before it ended the checks.
void Engine::end_leftover_checks(Driven& d) {
  const auto is_wanted = [&](StepIndex i, const Attempt& a) {
    return d.run.of(i).state == StepState::checking && d.run.of(i).attempts.back().n == a.n;
  };
  for (std::size_t n = 0; n < d.run.step_count(); ++n) {
    const StepIndex i = step_index(n);
    for (const Attempt& a : d.run.of(i).attempts) {
      const bool was_stopped = d.run.of(i).state == StepState::cancelled;  // perhaps while it was checked once more
      const bool open = a.state == AttemptState::completed && (was_stopped || !(a.detail && a.detail->checked));
      if (!open || is_wanted(i, a) || command_checks(d.run.step(i).work->checks).empty()) continue;
      if (!ensure_attached(d)) return;
      const std::string names = d.run.step(i).id + "~";
      std::erase_if(d.sightings, [&](const Sighting& seen) {
        if (!seen.key.step.starts_with(names) || seen.key.attempt != a.n) return false;
        if (seen.kind == Sighting::Kind::exited) {
          seams_.host.acknowledge(seen.key);
        } else {
          seams_.host.stop(seen.key, check_grace);
        }
        return true;
      });
    }
  }
}

/// Of outputs that nobody wants checked any more: their step was cancelled.
void Engine::stop_needless_checks(Driven& d) {
  for (auto it = d.check_rounds.begin(); it != d.check_rounds.end();) {
    const auto& [step, round] = *it;
    if (d.run.of(step).state == StepState::checking && d.run.of(step).attempts.back().n == round.attempt) {
      ++it;
      continue;
    }
    seams_.host.stop({d.id, check_name(d.run.step(step).id, round.number()), round.attempt}, check_grace);
    for (const AttemptKey& key : round.ended) seams_.host.acknowledge(key);
    it = d.check_rounds.erase(it);
  }
}

}  // namespace baton
