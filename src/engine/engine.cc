#include "engine/engine.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "engine/driven.h"
#include "engine/run_outputs.h"
#include "journal/event_codec.h"

namespace baton {

Engine::Engine(Seams seams, Terms terms) : seams_(seams), terms_(std::move(terms)) {
  seams_.host.listen([this](const HostNotice& notice) { heard(notice); });
}
Engine::~Engine() = default;

// --- Taking runs up and giving them up --------------------------------------------------------------------------

Status Engine::create(const std::string& id, event::RunCreated created) {
  auto d = std::make_unique<Driven>();
  d->id = id;
  d->folder = run_folder(terms_.state_dir, id);
  if (auto adopted = adopt(*d); !adopted) return adopted;
  d->inbox.emplace_back(std::move(created), std::nullopt);
  d->inbox.emplace_back(event::DriverTook{d->lease.pid, d->lease.host, d->lease.epoch}, std::nullopt);
  runs_.push_back(std::move(d));
  return {};
}

Status Engine::adopt(Driven& d) {
  Lease wanted = terms_.self;
  wanted.run = d.id;
  auto lease = seams_.journal.acquire(wanted, seams_.clock.now(), terms_.lease_lasts, terms_.is_dead);
  if (!lease) return std::unexpected(lease.error());
  d.lease = *lease;
  return {};
}

/// REQUIRES: the run has begun.
void Engine::meet_dialect(Driven& d) {
  if (seams_.dialects != nullptr) d.dialect = seams_.dialects->drive(d.id, d.run);
}

Status Engine::take(const std::string& id) {
  auto owned = std::make_unique<Driven>();
  Driven& d = *owned;
  d.id = id;
  d.folder = run_folder(terms_.state_dir, id);
  if (auto adopted = adopt(d); !adopted) return adopted;
  auto events = seams_.journal.load(id);
  if (!events) {
    (void)seams_.journal.release(d.lease);
    return std::unexpected(events.error());
  }
  for (const Event& e : *events) (void)d.run.apply(e);
  (void)d.run.take_touched();
  d.events_stored = events->size();
  meet_dialect(d);
  d.slots_held = Driven::slots_unknown;
  d.inbox.emplace_back(event::DriverTook{d.lease.pid, d.lease.host, d.lease.epoch}, std::nullopt);
  runs_.push_back(std::move(owned));
  if (d.shows_itself()) {
    d.mirror_due = seams_.clock.now();  // the process that drove it before may not have got to it
    if (d.traits().files == FilePace::every_commit) mirror(d);
  }
  if (d.run.is_frozen()) d.frozen_at = seams_.clock.now();
  for (const Command& c : d.run.outstanding()) {
    if (const auto* begin = std::get_if<command::StartAttempt>(&c)) {
      reattach(d, begin->step, begin->attempt);
    } else {
      carry_out(d, c);
    }
  }
  // A task may be prepared by an engine before us. Only the host knows of that until the task's turn comes here, and a
  // pause, or a turn that is taken back, concerns it before.
  if (d.has_own_turns() && !is_over(d.run.state()) && !ensure_attached(d)) return std::unexpected(*broken_);
  end_leftover_checks(d);
  end_leftover_trees(d);
  acknowledge_leftover_exchanges(d);
  return broken_ ? Status{std::unexpected(*broken_)} : Status{};
}

Expected<Run> Engine::release(const std::string& id) {
  Driven* d = find(id);
  return d == nullptr ? Run{} : give_up(*d, false);
}

Expected<Run> Engine::release_into_queue(const std::string& id) {
  Driven* d = find(id);
  return d == nullptr ? Run{} : give_up(*d, true);
}

Status Engine::renew_leases() {
  for (const auto& d : runs_) {
    if (auto renewed = seams_.journal.renew(d->lease, seams_.clock.now(), terms_.lease_lasts); !renewed) return renewed;
  }
  return {};
}

namespace {

/// What a request that somebody left asks of the run.
Expected<EventBody> asked_by(const ControlRequest& r, const Run& run) {
  const auto refuse = [&](const std::string& why) {
    return fault("request-not-understood",
                 fmt::format("a request '{}' to the run is passed over: {}", shorten(r.kind, 80), why),
                 "ask again with a baton of the same version as the one that drives the run");
  };
  if (r.kind == "pause") return event::PauseAsked{r.argument};
  if (r.kind == "resume") return event::ResumeAsked{};
  if (r.kind == "cancel") return event::CancelAsked{r.argument};
  if (r.kind == "retry") {
    const std::optional<StepIndex> step = r.argument.empty() ? std::nullopt : run.find(r.argument);
    // Not to be taken for "every failed one".
    if (!step && !r.argument.empty()) return refuse(fmt::format("there is no step '{}'", shorten(r.argument, 80)));
    return event::RetryAsked{step};
  }
  const bool is_event = r.kind == "settings.changed" || r.kind == "gate.answered" || r.kind == "output.changed" ||
                        r.kind == "review.answered" || r.kind == "plan.extended" || r.kind == "worker.reported" ||
                        r.kind == "step.decided";
  if (!is_event) return refuse("nothing is known of that kind");
  auto body = decode(r.kind, r.argument);
  if (!body) return refuse(body.error().message);
  return body;
}

}  // namespace

Status Engine::hear_requests(const std::string& id) {
  Driven* d = find(id);
  if (d == nullptr) return {};
  if (d->place_look) d->place_look = seams_.clock.now();  // the bell may mean that there is one
  if (d->slots_look) d->slots_look = seams_.clock.now();
  auto requests = seams_.journal.requests(id);
  if (!requests) return std::unexpected(requests.error());
  for (const ControlRequest& r : *requests) {
    if (std::ranges::find(d->heard_requests, r.id) != d->heard_requests.end()) continue;
    d->heard_requests.push_back(r.id);
    auto asked = asked_by(r, d->run);
    if (asked) {
      post(id, std::move(*asked), r.id);
      continue;
    }
    // Nobody will ever understand it better: it is answered with a word to whoever watches, not kept for ever.
    (void)seams_.journal.withdraw(r.id);
    asked.error().severity = Severity::warning;
    if (seams_.observer != nullptr) seams_.observer->warned(id, asked.error());
  }
  return {};
}

// --- The tick ---------------------------------------------------------------------------------------------------

void Engine::post(const std::string& id, EventBody body, std::optional<std::int64_t> request) {
  if (Driven* d = find(id)) d->inbox.emplace_back(std::move(body), request);
}

Status Engine::tick() {
  Time now = seams_.clock.now();
  fire_timers(now);
  for (const auto& d : runs_) apply_inbox(*d, now);
  if (auto sought = seek_places(now); !sought) return sought;
  if (auto sought = seek_slots(now); !sought) return sought;
  now = seams_.clock.now();  // it may have taken a while to get at them
  admit(now);
  if (auto stored = commit(); !stored) return stored;
  if (auto settled = settle_shares(now); !settled) return settled;
  if (seams_.dialects != nullptr) seams_.dialects->look_anew();
  for (const auto& d : runs_) {
    note_changes(*d, now);
    stop_needless_checks(*d);  // before a thaw: what waits must not start for a moment
    stop_needless_trees(*d);
    carry_out(*d);
    take_up_postponed(*d);
    take_own_turns(*d);
    stop_needless_checks(*d);
    pass_on_said(*d);
    keep_host_informed(*d, now);
    mirror_when_due(*d, now);
  }
  if (broken_) return std::unexpected(*broken_);
  return {};
}

bool Engine::has_much_to_do() const {
  constexpr std::size_t much = 64;
  return std::ranges::any_of(runs_, [](const auto& d) { return d->inbox.size() >= much; });
}

bool Engine::has_news() const {
  return std::ranges::any_of(
      runs_, [&](const auto& d) { return !d->inbox.empty() || !d->unhurried.empty() || may_take_turns(*d); });
}

bool Engine::needs_tick(Time now) const {
  const auto due = next_due();
  return broken_ || (due && *due <= now) ||
         std::ranges::any_of(runs_, [&](const auto& d) { return !d->inbox.empty() || may_take_turns(*d); });
}

std::optional<Time> Engine::next_due() const {
  std::optional<Time> due;
  const auto sooner = [&](Time t) { due = due ? std::min(*due, t) : t; };
  for (const auto& d : runs_) {
    for (const auto& [timer, t] : d->timers) sooner(t);
    if (d->turns_look && d->run.state() == RunState::running) sooner(*d->turns_look);
    if (!d->unhurried.empty()) sooner(d->unhurried_due);
    if (d->mirror_due) sooner(*d->mirror_due);
    if (d->place_look) sooner(*d->place_look);
    if (d->slots_look) sooner(*d->slots_look);
    if (d->frozen_at) continue;
    for (const auto& [step, session] : d->sessions) {
      if (session.wait_until) sooner(*session.wait_until);
      if (session.look_at) sooner(*session.look_at);
    }
  }
  return due;
}

void Engine::fire_timers(Time now) {
  for (const auto& d : runs_) {
    if (d->turns_look && *d->turns_look <= now) {
      d->turns_look.reset();
      d->turns_due = true;
    }
    for (auto it = d->timers.begin(); it != d->timers.end();) {
      if (it->second > now) {
        ++it;
        continue;
      }
      d->inbox.emplace_back(event::TimerFired{it->first}, std::nullopt);
      it = d->timers.erase(it);
    }
    if (d->frozen_at) continue;
    std::vector<StepIndex> due;
    for (auto& [step, session] : d->sessions) {
      if (session.wait_until && *session.wait_until <= now) due.push_back(step);
      if (session.look_at && *session.look_at <= now) watch(*d, step, session, now);
    }
    for (const StepIndex step : due) {
      Session& session = d->sessions.at(step);
      session.wait_until.reset();
      if (const auto cold = std::exchange(session.cold, std::nullopt)) {
        make_request_when_warm(*d, step, session, *cold);
        continue;
      }
      perform(*d, step, session.runtime->next(TimeCame{now}), true);
      hear_sighted(*d, step);
    }
  }
}

void Engine::apply(Driven& d, Event event) {
  const auto* ended = std::get_if<event::AttemptEnded>(&event.body);
  if (ended != nullptr) note_provider(d, *ended, event.at);
  // What was to be tried again may have to wait for others once more, which makes room like an end.
  const bool may_make_room = ended != nullptr || std::holds_alternative<event::TimerFired>(event.body) ||
                             std::holds_alternative<event::OutputChecked>(event.body);
  if (may_make_room && d.has_own_turns()) d.turns_due = true;
  if (const auto* used = std::get_if<event::AttemptUsed>(&event.body); used != nullptr && used->usage.cost) {
    const Attempt* attempt = d.run.attempt(used->step, used->attempt);
    const auto before = attempt != nullptr && attempt->detail ? attempt->detail->usage.cost : std::nullopt;
    d.unstored_cost.nano_usd += used->usage.cost->nano_usd - before.value_or(Cost{}).nano_usd;
  }
  const std::vector<Command> commands = d.run.apply(event);
  d.commands.insert(d.commands.end(), commands.begin(), commands.end());
  if (std::holds_alternative<event::RunCreated>(event.body)) meet_dialect(d);
  d.unstored.push_back(std::move(event));
}

void Engine::apply_inbox(Driven& d, Time now) {
  for (EventBody& body : std::exchange(d.unhurried, {})) apply(d, {now, std::move(body)});
  for (auto& [body, request] : std::exchange(d.inbox, {})) {
    if (auto* took = std::get_if<event::DriverTook>(&body)) took->queues = limits_.concurrent_runs > 0;
    apply(d, {now, std::move(body)});
    if (request) d.answered.push_back(*request);
  }
}

Dispatcher::Candidate Engine::candidate_of(Driven& d) const {
  if (limits_.concurrent_steps > 0) return {d.id, &d.run, 0, d.slots_held};
  // Steps without cost may be admitted ahead: they wait at the host, so that a free slot never waits for a commit.
  // The host counts processes only, so not while attempts inside this process take up slots.
  const int ahead = d.attached && !has_inner_attempts(d.id) ? std::min(32 * d.run.settings().jobs, 128) : 0;
  return {d.id, &d.run, ahead};
}

void Engine::admit(Time now) {
  if (held_) return;
  std::vector<Dispatcher::Candidate> candidates;
  candidates.reserve(runs_.size());
  for (const auto& d : runs_) candidates.push_back(candidate_of(*d));
  bool looked = false;
  const auto provider = [&](const Run& run, StepIndex step) {
    std::string name = seams_.runtimes.name_for(run, run.step(step));
    // Only when a step is about to go to a provider: a run of commands alone never looks.
    if (!looked && seams_.runtimes.has_provider(name)) {
      looked = true;
      look_at_cool_downs(now);
    }
    return name;
  };
  while (const auto admission = dispatcher_.next(candidates, now, provider)) {
    Driven& d = *runs_[admission->candidate];
    if (const auto doubted = doubted_by(d, admission->step)) {
      apply(d, {now, event::OutputDoubted{*doubted, admission->step}});
      continue;
    }
    const Step& step = d.run.step(admission->step);
    const std::string runtime = provider(d.run, admission->step);
    if (admission->not_before) {
      apply(d, {now, event::StepDeferred{admission->step, runtime, *admission->not_before}});
      continue;
    }
    const bool beyond_slots = d.run.in_flight() >= static_cast<std::size_t>(d.run.settings().jobs);
    const bool held = seams_.runtimes.is_held(runtime);
    if (beyond_slots && !(held && step.work->is_command())) {
      candidates[admission->candidate].ahead = 0;  // this run has to wait; the others need not
      continue;
    }
    if (!held) candidates[admission->candidate].ahead = 0;
    const std::string model = seams_.runtimes.model_for(d.run, step);
    if (const auto hold = held_back(d, admission->step, runtime, model, now)) {
      apply(d, {now, event::StepDeferred{admission->step, runtime, hold->until, hold->broke}});
      continue;
    }
    apply(d, {now, event::AttemptAdmitted{admission->step, d.run.next_attempt(admission->step), runtime, model,
                                          held ? terms_.boot : std::string{}, 0, found_before(d, admission->step)}});
    if (held && candidates[admission->candidate].ahead > 0) admit_after(d, admission->step, now);
  }
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    if (candidates[i].ahead == 0) continue;
    for (const auto& [step, session] : runs_[i]->sessions) {
      if (session.held) admit_after(*runs_[i], step, now);
    }
  }
}

