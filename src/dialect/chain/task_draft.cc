#include "dialect/chain/task_draft.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "base/ensure.h"
#include "base/letters.h"
#include "base/number.h"
#include "base/text.h"

namespace baton::chain {
namespace {

constexpr std::size_t slug_bytes_max = 40;

/// Which task waits for which, always without a cycle.
class Needs {
 public:
  explicit Needs(std::size_t count) : direct_(count, 0), all_(count, 0) {}

  [[nodiscard]] bool closes_cycle(std::size_t task, std::size_t need) const {
    return task == need || (all_[need] & bit(task)) != 0;
  }
  [[nodiscard]] bool has(std::size_t task, std::size_t need) const { return (direct_[task] & bit(need)) != 0; }

  /// REQUIRES: it closes no cycle.
  void add(std::size_t task, std::size_t need) {
    direct_[task] |= bit(need);
    for (std::size_t other = 0; other < all_.size(); ++other) {
      if (other == task || (all_[other] & bit(task)) != 0) all_[other] |= bit(need) | all_[need];
    }
  }

  [[nodiscard]] std::vector<std::size_t> of(std::size_t task) const {
    std::vector<std::size_t> needs;
    for (std::size_t other = 0; other < direct_.size(); ++other) {
      if (has(task, other)) needs.push_back(other);
    }
    return needs;
  }

  /// From one task along needs to another that it waits for, both included.
  [[nodiscard]] std::vector<std::size_t> way(std::size_t from, std::size_t to) const {
    std::vector<std::size_t> steps{from};
    while (steps.back() != to) {
      for (std::size_t next = 0; next < direct_.size(); ++next) {
        if (!has(steps.back(), next) || (next != to && (all_[next] & bit(to)) == 0)) continue;
        steps.push_back(next);
        break;
      }
    }
    return steps;
  }

 private:
  static std::uint64_t bit(std::size_t task) { return std::uint64_t{1} << task; }

  std::vector<std::uint64_t> direct_;
  std::vector<std::uint64_t> all_;  ///< through others too
};

/// Groups, in the order in which they come.
struct Groups {
  std::vector<std::string> names;              ///< as they first appear
  std::vector<std::optional<std::size_t>> of;  ///< by task
  bool numbered = false;                       ///< they say themselves which comes first
};

/// The number at a name's end, and what stands before it.
std::optional<std::pair<std::string, std::int64_t>> numbered(const std::string& name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  const std::size_t begin = last == std::string::npos ? 0 : last + 1;
  const auto number = parse_whole<std::int64_t>(std::string_view{name}.substr(begin));
  if (!number) return std::nullopt;
  return std::pair{lower(name.substr(0, begin)), *number};
}

Groups groups_of(const std::vector<TaskDraft>& drafts) {
  Groups groups;
  for (const TaskDraft& draft : drafts) {
    if (draft.group.empty()) {
      groups.of.emplace_back();
      continue;
    }
    const auto known = std::ranges::find(groups.names, draft.group);
    groups.of.emplace_back(static_cast<std::size_t>(known - groups.names.begin()));
    if (known == groups.names.end()) groups.names.push_back(draft.group);
  }
  groups.numbered = std::ranges::all_of(groups.names, [&](const std::string& name) {
    const auto one = numbered(name);
    return one && one->first == numbered(groups.names.front())->first;
  });
  return groups;
}

/// Named groups come after those that they depend on, otherwise as they appear; numbered ones by their numbers.
std::vector<std::size_t> order_of(const Groups& groups, const Needs& needs) {
  const std::size_t count = groups.names.size();
  std::vector<std::size_t> order;
  for (std::size_t g = 0; g < count; ++g) order.push_back(g);
  if (groups.numbered) {
    std::ranges::sort(order, {}, [&](std::size_t g) { return std::pair{numbered(groups.names[g])->second, g}; });
    return order;
  }
  std::vector<std::set<std::size_t>> waits_for(count);
  for (std::size_t task = 0; task < groups.of.size(); ++task) {
    for (const std::size_t need : needs.of(task)) {
      const auto mine = groups.of[task];
      const auto its = groups.of[need];
      if (mine && its && *mine != *its) waits_for[*mine].insert(*its);
    }
  }
  std::vector<std::size_t> sorted;
  while (!order.empty()) {
    auto next = std::ranges::find_if(order, [&](std::size_t g) { return waits_for[g].empty(); });
    if (next == order.end()) next = order.begin();  // groups in a circle: the dependencies of their tasks decide
    for (auto& others : waits_for) others.erase(*next);
    sorted.push_back(*next);
    order.erase(next);
  }
  return sorted;
}

class Gathering {
 public:
  Gathering(std::vector<TaskDraft> drafts, std::vector<std::string> warnings)
      : drafts_{std::move(drafts)}, needs_{drafts_.size()} {
    result_.warnings = std::move(warnings);
  }

