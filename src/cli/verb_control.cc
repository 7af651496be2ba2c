// Verbs that go on with a run or ask something of whoever drives it.
#include <time.h>
#include <unistd.h>

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "cli/agent_runtimes.h"
#include "cli/drive.h"
#include "cli/follow.h"
#include "cli/go_on.h"
#include "cli/load_run.h"
#include "cli/outputs_turn.h"
#include "cli/reporter.h"
#include "cli/requests.h"
#include "cli/result_object.h"
#include "cli/review.h"
#include "cli/run_settings.h"
#include "cli/sandboxes.h"
#include "cli/verbs.h"
#include "engine/real_files.h"
#include "journal/event_codec.h"

namespace baton::cli {
namespace {

constexpr int cancel_waits_max = 150;  // of 10 ms
constexpr const char* by_a_person = "asked for by a person";

}  // namespace

std::expected<Subject, Faults> open_subject(const Common& common, const std::string& name) {
  auto project = Project::open(common);
  if (!project) return std::unexpected(project.error());
  return open_subject(std::move(*project), name);
}

std::expected<Subject, Faults> open_subject(Project project, const std::string& name) {
  if (auto readable = project.journal_with(name); !readable) return std::unexpected(Faults{readable.error()});
  auto journal = project.journal_to_write();
  if (!journal) return std::unexpected(Faults{journal.error()});
  auto id = resolve_run(**journal, name);
  if (!id) return std::unexpected(Faults{id.error()});
  auto run = load_run(**journal, *id);
  if (!run) return std::unexpected(Faults{run.error()});
  return Subject{std::move(project), std::move(*journal), *id, std::move(*run)};
}

namespace {

Fault is_over_fault(const Subject& s) {
  if (s.run.state() == RunState::failed) {
    return {"run-is-over", fmt::format("run {} has failed", s.id),
            fmt::format("'baton resume {}' goes on from what failed", s.id)};
  }
  return {"run-is-over", fmt::format("run {} is {}", s.id, name(s.run.state())),
          fmt::format("'baton retry {} STEP' runs a step and what depends on it again; 'baton run' starts anew", s.id)};
}

/// Who drives the run now; empty if nobody does.
std::string driver_of(Subject& s) {
  const auto lease = s.journal->holder_of(s.id);
  return lease && *lease ? (*lease)->owner : std::string{};
}

}  // namespace

int go_on(Subject& s, const Common& common, std::vector<EventBody> asks, const RunOptions& options) {
  DriveOrder order;
  order.run = s.id;
  order.unasked = options.yes;
  order.no_wait = options.no_wait;
  order.asks = std::move(asks);
  auto turn = outputs_of_run(s.project, *s.journal, s.id, s.run);
  if (!turn) return print(common, turn.error()), exit_refused;
  order.turn = std::move(*turn);
  std::string deaf;  // the driver that did not react
  auto code = drive(s.project, *s.journal, order);
  while (!code && code.error().code == "run-is-driven") {
    // It is stopped, or it was gone meanwhile and another one has the run now: only the first is refused.
    if (order.turn) order.turn->give();
    const std::string driver = driver_of(s);
    if (!deaf.empty() && driver == deaf) return print(common, code.error()), exit_refused;
    auto heard =
        driver.empty() ? Expected<bool>{false} : hand_over(s.project, *s.journal, s.id, requests_of(s.run, order.asks));
    if (!heard) return print(common, heard.error()), exit_failed;
    deaf = driver;
    code = *heard ? follow(s.project, *s.journal, s.id) : drive(s.project, *s.journal, order);
  }
  if (!code) return print(common, code.error()), exit_failed;
  const int end = accept_if_asked_to(s.project, *s.journal, s.id, *code);
  print_result(s.project, *s.journal, s.id);
  return end;
}

Status go_on_in_background(Subject& s, const std::vector<EventBody>& asks) {
  for (const EventBody& ask : asks) {
    const auto [kind, argument] = request_of(s.run, ask);
    if (auto left = s.journal->request({0, s.id, kind, argument, RealClock{}.now()}); !left) {
      return std::unexpected(left.error());
    }
  }
  ring(s.project, s.id);
  return start_in_background(s.project, s.id);
}

int go_on_by_itself(Subject& s, const Common& common, const std::vector<EventBody>& asks) {
  if (auto turn = outputs_of_run(s.project, *s.journal, s.id, s.run); !turn) {
    return print(common, turn.error()), exit_refused;
  }
  if (auto begun = go_on_in_background(s, asks); !begun) return print(common, begun.error()), exit_failed;
  say(common, fmt::format("run {} goes on; 'baton show {}' tells how", s.id, s.id));
  return exit_done;
}

namespace {

/// Asks the driver, or, with none, does it here.
int ask(Subject& s, const Common& common, const std::string& kind, const std::string& by, EventBody body) {
  DriveOrder order;
  order.run = s.id;
  order.asks.push_back(std::move(body));
  order.silent = true;
  auto code = drive(s.project, *s.journal, order);
  if (code) return exit_done;
  if (code.error().code != "run-is-driven") return print(common, code.error()), exit_failed;
  auto heard = hand_over(s.project, *s.journal, s.id, {{kind, by}});
  if (!heard) return print(common, heard.error()), exit_failed;
  if (!*heard) return print(common, code.error()), exit_refused;
  return exit_done;
}

/// A gate waits in the midst of a run; a chain's change waits at its end.
bool is_about_change(const Subject& s, const std::string& step) {
  return step.empty() && s.run.plan().dialect == "chain" && s.run.count(StepState::waiting) == 0;
}

/// A chain's steps wait for a person only where a merge stopped. That somebody says it is resolved does not make it so:
/// it is tried again.
std::string what_was_answered(const Subject& s, const std::string& steps, bool approved) {
  if (s.run.plan().dialect == "chain") {
    return fmt::format("the merge that {} waits for is tried again; 'baton show {}' tells whether it holds", steps,
                       s.id);
  }
  return approved ? fmt::format("accepted: {}; 'baton show {}' tells how it goes on", steps, s.id)
                  : fmt::format("rejected: {}; 'baton show {}' tells what was left out", steps, s.id);
}

/// Leaves an answer for whoever drives the run, and wakes it if nobody does.
int answer_gate(const Common& common, const std::string& run, const std::string& step, event::GateAnswered answer) {
  auto s = open_subject(common, run);
  if (!s) return print(common, s.error()), exit_refused;
  if (is_about_change(*s, step)) return answer.approved ? accept_change(*s) : reject_change(*s, answer.message);
  std::vector<std::string> waiting;
  for (std::size_t n = 0; n < s->run.step_count(); ++n) {
    if (s->run.of(step_index(n)).state.is_at_gate()) waiting.push_back(s->run.step(step_index(n)).id);
  }
  const bool found = step.empty() ? !waiting.empty() : std::ranges::find(waiting, step) != waiting.end();
  if (found && !answer.approved && s->run.plan().dialect == "chain") return reject_conflict(*s, answer);
  if (!found) {
    const std::string what = step.empty() ? fmt::format("run {} waits for nobody", s->id)
                                          : fmt::format("step '{}' of run {} waits for nobody", step, s->id);
    return print(common, Fault{"nothing-to-review", what,
                               waiting.empty() ? fmt::format("it is {}", name(s->run.state()))
                                               : "waiting: " + join(waiting, ", ")}),
           exit_refused;
  }
  if (auto turn = outputs_of_run(s->project, *s->journal, s->id, s->run); answer.approved && !turn) {
    return print(common, turn.error()), exit_refused;
  }
  if (answer.approved) {
    for (const EventBody& change : changed_lists(s->project, s->run)) {
      auto left = s->journal->request({0, s->id, std::string{kind_of(change)}, encode(change), RealClock{}.now()});
      if (!left) return print(common, left.error()), exit_failed;
    }
  }
  if (!step.empty()) answer.step = s->run.find(step);
  auto request = s->journal->request({0, s->id, "gate.answered", encode(answer), RealClock{}.now()});
  if (!request) return print(common, request.error()), exit_failed;
  ring(s->project, s->id);
  if (auto woken = start_in_background(s->project, s->id); !woken) return print(common, woken.error()), exit_failed;
  auto heard = until_answered(*s->journal, s->id, {*request});
  if (!heard) return print(common, heard.error()), exit_failed;
  say(common, what_was_answered(*s, step.empty() ? join(waiting, ", ") : step, answer.approved));
  return exit_done;
}

}  // namespace

int accept_verb(const Common& common, const std::string& run, const std::string& step) {
  return answer_gate(common, run, step, {{}, true, ""});
}

int reject_verb(const Common& common, const std::string& run, const std::string& step, const std::string& message) {
  return answer_gate(common, run, step, {{}, false, message});
}

namespace {

/// What was given anew, as something to say to the run; and what keeps its steps (`again`, too) from going on.
Faults take_terms(const Subject& s, const RunOptions& anew, std::optional<StepIndex> again,
                  std::vector<EventBody>& asks) {
  Faults faults;
  const auto changed = changed_settings(s.run.settings(), s.project.config(), anew, faults);
  if (changed) asks.emplace_back(event::SettingsChanged{*changed});
  const RunSettings& terms = changed ? *changed : s.run.settings();
  std::ranges::move(unpriced_faults(s.project, s.run, terms, again), std::back_inserter(faults));
  return faults;
}

}  // namespace

int resume_verb(const Common& common, const std::string& run, const RunOptions& anew) {
  auto s = open_subject(common, run);
  if (!s) return print(common, s.error()), exit_refused;
  if (is_over(s->run.state())) {
    if (s->run.plan().dialect == "workspace") complete_files(s->project, *s->journal, s->id);
    return print(common, is_over_fault(*s)), exit_refused;
  }
  std::vector<EventBody> asks;
  if (const Faults faults = take_terms(*s, anew, {}, asks); has_errors(faults)) {
    return print(common, faults), exit_refused;
  }
  asks.emplace_back(event::ResumeAsked{});
  std::ranges::move(spoilt_outputs(s->project, s->id, s->run), std::back_inserter(asks));
  if (anew.detach) return go_on_by_itself(*s, common, asks);
  return go_on(*s, common, std::move(asks), anew);
}

int retry_verb(const Common& common, const std::string& run, const std::string& step, const RunOptions& anew) {
  auto s = open_subject(common, run);
  if (!s) return print(common, s.error()), exit_refused;
  event::RetryAsked retry;
  if (!step.empty()) {
    retry.step = s->run.find(step);
    if (!retry.step) {
      return print(common, Fault{"unknown-step", fmt::format("run {} has no step '{}'", s->id, step),
                                 fmt::format("'baton show {}' lists its steps", s->id)}),
             exit_refused;
    }
    const StepState state = shown_state(s->run, *retry.step);
    if (state == StepState::running || state == StepState::checking) {
      return print(common,
                   Fault{"step-at-work", fmt::format("step '{}' is at work", step), "wait for it, or cancel the run"}),
             exit_refused;
    }
  } else if (s->run.count(StepState::failed) + s->run.count(StepState::blocked) == 0 &&
             s->run.state() != RunState::reviewing && s->run.state() != RunState::cancelled) {
    return print(common, Fault{"nothing-to-retry", fmt::format("no step of run {} has failed", s->id),
                               fmt::format("name one: 'baton retry {} STEP'", s->id)}),
           exit_refused;
  }
  std::vector<EventBody> asks;
  if (const Faults faults = take_terms(*s, anew, retry.step, asks); has_errors(faults)) {
    return print(common, faults), exit_refused;
  }
  asks.emplace_back(retry);
  std::ranges::move(spoilt_outputs(s->project, s->id, s->run), std::back_inserter(asks));
  if (anew.detach) return go_on_by_itself(*s, common, asks);
  return go_on(*s, common, std::move(asks), anew);
}

int wake_verb(const Common& common, const std::string& run) {
  auto s = open_subject(common, run);
  if (!s) return print(common, s.error()), exit_refused;
  DriveOrder order;
  order.run = s->id;
  order.only_what_is_due = true;
  order.silent = true;
  auto code = drive(s->project, *s->journal, order);
  if (code) return (void)accept_if_asked_to(s->project, *s->journal, s->id, *code), exit_done;
  if (code.error().code == "run-is-driven") return exit_done;
  return print(common, code.error()), exit_failed;
}

int pause_verb(const Common& common, const std::string& run) {
  auto s = open_subject(common, run);
  if (!s) return print(common, s.error()), exit_refused;
  if (s->run.state() == RunState::paused) return say(common, fmt::format("run {} is paused already", s->id)), exit_done;
  const bool goes_on =
      s->run.state() == RunState::running || s->run.state() == RunState::queued || s->run.state() == RunState::parked;
  if (!goes_on) {
    return print(common, is_over_fault(*s)), exit_refused;
  }
  const int code = ask(*s, common, "pause", by_a_person, event::PauseAsked{by_a_person});
  if (code == exit_done) say(common, fmt::format("run {} is paused; 'baton resume {}' goes on", s->id, s->id));
  return code;
}

int cancel_verb(const Common& common, const std::string& run) {
  auto s = open_subject(common, run);
  if (!s) return print(common, s.error()), exit_refused;
  if (is_over(s->run.state()) || s->run.state() == RunState::failed)
    return print(common, is_over_fault(*s)), exit_refused;
  const int code = ask(*s, common, "cancel", by_a_person, event::CancelAsked{by_a_person});
  if (code != exit_done) return code;
  // What is stopped has its grace; a moment's patience usually lets this say how it ended.
  bool over = false;
  for (int waits = 0; waits < cancel_waits_max && !over; ++waits) {
    auto now = s->journal->summary(s->id);
    over = now && is_over(now->state);
    if (!over) wait_a_little();
  }
  say(common, fmt::format("run {} is {}", s->id, over ? "cancelled" : "being cancelled"));
  return code;
}

}  // namespace baton::cli
