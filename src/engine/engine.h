#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/dispatcher.h"
#include "core/run.h"
#include "engine/dialect_run.h"
#include "engine/runtimes.h"
#include "engine/seams.h"
#include "host/attempt_host.h"
#include "journal/journal.h"
#include "journal/shares.h"
#include "prompt/prompt.h"

namespace baton {

namespace git {
struct TreeReport;
}

/// Drives runs: events in, journal, core, commands out. It decides nothing (the core does) and waits for nothing (the
/// loop around it does), so that the same code runs over the real world and over a simulated one.
///
/// One tick: collect events, apply them, append them in one transaction, and only after the commit carry out the
/// commands. So what the world saw is always on record first.
class Engine {
 public:
  struct Seams {
    Journal& journal;
    AttemptHost& host;
    Clock& clock;
    Files& files;
    const Runtimes& runtimes;
    Observer* observer = nullptr;
    Dialects* dialects = nullptr;  ///< null: all runs are without a dialect
  };
  struct Terms {
    Lease self;        ///< who we are; run and epoch are filled in for each run
    std::string boot;  ///< of this machine, as attempts are marked with it
    std::string root;  ///< the project
    std::string state_dir;
    std::string program = "baton";  ///< ourselves, for work that has to outlive the engine
    Millis lease_lasts{15'000};
    bool (*is_dead)(const Lease&) = [](const Lease&) { return false; };
    /// Tells a run that waits that it may go now. One that is told nothing looks for itself, a little later.
    std::function<void(const Call&)> call = [](const Call&) {};
  };

  Engine(Seams seams, Terms terms);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// What the runs of this engine share with all others. REQUIRES: no tick yet.
  void share(SharedLimits limits) { limits_ = limits; }

  /// Begins a new run. Nothing of it has happened in the world before the first tick.
  Status create(const std::string& id, event::RunCreated created);
  /// Takes up a run from the journal: replays it, finds its attempts again, sees to what is outstanding.
  Status take(const std::string& id);
  /// Something happened, or somebody asked for something. `request` is the control request that this answers.
  void post(const std::string& id, EventBody body, std::optional<std::int64_t> request = {});
  /// Looks for requests that other processes left.
  Status hear_requests(const std::string& id);

  /// Does all that is due now. A fault is final: the process has to stop driving and the journal tells the rest.
  Status tick();
  /// True if there are events that tick() has not dealt with yet.
  [[nodiscard]] bool has_news() const;
  /// True if tick() should be called before more is heard.
  [[nodiscard]] bool has_much_to_do() const;
  /// True if tick() should be called now: something is urgent or due.
  [[nodiscard]] bool needs_tick(Time now) const;
  /// When the next timer is due.
  [[nodiscard]] std::optional<Time> next_due() const;
  /// Reads what running attempts have printed meanwhile.
  void read_outputs();
  /// Of how many attempts that would read.
  [[nodiscard]] std::size_t open_outputs() const;

  /// While held, no new attempt is admitted.
  void hold(bool on) { held_ = on; }

  Status renew_leases();
  /// Gives the run up, and out, as it is then; its attempts go on under the host.
  Expected<Run> release(const std::string& id);
  /// The same for a run that waits for a place and stays in the queue: whoever makes room wakes it.
  Expected<Run> release_into_queue(const std::string& id);

  [[nodiscard]] const Run* run(const std::string& id) const;
  /// True if the host will wake the run when something is due: then this process may leave it.
  [[nodiscard]] bool will_be_woken(const std::string& id) const;
  /// The same for a run that waits for a place; makes sure that the host knows of it.
  bool can_wait_alone(const std::string& id);
  /// True if all that could be done was done: whatever was to begin has begun, and the host wakes the run when there is
  /// news. `sent_is_enough`: what the host was asked to begin counts.
  bool is_seen_to(const std::string& id, bool sent_is_enough);
  /// True if attempts of this run live inside this process and end with it.
  [[nodiscard]] bool has_inner_attempts(const std::string& id) const;

 private:
  struct Session;
  struct Driven;
  struct TreeJob;
  using Key = std::pair<Driven*, StepIndex>;

