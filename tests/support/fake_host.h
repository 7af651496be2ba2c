#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/draws.h"
#include "support/fake_world.h"

namespace baton::test {

/// The holder as a small world: processes that take their time, wait for slots, get stuck, are stopped and frozen, and
/// end whether or not an engine looks. It outlives engines and has crashes of its own.
class FakeHost final : public AttemptHost {
 public:
  enum class State { waiting, alive, stray };
  struct Process {
    SpawnSpec spec;
    Outcome outcome;
    State state = State::waiting;
    int pid = 0;
    Time started{};
    Millis left{0};  ///< of its own work, when `since` was
    Millis deadline_left{0};
    Time since{};
    Millis active{0};             ///< how long it really ran, until `since`
    std::optional<Time> gone_at;  ///< it is being stopped
    bool stopped = false;
    bool overran = false;
    bool frozen = false;
  };
  /// What a test wants to know as it happens.
  struct Watch {
    std::function<void(const AttemptKey&)> started = [](const AttemptKey&) {};
    std::function<void(const AttemptKey&)> acknowledged = [](const AttemptKey&) {};
    /// A process is about to be gone; answers what it printed last, for those that are more than their outcome.
    std::function<std::optional<std::string>(const SpawnSpec&, bool by_itself)> ended = [](const SpawnSpec&, bool) {
      return std::nullopt;
    };
  };

  FakeHost(FakeClock& clock, FakeFiles& files, Mortality& mortality, OutcomeOf outcome_of, Draws draws)
      : clock_(clock), files_(files), mortality_(mortality), outcome_of_(std::move(outcome_of)), draws_(draws) {}

  Watch watch;
  Millis notice_delay_max{0};
  double says_twice = 0;  ///< how likely an exit is told twice
  double forgets = 0;     ///< how likely an acknowledged exit is really forgotten
  std::set<AttemptKey> noted = {};
  std::map<std::string, std::optional<Time>> wakes = {};  ///< by run, as asked for last

  // --- The seam -------------------------------------------------------------------------------------------------
  void listen(std::function<void(const HostNotice&)> sink) override { sink_ = std::move(sink); }

  /// An engine is there to say what is to be stopped.
  [[nodiscard]] bool attended() const { return attended_; }

  Expected<std::vector<Sighting>> attach(const std::string& run) override {
    attended_ = true;
    mortality_.pass();
    driven_.insert(run);
    std::vector<Sighting> seen;
    for (const auto& [key, p] : processes_) {
      if (key.run != run || p.state == State::stray) continue;
      const auto kind = p.state == State::waiting ? Sighting::Kind::waiting : Sighting::Kind::alive;
      seen.push_back({key, kind, p.pid, p.started, frozen_.contains(run), {}});
    }
    for (const auto& [key, record] : records_) {
      if (key.run == run) seen.push_back({key, Sighting::Kind::exited, record.pid, record.started, false, record});
    }
    mortality_.pass();
    return seen;
  }
  std::uint64_t work_done(const AttemptKey& key) override {
    const auto found = processes_.find(key);
    if (found == processes_.end() || found->second.outcome.silent || found->second.outcome.stuck) return work[key];
    const Process& p = found->second;
    const Millis ran = p.active + (p.state == State::waiting || p.frozen ? Millis{0} : clock_.now() - p.since);
    return work[key] + static_cast<std::uint64_t>(ran.count());
  }
  std::map<AttemptKey, std::uint64_t> work;
  bool was_started(const AttemptKey& key) override { return traces_.contains(key); }

  void spawn(const SpawnSpec& spec) override {
    mortality_.pass();
    if (processes_.contains(spec.key)) return;
    Process p;
    p.spec = spec;
    p.outcome = outcome_of_(spec.key);
    processes_.emplace(spec.key, std::move(p));
    if (spec.after) {
      decide(spec.key);
    } else if (spec.slots == 0 && !frozen_.contains(spec.key.run)) {
      start(processes_.at(spec.key));
    } else {
      waiting_[spec.key.run].push_back(spec.key);
      start_waiting(spec.key.run);
    }
    mortality_.pass();
  }

