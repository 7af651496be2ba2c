#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/command.h"
#include "core/event.h"
#include "core/reports.h"
#include "core/spending.h"
#include "core/states.h"
#include "core/steps.h"
#include "core/timers.h"
#include "core/words.h"

namespace baton {

/// One execution of a plan. A pure state machine: `apply` is the only way it changes, time and chance come in events,
/// and the same events always give the same state and the same commands.
class Run {
 public:
  Run();
  ~Run();
  Run(Run&&) noexcept;
  Run& operator=(Run&&) noexcept;

  /// REQUIRES: the first event is RunCreated. Events that do not fit the state (an exit heard twice, a timer that was
  /// cancelled meanwhile) change nothing: the world may say a thing more than once.
  std::vector<Command> apply(const Event& event);

  /// What must be going on in the world for the present state: what an engine does first when it takes up a run.
  [[nodiscard]] std::vector<Command> outstanding() const;

  [[nodiscard]] RunState state() const { return state_; }
  [[nodiscard]] const Plan& plan() const { return *plan_; }
  [[nodiscard]] const RunSettings& settings() const { return settings_; }
  [[nodiscard]] std::size_t step_count() const { return steps_.size(); }
  [[nodiscard]] const Step& step(StepIndex i) const { return steps_.step(i); }
  [[nodiscard]] const StepRun& of(StepIndex i) const { return steps_[i]; }
  /// What the step needs: as planned, then what it was found to need since.
  [[nodiscard]] std::vector<StepIndex> needs_of(StepIndex i) const { return steps_.graph().needs_of(i); }
  /// How many of them are not met yet.
  [[nodiscard]] std::uint32_t unmet(StepIndex i) const { return steps_.graph().unmet(i); }
  [[nodiscard]] const Attempt* attempt(StepIndex i, int n) const { return steps_.attempt(i, n); }
  [[nodiscard]] const std::string& interned(std::uint16_t w) const { return words_[w]; }
  [[nodiscard]] std::optional<StepIndex> find(std::string_view id) const { return steps_.find(id); }
  /// Steps in this state that are there.
  [[nodiscard]] std::size_t count(StepState s) const { return steps_.count(s); }
  /// Admitted attempts that have not ended; those that wait for another's end do not count.
  [[nodiscard]] std::size_t in_flight() const { return steps_.in_flight(); }
  [[nodiscard]] const Tokens& tokens() const { return spending_.tokens(); }
  /// nullopt as soon as one attempt's cost is not known.
  [[nodiscard]] std::optional<Cost> cost() const { return spending_.cost(); }
  /// The costs that are known, together.
  [[nodiscard]] Cost known_cost() const { return spending_.known_cost(); }
  /// Attempts whose tokens nobody told: they are in no sum.
  [[nodiscard]] std::size_t tokens_unknown() const { return spending_.tokens_unknown(); }
  /// It may have used something, and nothing was told of it.
  [[nodiscard]] bool is_silent(const Attempt& attempt) const;
  [[nodiscard]] bool cancelling() const { return cancelling_; }
  /// Would go on, but runs at once are limited and it has no place: PlaceTaken lets it.
  [[nodiscard]] bool wants_place() const { return state_ == RunState::queued && queues_; }
  /// Attempts in flight stand still: paused, or queued since a pause.
  [[nodiscard]] bool is_frozen() const { return timers_.is_frozen(); }
  /// What made a step wait that might have started; nullptr if nothing did.
  [[nodiscard]] const event::StepDeferred* deferral_of(StepIndex i) const;
  [[nodiscard]] const std::string& pause_reason() const { return pause_reason_; }
  [[nodiscard]] std::size_t pause_count() const { return timers_.times_frozen(); }
  [[nodiscard]] PauseCause pause_cause() const { return pause_cause_; }
  /// How much of the run's budget is used, "$0.85 of $1.00"; empty before four fifths of it are.
  [[nodiscard]] std::string used_of_budget() const;
  /// The same for a step's budget.
  [[nodiscard]] std::string used_of_budget(StepIndex i) const;
  /// All of the run's budget is used, or more.
  [[nodiscard]] bool has_used_up_budget() const;
  [[nodiscard]] bool has_used_up_budget(StepIndex i) const;
  /// Until when the run is parked, if it is.
  [[nodiscard]] std::optional<Time> parked_until() const;
  /// nullptr for a step without a flow, or before its turn.
  [[nodiscard]] const FlowRun* flow_of(StepIndex i) const { return steps_.flows().find(i); }
  /// The turn was asked for, nothing was said to it yet, and it was not asked for anew since.
  [[nodiscard]] bool is_asked(const command::TakeTurn& turn) const;
  /// Of a completed step's output as it was checked; empty if it has none.
  [[nodiscard]] std::string digest_of(StepIndex i) const;
  /// When that was; the epoch if it has no output.
  [[nodiscard]] Time checked_at(StepIndex i) const;
  /// The same in the order of events, which clocks do not change; 0 if it was found, or has no output.
  [[nodiscard]] std::uint64_t checked_turn(StepIndex i) const;
  /// Counts up when steps come to need others than before.
  [[nodiscard]] std::uint64_t shape() const { return steps_.graph().shape(); }
  /// Others took its place before it began: nothing of it ever was.
  [[nodiscard]] bool never_existed(StepIndex i) const { return steps_.never_existed(i); }
  /// What workers said, each once, in the order it was heard.
  [[nodiscard]] const std::vector<Report>& reports() const { return reports_.all(); }
  /// The step whose attempt `n` is at work on the task: its own, or the one whose worker sees to it too.
  [[nodiscard]] std::optional<StepIndex> at_work_on(StepIndex task, int n) const;
  /// Steps that are there.
  [[nodiscard]] std::size_t step_total() const { return steps_.total(); }
  /// The workflow that runs: the plan's, or the one that was chosen since.
  [[nodiscard]] const std::string& workflow() const { return workflow_; }
  /// What people asked for since the run began, in order: revisions and follow-ups.
  [[nodiscard]] const std::vector<std::string>& later_tasks() const { return later_tasks_; }
  /// Waits at its end for a person's word on the change.
  [[nodiscard]] bool awaits_review() const { return state_ == RunState::reviewing && count(StepState::waiting) == 0; }
  /// The commit that has an accepted change; empty if there is none.
  [[nodiscard]] const std::string& landed() const { return landed_; }
  /// Skipped, but not because of a failure.
  [[nodiscard]] std::size_t skipped_by_condition() const { return steps_.skipped_without_failure(); }
  [[nodiscard]] std::int64_t turns() const { return spending_.turns(); }
  [[nodiscard]] Time created() const { return created_; }
  [[nodiscard]] Time started() const { return started_; }
  [[nodiscard]] Time finished() const { return finished_; }
  [[nodiscard]] Time last_event() const { return last_event_; }
  [[nodiscard]] const std::vector<std::pair<StepIndex, StepIndex>>& extensions() const { return extensions_; }

