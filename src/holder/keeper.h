#pragma once

#include <signal.h>

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "holder/clock.h"
#include "holder/courier_link.h"
#include "holder/run.h"

namespace baton {

/// Keeps the processes of all runs of a state folder: starts, watches, ends and records them, and wakes runs that have
/// news but no driver.
class Keeper {
 public:
  /// `adopt` makes a connection of a descriptor, as if that client had come by itself.
  Keeper(std::string state_dir, CourierLink::Adopt adopt)
      : state_dir_(std::move(state_dir)), courier_(state_dir_, std::move(adopt)) {}

  /// Does what a client says. False if it makes no sense.
  bool obey(Connection& from, const Message& message);
  /// The connection is about to go: its runs have no driver any more.
  void forget(const Connection& connection);
  /// Takes note of every child that ended.
  void reap();
  /// Does what is due. When (monotonic) something is due again.
  std::int64_t tick();
  bool idle() const { return runs_.empty(); }
  /// Somebody is there whom nobody but this keeper wants.
  bool has_courier() const { return courier_.is_connected(); }

 private:
  bool attach(Connection& from, const Message& message);
  bool spawn(Run& run, MessageReader& reader);
  bool call(Run& run, MessageReader& reader);
  bool stop(Run& run, MessageReader& reader);
  bool acknowledge(Run& run, MessageReader& reader);
  bool note(Run& run, MessageReader& reader);
  bool wake_at(Run& run, MessageReader& reader);
  bool set_slots(Run& run, MessageReader& reader);
  bool limit_logs(Run& run, MessageReader& reader);
  bool freeze(Run& run, MessageReader& reader);
  bool thaw(Run& run, MessageReader& reader);
  bool detach(Run& run, MessageReader& reader);

  bool take_in(Run& run, Attempt fresh, MessageReader& reader);
  static Attempt* follower_of(const Attempt& attempt);
  void let_follow(Attempt& attempt);
  void drop(Attempt& attempt);
  void start_waiting(Run& run);
  void start(Attempt& attempt);
  void begin(Attempt& attempt, pid_t pid);
  void fail_to_start(Attempt& attempt, const std::string& why);
  void note_exit(Attempt& attempt, const siginfo_t& info);
  static int put_on_record(Attempt& attempt);
  void record_end(Attempt& attempt, const siginfo_t* info, const std::string& spawn_error);
  void clear_up(Attempt& attempt, const std::vector<pid_t>& strangers);
  void end(Attempt& attempt, std::int64_t grace_ms);
  void pursue(Attempt& attempt);
  void settle(Attempt& attempt, bool hid_nothing = false);
  void announce(Attempt& attempt);
  std::vector<pid_t> strangers() const;

  // Calls: attempts behind which there is no process of their own.
  void start_call(Attempt& attempt);
  bool heed_courier(const Message& message);
  void cancel(Attempt& attempt, std::int64_t grace_ms);
  void lose_calls(const CourierLink::Gone& courier);
  std::int64_t tend_courier(std::int64_t now);

  std::int64_t tend_attempts(std::int64_t now);
  void look_at_logs(Attempt& attempt, std::int64_t now);
  std::int64_t retry_records(std::int64_t now);
  std::int64_t tend_wakes(std::int64_t now);
  void start_wake(Run& run);
  void wake_ended(Run& run, bool well);

  std::string state_dir_;
  sigset_t signals_ = altered_signals();  // they stay as they are for as long as we live
  CourierLink courier_;
  std::map<std::uint64_t, Attempt*> calls_;  // that the courier is at, by the numbers it knows them by
  std::uint64_t last_call_ = 0;
  std::map<std::string, Run> runs_;
  std::unordered_map<pid_t, Attempt*> roots_;
  std::unordered_map<pid_t, Run*> wakes_;
  std::set<Attempt*> live_;          // alive or leaving
  std::vector<Attempt*> unwritten_;  // ended, but the disk did not take the record yet
  std::int64_t write_again_at_ = 0;
  std::map<pid_t, std::string> orphans_;  // children that came to us from attempts (by mark) still alive
};

}  // namespace baton
