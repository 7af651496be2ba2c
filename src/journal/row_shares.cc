#include "journal/row_shares.h"

#include <algorithm>

namespace baton {
namespace {

bool is_alive(const Lease& lease, const Shares::Asker& asker) {
  if (lease.owner.empty()) return false;
  return lease.owner == asker.lease.owner || (lease.expires > asker.now && !asker.is_dead(lease));
}

}  // namespace

std::vector<QueueEntry> RowShares::queue_of(const std::vector<PlaceRow>& rows, const Asker& asker) {
  std::vector<QueueEntry> queue;
  for (const PlaceRow& row : rows) {
    const bool queued = row.state == RunState::queued;
    const bool driven = is_alive(row.lease, asker);
    // One that has taken a place is on record as running a moment later. What an earlier driver took counts no more.
    const bool running = driven && (row.state == RunState::running || (queued && row.place == Place::taken));
    const bool may_come = row.call_ends == Time{} || row.call_ends > asker.now;
    const bool waits = queued && (driven || (row.place == Place::waits && may_come));
    if (running || waits) queue.push_back({row.lease.run, row.created, running, driven});
  }
  return queue;
}

Expected<PlaceAnswer> RowShares::take_place(const Asker& asker) {
  PlaceAnswer answer;
  const std::string& run = asker.lease.run;
  auto done = transact([&]() -> Status {
    if (auto held = check_lease(asker.lease); !held) return held;
    auto rows = place_rows();
    if (!rows) return std::unexpected(rows.error());
    const auto own = std::ranges::find_if(*rows, [&](const PlaceRow& r) { return r.lease.run == run; });
    if (own == rows->end()) return fault("journal-conflict", "run " + run + " wants a place but is not queued");
    answer = place_for(run, own->created, queue_of(*rows, asker), asker.limits.concurrent_runs);
    for (const PlaceRow& row : *rows) {
      if (row.place != Place::taken || is_alive(row.lease, asker)) continue;
      if (auto freed = put_place(row.lease.run, Place::none, {}); !freed) return freed;
    }
    if (answer.taken) return put_place(run, Place::taken, {});
    if (own->place == Place::taken) return put_place(run, Place::none, {});  // an earlier driver's
    // It has come: should it leave again, it may be called again.
    return own->call_ends == Time{} ? Status{} : put_place(run, Place::waits, {});
  });
  if (!done) return std::unexpected(done.error());
  return answer;
}

Status RowShares::give_place(const Asker& asker) {
  return transact([&]() -> Status {
    if (auto held = check_lease(asker.lease); !held) return held;
    return put_place(asker.lease.run, Place::none, {});
  });
}

Status RowShares::keep_in_queue(const Asker& asker) {
  // Nobody drives it: this row alone says that it waits.
  return transact_lastingly([&]() -> Status {
    if (auto held = check_lease(asker.lease); !held) return held;
    return put_place(asker.lease.run, Place::waits, {});
  });
}

Expected<std::vector<Call>> RowShares::calls(const Asker& asker) {
  std::vector<Call> calls;
  auto done = transact([&]() -> Status {
    auto rows = place_rows();
    if (!rows) return std::unexpected(rows.error());
    for (const QueueEntry& next : next_in_line(queue_of(*rows, asker), asker.limits.concurrent_runs)) {
      if (next.driven) {
        if (next.run != asker.lease.run) calls.push_back({next.run, true});
        continue;
      }
      const auto row = std::ranges::find_if(*rows, [&](const PlaceRow& r) { return r.lease.run == next.run; });
      if (row->call_ends != Time{}) continue;  // called, and on its way
      if (auto put = put_place(next.run, Place::waits, asker.now + comes_within); !put) return put;
      calls.push_back({next.run, false});
    }
    return {};
  });
  if (!done) return std::unexpected(done.error());
  return calls;
}

/// What living runs have, but for the asker's, which goes to `own`.
Expected<std::vector<SlotEntry>> RowShares::living_slots(const Asker& asker, SlotEntry& own, bool clears) {
  own.run = asker.lease.run;
  auto rows = slot_rows();
  if (!rows) return std::unexpected(rows.error());
  std::vector<SlotEntry> living;
  for (const SlotRow& row : *rows) {
    if (row.entry.run == own.run) {
      own = row.entry;
    } else if (is_alive(row.lease, asker)) {
      living.push_back(row.entry);
    } else if (clears) {
      if (auto gone = put_slots({.run = row.entry.run}); !gone) return std::unexpected(gone.error());
    }
  }
  return living;
}

Expected<int> RowShares::take_slots(const Asker& asker, int used, int wanted) {
  SlotEntry kept;
  auto done = transact([&]() -> Status {
    if (auto held = check_lease(asker.lease); !held) return held;
    SlotEntry own;
    const auto others = living_slots(asker, own, true);
    if (!others) return std::unexpected(others.error());
    kept = slots_for({own.run, used, own.ticket}, wanted, *others, asker.limits.concurrent_steps);
    return put_slots(kept);
  });
  if (!done) return std::unexpected(done.error());
  return kept.used;
}

Status RowShares::set_slots(const Asker& asker, int used) {
  return transact([&]() -> Status {
    if (auto held = check_lease(asker.lease); !held) return held;
    SlotEntry own;
    if (const auto others = living_slots(asker, own, true); !others) return std::unexpected(others.error());
    return put_slots({own.run, used, own.ticket});
  });
}

Expected<std::vector<Call>> RowShares::slot_calls(const Asker& asker) {
  SlotEntry own;
  auto waiting = living_slots(asker, own, false);
  if (!waiting) return std::unexpected(waiting.error());
  int free = asker.limits.concurrent_steps - own.used;
  for (const SlotEntry& entry : *waiting) free -= entry.used;
  std::erase_if(*waiting, [](const SlotEntry& entry) { return entry.ticket == 0; });
  std::ranges::sort(*waiting, {}, &SlotEntry::ticket);
  std::vector<Call> calls;
  for (const SlotEntry& entry : *waiting) {
    if (--free < 0) break;
    calls.push_back({entry.run, true});
  }
  return calls;
}

Status RowShares::cool_down(const CoolDown& cool_down) {
  return transact([&]() -> Status {
    auto rows = cool_down_rows();
    if (!rows) return std::unexpected(rows.error());
    const bool known = std::ranges::any_of(
        *rows, [&](const CoolDown& c) { return c.runtime == cool_down.runtime && c.until >= cool_down.until; });
    return known ? Status{} : put_cool_down(cool_down);
  });
}

Status RowShares::answered(const std::string& runtime, Time began) {
  const auto is_over = [&](const CoolDown& c) { return ends_guess(c, runtime, began); };
  auto rows = cool_down_rows();
  if (!rows) return std::unexpected(rows.error());
  if (std::ranges::none_of(*rows, is_over)) return {};
  return transact([&]() -> Status {
    auto now = cool_down_rows();
    if (!now) return std::unexpected(now.error());
    return std::ranges::any_of(*now, is_over) ? put_cool_down({.runtime = runtime}) : Status{};
  });
}

Expected<std::vector<CoolDown>> RowShares::cool_downs(Time now) {
  auto rows = cool_down_rows();
  if (rows) std::erase_if(*rows, [&](const CoolDown& c) { return c.until <= now; });
  return rows;
}

Expected<governor::Permit> RowShares::take_permit(const std::string& name, const governor::Load& load, Time now) {
  // Nothing is written for a provider that never held anybody back.
  const auto row = governor_row(name);
  if (!row) return std::unexpected(row.error());
  if (governor::lets_all(governor::state_of(*row), now)) return governor::Permit{now, true};
  governor::Permit permit;
  auto taken = transact([&]() -> Status {
    const auto known = governor_row(name);
    if (!known) return std::unexpected(known.error());
    governor::State state = governor::state_of(*known);
    permit = governor::ask(state, load, now);
    return permit.kept ? put_governor(name, governor::to_text(state)) : Status{};
  });
  if (!taken) return std::unexpected(taken.error());
  return permit;
}

Expected<governor::Permit> RowShares::keep_permit(const std::string& name, const governor::Load& load, Time now) {
  const auto row = governor_row(name);
  if (!row) return std::unexpected(row.error());
  if (governor::state_of(*row).not_before <= now) return governor::Permit{now, true};
  return take_permit(name, load, now);
}

Status RowShares::learned(const std::string& name, const governor::Outcome& outcome) {
  const auto row = governor_row(name);
  if (!row) return std::unexpected(row.error());
  governor::State state = governor::state_of(*row);
  governor::State next = state;
  governor::learn(next, outcome);
  if (next == state) return {};
  return transact([&]() -> Status {
    const auto known = governor_row(name);
    if (!known) return std::unexpected(known.error());
    governor::State now = governor::state_of(*known);
    governor::learn(now, outcome);
    return put_governor(name, governor::to_text(now));
  });
}

}  // namespace baton
