#include "dialect/session/order.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.h"

namespace baton::session {
namespace {

/// Goes along needs until it meets a task again. Iterative: a chain may be long.
std::vector<std::vector<std::size_t>> cycles_among(const std::vector<Needs>& needs, const std::vector<bool>& open) {
  enum class Mark : std::uint8_t { unseen, on_way, done };
  std::vector<Mark> marks(needs.size(), Mark::unseen);
  std::vector<std::vector<std::size_t>> cycles;
  for (std::size_t root = 0; root < needs.size(); ++root) {
    if (!open[root] || marks[root] != Mark::unseen) continue;
    std::vector<std::pair<std::size_t, std::size_t>> way{{root, 0}};
    marks[root] = Mark::on_way;
    while (!way.empty()) {
      auto& [task, next] = way.back();
      if (next == needs[task].known.size()) {
        marks[task] = Mark::done;
        way.pop_back();
        continue;
      }
      const std::size_t need = needs[task].known[next++];
      if (!open[need] || marks[need] == Mark::done) continue;
      if (marks[need] == Mark::unseen) {
        marks[need] = Mark::on_way;
        way.emplace_back(need, 0);
        continue;
      }
      const auto begin = std::ranges::find(way, need, &std::pair<std::size_t, std::size_t>::first);
      std::vector<std::size_t> cycle;
      for (auto it = begin; it != way.end(); ++it) cycle.push_back(it->first);
      cycles.push_back(std::move(cycle));
    }
  }
  return cycles;
}

/// Levels by counting unmet needs.
class Levels {
 public:
  Levels(const std::vector<Needs>& needs, const std::vector<bool>& completed)
      : needs_{needs},
        completed_{completed},
        unmet_(needs.size(), 0),
        needed_by_(needs.size()),
        level_(needs.size(), 0) {
    for (std::size_t i = 0; i < needs.size(); ++i) {
      if (completed[i]) continue;
      unmet_[i] = needs[i].unknown.size();  // never met
      for (const std::size_t need : needs[i].known) {
        if (completed[need]) continue;
        ++unmet_[i];
        needed_by_[need].push_back(i);
      }
    }
  }

  /// Those that can be run, each with a level after that of all it needs, and not before `least`.
  std::vector<std::size_t> run(const std::vector<int>& least) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < needs_.size(); ++i) {
      if (!completed_[i] && unmet_[i] == 0) order.push_back(i);
    }
    for (std::size_t done = 0; done < order.size(); ++done) {
      const std::size_t i = order[done];
      if (!least.empty()) level_[i] = std::max(level_[i], least[i]);
      for (const std::size_t next : needed_by_[i]) {
        level_[next] = std::max(level_[next], level_[i] + (least.empty() ? 1 : 0));
        if (--unmet_[next] == 0) order.push_back(next);
      }
    }
    return order;
  }

  [[nodiscard]] int level(std::size_t i) const { return level_[i]; }

 private:
  const std::vector<Needs>& needs_;
  const std::vector<bool>& completed_;
  std::vector<std::size_t> unmet_;
  std::vector<std::vector<std::size_t>> needed_by_;
  std::vector<int> level_;
};

}  // namespace

TaskIndex::TaskIndex(const TodoList& list) {
  places_.reserve(list.tasks.size());
  for (std::size_t i = 0; i < list.tasks.size(); ++i) places_.emplace(list.tasks[i].id, i);
}

std::optional<std::size_t> TaskIndex::find(std::string_view id) const {
  const auto found = places_.find(std::string{id});
  return found == places_.end() ? std::nullopt : std::optional{found->second};
}

Needs needs_of(const Task& task, const TodoTask& listed, const TaskIndex& index) {
  Needs needs;
  const bool file_says = task.depends_on.has_value();
  std::vector<std::string> ids = file_says ? *task.depends_on : listed.depends_on.value_or(std::vector<std::string>{});
  for (const std::string& id : ids) {
    if (id == task.id) continue;
    if (const auto place = index.find(id)) {
      needs.known.push_back(*place);
    } else {
      needs.unknown.push_back(id);
    }
  }
  if (file_says && listed.depends_on) {
    std::vector<std::string> said = *listed.depends_on;
    std::ranges::sort(said);
    std::ranges::sort(ids);
    needs.differs = said != ids;
  }
  return needs;
}

std::vector<int> phases_of(const TodoList& list, const PlanDoc& plan) {
  std::vector<int> phases(list.tasks.size(), 0);
  if (plan.phases.empty()) {
    for (std::size_t i = 0; i < list.tasks.size(); ++i) phases[i] = std::max(0, list.tasks[i].phase.value_or(0));
    return phases;
  }
  const TaskIndex index{list};
  for (std::size_t p = 0; p < plan.phases.size(); ++p) {
    for (const std::string& id : plan.phases[p]) {
      if (const auto place = index.find(id)) phases[*place] = static_cast<int>(p) + 1;
    }
  }
  return phases;
}

Waves waves_of(const std::vector<Needs>& needs, const std::vector<bool>& completed, ExecutionModel model,
               const std::vector<int>& phases) {
  Waves out;
  Levels levels{needs, completed};
  const std::vector<std::size_t> runnable = levels.run(model == ExecutionModel::phased ? phases : std::vector<int>{});
  std::vector<bool> open(needs.size());
  for (std::size_t i = 0; i < needs.size(); ++i) open[i] = !completed[i];
  std::vector<std::size_t> order = runnable;
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair{levels.level(i), i}; });
  for (const std::size_t i : order) {
    open[i] = false;
    const bool anew = out.waves.empty() || levels.level(i) != levels.level(out.waves.back().front()) ||
                      model == ExecutionModel::sequential;
    if (anew) out.waves.emplace_back();
    out.waves.back().push_back(i);
  }
  out.cycles = cycles_among(needs, open);
  std::vector<bool> in_cycle(needs.size(), false);
  for (const auto& cycle : out.cycles) {
    for (const std::size_t i : cycle) in_cycle[i] = true;
  }
  for (std::size_t i = 0; i < needs.size(); ++i) {
    if (open[i] && !in_cycle[i]) out.blocked.push_back(i);
  }
  return out;
}

Faults alike(const std::vector<std::pair<std::string, std::string>>& signs, const std::string& file) {
  std::map<std::string, std::vector<std::string>> by_sign;
  for (const auto& [id, sign] : signs) {
    if (!sign.empty()) by_sign[sign].push_back(id);
  }
  Faults faults;
  for (const auto& [sign, ids] : by_sign) {
    if (ids.size() < 2) continue;
    faults.push_back({"tasks-alike",
                      fmt::format("{} work in the same context", join(ids, ", ")),
                      "one task could do all of it, with one agent that has to read it only once",
                      {file, 0, 0},
                      Severity::warning});
  }
  return faults;
}

}  // namespace baton::session