/// What lies where the step's output is going to be, if it stays there: the attempt has to make another of it.
std::string Engine::found_before(const Driven& d, StepIndex step) const {
  const Work& work = *d.run.step(step).work;
  if (work.output.empty() || work.answers || is_set_aside(d.run, step)) return {};
  return sight_of(seams_.files, output_path(d, step));
}

/// Commands that need nothing but a command at work are admitted on the condition that it ends well: so the host can go
/// on with them at once, and nobody waits for the record of that end.
void Engine::admit_after(Driven& d, StepIndex step, Time now) {
  if (d.run.keeps_outputs()) return;  // what a step builds on is looked at when its turn has come
  for (auto next = d.run.next_after(step); next; next = d.run.next_after(step)) {
    const std::string runtime = seams_.runtimes.name_for(d.run, d.run.step(*next));
    // What a step reads is looked for when its turn has come.
    if (!seams_.runtimes.is_held(runtime) || !d.run.step(*next).work->inputs.empty()) return;
    const std::string model = seams_.runtimes.model_for(d.run, d.run.step(*next));
    const int after = d.run.next_attempt(step) - 1;
    apply(d, {now, event::AttemptAdmitted{*next, d.run.next_attempt(*next), runtime, model, terms_.boot, after}});
    step = *next;
  }
}

