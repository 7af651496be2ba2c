// What a driven run has of the things that all runs share: a place, slots for its attempts, providers that cool down.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/unpriced.h"
#include "engine/driven.h"
#include "engine/engine.h"
#include "runtime/api/rate_headers.h"

namespace baton {
namespace {

/// Whoever waits is told when there is room; one who was not looks himself, so often.
constexpr Millis look_every{1000};

/// What stands still in a pause takes up no slot: else whoever has got the run's place meanwhile could wait for its
/// slot, and the run for its place. When it goes on, it does so at once, and nothing new begins anywhere until there is
/// room.
int slots_used(const Run& run) { return run.is_frozen() ? 0 : static_cast<int>(run.in_flight()); }

}  // namespace

Shares::Asker Engine::asker_of(const Driven& d, Time now) const { return {d.lease, now, limits_, terms_.is_dead}; }

// --- Places -----------------------------------------------------------------------------------------------------

Status Engine::seek_places(Time now) {
  if (limits_.concurrent_runs == 0) return {};
  for (const auto& d : runs_) {
    if (auto sought = seek_place(*d, now); !sought) return sought;
  }
  return {};
}

/// That the run is queued is on record first: so whoever was created first is known to all before anybody gets a place.
Status Engine::seek_place(Driven& d, Time now) {
  if (!d.run.wants_place() || !d.queued_on_record || (d.place_look && *d.place_look > now)) return {};
  d.place_look = now + look_every;
  if (held_) return {};
  auto answer = seams_.journal.shares().take_place(asker_of(d, now));
  if (!answer) return std::unexpected(answer.error());
  if (answer->taken) {
    d.has_place = true;
    d.place_look.reset();
    d.before_told = 0;
    // Whoever had it before may have ended while we waited for the journal: this began after that.
    apply(d, {seams_.clock.now(), event::PlaceTaken{}});
    return {};
  }
  const bool news = std::exchange(d.before_told, answer->before) != answer->before;
  if (news && seams_.observer != nullptr) seams_.observer->queued(d.id, d.run, answer->before, now);
  call_next(d, now);
  return {};
}

void Engine::call_next(const Driven& d, Time now) {
  const auto calls = seams_.journal.shares().calls(asker_of(d, now));
  if (!calls) return;  // they look for themselves
  for (const Call& call : *calls) terms_.call(call);
}

bool Engine::can_wait_alone(const std::string& id) {
  Driven* d = find(id);
  return d != nullptr && d->run.wants_place() && ensure_attached(*d);
}

// --- Slots ------------------------------------------------------------------------------------------------------

Status Engine::seek_slots(Time now) {
  if (limits_.concurrent_steps == 0) return {};
  for (const auto& d : runs_) {
    // What an earlier driver had at work is known to all before anybody gets more.
    const int used = slots_used(d->run);
    if (d->slots_held == Driven::slots_unknown) {
      // Nor does it wait any more for what that driver waited for.
      if (auto left = seams_.journal.shares().take_slots(asker_of(*d, now), used, 0); !left)
        return std::unexpected(left.error());
    }
    if (used <= d->slots_held) continue;
    if (auto set = seams_.journal.shares().set_slots(asker_of(*d, now), used); !set) return set;
    d->slots_held = used;
  }
  for (const auto& d : runs_) {
    if (held_ && d->slots_look) d->slots_look = now + look_every;
    if (held_) continue;
    if (auto sought = seek_slots(*d, now); !sought) return sought;
  }
  return {};
}

/// Also a slot that this run just gave back has to be asked for: somebody else may have waited longer.
Status Engine::seek_slots(Driven& d, Time now) {
  const int used = slots_used(d.run);
  const auto ready = d.run.next_ready() ? static_cast<int>(d.run.count(StepState::ready)) : 0;
  const int wanted = std::clamp(ready, 0, std::max(d.run.settings().jobs - used, 0));
  if (wanted == 0 && !d.slots_look) return {};
  if (wanted > 0 && d.slots_look && *d.slots_look > now && used >= d.slots_held) return {};
  auto slots = seams_.journal.shares().take_slots(asker_of(d, now), used, wanted);
  if (!slots) return std::unexpected(slots.error());
  d.slots_freed = d.slots_freed || used < d.slots_held;
  d.slots_held = *slots;
  d.slots_look = *slots < used + wanted ? std::optional{now + look_every} : std::nullopt;
  return {};
}

void Engine::call_for_slots(const Driven& d, Time now) {
  const auto calls = seams_.journal.shares().slot_calls(asker_of(d, now));
  if (!calls) return;
  for (const Call& call : *calls) terms_.call(call);
}

// --- Cool-downs -------------------------------------------------------------------------------------------------

void Engine::note_provider(Driven& d, const event::AttemptEnded& e, Time now) {
  const Attempt* attempt = d.run.attempt(e.step, e.attempt);
  if (attempt == nullptr || e.unknown) return;
  const std::string& runtime = d.run.interned(attempt->runtime);
  // How fast a model's API may be asked is the governor's: by its address and model, not by the runtime's name.
  if (!seams_.runtimes.has_provider(runtime) || seams_.runtimes.is_told_all(runtime)) return;
  if (!e.failure) {
    Time& began = answers_[runtime];
    began = std::max(began, attempt->admitted);
    return;
  }
  auto cool_down = cool_down_after(*e.failure, runtime, now, limits_.rate_limit_backoff, d.run.settings().wall_floor);
  if (cool_down && cool_down->until > now) d.cool_downs.push_back(std::move(*cool_down));
}

void Engine::look_at_cool_downs(Time now) {
  auto cooling = seams_.journal.shares().cool_downs(now);
  if (!cooling) return;  // a journal that cannot be read says so at the commit
  // What this very tick found out is not on record yet.
  for (const auto& [runtime, began] : answers_) {
    std::erase_if(*cooling, [&](const CoolDown& c) { return ends_guess(c, runtime, began); });
  }
  for (const auto& d : runs_) cooling->insert(cooling->end(), d->cool_downs.begin(), d->cool_downs.end());
  dispatcher_.set_cool_downs(*cooling);
}

// --- How fast providers may be asked ----------------------------------------------------------------------------

namespace {

/// What attempts told that they spent, and that nobody has looked at yet.
Cost unheard_cost(const Run& run, const std::vector<std::pair<EventBody, std::optional<std::int64_t>>>& inbox) {
  std::map<std::pair<StepIndex, int>, std::int64_t> latest;
  for (const auto& [body, request] : inbox) {
    const auto* used = std::get_if<event::AttemptUsed>(&body);
    if (used != nullptr && used->usage.cost) latest[{used->step, used->attempt}] = used->usage.cost->nano_usd;
  }
  Cost sum;
  for (const auto& [key, nano_usd] : latest) {
    const Attempt* attempt = run.attempt(key.first, key.second);
    const auto before = attempt != nullptr && attempt->detail ? attempt->detail->usage.cost : std::nullopt;
    sum.nano_usd += nano_usd - before.value_or(Cost{}).nano_usd;
  }
  return sum;
}

}  // namespace

/// A day's or a month's money that is spent is a quota like any other: the step waits until there is more.
std::optional<Engine::Hold> Engine::broke(Time now) {
  const auto is_spent = [&](const std::optional<Cost>& budget, const Span& span) {
    if (!budget) return false;
    auto spent = seams_.journal.shares().spent_since(span.from);
    if (!spent) return false;
    // What this very tick found out is not on record yet.
    for (const auto& d : runs_) {
      spent->nano_usd += d->unstored_cost.nano_usd + unheard_cost(d->run, d->inbox).nano_usd;
    }
    return *spent >= *budget;
  };
  if (is_spent(limits_.month_budget, month_of(now))) {
    return Hold{month_of(now).until, fmt::format("this month's budget of {} is spent (limits.budget_month_usd)",
                                                 money(*limits_.month_budget))};
  }
  if (is_spent(limits_.day_budget, day_of(now))) {
    return Hold{day_of(now).until,
                fmt::format("today's budget of {} is spent (limits.budget_day_usd)", money(*limits_.day_budget))};
  }
  return std::nullopt;
}

/// Where dollars are capped, nothing is started whose dollars nobody could count.
bool Engine::ended_for_price(Driven& d, StepIndex step, const Session& session) {
  const Attempt& attempt = *d.run.attempt(step, session.attempt);
  const std::string& runtime = d.run.interned(attempt.runtime);
  const std::string& model = d.run.interned(attempt.model);
  const Unpriced rule = unpriced_of(d.run.settings());
  if (rule == Unpriced::allowed || seams_.runtimes.knows_cost(runtime, model)) return false;
  const Step& s = d.run.step(step);
  const std::string cap = dollar_cap(d.run.settings(), *s.work, d.run.plan().dialect == "workspace", limits_);
  if (cap.empty()) return false;
  Fault fault = unpriced_model(s.id, runtime, model, cap);
  if (rule == Unpriced::refused) {
    ended(d, step, Finish{Failure{std::move(fault.code), std::move(fault.message), false}}, nullptr);
    return true;
  }
  fault.message += "; the run began before that was refused, and goes on";
  fault.severity = Severity::warning;
  const bool is_news = d.unpriced_told.emplace(runtime, model).second;
  if (is_news && seams_.observer != nullptr) seams_.observer->warned(d.id, fault);
  return false;
}

std::optional<Engine::Hold> Engine::held_back(Driven& d, StepIndex step, const std::string& runtime,
                                              const std::string& model, Time now) {
  if (!seams_.runtimes.has_provider(runtime)) return std::nullopt;
  if (auto spent = broke(now)) return spent;
  const std::string name = seams_.runtimes.governed_by(d.run, d.run.step(step), runtime, model);
  if (name.empty()) return std::nullopt;
  // What this very tick found out counts too. A journal that cannot take it says so at the commit.
  for (const auto& other : runs_) (void)pass_on_met(*other);
  const auto kept = d.permits.find(step);
  const auto before = kept != d.permits.end() ? std::optional{kept->second} : std::nullopt;
  if (before) d.permits.erase(kept);
  Shares& shares = seams_.journal.shares();
  auto permit = before && before->at <= now ? shares.keep_permit(name, {}, now) : shares.take_permit(name, {}, now);
  if (!permit) return std::nullopt;  // a journal that cannot be read says so at the commit
  if (permit->at <= now) {
    d.loads[step] = before && permit->taken == governor::Load{} ? before->taken : permit->taken;
    return std::nullopt;
  }
  if (permit->kept) d.permits[step] = *permit;
  return Hold{permit->at};
}

void Engine::note_meeting(Driven& d, StepIndex step, const Session& session, const Meet& meet) {
  if (!meet.ended) {
    if (meet.prefix == 0) return;
    if (meet.status < 300) {
      warmth_.began(meet.prefix, seams_.clock.now());
    } else {
      warmth_.failed(meet.prefix);
    }
    return warmed(meet.prefix);
  }
  using Kind = governor::Outcome::Kind;
  const Time now = seams_.clock.now();
  const api::ResponseHead head{meet.status, meet.headers};
  governor::Outcome outcome;
  outcome.asked = session.asked == Time{} ? session.assignment.began : session.asked;
  outcome.at = now;
  outcome.kind = Kind::neither;
  if (meet.status >= 200 && meet.status < 300) outcome.kind = Kind::answered;
  if (meet.status == 429) outcome.kind = Kind::limited;
  if (meet.status == 503 || meet.status == 529) outcome.kind = Kind::overloaded;
  outcome.retry_after = api::retry_after(head, now);
  // One that does not say how long it wants to be left alone is left alone as long as the user says.
  if (meet.status == 429 && !api::limited_for(head, now)) outcome.retry_after = limits_.rate_limit_backoff;
  outcome.limits = api::rate_limits(head, now);
  outcome.counted_input = meet.counted_input;
  outcome.counted_output = meet.counted_output;
  if (const auto load = d.loads.extract(step)) outcome.guessed = load.mapped();
  d.met.emplace_back(meet.provider, outcome);
}

Status Engine::pass_on_met(Driven& d) {
  while (!d.met.empty()) {
    const auto& [name, outcome] = d.met.front();
    if (auto told = seams_.journal.shares().learned(name, outcome); !told) return told;
    d.met.erase(d.met.begin());
  }
  return {};
}

// --- After the commit -------------------------------------------------------------------------------------------

/// Providers that answered are told of once, for all runs and attempts that they answered.
Status Engine::settle_shares(Time now) {
  for (const auto& [runtime, began] : std::exchange(answers_, {})) {
    if (auto told = seams_.journal.shares().answered(runtime, began); !told) return told;
  }
  for (const auto& d : runs_) {
    if (auto settled = settle_shares(*d, now); !settled) return settled;
  }
  return {};
}

/// What the run has no use for any more is given back, now that the reason is on record.
Status Engine::settle_shares(Driven& d, Time now) {
  if (auto told = pass_on_met(d); !told) return told;
  for (const CoolDown& c : std::exchange(d.cool_downs, {})) {
    if (auto told = seams_.journal.shares().cool_down(c); !told) return told;
  }
  d.queued_on_record = d.run.wants_place();
  if (!d.queued_on_record) {
    d.place_look.reset();
    d.before_told = 0;
  } else if (!d.place_look) {
    d.place_look = now;
  }
  if (d.has_place && d.run.state() != RunState::running) {
    if (auto given = seams_.journal.shares().give_place(asker_of(d, now)); !given) return given;
    d.has_place = false;
    call_next(d, now);
  }
  if (limits_.concurrent_steps == 0) return {};
  if (const int used = slots_used(d.run); used != d.slots_held) {
    if (auto set = seams_.journal.shares().set_slots(asker_of(d, now), used); !set) return set;
    d.slots_freed = d.slots_freed || used < d.slots_held;
    d.slots_held = used;
  }
  if (std::exchange(d.slots_freed, false)) call_for_slots(d, now);
  return {};
}

Expected<Run> Engine::give_up(Driven& d, bool stays_in_queue) {
  const Time now = seams_.clock.now();
  if (d.unstored.empty()) mirror(d);
  Shares& shares = seams_.journal.shares();
  // Where this does not work the lease is lost or the journal broken: what the run had counts for nothing then.
  if (limits_.concurrent_runs > 0) {
    (void)(stays_in_queue ? shares.keep_in_queue(asker_of(d, now)) : shares.give_place(asker_of(d, now)));
  }
  if (limits_.concurrent_steps > 0) (void)shares.take_slots(asker_of(d, now), 0, 0);
  const Status given = seams_.journal.release(d.lease);
  // Only now: a run that stays in the queue may itself be the next, and then has to be woken.
  if (limits_.concurrent_runs > 0) call_next(d, now);
  if (limits_.concurrent_steps > 0) call_for_slots(d, now);
  Run run = std::move(d.run);
  std::erase_if(runs_, [&](const auto& r) { return r.get() == &d; });
  if (!given) return std::unexpected(given.error());
  return run;
}

}  // namespace baton
