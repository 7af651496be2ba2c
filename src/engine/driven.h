#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/comparisons.h"
#include "engine/dialect_run.h"
#include "engine/engine.h"
#include "engine/output_writers.h"
#include "engine/run_folder.h"
#include "engine/run_outputs.h"
#include "git/report.h"

namespace baton {

/// One attempt at work, as this engine follows it.
struct Engine::Session {
  int attempt = 0;
  bool held = false;  ///< a process stands behind it
  std::unique_ptr<Runtime> runtime;
  Assignment assignment;
  AttemptKey key;                     ///< of what is held now: the attempt's, or that of a later exchange of it
  std::vector<AttemptKey> past = {};  ///< exchanges that have ended; acknowledged with the attempt's end
  std::size_t noted = 0;              ///< so many of them the host need not wake anybody for
  std::optional<Sighting> sighted;    ///< of the present exchange, made by an engine before us and not heard yet
  bool reattached = false;            ///< an engine before us may have made exchanges
  std::uint64_t warms = 0;            ///< the prefix that siblings may wait for
  std::optional<Request> cold;        ///< waits for a sibling to warm the provider's cache, or for its provider
  Time asked{};                       ///< when its present request was made; the epoch: by an engine before us
  bool between = false;               ///< nothing is held now: the runtime waits for a time
  std::optional<Time> wait_until;     ///< the runtime wants to hear of this time
  bool started = false;               ///< its start is on record, or on its way there
  std::optional<Usage> used;          ///< as it was last told
  std::uint64_t read_bytes = 0;       ///< of its output, so far
  std::optional<Time> look_at;        ///< when to look for signs of life
  std::uint64_t signs = 0;            ///< of life, at the last look
  Time alive{};                       ///< when they last changed
};

/// The command checks of one output, run one after another.
struct CheckRound {
  int attempt = 0;
  std::vector<CommandOutcome> outcomes;  ///< of those that have ended
  std::vector<AttemptKey> ended;         ///< acknowledged when the results are on record
  bool no_leftovers = false;             ///< of the present command, from before this engine
  std::size_t before = 0;                ///< commands that checked the same output before: the numbers go on from there

  [[nodiscard]] std::size_t number() const { return before + outcomes.size() + 1; }
};

/// A working tree that is being seen to; or (`task`) what a session's task wants to have at hand before its agent
/// starts.
struct Engine::TreeJob {
  enum class Kind : std::uint8_t { prepare, commit, task };

  Kind kind = Kind::prepare;
  StepIndex step{};
  AttemptKey key;
  std::vector<std::string> argv;
  int generation = 0;  ///< of the turn; of a commit: the attempt
  int round = 0;       ///< of the turn
  int tries = 0;       ///< that came to nothing before, by whatever engine
  int deaths = 0;      ///< how many processes of this engine's were killed over it
};

/// Something an attempt said, kept until its start is on record: then whoever watches hears of it.
struct SaidLine {
  StepIndex step{};
  int attempt = 0;
  std::string text;
  Time at{};
};

/// One run in this engine's hands.
struct Engine::Driven {
  std::string id;
  Run run;
  std::unique_ptr<DialectRun> dialect = std::make_unique<DialectRun>();
  OpenTurns open_turns;
  Lease lease;
  RunFolder folder;
  OutputWriters writers;
  CheckedOutputs checked_outputs;
  Comparisons comparisons;
  std::uint64_t events_stored = 0;
  std::vector<std::pair<EventBody, std::optional<std::int64_t>>> inbox;
  std::vector<EventBody> unhurried;  ///< events worth no commit of their own: they go with the next
  Time unhurried_due{};              ///< when they are committed at the latest
  std::vector<Event> unstored;
  Cost unstored_cost;                  ///< what they tell that was spent
  std::vector<std::int64_t> answered;  ///< control requests that the unstored events answer
  std::vector<Command> commands;
  std::vector<AttemptKey> unacknowledged;  ///< exits that the unstored events record
  std::vector<SaidLine> said;
  Time told{};  ///< the time of what was last told: watchers never see time go back
  std::map<TimerId, Time> timers;
  std::map<StepIndex, Session> sessions;
  std::unordered_map<std::string, StepIndex> session_of;  ///< by the name that the host knows each by now
  std::vector<Sighting> sightings;
  std::map<StepIndex, CheckRound> check_rounds;
  std::map<StepIndex, TreeJob> tree_jobs;
  std::vector<std::pair<TreeJob, git::TreeReport>> postponed;  ///< conflicts that wait for another to be on record
  std::vector<std::pair<StepIndex, int>> postponed_answers;    ///< the same for answers: steps and their attempts
  bool turns_due = false;          ///< somebody may have his turn now, in a run that has turns of its own
  std::optional<Time> turns_look;  ///< when to ask for turns that nothing else leads to
  bool attached = false;
  int slots_told = 0;               ///< how many attempts the host lets run at once
  std::int64_t log_limit_told = 0;  ///< how much the host lets each of them print
  std::optional<Time> frozen_at;    ///< since when inner attempts stand still
  std::vector<std::int64_t> heard_requests;
  std::optional<Time> mirror_due;     ///< when the files that show the run are written at the latest
  std::uint64_t mirrored_events = 0;  ///< how many events those files know of
  bool mirror_warned = false;
  std::set<std::pair<std::string, std::string>> unpriced_told;  ///< runtimes and models that were warned of
  bool queued_on_record = false;                                ///< all know that it wants a place
  bool has_place = false;                                       ///< of those that all runs share
  std::size_t before_told = 0;                    ///< how many runs were said to be before it in the queue
  std::optional<Time> place_look;                 ///< when to look for a place again
  int slots_held = 0;                             ///< of the attempts that all runs together may have at work
  static constexpr int slots_unknown = -1;        ///< so many as an earlier driver left on record
  bool slots_freed = false;                       ///< others may want to know
  std::optional<Time> slots_look;                 ///< when to look for a slot again
  std::map<StepIndex, governor::Permit> permits;  ///< kept for requests of steps that wait for their moment
  std::map<StepIndex, governor::Load> loads;      ///< what was set aside for requests at work
  std::vector<std::pair<std::string, governor::Outcome>> met;  ///< how requests came out, for all who ask the same
  std::vector<CoolDown> cool_downs;                            ///< to be told to all, once the reason is on record
  std::optional<Time> wake_told;  ///< when the host is to wake the run if this engine is gone by then

  [[nodiscard]] DialectRun::Traits traits() const { return dialect->traits(run); }
  /// Its turns are the dialect's and not those of plan/turn.h.
  [[nodiscard]] bool has_own_turns() const { return traits().own_turns; }
  /// There are files that show its state.
  [[nodiscard]] bool shows_itself() const { return traits().files != FilePace::none; }
};

/// It is at work or waits for a place: what its files say of it is not its last word.
inline bool goes_on(const Run& run) { return run.state() == RunState::running || run.state() == RunState::queued; }

}  // namespace baton