/// One sync for all runs that have something to record, however many they are.
Status Engine::commit() {
  std::vector<Driven*> telling;
  std::vector<Addition> additions;
  for (const auto& d : runs_) {
    if (d->unstored.empty()) continue;
    have_files_seen_to(*d);
    telling.push_back(d.get());
    additions.push_back({d->lease, static_cast<Seq>(d->events_stored), d->unstored, d->run, d->answered});
  }
  if (additions.empty()) return {};
  // What the events say of files is true before they are on record.
  if (auto synced = seams_.files.sync(); !synced) return synced;
  if (auto stored = seams_.journal.append_all(additions); !stored) return stored;
  for (Driven* d : telling) {
    d->events_stored += d->unstored.size();
    d->unstored.clear();
    d->unstored_cost = {};
    d->answered.clear();
    // What is not acknowledged wakes the run again if this process dies: so the last word waits for the run's files.
    if (!d->shows_itself() || goes_on(d->run)) acknowledge(*d);
  }
  return {};
}

/// If this process dies before the run's files say what is about to be on record, another one writes them. Taken back
/// when they do.
void Engine::have_files_seen_to(Driven& d) {
  if (!d.shows_itself() || !d.attached || goes_on(d.run)) return;
  constexpr Millis soon{1000};
  d.wake_told = seams_.clock.now() + soon;
  seams_.host.wake_at(d.id, d.wake_told);
}

