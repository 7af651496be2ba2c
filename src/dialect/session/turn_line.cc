#include "dialect/session/turn_line.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/facts.h"

namespace baton::session {
namespace {

TodoList aligned(const TodoList& list, const Plan& plan) {
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < list.tasks.size(); ++i) places.emplace(list.tasks[i].id, i);
  TodoList out;
  std::vector<std::size_t> now(list.tasks.size(), plan.steps.size());  // where a task of the list is in the run
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const auto place = places.find(plan.steps[i].id);
    if (place != places.end()) now[place->second] = i;
  }
  for (const Step& step : plan.steps) {
    TodoTask task;
    if (const auto place = places.find(step.id); place != places.end()) task = list.tasks[place->second];
    task.id = step.id;
    task.title = step.work->title;
    task.container = step.flow == nullptr;
    task.state = BoxState::pending;  // what is done is the run's to say
    const bool has_parent = task.parent && now[*task.parent] < plan.steps.size();
    task.parent = has_parent ? std::optional{now[*task.parent]} : std::nullopt;
    out.tasks.push_back(std::move(task));
  }
  return out;
}

bool is_at_work(const Run& run, StepIndex step) {
  const StepState state = run.of(step).state;
  return state == StepState::ready || state == StepState::running || state == StepState::checking ||
         state == StepState::waiting;
}

/// Nobody has to wait for it any more: it is done, or a person left it out.
bool is_out_of_the_way(const Run& run, StepIndex step) {
  return run.of(step).state == StepState::completed || run.of(step).state.is_skipped_by_person();
}

bool is_same(const command::TakeTurn& a, const command::TakeTurn& b) {
  return a.generation == b.generation && a.round == b.round;
}

/// Its file says that it is done because we wrote that: whoever has it run again means it.
bool was_done_by(const Run& run, StepIndex step) {
  const auto& attempts = run.of(step).attempts;
  return !attempts.empty() && attempts.back().state == AttemptState::completed;
}

}  // namespace

event::TurnTaken turn_taken(const command::TakeTurn& turn, TurnVerdict verdict, std::string code, std::string reason) {
  return {turn.step, turn.generation, turn.round, verdict, std::move(reason), std::move(code), nullptr, {}, {}};
}

TurnLine::TurnLine(const TodoList& list, PlanDoc plan, const Run& run, const LookAt& look)
    : list_(aligned(list, run.plan())), plan_(std::move(plan)), index_(list_) {
  restore(run, look);
}

/// What the run's record says of each task.
void TurnLine::restore(const Run& run, const LookAt& look) {
  lineup_ = std::make_unique<Lineup>(list_, plan_);
  over_.assign(list_.tasks.size(), false);
  at_work_.clear();
  for (std::size_t n = 0; n < list_.tasks.size(); ++n) {
    const StepIndex step = step_index(n);
    if (is_settled(run.of(step).state)) {
      end(n, is_out_of_the_way(run, step));
    } else if (is_at_work(run, step)) {
      const TaskLook found = look(run.step(step).id);
      lineup_->is_at_work(n, found.read.task && found.read.task->group);
      at_work_.insert(n);
    }
  }
  for (std::size_t n = 0; n < list_.tasks.size(); ++n) {
    const StepIndex step = step_index(n);
    if (run.of(step).state == StepState::pending && !list_.tasks[n].container) wait(run, n);
  }
}

/// For what it needs and is not there; for nothing, if all is.
void TurnLine::wait(const Run& run, std::size_t task) {
  std::vector<std::size_t> open;
  for (const StepIndex need : run.needs_of(step_index(task))) {
    if (!is_out_of_the_way(run, need)) open.push_back(at(need));
  }
  if (!open.empty()) lineup_->is_waiting(task, std::move(open));
}

/// One that went may have to wait again: for what a person has run once more, or what did so before it was heard.
void TurnLine::see_who_left(const Run& run) {
  std::erase_if(at_work_, [&](std::size_t task) {
    const FlowRun* flow = run.flow_of(step_index(task));
    const bool left = run.of(step_index(task)).state == StepState::pending && (flow == nullptr || !flow->is_asked());
    if (left) wait(run, task);
    return left;
  });
}