  /// The step that may start next, in the order they became ready; nullopt if none, or if the run stands still.
  [[nodiscard]] std::optional<StepIndex> next_ready();
  /// The number the step's next attempt has.
  [[nodiscard]] int next_attempt(StepIndex i) const { return steps_.next_attempt(i); }

  /// The step that may be admitted on the condition that the present attempt of `i` ends well; nullopt if none.
  [[nodiscard]] std::optional<StepIndex> next_after(StepIndex i) const;
  /// Its last attempt was admitted on a condition, has not begun, and the step it needs is not completed.
  [[nodiscard]] bool is_conditional(StepIndex i) const { return steps_.is_conditional(i); }

  /// True while something can still happen without anybody asking: attempts, checks, timers or ready steps.
  [[nodiscard]] bool has_work() const;

  /// Some step of the run has an output that was checked.
  [[nodiscard]] bool keeps_outputs() const { return keeps_outputs_; }

  /// Steps whose state or attempts changed since the last call, for the projections.
  std::vector<StepIndex> take_touched() { return steps_.take_touched(); }

  friend void ensure_sound(const Run& run);
  friend struct Tampering;  ///< of tests that break what has to hold

 private:
  using Commands = std::vector<Command>;

  void on(const event::RunCreated& e, Commands& out);
  void on(const event::DriverTook& e, Commands& out);
  void on(const event::SettingsChanged& e, Commands& out);
  void on(const event::AttemptAdmitted& e, Commands& out);
  void on(const event::AttemptStarted& e, Commands& out);
  void on(const event::AttemptUsed& e, Commands& out);
  void on(const event::AttemptEnded& e, Commands& out);
  void on(const event::OutputChecked& e, Commands& out);
  void on(const event::TimerFired& e, Commands& out);
  void on(const event::PauseAsked& e, Commands& out);
  void on(const event::ResumeAsked& e, Commands& out);
  void on(const event::CancelAsked& e, Commands& out);
  void on(const event::RetryAsked& e, Commands& out);
  void on(const event::PlanExtended& e, Commands& out);
  void on(const event::AttemptQuiet& e, Commands& out);
  void on(const event::TurnTaken& e, Commands& out);
  void on(const event::GateAnswered& e, Commands& out);
  void on(const event::OutputChanged& e, Commands& out);
  void on(const event::ReviewAnswered& e, Commands& out);
  void on(const event::PlaceTaken& e, Commands& out);
  void on(const event::StepDeferred& e, Commands& out);
  void on(const event::WorkerReported& e, Commands& out);
  void on(const event::StepDecided& e, Commands& out);
  void on(const event::OutputDoubted& e, Commands& out);
  void on(const event::OutputsStand& e, Commands& out);