  Decomposition take() {
    give_names();
    for (std::size_t task = 0; task < drafts_.size(); ++task) connect(task);
    wait_for_groups();
    for (std::size_t task = 0; task < drafts_.size(); ++task) {
      SubTask& done = result_.tasks[task];
      done.text = std::move(drafts_[task].text);
      done.needs = needs_.of(task);
    }
    return std::move(result_);
  }

 private:
  void warn(std::string text) { result_.warnings.push_back(std::move(text)); }
  [[nodiscard]] const std::string& name(std::size_t task) const { return result_.tasks[task].name; }

  void give_names() {
    std::set<std::string> names;
    std::set<std::string> slugs;
    for (const TaskDraft& draft : drafts_) {
      SubTask task;
      task.name = draft.name;
      for (std::size_t n = 2; !names.insert(task.name).second; ++n) task.name = fmt::format("{}-{}", draft.name, n);
      if (task.name != draft.name) {
        warn(fmt::format("there is another task '{}'; the later one is now '{}'", draft.name, task.name));
      }
      std::string base = slug(task.name, slug_bytes_max);
      if (base.empty()) base = fmt::format("task-{}", result_.tasks.size() + 1);
      task.slug = base;
      for (std::size_t n = 2; !slugs.insert(task.slug).second; ++n) {
        const std::string number = fmt::format("-{}", n);
        task.slug = slug(base, slug_bytes_max - number.size()) + number;
      }
      result_.tasks.push_back(std::move(task));
    }
  }

  /// By its name, its id, its title; last of all without regard to capitals.
  [[nodiscard]] std::optional<std::size_t> find(const std::string& wanted) const {
    const auto look = [&](const std::string& text, auto&& value_of) -> std::optional<std::size_t> {
      for (std::size_t task = 0; task < drafts_.size(); ++task) {
        if (value_of(task) == text) return task;
      }
      return std::nullopt;
    };
    const auto by_name = [&](std::size_t task) { return name(task); };
    const auto by_id = [&](std::size_t task) { return drafts_[task].id; };
    const auto by_title = [&](std::size_t task) { return drafts_[task].title; };
    if (const auto found = look(wanted, by_name)) return found;
    if (const auto found = look(wanted, by_id)) return found;
    if (const auto found = look(wanted, by_title)) return found;
    const std::string small = lower(wanted);
    if (const auto found = look(small, [&](std::size_t task) { return lower(by_name(task)); })) return found;
    if (const auto found = look(small, [&](std::size_t task) { return lower(by_id(task)); })) return found;
    return look(small, [&](std::size_t task) { return lower(by_title(task)); });
  }

  void connect(std::size_t task) {
    for (const std::string& dependency : drafts_[task].dependencies) {
      const std::optional<std::size_t> need = find(dependency);
      if (!need) {
        warn(fmt::format("task '{}' depends on '{}', which is no task; that was left out", name(task), dependency));
      } else if (*need == task) {
        warn(fmt::format("task '{}' depends on itself; that was left out", name(task)));
      } else if (needs_.closes_cycle(task, *need)) {
        std::vector<std::string> members{name(task)};
        for (const std::size_t other : needs_.way(*need, task)) members.push_back(name(other));
        warn(fmt::format("tasks depend on each other in a circle: {}; that '{}' depends on '{}' was left out",
                         join(members, " -> "), name(task), name(*need)));
      } else {
        needs_.add(task, *need);
      }
    }
  }

  void wait_for_groups() {
    const Groups groups = groups_of(drafts_);
    const std::vector<std::size_t> order = order_of(groups, needs_);
    bool contradicted = false;
    for (std::size_t g = 1; g < order.size(); ++g) {
      for (std::size_t task = 0; task < drafts_.size(); ++task) {
        if (groups.of[task] != order[g]) continue;
        for (std::size_t need = 0; need < drafts_.size(); ++need) {
          if (groups.of[need] != order[g - 1] || needs_.has(task, need)) continue;
          if (needs_.closes_cycle(task, need)) {
            contradicted = true;
          } else {
            needs_.add(task, need);
          }
        }
      }
    }
    if (contradicted) warn("some dependencies contradict the order of the groups; the dependencies count");
  }

  std::vector<TaskDraft> drafts_;
  Needs needs_;
  Decomposition result_;
};

}  // namespace

Decomposition bring_together(std::vector<TaskDraft> drafts, std::vector<std::string> warnings) {
  BATON_ENSURE(drafts.size() <= sub_tasks_max, "more sub-tasks than there are bits for them", "decompose");
  return Gathering{std::move(drafts), std::move(warnings)}.take();
}

}  // namespace baton::chain