  void heard(const HostNotice& notice);
  void heard_exit(Driven& d, StepIndex step, Session& session, const ExitRecord& record);
  [[nodiscard]] std::optional<Failure> flooded(const Driven& d, const ExitRecord& record) const;
  void put_later(Driven& d, EventBody body, Millis within);
  void note_start(Driven& d, StepIndex step, Session& session, int pid, Time at);
  Status adopt(Driven& d);
  void fire_timers(Time now);
  void apply(Driven& d, Event event);
  void apply_inbox(Driven& d, Time now);
  void admit(Time now);
  void admit_after(Driven& d, StepIndex step, Time now);
  [[nodiscard]] std::string found_before(const Driven& d, StepIndex step) const;
  Dispatcher::Candidate candidate_of(Driven& d) const;
  Shares::Asker asker_of(const Driven& d, Time now) const;
  Status seek_places(Time now);
  Status seek_place(Driven& d, Time now);
  Status seek_slots(Time now);
  Status seek_slots(Driven& d, Time now);
  void look_at_cool_downs(Time now);
  /// What keeps a call from being made now.
  struct Hold {
    Time until{};
    std::string broke = {};  ///< whose money is spent; empty: the provider is not to be asked so soon
  };
  std::optional<Hold> broke(Time now);
  std::optional<Hold> held_back(Driven& d, StepIndex step, const std::string& runtime, const std::string& model,
                                Time now);
  void note_meeting(Driven& d, StepIndex step, const Session& session, const Meet& meet);
  Status pass_on_met(Driven& d);
  void note_provider(Driven& d, const event::AttemptEnded& e, Time now);
  Status settle_shares(Time now);
  Status settle_shares(Driven& d, Time now);
  void call_next(const Driven& d, Time now);
  void call_for_slots(const Driven& d, Time now);
  Expected<Run> give_up(Driven& d, bool stays_in_queue);
  Status commit();
  void have_files_seen_to(Driven& d);
  void acknowledge(Driven& d);
  void keep_host_informed(Driven& d, Time now);
  void tell_wake_time(Driven& d, Time now);
  void note_changes(Driven& d, Time now);
  void mirror_when_due(Driven& d, Time now);
  void mirror(Driven& d);
  void pass_on_said(Driven& d);
  void carry_out(Driven& d);
  void carry_out(Driven& d, const Command& command);
  void start(Driven& d, StepIndex step, int attempt);
  void stop(Driven& d, StepIndex step, int attempt);
  void check(Driven& d, StepIndex step, int attempt);
  void take_turn(Driven& d, const command::TakeTurn& command);
  void meet_dialect(Driven& d);
  [[nodiscard]] bool may_take_turns(const Driven& d) const;
  void take_own_turns(Driven& d);
  void say_turns(Driven& d, TurnNews news);
  void note_for_turns(Driven& d, const command::Announce& what);
  void task_prepared(Driven& d, const TreeJob& job, const git::TreeReport& report);
  void watch(Driven& d, StepIndex step, Session& session, Time now);
  std::uint64_t signs_of_life(Driven& d, const Session& session);
  void next_check_command(Driven& d, StepIndex step);
  bool heard_check(Driven& d, const AttemptKey& key, const HostNotice& notice);
  static void see_again(Driven& d, const ExitRecord& record);
  static void forget_sighting(Driven& d, const AttemptKey& key);
  void check_command_ended(Driven& d, StepIndex step, const ExitRecord& record);
  void finish_check(Driven& d, StepIndex step, int attempt, std::vector<CommandOutcome> commands);
  void stop_needless_checks(Driven& d);
  void end_leftover_checks(Driven& d);
  std::optional<StepIndex> doubted_by(Driven& d, StepIndex step);
  void verify_outputs(Driven& d);
  [[nodiscard]] bool has_written(const Driven& d, StepIndex step, int attempt) const;
  void check_output(Driven& d, StepIndex step, int attempt);
  [[nodiscard]] bool has_tree(const Driven& d, StepIndex step) const;
  void prepare_tree(Driven& d, const command::TakeTurn& turn);
  void prepare_task(Driven& d, const command::TakeTurn& turn, std::vector<std::string> argv);
  void commit_tree(Driven& d, StepIndex step, int attempt);
  void run_tree_job(Driven& d, TreeJob job);
  void run_tree_job_again(Driven& d, TreeJob job);
  Expected<git::TreeReport> report_of(const Driven& d, const AttemptKey& key);
  bool heard_tree(Driven& d, const AttemptKey& key, const HostNotice& notice);
  void tree_job_ended(Driven& d, StepIndex step, const ExitRecord& record);
  void tree_ready(Driven& d, const TreeJob& job, const git::TreeReport& report);
  void tree_committed(Driven& d, const TreeJob& job, const git::TreeReport& report);
  static void tree_failed(Driven& d, const TreeJob& job, const char* check, const std::string& why);
  static bool is_wanted(const Driven& d, const TreeJob& job);
  static bool is_try_at(const Driven& d, const TreeJob& job, const AttemptKey& key);
  void stop_needless_trees(Driven& d);
  [[nodiscard]] bool may_have_leftovers(const Driven& d, StepIndex step) const;
  static bool will_add_steps(const Driven& d);
  void take_up_postponed(Driven& d);
  static bool is_awaited_task(const Driven& d, const AttemptKey& key);
  void end_leftover_trees(Driven& d);
  void end_leftover_trees(Driven& d, const std::function<bool(const AttemptKey&)>& is_needless);
  void extend(Driven& d, DialectRun::Extension extension);
  [[nodiscard]] std::string output_path(const Driven& d, StepIndex step) const;
  std::optional<std::string> output_of(const Driven& d, const std::string& step);
  void reattach(Driven& d, StepIndex step, int attempt);
  std::optional<Failure> set_aside(Driven& d, StepIndex step, int attempt);
  bool ended_for(Driven& d, StepIndex step, std::optional<Failure> obstacle);
  bool is_yet_to_begin(Driven& d, StepIndex step, int attempt);
  bool lay_out(const Assignment& assignment);
  bool ended_for_place(Driven& d, StepIndex step);
  bool ended_before_start(Driven& d, StepIndex step, const Session& session);
  bool ended_for_lack(Driven& d, StepIndex step, const Session& session);
  bool ended_for_price(Driven& d, StepIndex step, const Session& session);
  Session& open_session(Driven& d, StepIndex step, int attempt);
  Assignment assign(Driven& d, StepIndex step, int attempt);
  /// `whole`: for a runtime that can read no files.
  PromptParts parts_for(Driven& d, StepIndex step, int attempt, const Assignment& assignment,
                        DialectRun::Briefing briefing, bool whole);
  void tell(Driven& d, StepIndex step, int attempt, Assignment& assignment);
  void brief(Driven& d, StepIndex step, int attempt, Assignment& assignment, DialectRun::Briefing briefing);
  HandedOn handed_on(Driven& d, StepIndex need, bool whole);
  [[nodiscard]] std::optional<SpawnCondition> condition_of(const Driven& d, StepIndex step) const;
  SpawnSpec spawn_spec(Driven& d, StepIndex step, const Session& session, const Spawn& spawn);
  void log_said(const Driven& d, const Session& session, const Actions& actions);
  void perform(Driven& d, StepIndex step, const Actions& actions, bool spawns);
  bool turn_to(Driven& d, StepIndex step, Session& session, int exchange, bool spawns);
  void make_request(Driven& d, StepIndex step, Session& session, const Request& request);
  void make_request_when_warm(Driven& d, StepIndex step, Session& session, const Request& request);
  bool may_ask_again(Driven& d, StepIndex step, Session& session, const Request& request);
  void warmed(std::uint64_t prefix);
  void make_tools(Driven& d, StepIndex step, Session& session, const UseTools& tools);
  void hear_sighted(Driven& d, StepIndex step);
  void acknowledge_leftover_exchanges(Driven& d);
  void note_past_exchanges(Driven& d);
  bool heard_exchange(Driven& d, const AttemptKey& key, const HostNotice& notice);
  void close_session(Driven& d, StepIndex step);
  static bool has_time(const Driven& d);
  void ended(Driven& d, StepIndex step, const Finish& finish, const ExitRecord* record);
  void count_arrived(Driven& d, StepIndex step, Session& session);
  void read_output(Driven& d, StepIndex step, Session& session);
  bool ensure_attached(Driven& d);
  Driven* find(const std::string& id) const;
  AttemptKey key_of(const Driven& d, StepIndex step, int attempt) const;

  Seams seams_;
  Terms terms_;
  governor::Warmth warmth_;  ///< of the providers' caches
  SharedLimits limits_;
  Dispatcher dispatcher_;
  std::vector<std::unique_ptr<Driven>> runs_;
  std::map<std::string, Time> answers_;  ///< of providers, by runtime: when the last answered attempt began
  std::optional<Fault> broken_;
  bool held_ = false;
};

}  // namespace baton