  void make_ready(StepIndex i, Commands& out);
  void give_turn(StepIndex i, Commands& out);
  void pass_gate(StepIndex i, Commands& out);
  void begin_work(StepIndex i, Commands& out);
  void wait_at_gate(StepIndex i, Commands& out);
  void add_made(StepIndex by, const std::vector<Step>& made, Commands& out);
  void begin_anew(StepIndex i, Commands& out);
  void skip_by_condition(StepIndex i, Commands& out);
  void ready_when_met(StepIndex i, Commands& out);
  void complete(StepIndex i, Commands& out);
  void count_down(StepIndex i, Commands& out);
  void put_together_again(StepIndex i, std::optional<StepIndex> by, Commands& out);
  void kept_after_all(StepIndex i, bool is_another, Commands& out);
  void end_badly(StepIndex i, StepStanding state, Commands& out);
  void skip(StepIndex i, StepIndex cause, Commands& out);
  void skip_dependants(StepIndex i, Commands& out);
  void stop_all(Commands& out);
  void try_again_or_fail(StepIndex i, Attempt& attempt, const Failure& failure, Millis delay, Commands& out);
  void attempt_timed_out(StepIndex i, Attempt& attempt, Commands& out);
  void attempt_unknown(StepIndex i, Attempt& attempt, Commands& out);
  /// `anew`: begins from its first turn; `edited`: has another output now, without having run.
  void reset(const std::vector<StepIndex>& roots, Commands& out, std::optional<StepIndex> anew = {},
             std::optional<StepIndex> edited = {});
  void forget_flow(StepIndex i, bool needs_changed, bool anew, Commands& out);
  void park(StepIndex i, Attempt& attempt, const Failure& failure, Commands& out);
  void pause(PauseCause cause, std::string reason, Commands& out);
  void go_on(Commands& out);
  [[nodiscard]] bool must_queue() const { return queues_ && !placed_ && !cancelling_; }
  void enter_queue(Commands& out);
  void settle(Commands& out);
  void finish(RunState state, Commands& out);
  void check_budgets(Commands& out);
  void check_step_budget(StepIndex i, Commands& out);
  [[nodiscard]] bool owes_pause_for(StepIndex i, Commands& out);
  [[nodiscard]] BudgetUse budget_use(StepIndex i) const;
  void note_that_it_ran(Attempt& attempt);

  void announce(command::Announce::Kind kind, Commands& out, StepIndex step = {}, int attempt = 0,
                Millis delay = {}) const;

  std::shared_ptr<const Plan> plan_;
  std::string workflow_;
  std::vector<std::string> later_tasks_;
  std::string landed_;
  RunSettings settings_;
  RunState state_ = RunState::queued;
  bool begun_ = false;  ///< its first steps have had their turn
  event::Rules rules_ = event::Rules::first;
  bool queues_ = false;
  bool placed_ = false;
  bool cancelling_ = false;
  bool failed_fast_ = false;  ///< while cancelling: because of a failure, not of a person's word
  std::uint64_t turn_ = 0;    ///< of the event being applied
  std::uint64_t last_admission_ = 0;
  std::vector<StepIndex> need_less_;          ///< steps whose needs gave way
  bool keeps_outputs_ = false;                ///< some step's output was checked
  bool verifying_ = false;                    ///< asked whether they are all as they were
  bool verified_ = false;                     ///< and so they are, in this very moment
  std::optional<StepIndex> owes_pause_ = {};  ///< the step that passed a budget, as the last one there was
  std::string pause_reason_;
  PauseCause pause_cause_ = PauseCause::person;
  Time now_{};  ///< of the event being applied
  Time created_{}, started_{}, finished_{}, last_event_{};

  Steps steps_;
  struct Found {
    std::string digest;
    Time checked_at{};
  };
  std::unordered_map<std::uint32_t, Found> found_;  ///< steps completed before the run began
  std::vector<StepIndex> wait_for_tree_;            ///< their turn comes when nobody else works in their tree
  bool plan_changes_ = false;                       ///< some step's answer may change what is still to come

  Timers timers_;

  Spending spending_;
  std::unordered_map<std::uint32_t, event::StepDeferred> deferrals_;
  Words words_;
  Reports reports_;
  std::vector<std::pair<StepIndex, StepIndex>> extensions_;  ///< (by, first new step)
};

/// After an event: what has to hold does, of the run and of the steps that the event touched.
void ensure_sound(const Run& run);

}  // namespace baton