  void stop(const AttemptKey& key, Millis grace) override {
    mortality_.pass();
    const auto found = processes_.find(key);
    if (found == processes_.end()) {
      const auto ended = records_.find(key);
      if (ended != records_.end()) {
        tell(AttemptExitedNotice{ended->second});
      } else {
        tell(AttemptLostNotice{key});
      }
    } else if (found->second.state == State::waiting) {
      drop(key);
    } else {
      found->second.stopped = true;
      begin_ending(found->second, grace);
    }
    mortality_.pass();
  }

  void set_slots(const std::string& run, int slots) override {
    mortality_.pass();
    for (const AttemptKey& key : waiting_[run]) {
      if (processes_.at(key).spec.slots > 0) processes_.at(key).spec.slots = slots;
    }
    start_waiting(run);
    mortality_.pass();
  }
  void limit_logs(const std::string& /*run*/, std::int64_t /*bytes_max*/) override { mortality_.pass(); }
  void freeze(const std::string& run) override {
    mortality_.pass();
    frozen_.insert(run);
    each_of(run, [&](Process& p) {
      if (p.state == State::alive && !p.gone_at) freeze(p);
    });
    mortality_.pass();
  }
  void thaw(const std::string& run) override {
    mortality_.pass();
    frozen_.erase(run);
    each_of(run, [&](Process& p) {
      if (p.state != State::stray) thaw(p);
    });
    // Those that wait for no slot were only held back by the freeze.
    const auto line = std::exchange(waiting_[run], {});
    for (const AttemptKey& key : line) {
      if (processes_.at(key).spec.slots > 0) {
        waiting_[run].push_back(key);
      } else {
        start(processes_.at(key));
      }
    }
    start_waiting(run);
    mortality_.pass();
  }
  void note(const AttemptKey& key) override { noted.insert(key); }
  void acknowledge(const AttemptKey& key) override {
    mortality_.pass();
    watch.acknowledged(key);
    if (draws_.chance(forgets)) records_.erase(key);
  }
  void wake_at(const std::string& run, std::optional<Time> when) override {
    wakes[run] = when;
    mortality_.pass();
  }

  // --- Time -----------------------------------------------------------------------------------------------------
  [[nodiscard]] std::optional<Time> next_event() const {
    std::optional<Time> next = notices_.empty() ? std::nullopt : std::optional{notices_.front().first};
    for (const auto& [key, p] : processes_) {
      const auto due = due_of(p);
      if (due && (!next || *due < *next)) next = due;
    }
    return next;
  }
  /// Lets everything happen that is due by now, each thing at its own time, in order.
  void catch_up() {
    for (;;) {
      Process* first = nullptr;
      for (auto& [key, p] : processes_) {
        const auto due = due_of(p);
        if (due && *due <= clock_.now() && (first == nullptr || *due < *due_of(*first))) first = &p;
      }
      if (first == nullptr) return;
      happen(*first, *due_of(*first));
    }
  }
  /// Tells the engine one thing, if one has arrived by now.
  bool deliver() {
    if (notices_.empty() || notices_.front().first > clock_.now() || !sink_) return false;
    const HostNotice notice = notices_.front().second;
    notices_.pop_front();
    sink_(notice);
    return true;
  }

  // --- What can go wrong ----------------------------------------------------------------------------------------
  /// The engine's process is gone: what was on its way to it is lost.
  void engine_died() {
    attended_ = false;
    sink_ = nullptr;
    notices_.clear();
    driven_.clear();
  }
  /// The holder is killed. Its children live on unseen until the next one ends them; those that waited were never
  /// started.
  void holder_died() {
    for (auto it = processes_.begin(); it != processes_.end();) {
      Process& p = it->second;
      const bool driven = driven_.contains(it->first.run);
      if (p.state == State::waiting && !driven) {
        std::erase(waiting_[it->first.run], it->first);
        it = processes_.erase(it);
        continue;
      }
      if (p.state == State::alive) {
        p.state = State::stray;
        p.deadline_left = forever;
        if (driven) begin_ending(p, p.spec.grace);  // the engine's side starts a new holder at once
      }
      ++it;
    }
    for (const AttemptKey& key : conditional()) decide(key);  // a new holder does not know what they wait for
    std::erase_if(frozen_, [&](const std::string& run) { return !driven_.contains(run); });
    for (const std::string& run : driven_) start_waiting(run);
  }
  /// Power cut: nothing lives on, and a record that had not reached the disk is torn.
  void machine_died(double torn) {
    engine_died();
    for (const auto& [key, p] : processes_) {
      if (draws_.chance(torn)) traces_.erase(key);
    }
    processes_.clear();
    waiting_.clear();
    frozen_.clear();
    std::erase_if(records_, [&](const auto& r) {
      if (!draws_.chance(torn)) return false;
      torn_.insert(r.first);
      return true;
    });
  }

