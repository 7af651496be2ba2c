#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dialect/session/order.h"
#include "dialect/session/plan_doc.h"

namespace baton::session {

/// What a task's file says that matters for whether it may start. All of a file that is kept.
struct TurnFacts {
  bool completed = false;
  bool container = false;
  bool grouped = false;
  Needs needs = {};
};

/// What a task's turn comes to.
struct TurnWord {
  enum class Kind : std::uint8_t {
    go,
    done,   ///< it is completed already, or has nothing of its own to do
    wait,   ///< for these others; its turn comes again when they are completed
    hold,   ///< for no one in particular: next() names it again
    block,  ///< it needs something that does not exist
    fail,   ///< it is one of a cycle
  };
  Kind kind = Kind::go;
  std::vector<std::size_t> needs = {};  ///< wait
  std::string code = {};                ///< block, fail
  std::string reason = {};
};

/// Whose turn is taken next, so that task files are read one at a time and only when it may matter (docs/decisions,
/// 15). Knows who waits and who is at work; the run itself is the core's.
///
/// - In the order of the list. A task whose line says that it needs others is looked at after those; its file decides.
/// - Needs are absolute. Tasks with a group run together as far as there is room; those without run one at a time among
///   themselves, beside the others. With the model `parallel` all run together, with `sequential` one at a time.
/// - With `phased`, a phase begins when all tasks of earlier ones have ended, well or badly. A task that needs one of a
///   later phase belongs to that one.
class Lineup {
 public:
  Lineup(const TodoList& list, const PlanDoc& plan);

  /// The core asked for this task's turn.
  void ask(std::size_t task);
  /// Whose file is to be read now, if there is room for `room` more at work; nullopt: nobody's.
  [[nodiscard]] std::optional<std::size_t> next(std::size_t room);
  /// The file was read (or, of one that is held, is known). What its turn comes to.
  TurnWord tell(std::size_t task, const TurnFacts& facts);
  /// It was at work when the run was taken up.
  void is_at_work(std::size_t task, bool grouped);
  /// It was waiting for these when the run was taken up.
  void is_waiting(std::size_t task, std::vector<std::size_t> needs);
  /// It has ended for good: retries and all.
  void ended(std::size_t task, bool completed);

  [[nodiscard]] std::size_t at_work() const { return at_work_; }
  /// Tasks that wait while nobody is at work or in line: they would wait for ever. Empty as long as all is well.
  [[nodiscard]] std::vector<std::size_t> stalled() const;

 private:
  enum class State : std::uint8_t { idle, asked, waiting, working, ended };
  using Place = std::pair<int, std::size_t>;  ///< phase, then order

  struct Entry {
    State state = State::idle;
    bool completed = false;
    bool container = false;
    bool alone = false;      ///< its file says so: no group
    bool looked_at = false;  ///< its file was read: its line does not matter any more
    int phase = 0;
    std::size_t hints_open = 0;
    std::vector<std::size_t> hinted = {};  ///< whose line names this one
    std::vector<std::size_t> needs = {};   ///< while it waits
    std::vector<std::size_t> awaited_by = {};
    std::vector<std::size_t> children = {};
  };

  [[nodiscard]] Place place(std::size_t task) const { return {phase_of(task), task}; }
  [[nodiscard]] int phase_of(std::size_t task) const { return phased_ ? entries_[task].phase : 0; }
  [[nodiscard]] bool is_open(const Place& place) const;
  [[nodiscard]] std::vector<std::size_t> way_back(std::size_t task, const std::vector<std::size_t>& needs) const;
  [[nodiscard]] const std::vector<std::size_t>& awaited(std::size_t task) const;
  TurnWord wait_for(std::size_t task, std::vector<std::size_t> needs);
  TurnWord cycle_word(const std::vector<std::size_t>& cycle) const;
  void leave_work(std::size_t task);
  void take_out(std::size_t task);
  void put_in(std::size_t task);
  void raise(std::size_t task, int phase);
  void count_phase(std::size_t task, int by);

  std::vector<std::string> ids_;
  std::vector<Entry> entries_;
  bool phased_ = false;
  bool one_at_a_time_ = false;
  bool together_ = false;
  std::set<Place> unread_;
  std::set<Place> hinted_;  ///< asked, but their lines name others that have not ended
  std::set<Place> alone_;   ///< known to have no group
  std::vector<std::size_t> open_in_phase_;
  std::size_t at_work_ = 0;
  std::size_t alone_at_work_ = 0;
};

}  // namespace baton::session
