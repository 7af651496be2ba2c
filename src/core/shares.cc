#include "core/shares.h"

#include <algorithm>

#include "core/wall.h"

namespace baton {

PlaceAnswer place_for(const std::string& run, std::int64_t created, const std::vector<QueueEntry>& all, int places) {
  const auto first = std::ranges::count_if(
      all, [&](const QueueEntry& e) { return e.run != run && (e.running || e.created < created); });
  if (first < places) return {.taken = true};
  return {.taken = false, .before = static_cast<std::size_t>(first - places + 1)};
}

std::vector<QueueEntry> next_in_line(std::vector<QueueEntry> all, int places) {
  const auto running = std::ranges::count_if(all, &QueueEntry::running);
  std::erase_if(all, [](const QueueEntry& e) { return e.running; });
  std::ranges::sort(all, {}, &QueueEntry::created);
  const auto free = static_cast<std::size_t>(std::max<std::ptrdiff_t>(places - running, 0));
  if (all.size() > free) all.resize(free);
  return all;
}

SlotEntry slots_for(SlotEntry me, int wanted, const std::vector<SlotEntry>& others, int slots) {
  int free = slots - me.used;
  std::int64_t last_ticket = me.ticket;
  for (const SlotEntry& other : others) {
    free -= other.used;
    last_ticket = std::max(last_ticket, other.ticket);
  }
  for (; wanted > 0; --wanted) {
    if (me.ticket == 0) me.ticket = ++last_ticket;
    const auto before =
        std::ranges::count_if(others, [&](const SlotEntry& o) { return o.ticket > 0 && o.ticket < me.ticket; });
    if (before >= free) return me;
    ++me.used;
    --free;
    me.ticket = 0;
  }
  me.ticket = 0;
  return me;
}

Span day_of(Time at) {
  const auto day = std::chrono::floor<std::chrono::days>(at);
  return {day, day + std::chrono::days{1}};
}

Span month_of(Time at) {
  const std::chrono::year_month_day day{std::chrono::floor<std::chrono::days>(at)};
  const auto first = day.year() / day.month() / 1;
  return {std::chrono::sys_days{first}, std::chrono::sys_days{first + std::chrono::months{1}}};
}

bool is_asked_for_time(const Failure& failure) {
  return is_rate_limit(failure.kind()) && !failure.parked_until && !failure.retry_after;
}

bool ends_guess(const CoolDown& cool_down, const std::string& runtime, Time began) {
  return cool_down.runtime == runtime && cool_down.guessed != Time{} && cool_down.guessed <= began;
}

std::optional<CoolDown> cool_down_after(const Failure& failure, const std::string& runtime, Time now, Millis backoff,
                                        Millis floor) {
  if (is_wall(failure)) return CoolDown{runtime, end_of_wall(failure, now, now, floor)};
  if (failure.retry_after) return CoolDown{runtime, now + *failure.retry_after};
  // How fast a model's API may be asked is the governor's to guess, model by model.
  if (failure.kind() == FailureKind::agent_rate_limit) return CoolDown{runtime, now + backoff, now};
  return std::nullopt;
}

}  // namespace baton
