#include "dialect/session/lineup.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/text.h"

namespace baton::session {

Lineup::Lineup(const TodoList& list, const PlanDoc& plan)
    : entries_(list.tasks.size()),
      phased_{plan.model == ExecutionModel::phased},
      one_at_a_time_{plan.model == ExecutionModel::sequential},
      together_{plan.model == ExecutionModel::parallel} {
  const TaskIndex index{list};
  const std::vector<int> phases = phases_of(list, plan);
  open_in_phase_.assign(static_cast<std::size_t>(phases.empty() ? 0 : *std::ranges::max_element(phases)) + 1, 0);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const TodoTask& task = list.tasks[i];
    ids_.push_back(task.id);
    Entry& entry = entries_[i];
    entry.phase = phases[i];
    entry.container = task.container;
    if (task.parent) entries_[*task.parent].children.push_back(i);
    if (task.state == BoxState::completed) {
      entry.state = State::ended;
      entry.completed = true;
    } else {
      count_phase(i, 1);
    }
  }
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    for (const std::string& id : list.tasks[i].depends_on.value_or(std::vector<std::string>{})) {
      const auto need = index.find(id);
      if (!need || *need == i || entries_[*need].state == State::ended) continue;
      entries_[*need].hinted.push_back(i);
      ++entries_[i].hints_open;
    }
  }
}

/// Containers have no work, so no phase waits for them.
void Lineup::count_phase(std::size_t task, int by) {
  if (entries_[task].container) return;
  std::size_t& open = open_in_phase_[static_cast<std::size_t>(entries_[task].phase)];
  open = by > 0 ? open + 1 : open - 1;
}

bool Lineup::is_open(const Place& place) const {
  for (int phase = 1; phase < place.first; ++phase) {
    if (open_in_phase_[static_cast<std::size_t>(phase)] > 0) return false;
  }
  return true;
}

void Lineup::take_out(std::size_t task) {
  unread_.erase(place(task));
  hinted_.erase(place(task));
  alone_.erase(place(task));
}

void Lineup::put_in(std::size_t task) {
  const Entry& entry = entries_[task];
  if (entry.alone) {
    alone_.insert(place(task));
  } else {
    const bool hinted = entry.hints_open > 0 && !entry.looked_at;
    (hinted ? hinted_ : unread_).insert(place(task));
  }
}

void Lineup::ask(std::size_t task) {
  Entry& entry = entries_[task];
  if (entry.state == State::asked) return;
  if (entry.state == State::ended) count_phase(task, 1);  // it is to run again
  leave_work(task);                                       // also one that was to be tried again, or was being prepared
  if (entry.state == State::waiting) entry.needs.clear();
  entry.state = State::asked;
  entry.completed = false;
  entry.alone = false;
  put_in(task);
}

std::optional<std::size_t> Lineup::next(std::size_t room) {
  if (room == 0 || (one_at_a_time_ && at_work_ > 0)) return std::nullopt;
  std::optional<Place> best;
  const auto consider = [&](const std::set<Place>& line) {
    if (line.empty() || !is_open(*line.begin())) return;
    if (!best || *line.begin() < *best) best = *line.begin();
  };
  if (alone_at_work_ == 0) consider(alone_);
  consider(unread_);
  if (!best && at_work_ == 0) consider(hinted_);  // the list may be wrong
  return best ? std::optional{best->second} : std::nullopt;
}

TurnWord Lineup::tell(std::size_t task, const TurnFacts& facts) {
  Entry& entry = entries_[task];
  entry.looked_at = true;
  if (facts.completed) {
    take_out(task);
    return {.kind = TurnWord::Kind::done};
  }
  if (!facts.needs.unknown.empty()) {
    take_out(task);
    return {.kind = TurnWord::Kind::block,
            .code = "unknown-dependency",
            .reason =
                fmt::format("it depends on '{}', which is no task of this session", join(facts.needs.unknown, "', '"))};
  }
  std::vector<std::size_t> needs = facts.needs.known;
  if (facts.container) needs.insert(needs.end(), entry.children.begin(), entry.children.end());
  std::erase_if(needs, [&](std::size_t need) { return entries_[need].completed; });
  if (!needs.empty()) return wait_for(task, std::move(needs));
  if (facts.container) {
    take_out(task);
    return {.kind = TurnWord::Kind::done};
  }
  const bool alone = !facts.grouped && !together_;
  if (alone && alone_at_work_ > 0) {
    take_out(task);
    entry.alone = true;
    put_in(task);
    return {.kind = TurnWord::Kind::hold};
  }
  take_out(task);
  is_at_work(task, !alone);
  return {.kind = TurnWord::Kind::go};
}

