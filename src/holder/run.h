#pragma once

#include <sys/types.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "holder/connection.h"
#include "holder/held_log.h"
#include "io/process_tree.h"
#include "io/program.h"
#include "io/spare_logs.h"

namespace baton {

struct Run;

/// An attempt from the moment it was asked for until its end is acknowledged.
struct Attempt {
  enum class State {
    waiting,  ///< for a slot, or for the end of another
    alive,
    leaving,  ///< its root is gone, but not all that it started
    ended,
  };

  /// An ending under way: TERM went to `asked`; from `kill_at` on everything is killed.
  struct Ending {
    std::int64_t kill_at = 0;
    std::int64_t look_at = 0;
    std::int64_t pause_ms = 10;
    std::set<pid_t> asked = {};
  };

  Run& run;
  std::string step;
  int number = 0;
  Program program = {};      ///< emptied once started
  std::string request = {};  ///< no process but an HTTP call, that the courier makes: the file that says which
  std::int64_t deadline_ms = 0;
  std::int64_t grace_ms = 0;
  int slots = 0;
  std::pair<std::string, int> after = {};  ///< the attempt whose good end it waits for; number 0: it waits for none
  std::int64_t within_ms = never;          ///< in which that has to end
  bool followed = false;                   ///< another one waits for its end, or did

  State state = State::waiting;
  pid_t pid = 0;                      ///< of a call: the courier's
  std::uint64_t call = 0;             ///< what the courier knows it by; 0: it is none, or was not handed over
  std::int64_t started_ms = 0;        ///< wall clock, as all that is told or written
  std::int64_t logs_look_at = never;  ///< monotonic: when to see how large its logs have become
  std::int64_t deadline_at = never;   ///< monotonic, as all that is waited for; while frozen: what is left of it
  bool stray = false;                 ///< no child of ours: leftovers of a holder that died
  bool stopped = false;
  bool overran = false;
  std::int64_t took_ms = never;  ///< until it exited with 0 by itself; never: it did not
  std::optional<ProcessTree> tree = {};
  AttemptLogs logs = {};
  std::optional<Ending> ending = {};
  Message record = {};    ///< how it ended
  bool traced = false;    ///< the held log says that it was started
  bool recorded = false;  ///< the held log says how it ended, so it may be told
  bool lost = false;      ///< nobody knows how it ended: the courier died over it
  bool noted = false;     ///< its driver has seen how it ended and needs no waking for it

  bool is_call() const { return !request.empty(); }
  std::string mark() const;
  Message exited_notice() const;
  Message end_notice() const;  ///< that, or that it is lost
  /// How long the driver need not hear of it, at least as long as `otherwise`. While more wait here than can start,
  /// nobody waits for the driver; and each time it is woken it takes a processor from an attempt that is at work.
  std::int64_t may_wait_ms(std::int64_t otherwise) const;
};

/// The command that goes on with a run when nobody drives it.
struct Wake {
  std::vector<std::string> argv = {};
  bool asked = false;
  std::int64_t at_ms = never;  ///< wall clock
  pid_t pid = 0;
  std::size_t failures = 0;
  std::int64_t not_before = 0;
};

struct Run {
  explicit Run(std::string its_name, std::string log_path) : name(std::move(its_name)), log(std::move(log_path)) {}

  std::string name;
  HeldLogWriter log;
  SpareLogs logs = {};
  std::string project_dir = {};
  std::vector<std::string> env = {};  ///< in memory only: it holds secrets
  pid_t courier_with_env = 0;         ///< the courier that knows of it
  Wake wake = {};
  Connection* driver = nullptr;
  bool frozen = false;
  std::int64_t log_bytes_max = 0;  ///< of each log of an attempt; then it is stopped. 0: no limit
  int running = 0;
  int news = 0;  ///< ends that nobody has acknowledged or noted
  std::map<std::pair<std::string, int>, Attempt> attempts = {};
  std::deque<Attempt*> waiting = {};

  void tell(const Message& message, std::int64_t by = 0) const {
    if (driver != nullptr) driver->say(message, by);
  }
};

inline std::int64_t Attempt::may_wait_ms(std::int64_t otherwise) const {
  const auto many = [&](int times) { return std::cmp_greater(run.waiting.size(), times * slots); };
  if (slots == 0 || !many(1)) return otherwise;
  return many(4) ? 10 : std::max<std::int64_t>(otherwise, 2);
}

}  // namespace baton