/// Somebody had a task run again, and with it what depends on it: all of that is in the record.
void TurnLine::begin_anew(const Run& run, const LookAt& look) {
  restore(run, look);
  const auto before = std::exchange(asked_, {});
  const auto preparing = std::exchange(preparing_, {});
  for (const auto& [task, turn] : before) {
    const FlowRun* flow = run.flow_of(turn.step);
    if (flow == nullptr || !flow->is_asked() || over_[task]) continue;
    asked_[task] = turn;
    lineup_->ask(task);
    if (preparing.contains(task)) preparing_.insert(task);
  }
}

void TurnLine::ask(const Run& run, const command::TakeTurn& turn, const LookAt& look) {
  const std::size_t task = at(turn.step);
  if (over_[task]) begin_anew(run, look);
  const auto [earlier, is_new] = asked_.try_emplace(task, turn);
  if (!is_new && is_same(earlier->second, turn)) return;  // as it was taken over from before
  if (!is_new) preparing_.erase(task);
  earlier->second = turn;
  at_work_.erase(task);
  lineup_->ask(task);
}

void TurnLine::ended(const Run& run, StepIndex step) {
  answered(step);
  if (is_settled(run.of(step).state)) end(at(step), is_out_of_the_way(run, step));
}

void TurnLine::answered(StepIndex step) {
  asked_.erase(at(step));
  preparing_.erase(at(step));
}

void TurnLine::end(std::size_t task, bool completed) {
  over_[task] = true;
  at_work_.erase(task);
  lineup_->ended(task, completed);
}

std::optional<TurnLine::Next> TurnLine::next(const Run& run, const LookAt& look) {
  see_who_left(run);
  const auto jobs = static_cast<std::size_t>(run.settings().jobs);
  const std::size_t busy = lineup_->at_work();
  const auto task = lineup_->next(jobs > busy ? jobs - busy : 0);
  if (!task) return std::nullopt;
  const auto asked = asked_.find(*task);
  if (asked == asked_.end()) {
    end(*task, false);  // nobody waits for it any more
    return Next{};
  }
  Next next;
  next.turn = asked->second;
  TaskLook found = look(list_.tasks[*task].id);
  next.read = std::move(found.read);
  next.first_look = seen_.insert(*task).second;
  if (!next.read.task) {
    const Fault& why = next.read.faults.front();
    next.word = turn_taken(next.turn, TurnVerdict::fail, why.code, on_one_line(why));
    answered(next.turn.step);
    end(*task, false);
    return next;
  }
  const Task& file = *next.read.task;
  const bool done = found.done && !was_done_by(run, next.turn.step);
  say(run,
      lineup_->tell(*task,
                    {done, file.is_container(), file.group.has_value(), needs_of(file, list_.tasks[*task], index_)}),
      next);
  return next;
}

event::TurnTaken TurnLine::go(const command::TakeTurn& turn, const Task& task) const {
  event::TurnTaken taken = turn_taken(turn, TurnVerdict::go);
  for (const std::size_t need : needs_of(task, list_.tasks[at(turn.step)], index_).known) {
    taken.needs.push_back(step_index(need));
  }
  return taken;
}

void TurnLine::say(const Run& run, const TurnWord& word, Next& next) {
  switch (word.kind) {
    case TurnWord::Kind::hold:  // it stays in line
      return;
    case TurnWord::Kind::go:
      next.goes = true;
      at_work_.insert(at(next.turn.step));
      return;
    case TurnWord::Kind::done:
      next.done = true;
      next.word = turn_taken(next.turn, TurnVerdict::done);
      break;
    case TurnWord::Kind::block:
      next.word = turn_taken(next.turn, TurnVerdict::block, word.code, word.reason);
      break;
    case TurnWord::Kind::fail:
      next.word = turn_taken(next.turn, TurnVerdict::fail, word.code, word.reason);
      break;
    case TurnWord::Kind::wait: {
      event::PlanExtended joins;
      joins.by = next.turn.step;
      joins.first = step_index(run.step_count());
      for (const std::size_t need : word.needs) joins.joins.emplace_back(next.turn.step, step_index(need));
      next.word = std::move(joins);
      break;
    }
  }
  answered(next.turn.step);
}

}  // namespace baton::session
