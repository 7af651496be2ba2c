#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/command.h"
#include "core/event.h"
#include "core/run.h"
#include "dialect/session/lineup.h"
#include "dialect/session/task.h"

namespace baton::session {

/// What is known of a task once its file was looked at.
struct TaskLook {
  TaskRead read;
  bool done = false;  ///< it counts as completed
};
using LookAt = std::function<TaskLook(const std::string& id)>;

event::TurnTaken turn_taken(const command::TakeTurn& turn, TurnVerdict verdict, std::string code = {},
                            std::string reason = {});

/// The turns of one run of a session: who asked for one, whose file is looked at next, and what is said to him. Made
/// anew from the run's record by whoever takes the run up; nothing else is kept of it.
class TurnLine {
 public:
  /// `list`: as it is now. Its tasks are known by the run's steps: one that was taken out since is still done.
  TurnLine(const TodoList& list, PlanDoc plan, const Run& run, const LookAt& look);

  /// The core asked for a turn.
  void ask(const Run& run, const command::TakeTurn& turn, const LookAt& look);
  /// A step has ended, or begins anew.
  void ended(const Run& run, StepIndex step);

  struct Next {
    command::TakeTurn turn;
    TaskRead read;
    std::optional<EventBody> word;  ///< what is said to it; nullopt: it may go, or is held
    bool goes = false;              ///< and stays asked for until answered() says so
    bool done = false;              ///< it was done before
    bool first_look = false;        ///< of this task, by us
  };
  /// Looks at one more file; nullopt: there is nobody whose turn it might be.
  std::optional<Next> next(const Run& run, const LookAt& look);

  /// What is said to a task that may go.
  [[nodiscard]] event::TurnTaken go(const command::TakeTurn& turn, const Task& task) const;
  /// It goes only after some work that takes a while. True if that is to be begun: nobody is at it.
  bool prepare(const command::TakeTurn& turn) { return preparing_.insert(at(turn.step)).second; }
  /// Who was told to go, or why he cannot, has no turn any more.
  void answered(StepIndex step);

  [[nodiscard]] const TodoList& list() const { return list_; }
  [[nodiscard]] const TaskIndex& index() const { return index_; }
  [[nodiscard]] const PlanDoc& plan() const { return plan_; }

 private:
  void restore(const Run& run, const LookAt& look);
  void begin_anew(const Run& run, const LookAt& look);
  void end(std::size_t task, bool completed);
  void say(const Run& run, const TurnWord& word, Next& next);
  void wait(const Run& run, std::size_t task);
  void see_who_left(const Run& run);

  TodoList list_;
  PlanDoc plan_;
  TaskIndex index_;
  std::unique_ptr<Lineup> lineup_;
  std::vector<bool> over_;  ///< the lineup was told that it has ended
  std::map<std::size_t, command::TakeTurn> asked_;
  std::set<std::size_t> preparing_;  ///< their turns are asked for, and not answered until that is over
  std::set<std::size_t> at_work_;    ///< as the lineup has it
  std::set<std::size_t> seen_;       ///< their files were looked at
};

}  // namespace baton::session