void Engine::acknowledge(Driven& d) {
  for (const AttemptKey& key : std::exchange(d.unacknowledged, {})) seams_.host.acknowledge(key);
}

void Engine::keep_host_informed(Driven& d, Time now) {
  if (!d.attached) return;
  if (const int jobs = d.run.settings().jobs; jobs != d.slots_told) {
    d.slots_told = jobs;
    seams_.host.set_slots(d.id, jobs);
  }
  if (const std::int64_t limit = d.run.settings().log_bytes_max; limit != d.log_limit_told) {
    d.log_limit_told = limit;
    seams_.host.limit_logs(d.id, limit);
  }
  tell_wake_time(d, now);
  note_past_exchanges(d);
}

/// If this process dies, somebody has to be there when the next timer is due; and while money can be spent with nobody
/// watching, somebody has to look now and then.
void Engine::tell_wake_time(Driven& d, Time now) {
  constexpr Millis look_every{30'000};
  std::optional<Time> due;
  for (const auto& [timer, t] : d.timers) due = due ? std::min(*due, t) : t;
  for (const auto& [step, session] : d.sessions) {
    if (!session.wait_until || (!session.between && !session.cold)) continue;
    due = due ? std::min(*due, *session.wait_until) : *session.wait_until;
  }
  if (d.turns_look) due = due ? std::min(*due, *d.turns_look) : *d.turns_look;
  const RunSettings& settings = d.run.settings();
  if (d.run.in_flight() > 0 && (settings.cost_budget || settings.token_budget > 0 || settings.turn_budget > 0)) {
    const bool soon_enough = d.wake_told && *d.wake_told > now + look_every / 2 && *d.wake_told <= now + look_every;
    const Time look = soon_enough ? *d.wake_told : now + look_every;
    due = due ? std::min(*due, look) : look;
  }
  if (due == d.wake_told) return;
  d.wake_told = due;
  seams_.host.wake_at(d.id, due);
}

// --- Carrying out -----------------------------------------------------------------------------------------------

void Engine::carry_out(Driven& d) {
  for (const Command& c : std::exchange(d.commands, {})) carry_out(d, c);
}

void Engine::carry_out(Driven& d, const Command& command) {
  if (const auto* c = std::get_if<command::StartAttempt>(&command)) {
    start(d, c->step, c->attempt);
  } else if (const auto* stop_it = std::get_if<command::StopAttempt>(&command)) {
    stop(d, stop_it->step, stop_it->attempt);
  } else if (const auto* check_it = std::get_if<command::CheckOutput>(&command)) {
    check(d, check_it->step, check_it->attempt);
  } else if (const auto* turn = std::get_if<command::TakeTurn>(&command)) {
    take_turn(d, *turn);
  } else if (std::holds_alternative<command::VerifyOutputs>(command)) {
    verify_outputs(d);
  } else if (std::get_if<command::FreezeAttempts>(&command) != nullptr) {
    d.frozen_at = seams_.clock.now();
    if (d.attached) seams_.host.freeze(d.id);
  } else if (std::get_if<command::ThawAttempts>(&command) != nullptr) {
    const Millis stood = d.frozen_at ? seams_.clock.now() - *d.frozen_at : Millis{0};
    d.frozen_at.reset();
    for (auto& [step, session] : d.sessions) {
      if (session.wait_until) *session.wait_until += stood;
      session.alive += stood;
    }
    if (d.attached) seams_.host.thaw(d.id);
  } else if (const auto* set = std::get_if<command::SetTimer>(&command)) {
    d.timers[set->timer] = set->due;
  } else if (const auto* cancel = std::get_if<command::CancelTimer>(&command)) {
    d.timers.erase(cancel->timer);
  } else if (const auto* tell = std::get_if<command::Announce>(&command)) {
    if (tell->kind != command::Announce::Kind::step_started) pass_on_said(d);  // what was said comes before the end
    d.told = std::max(d.told, tell->at);
    note_for_turns(d, *tell);
    if (seams_.observer != nullptr) seams_.observer->announced(d.id, d.run, *tell, d.told);
  }
}

const Run* Engine::run(const std::string& id) const {
  const Driven* d = find(id);
  return d == nullptr ? nullptr : &d->run;
}

bool Engine::will_be_woken(const std::string& id) const {
  const Driven* d = find(id);
  // What it has of what all share is a living process's: so that one stays.
  return d != nullptr && d->attached && !d->has_place && d->slots_held <= 0 && !d->slots_look;
}

bool Engine::is_seen_to(const std::string& id, bool sent_is_enough) {
  Driven* d = find(id);
  if (d == nullptr || has_news() || has_inner_attempts(id) || !d->tree_jobs.empty() || !d->check_rounds.empty()) {
    return false;
  }
  const bool all_began = std::ranges::all_of(d->sessions, [](const auto& s) { return s.second.started; });
  return (all_began || sent_is_enough) && ensure_attached(*d) && will_be_woken(id);
}

bool Engine::has_inner_attempts(const std::string& id) const {
  const Driven* d = find(id);
  return d != nullptr && std::ranges::any_of(d->sessions, [](const auto& s) { return !s.second.held; });
}

Engine::Driven* Engine::find(const std::string& id) const {
  const auto found = std::ranges::find_if(runs_, [&](const auto& d) { return d->id == id; });
  return found == runs_.end() ? nullptr : found->get();
}

AttemptKey Engine::key_of(const Driven& d, StepIndex step, int attempt) const {
  return {d.id, d.run.step(step).id, attempt};
}

}  // namespace baton
