// Working trees: before a step's turn is taken its tree is made ready, and after its attempt what it changed is
// committed. Both are done by a held process of our own program, so that neither a crash nor a slow disk ever leaves
// two gits in one tree. What it reports is decided on here no further than into an event.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "core/branch.h"
#include "core/facts.h"
#include "engine/driven.h"
#include "engine/engine.h"
#include "engine/working_tree.h"
#include "git/report.h"

namespace baton {
namespace {

constexpr Millis tree_lasts_max{1'800'000};
constexpr Millis tree_grace{5000};
constexpr std::size_t report_bytes_max = 1U << 20U;
constexpr std::size_t files_told_max = 50;
constexpr int deaths_max = 5;

std::string listed(const std::vector<std::string>& files) {
  const std::size_t shown = std::min(files.size(), files_told_max);
  std::string out = join({files.begin(), files.begin() + static_cast<std::ptrdiff_t>(shown)}, ", ");
  if (shown < files.size()) out += fmt::format(" and {} more", files.size() - shown);
  return out;
}

/// Each try is a process of its own, with a name of its own: what is on record of an earlier one is no answer to it.
std::string name_of_try(const std::string& step, const char* kind, int tries) {
  return tries == 0 ? fmt::format("{}~{}", step, kind) : fmt::format("{}~{}~{}", step, tries + 1, kind);
}

/// A turn is asked for once; asked for anew it has another number, and so has its process.
int number_of(const command::TakeTurn& turn) {
  constexpr int rounds_of_a_generation = 1000;
  return turn.generation * rounds_of_a_generation + turn.round;
}

constexpr std::array<const char*, 3> kinds{"tree", "commit", "task"};

bool is_job(const AttemptKey& key) {
  const auto mark = key.step.rfind('~');
  return mark != std::string::npos && std::ranges::find(kinds, key.step.substr(mark + 1)) != kinds.end();
}

std::shared_ptr<const Work> with_notes(const Work& work, const git::TreeReport& report) {
  auto filled = std::make_shared<Work>(work);
  if (!report.changed.empty()) filled->notes.push_back("Changed so far: " + listed(report.changed));
  return filled;
}

/// What is known of a process that ended without a report.
std::string why_not_ready(const ExitRecord& record, std::string_view error) {
  if (!record.spawn_error.empty()) return record.spawn_error;
  if (record.deadline) return "it was stopped after 30 minutes";
  if (!error.empty()) return shorten(error, 400);
  if (record.signal) return fmt::format("it was killed {} times, at last by signal {}", deaths_max, *record.signal);
  return fmt::format("it ended {} times without a word", deaths_max);
}

}  // namespace

bool Engine::has_tree(const Driven& d, StepIndex step) const { return !working_tree(d.run, step).folder.empty(); }

void Engine::prepare_task(Driven& d, const command::TakeTurn& turn, std::vector<std::string> argv) {
  run_tree_job(
      d, {TreeJob::Kind::task, turn.step, {d.id, {}, number_of(turn)}, std::move(argv), turn.generation, turn.round});
}

void Engine::prepare_tree(Driven& d, const command::TakeTurn& turn) {
  const WorkingTree tree = working_tree(d.run, turn.step);
  std::vector<std::string> argv{terms_.program, "tree",     "prepare",   "--root",  terms_.root, "--tree",
                                tree.folder,    "--branch", tree.branch, "--start", tree.start};
  for (const std::string& branch : tree.merges) argv.insert(argv.end(), {"--merge", branch});
  run_tree_job(
      d,
      {TreeJob::Kind::prepare, turn.step, {d.id, {}, number_of(turn)}, std::move(argv), turn.generation, turn.round});
}

void Engine::commit_tree(Driven& d, StepIndex step, int attempt) {
  run_tree_job(d, {TreeJob::Kind::commit,
                   step,
                   {d.id, {}, attempt},
                   {terms_.program, "tree", "commit", "--tree", working_tree(d.run, step).folder, "--message",
                    commit_message(d.id, d.run, step)},
                   attempt,
                   0});
}

void Engine::run_tree_job(Driven& d, TreeJob job) {
  if (!ensure_attached(d)) return;
  const StepIndex step = job.step;
  const char* kind = kinds.at(static_cast<std::size_t>(job.kind));
  end_leftover_trees(d, [&](const AttemptKey& key) {
    // What an engine before us did for an earlier turn of the step ends before this one begins.
    return key.step.starts_with(d.run.step(step).id + "~") && !is_try_at(d, job, key);
  });
  auto seen = d.sightings.end();
  for (;; ++job.tries) {
    job.key.step = name_of_try(d.run.step(step).id, kind, job.tries);
    seen = std::ranges::find(d.sightings, job.key, &Sighting::key);
    if (seen == d.sightings.end() || seen->kind != Sighting::Kind::exited) break;
    if (const auto report = report_of(d, job.key); report && report->outcome != "fault") break;
    // It was killed, or met what may have been mended since: whoever takes the run up tries again.
    seams_.host.acknowledge(job.key);
    d.sightings.erase(seen);
  }
  const AttemptKey key = job.key;
  SpawnSpec spec;
  spec.key = key;
  spec.argv = job.argv;
  d.tree_jobs.insert_or_assign(step, std::move(job));
  if (seen != d.sightings.end()) {
    const Sighting sighting = std::move(*seen);
    d.sightings.erase(seen);
    if (sighting.kind == Sighting::Kind::exited) tree_job_ended(d, step, sighting.record);
    return;  // alive: its end is told
  }
  if (seams_.host.was_started(key)) {
    return seams_.host.stop(key, tree_grace);  // its holder died: ends what lives on; answers that it is lost
  }
  spec.cwd = terms_.root;
  spec.stdout_path = d.folder.output_log(key.step, key.attempt);
  spec.stderr_path = d.folder.error_log(key.step, key.attempt);
  spec.deadline = tree_lasts_max;
  spec.grace = tree_grace;
  seams_.host.spawn(spec);
}

/// It can be done again from wherever it was.
void Engine::run_tree_job_again(Driven& d, TreeJob job) {
  ++job.tries;
  run_tree_job(d, std::move(job));
}

Expected<git::TreeReport> Engine::report_of(const Driven& d, const AttemptKey& key) {
  return git::read_report(seams_.files.read_from(d.folder.output_log(key.step, key.attempt), 0, report_bytes_max));
}

/// True if the notice was about a working tree.
bool Engine::heard_tree(Driven& d, const AttemptKey& key, const HostNotice& notice) {
  if (!is_job(key)) return false;
  const auto job = std::ranges::find_if(d.tree_jobs, [&](const auto& j) { return j.second.key == key; });
  if (const auto* exited = std::get_if<AttemptExitedNotice>(&notice)) {
    if (job != d.tree_jobs.end()) {
      tree_job_ended(d, job->first, exited->record);
    } else if (is_awaited_task(d, key)) {
      see_again(d, exited->record);  // of an engine before us: whoever takes the turn has not come to it
    } else {
      seams_.host.acknowledge(key);
    }
  } else if (job == d.tree_jobs.end() && std::holds_alternative<AttemptLostNotice>(notice)) {
    forget_sighting(d, key);
  } else if (std::holds_alternative<AttemptLostNotice>(notice)) {
    const TreeJob lost = job->second;
    d.tree_jobs.erase(job);
    if (is_wanted(d, lost)) run_tree_job_again(d, lost);
  }
  return true;
}

void Engine::tree_job_ended(Driven& d, StepIndex step, const ExitRecord& record) {
  TreeJob job = d.tree_jobs.at(step);
  d.tree_jobs.erase(step);
  if (!is_wanted(d, job)) return seams_.host.acknowledge(record.key);
  git::TreeReport report;
  if (auto read = report_of(d, job.key)) {
    report = std::move(*read);
  } else if (record.spawn_error.empty() && !record.deadline && ++job.deaths < deaths_max) {
    seams_.host.acknowledge(record.key);
    return run_tree_job_again(d, std::move(job));
  } else {
    const std::string error =
        seams_.files.read_from(d.folder.error_log(job.key.step, job.key.attempt), 0, report_bytes_max);
    report.outcome = "fault";
    const bool is_task = job.kind == TreeJob::Kind::task;
    report.fault = {is_task ? "flow-step-failed" : "tree-not-ready",
                    fmt::format("{} of '{}' could not be seen to: {}", is_task ? "the preparation" : "the working tree",
                                d.run.step(step).id, why_not_ready(record, trim(error)))};
  }
  for (const std::string& note : report.notes) {
    if (seams_.observer != nullptr) seams_.observer->warned(d.id, {"tree-note", note, {}, {}, Severity::warning});
  }
  if (job.kind == TreeJob::Kind::task) {
    d.unacknowledged.push_back(record.key);
    return task_prepared(d, job, report);
  }
  if (job.kind == TreeJob::Kind::commit && report.fault.code == "tree-gone") {
    // Nothing brings back what the attempt did; the next one gets a tree again.
    d.unacknowledged.push_back(record.key);
    return tree_failed(d, job, event::tree_gone_check, report.fault.message);
  }
  if (report.outcome == "fault") {
    if (report.fault.help.empty()) report.fault.help = fmt::format("mend that, then 'baton resume {}'", d.id);
    broken_ = report.fault;
    // Nothing of it goes on record, and it is tried again by whoever takes the run up. No wake has to see to that.
    return seams_.host.acknowledge(record.key);
  }
  d.unacknowledged.push_back(record.key);
  if (job.kind == TreeJob::Kind::prepare) {
    tree_ready(d, job, report);
  } else {
    tree_committed(d, job, report);
  }
}

void Engine::tree_ready(Driven& d, const TreeJob& job, const git::TreeReport& report) {
  event::TurnTaken taken{job.step, job.generation, job.round, TurnVerdict::go, {}, {}, nullptr, {}, {}};
  if (report.outcome != "conflict") {
    taken.work = with_notes(*d.run.step(job.step).work, report);
    return d.inbox.emplace_back(std::move(taken), std::nullopt), void();
  }
  if (will_add_steps(d)) {
    d.postponed.emplace_back(job, report);  // steps are numbered on: one extension at a time
    return;
  }
  if (auto resolving = d.dialect->resolve(d.run, job.step, {report.files, report.with})) {
    return extend(d, std::move(*resolving));
  }
  taken.verdict = TurnVerdict::ask;
  taken.reason = fmt::format("the work of {} conflicts in {}: resolve it in {}, then accept", report.with,
                             listed(report.files), working_tree(d.run, job.step).folder);
  d.inbox.emplace_back(std::move(taken), std::nullopt);
}

/// What cannot be prepared is that task's trouble and nobody else's.
void Engine::task_prepared(Driven& d, const TreeJob& job, const git::TreeReport& report) {
  const command::TakeTurn turn{job.step, job.generation, job.round};
  if (report.outcome != "fault") return say_turns(d, d.dialect->prepared(d.run, turn));
  d.inbox.emplace_back(event::TurnTaken{job.step,
                                        job.generation,
                                        job.round,
                                        TurnVerdict::fail,
                                        report.fault.message,
                                        report.fault.code,
                                        nullptr,
                                        {},
                                        {}},
                       std::nullopt);
}

/// Somebody waits for the tree, or for what the attempt left in it: not if the step was cancelled meanwhile, or begins
/// anew.
bool Engine::is_wanted(const Driven& d, const TreeJob& job) {
  const StepRun& step = d.run.of(job.step);
  if (job.kind == TreeJob::Kind::commit) {
    return step.state == StepState::checking && step.attempts.back().n == job.generation;
  }
  return d.run.is_asked({job.step, job.generation, job.round});
}

void Engine::tree_failed(Driven& d, const TreeJob& job, const char* check, const std::string& why) {
  event::OutputChecked e{job.step, job.generation, {}, {}};
  e.results.push_back({check, false, why});
  d.inbox.emplace_back(std::move(e), std::nullopt);
}

void Engine::tree_committed(Driven& d, const TreeJob& job, const git::TreeReport& report) {
  // What a resolving step leaves open is for a person: whoever waits for the tree finds the conflict there again.
  if (report.outcome == "unresolved" && d.run.step(job.step).work->skill != resolving_skill) {
    return tree_failed(d, job, "working_tree", "conflicts are left in " + listed(report.files));
  }
  check_output(d, job.step, job.generation);
}

void Engine::extend(Driven& d, DialectRun::Extension extension) {
  for (const Fault& note : extension.notes) {
    if (seams_.observer != nullptr) seams_.observer->warned(d.id, note);
  }
  d.inbox.emplace_back(std::move(extension.plan), std::nullopt);
}

/// Something that is not on record yet changes how many steps there are.
bool Engine::will_add_steps(const Driven& d) {
  return std::ranges::any_of(d.inbox, [](const auto& e) {
    const auto* taken = std::get_if<event::TurnTaken>(&e.first);
    return std::holds_alternative<event::PlanExtended>(e.first) || (taken != nullptr && !taken->made.empty());
  });
}

void Engine::take_up_postponed(Driven& d) {
  for (const auto& [job, report] : std::exchange(d.postponed, {})) {
    if (is_wanted(d, job)) tree_ready(d, job, report);
  }
  for (const auto& [step, attempt] : std::exchange(d.postponed_answers, {})) {
    const StepRun& s = d.run.of(step);
    if (s.state == StepState::checking && s.attempts.back().n == attempt) check_output(d, step, attempt);
  }
}

/// Nothing is done to a tree that nobody waits for.
void Engine::stop_needless_trees(Driven& d) {
  std::erase_if(d.tree_jobs, [&](const auto& step_and_job) {
    const TreeJob& job = step_and_job.second;
    if (is_wanted(d, job)) return false;
    seams_.host.stop(job.key, tree_grace);  // its end is heard, and of no interest
    // An engine before us may have gone further, to a try that this one has not come to.
    end_leftover_trees(d, [&](const AttemptKey& key) { return key != job.key && is_try_at(d, job, key); });
    return true;
  });
  // One of an engine before us, whose turn has not come here yet, and now never will.
  end_leftover_trees(d, [&](const AttemptKey& key) { return key.step.ends_with("~task") && !is_awaited_task(d, key); });
}

/// Its tree may still be seen to, by a process of an engine before us, though nobody waits for that any more.
bool Engine::may_have_leftovers(const Driven& d, StepIndex step) const {
  if (!has_tree(d, step)) return false;
  const StepRun& s = d.run.of(step);
  const bool unseen = !s.attempts.empty() && s.attempts.back().state == AttemptState::completed &&
                      !(s.attempts.back().detail && s.attempts.back().detail->checked);
  if (unseen && s.state != StepState::checking) return true;
  const FlowRun* flow = d.run.flow_of(step);
  return flow != nullptr && !flow->may_start() && !flow->is_asked() && s.state != StepState::completed;
}

/// One of the tries at it.
bool Engine::is_try_at(const Driven& d, const TreeJob& job, const AttemptKey& key) {
  const char* kind = kinds.at(static_cast<std::size_t>(job.kind));
  return key.attempt == job.key.attempt && key.step.ends_with(std::string{"~"} + kind) &&
         key.step.starts_with(d.run.step(job.step).id + "~");
}

/// A task of a session is prepared for a turn that nobody has answered: it comes when others make room, and finds that.
bool Engine::is_awaited_task(const Driven& d, const AttemptKey& key) {
  const auto step = key.step.ends_with("~task") ? d.run.find(key.step.substr(0, key.step.find('~'))) : std::nullopt;
  const FlowRun* flow = step ? d.run.flow_of(*step) : nullptr;
  return flow != nullptr && flow->is_asked() && number_of({*step, flow->generation, flow->round + 1}) == key.attempt;
}

/// Of an engine before us: those that are wanted were taken up before.
void Engine::end_leftover_trees(Driven& d) {
  bool any = false;
  const std::size_t steps = option_of(d.run, "worktree").empty() ? 0 : d.run.step_count();
  for (std::size_t n = 0; n < steps && !any; ++n) any = may_have_leftovers(d, step_index(n));
  if (any && !ensure_attached(d)) return;
  end_leftover_trees(d, [&](const AttemptKey& key) {
    // The end of an earlier try may still have to be heard; then the next one is looked at.
    return !is_awaited_task(d, key) &&
           std::ranges::none_of(d.tree_jobs, [&](const auto& j) { return is_try_at(d, j.second, key); });
  });
}

void Engine::end_leftover_trees(Driven& d, const std::function<bool(const AttemptKey&)>& is_needless) {
  std::erase_if(d.sightings, [&](const Sighting& seen) {
    if (!is_job(seen.key) || !is_needless(seen.key)) return false;
    if (seen.kind == Sighting::Kind::exited) {
      seams_.host.acknowledge(seen.key);
    } else {
      seams_.host.stop(seen.key, tree_grace);
    }
    return true;
  });
}

}  // namespace baton