  // --- What tests look at ---------------------------------------------------------------------------------------
  [[nodiscard]] const std::map<AttemptKey, Process>& processes() const { return processes_; }
  /// Every exit that ever was recorded, also forgotten ones.
  [[nodiscard]] const std::map<AttemptKey, ExitRecord>& exits() const { return all_exits_; }
  [[nodiscard]] bool was_torn(const AttemptKey& key) const { return torn_.contains(key); }
  [[nodiscard]] bool is_frozen(const std::string& run) const { return frozen_.contains(run); }
  [[nodiscard]] const std::map<AttemptKey, int>& starts() const { return starts_; }
  [[nodiscard]] std::size_t alive(const std::string& run) const { return count(run, State::alive); }
  [[nodiscard]] std::size_t count(const std::string& run, State state) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        processes_, [&](const auto& p) { return p.first.run == run && p.second.state == state; }));
  }
  [[nodiscard]] Millis active_time(const AttemptKey& key) const {
    const auto found = active_.find(key);
    return found == active_.end() ? Millis{0} : found->second;
  }

 private:
  bool attended_ = false;
  static constexpr Millis forever{std::numeric_limits<std::int64_t>::max() / 4096};

  template <class Visit>
  void each_of(const std::string& run, Visit visit) {
    for (auto& [key, p] : processes_) {
      if (key.run == run) visit(p);
    }
  }

  [[nodiscard]] std::vector<AttemptKey> conditional() const {
    std::vector<AttemptKey> found;
    for (const auto& [key, p] : processes_) {
      if (p.state == State::waiting && p.spec.after) found.push_back(key);
    }
    return found;
  }
  /// Looks at what the process waits for: it goes on waiting, may start, or never will.
  void decide(const AttemptKey& key) {
    const auto found = processes_.find(key);
    if (found == processes_.end()) return;  // dropped meanwhile, with what it waited for
    const SpawnCondition after = *found->second.spec.after;
    const AttemptKey need{key.run, after.step, after.attempt};
    const auto before = processes_.find(need);
    if (before != processes_.end() && before->second.state != State::stray) return;
    const auto ended = records_.find(need);
    const bool well = before == processes_.end() && ended != records_.end() && ended->second.exit == 0 &&
                      !ended->second.stopped && !ended->second.deadline &&
                      ended->second.finished - ended->second.started < after.within;
    if (!well) return drop(key);
    found->second.spec.after.reset();
    waiting_[key.run].push_back(key);
    start_waiting(key.run);
  }
  /// It never ran, and neither will what waits for it.
  void drop(const AttemptKey& which) {
    ExitRecord record;
    record.key = which;  // a copy: it may be a part of what is erased here
    const AttemptKey& key = record.key;
    std::erase(waiting_[key.run], key);
    record.stopped = true;
    record.started = record.finished = clock_.now();
    processes_.erase(key);
    tell(AttemptExitedNotice{record});
    for (const AttemptKey& other : conditional()) decide(other);
  }

  void start_waiting(const std::string& run) {
    auto& line = waiting_[run];
    while (!line.empty() && !frozen_.contains(run)) {
      Process& p = processes_.at(line.front());
      if (p.spec.slots > 0 && alive(run) >= static_cast<std::size_t>(p.spec.slots)) return;
      line.pop_front();
      start(p);
    }
  }

  void start(Process& p) {
    traces_.insert(p.spec.key);
    p.state = State::alive;
    p.pid = ++last_pid_;
    p.started = p.since = clock_.now();
    p.left = p.outcome.stuck ? forever : p.outcome.lasts;
    p.deadline_left = p.spec.deadline.count() > 0 ? p.spec.deadline : forever;
    ++starts_[p.spec.key];
    files_.files[p.spec.stdout_path] = "began\n";
    watch.started(p.spec.key);
    tell(AttemptStartedNotice{p.spec.key, p.pid, p.started});
  }

  void freeze(Process& p) {
    if (p.frozen) return;
    const Millis ran = clock_.now() - p.since;
    p.left -= ran;
    p.deadline_left -= ran;
    p.active += ran;
    p.since = clock_.now();
    p.frozen = true;
  }
  void thaw(Process& p) {
    if (!p.frozen) return;
    p.since = clock_.now();
    p.frozen = false;
  }
  void begin_ending(Process& p, Millis grace) {
    thaw(p);  // what is stopped cannot heed TERM
    const Time gone = clock_.now() + (p.outcome.heeds_term ? std::min(grace, Millis{p.pid % 40}) : grace);
    p.gone_at = p.gone_at ? std::min(*p.gone_at, gone) : gone;
  }

  [[nodiscard]] static std::optional<Time> due_of(const Process& p) {
    if (p.state == State::waiting) return std::nullopt;
    if (p.frozen) return p.gone_at;
    const Time own = p.since + std::min(p.left, p.gone_at ? forever : p.deadline_left);
    return p.gone_at ? std::min(own, *p.gone_at) : own;
  }

  void happen(Process& p, Time due) {
    const bool by_itself = !p.frozen && p.since + p.left == due;
    if (!by_itself && !p.gone_at) {
      p.overran = true;
      p.deadline_left = forever;
      begin_ending(p, p.spec.grace);
      return;
    }
    end(p, due, by_itself);
  }

  void end(Process& p, Time due, bool by_itself) {
    const AttemptKey key = p.spec.key;
    const std::string& run = key.run;
    if (!p.frozen) p.active += due - p.since;
    active_[key] = p.active;
    ExitRecord record;
    record.key = key;
    record.pid = p.pid;
    record.started = p.started;
    record.finished = due;
    record.stopped = p.stopped;
    record.deadline = p.overran;
    if (by_itself) {
      record.exit = p.outcome.exit;
      write_files(p);
    } else if (p.outcome.heeds_term && p.pid % 5 == 0) {
      record.exit = 0;  // takes TERM as a polite request, and leaves as if all were well
    } else {
      record.signal = p.outcome.heeds_term ? 15 : 9;
    }
    if (auto printed = watch.ended(p.spec, by_itself)) files_.files[p.spec.stdout_path] = std::move(*printed);
    const bool seen = p.state == State::alive;
    processes_.erase(key);
    if (!seen) {
      if (driven_.contains(run)) tell(AttemptLostNotice{key});
      return;
    }
    records_[key] = record;
    all_exits_[key] = record;
    tell(AttemptExitedNotice{record});
    for (const AttemptKey& other : conditional()) decide(other);
    start_waiting(run);
    if (draws_.chance(says_twice)) tell(AttemptExitedNotice{record});
  }

  void write_files(const Process& p) {
    if (p.outcome.exit != 0) files_.files[p.spec.stderr_path] = "first line\nboom\n";
    const bool is_check = p.spec.key.step.find('~') != std::string::npos;
    if (!p.outcome.output || is_check) return;
    const bool answers = !p.spec.argv.empty() && p.spec.argv.front() == AgentRuntime::program;
    if (answers) files_.files[p.spec.stdout_path] += std::string{AgentRuntime::lead} + *p.outcome.output;
    constexpr std::string_view name = "BATON_OUTPUT=";
    for (const std::string& e : p.spec.env) {
      if (e.starts_with(name)) files_.put(e.substr(name.size()), *p.outcome.output);
    }
  }

  void tell(HostNotice notice) {
    if (!sink_) return;
    Time at = clock_.now() + Millis{draws_.between(0, notice_delay_max.count())};
    if (!notices_.empty()) at = std::max(at, notices_.back().first);
    notices_.emplace_back(at, std::move(notice));
  }

  FakeClock& clock_;
  FakeFiles& files_;
  Mortality& mortality_;
  OutcomeOf outcome_of_;
  Draws draws_;
  std::function<void(const HostNotice&)> sink_;
  std::deque<std::pair<Time, HostNotice>> notices_;
  std::set<std::string> driven_;
  std::set<std::string> frozen_;
  std::map<AttemptKey, Process> processes_;
  std::map<std::string, std::deque<AttemptKey>> waiting_;
  std::set<AttemptKey> traces_;
  std::map<AttemptKey, ExitRecord> records_;
  std::map<AttemptKey, ExitRecord> all_exits_;
  std::set<AttemptKey> torn_;
  std::map<AttemptKey, int> starts_;
  std::map<AttemptKey, Millis> active_;
  int last_pid_ = 100;
};

}  // namespace baton::test
