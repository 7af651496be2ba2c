#include "plan/plan.h"

#include <algorithm>
#include <ranges>

namespace baton {
namespace {

enum class Mark : std::uint8_t { none, open, done };

/// A depth-first walk with a stack of its own: a chain of a million steps must not use up the thread's.
class StepWalk {
 public:
  explicit StepWalk(const Plan& plan) : plan_{plan}, visits_(plan.steps.size(), Mark::none) {
    order_.reserve(plan.steps.size());
  }

  /// Goes on until all is seen or a cycle closes.
  void run() {
    for (std::size_t i = 0; i < plan_.steps.size() && cycle_.empty(); ++i) {
      if (visits_[i] == Mark::none) visit_from(i);
    }
  }

  std::vector<StepIndex> take_order() { return std::move(order_); }
  [[nodiscard]] const std::vector<std::size_t>& cycle() const { return cycle_; }

 private:
  struct Frame {
    std::size_t step;
    std::size_t next_need;
  };

  void open(std::size_t step) {
    visits_[step] = Mark::open;
    path_.push_back({step, 0});
  }

  void visit_from(std::size_t root) {
    open(root);
    while (!path_.empty()) {
      Frame& frame = path_.back();
      const Step& step = plan_.steps[frame.step];
      if (frame.next_need == step.needs.size()) {
        visits_[frame.step] = Mark::done;
        order_.push_back(step_index(frame.step));
        path_.pop_back();
        continue;
      }
      const std::size_t need = at(step.needs[frame.next_need++]);
      if (visits_[need] == Mark::none) {
        open(need);
      } else if (visits_[need] == Mark::open) {
        close_cycle(need);
        return;
      }
    }
  }

  void close_cycle(std::size_t first) {
    const auto start = std::ranges::find(path_, first, &Frame::step);
    for (auto it = start; it != path_.end(); ++it) cycle_.push_back(it->step);
    cycle_.push_back(first);
  }

  const Plan& plan_;
  std::vector<Mark> visits_;
  std::vector<Frame> path_;
  std::vector<StepIndex> order_;
  std::vector<std::size_t> cycle_;
};

}  // namespace

bool Flow::operator==(const Flow& other) const {
  const auto same = [](const auto& a, const auto& b) { return a == b || (a != nullptr && b != nullptr && *a == *b); };
  return when == other.when && for_each == other.for_each && until == other.until && loop_max == other.loop_max &&
         gate == other.gate && question == other.question && tree == other.tree && deferred == other.deferred &&
         sandbox == other.sandbox && item == other.item && index == other.index &&
         std::ranges::equal(body, other.body, [&](const Step& a, const Step& b) {
           return a.id == b.id && a.needs == b.needs && same(a.work, b.work) && same(a.flow, b.flow) &&
                  a.policy == b.policy && a.final == b.final;
         });
}

std::optional<StepIndex> final_step(const Plan& plan) {
  const auto marked = std::ranges::find(plan.steps, true, &Step::final);
  if (marked != plan.steps.end()) return step_index(static_cast<std::size_t>(marked - plan.steps.begin()));
  const std::vector<StepIndex> order = execution_order(plan);
  if (order.empty()) return std::nullopt;
  return order.back();
}

std::optional<StepIndex> find_step(const Plan& plan, std::string_view id) {
  const auto found = std::ranges::find(plan.steps, id, &Step::id);
  if (found == plan.steps.end()) return std::nullopt;
  return step_index(static_cast<std::size_t>(found - plan.steps.begin()));
}

std::vector<StepIndex> execution_order(const Plan& plan) {
  StepWalk walk{plan};
  walk.run();
  if (!walk.cycle().empty()) return {};
  return walk.take_order();
}

std::vector<std::string> find_cycle(const Plan& plan) {
  StepWalk walk{plan};
  walk.run();
  std::vector<std::string> ids;
  for (const std::size_t step : walk.cycle()) ids.push_back(plan.steps[step].id);
  return ids;
}

}  // namespace baton
