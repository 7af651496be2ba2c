// What a driven run has of the things that all runs share: a place, slots for its attempts, providers that cool down.
#include <algorithm>
#include <utility>

#include "engine/driven.h"
#include "engine/engine.h"

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
    apply(d, {now, event::PlaceTaken{}});
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
  const std::string& runtime = d.run.word(attempt->runtime);
  if (!seams_.runtimes.has_provider(runtime)) return;
  if (!e.failure) {
    d.answers.emplace_back(runtime, attempt->admitted);
    return;
  }
  auto cool_down = cool_down_after(*e.failure, runtime, now, limits_.rate_limit_backoff);
  if (cool_down && cool_down->until > now) d.cool_downs.push_back(std::move(*cool_down));
}

void Engine::look_at_cool_downs(Time now) {
  auto cooling = seams_.journal.shares().cool_downs(now);
  if (!cooling) return;  // a journal that cannot be read says so at the commit
  // What this very tick found out is not on record yet.
  for (const auto& d : runs_) {
    for (const auto& [runtime, began] : d->answers) {
      std::erase_if(*cooling, [&](const CoolDown& c) { return ends_guess(c, runtime, began); });
    }
  }
  for (const auto& d : runs_) cooling->insert(cooling->end(), d->cool_downs.begin(), d->cool_downs.end());
  dispatcher_.set_cool_downs(*cooling);
}

// --- After the commit -------------------------------------------------------------------------------------------

/// What the run has no use for any more is given back, now that the reason is on record.
Status Engine::settle_shares(Driven& d, Time now) {
  for (const auto& [runtime, began] : std::exchange(d.answers, {})) {
    if (auto told = seams_.journal.shares().answered(runtime, began); !told) return told;
  }
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

Status Engine::give_up(Driven& d, bool stays_in_queue) {
  const Time now = seams_.clock.now();
  if (d.unstored.empty()) mirror(d);
  Shares& shares = seams_.journal.shares();
  // Where this does not work the lease is lost or the journal broken: what the run had counts for nothing then.
  if (limits_.concurrent_runs > 0) {
    (void)(stays_in_queue ? shares.keep_in_queue(asker_of(d, now)) : shares.give_place(asker_of(d, now)));
  }
  if (limits_.concurrent_steps > 0) (void)shares.take_slots(asker_of(d, now), 0, 0);
  Status given = seams_.journal.release(d.lease);
  // Only now: a run that stays in the queue may itself be the next, and then has to be woken.
  if (limits_.concurrent_runs > 0) call_next(d, now);
  if (limits_.concurrent_steps > 0) call_for_slots(d, now);
  std::erase_if(runs_, [&](const auto& r) { return r.get() == &d; });
  return given;
}

}  // namespace baton