TurnWord Lineup::wait_for(std::size_t task, std::vector<std::size_t> needs) {
  take_out(task);
  if (const auto cycle = way_back(task, needs); !cycle.empty()) return cycle_word(cycle);
  is_waiting(task, needs);
  return {.kind = TurnWord::Kind::wait, .needs = std::move(needs)};
}

void Lineup::is_waiting(std::size_t task, std::vector<std::size_t> needs) {
  take_out(task);
  leave_work(task);
  Entry& entry = entries_[task];
  entry.state = State::waiting;
  entry.looked_at = true;
  entry.needs = std::move(needs);
  for (const std::size_t need : entry.needs) {
    entries_[need].awaited_by.push_back(task);
    raise(task, entries_[need].phase);
  }
}

std::vector<std::size_t> Lineup::stalled() const {
  std::vector<std::size_t> tasks;
  if (at_work_ > 0 || !unread_.empty() || !hinted_.empty() || !alone_.empty()) return tasks;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].state == State::waiting) tasks.push_back(i);
  }
  return tasks;
}

/// A task belongs to the phase of the last one it needs, and so do those that wait for it.
void Lineup::raise(std::size_t task, int phase) {
  std::vector<std::size_t> open{task};
  while (!open.empty()) {
    const std::size_t next = open.back();
    open.pop_back();
    Entry& entry = entries_[next];
    if (!phased_ || entry.phase == 0 || entry.phase >= phase || entry.state != State::waiting) continue;
    count_phase(next, -1);
    entry.phase = phase;
    count_phase(next, 1);
    for (const std::size_t waiting : entry.awaited_by) {
      const auto& needs = entries_[waiting].needs;
      if (std::ranges::find(needs, next) != needs.end()) open.push_back(waiting);
    }
  }
}

/// What a task that has not ended waits for: a container for those beneath it, whether it was looked at or not.
const std::vector<std::size_t>& Lineup::awaited(std::size_t task) const {
  static const std::vector<std::size_t> nobody;
  const Entry& entry = entries_[task];
  if (entry.state == State::ended) return nobody;
  if (entry.container) return entry.children;
  return entry.state == State::waiting ? entry.needs : nobody;
}

/// The tasks from `task` along what they wait for, back to itself; empty if no way leads back.
std::vector<std::size_t> Lineup::way_back(std::size_t task, const std::vector<std::size_t>& needs) const {
  std::vector<std::size_t> open = needs;
  std::unordered_map<std::size_t, std::size_t> from;
  for (const std::size_t need : needs) from.emplace(need, task);
  while (!open.empty()) {
    const std::size_t next = open.back();
    open.pop_back();
    if (next == task) {
      std::vector<std::size_t> cycle{task};
      for (std::size_t at = from.at(task); at != task; at = from.at(at)) cycle.push_back(at);
      std::ranges::reverse(cycle.begin() + 1, cycle.end());
      return cycle;
    }
    for (const std::size_t need : awaited(next)) {
      if (from.emplace(need, next).second) open.push_back(need);
    }
  }
  return {};
}

TurnWord Lineup::cycle_word(const std::vector<std::size_t>& cycle) const {
  std::string way;
  for (const std::size_t task : cycle) way += fmt::format("'{}' needs ", ids_[task]);
  return {.kind = TurnWord::Kind::fail,
          .code = "dependency-cycle",
          .reason = fmt::format("it waits for itself: {}'{}'", way, ids_[cycle.front()])};
}

void Lineup::is_at_work(std::size_t task, bool grouped) {
  Entry& entry = entries_[task];
  if (entry.state == State::working) return;
  if (entry.state == State::ended) count_phase(task, 1);
  entry.completed = false;
  entry.state = State::working;
  entry.alone = !grouped;
  ++at_work_;
  alone_at_work_ += grouped ? 0 : 1;
}

void Lineup::leave_work(std::size_t task) {
  if (entries_[task].state != State::working) return;
  --at_work_;
  alone_at_work_ -= entries_[task].alone ? 1 : 0;
}

void Lineup::ended(std::size_t task, bool completed) {
  Entry& entry = entries_[task];
  leave_work(task);
  take_out(task);
  if (entry.state != State::ended) count_phase(task, -1);
  entry.state = State::ended;
  entry.completed = completed;
  entry.needs.clear();
  entry.awaited_by.clear();
  for (const std::size_t hinted : std::exchange(entry.hinted, {})) {
    Entry& other = entries_[hinted];
    const bool in_line = other.state == State::asked && !other.alone;
    if (in_line) hinted_.erase(place(hinted));
    --other.hints_open;
    if (in_line) put_in(hinted);
  }
}

}  // namespace baton::session
