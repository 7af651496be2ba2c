#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/fault.h"
#include "core/event.h"
#include "core/run.h"

namespace baton {

enum class Seq : std::uint64_t {};

/// Who drives a run. The epoch rises with every change of hands; every append names it, so an owner that lost the run
/// without noticing cannot write.
struct Lease {
  std::string run;
  std::string owner;  ///< unique for one process: host, pid and the process's start time
  std::string host;
  int pid = 0;
  std::uint64_t epoch = 0;
  Time expires{};
};

/// One run in a list: what can be told without reading its events.
struct RunSummary {
  std::string id;
  std::string workflow;
  std::string dialect;
  RunState state = RunState::queued;
  std::string task;
  std::optional<Failure> error;
  std::size_t done = 0;
  std::size_t total = 0;
  Time created{};
  Time started{};
  Time finished{};
  Time updated{};
  std::optional<Cost> cost;
  Cost known;  ///< of that, what is known
  Tokens tokens;
  std::vector<std::string> current;  ///< ids of the steps at work; filled in by list() and summary()
  std::string folder;
  std::string sandbox;
  std::int64_t number = 0;  ///< in the order of creation; filled in by list() and summary() of SQLite's
};

/// A request that another process left for whoever drives the run.
struct ControlRequest {
  std::int64_t id = 0;
  std::string run;
  std::string kind;  ///< pause, resume, cancel, retry
  std::string argument;
  Time at{};
};

/// What one run has to add to its record.
struct Addition {
  const Lease& lease;
  Seq expected;  ///< the number of events that the run has on record
  const std::vector<Event>& events;
  Run& run;
  const std::vector<std::int64_t>& consumed;  ///< control requests that these events answer: they go with them
};

class Shares;

/// Where runs are kept. SQLite for real, memory for tests; both pass the same conformance tests, and nothing above may
/// assume that it is on this machine.
class Journal {
 public:
  virtual ~Journal() = default;

  /// Appends the events of all these runs and brings the projections up to their states, in one transaction: all of it
  /// or nothing. On return it survives power loss. On error either nothing was appended or, where the fault's code is
  /// `journal-unknown`, nobody knows: then the process has to stop and read the journal anew. REQUIRES: no run is there
  /// twice. Faults: lease-lost, journal-conflict, disk-full, journal-failed, journal-unknown.
  virtual Status append_all(std::span<const Addition> additions) = 0;
  /// The same for one run.
  Status append(const Lease& lease, Seq expected, const std::vector<Event>& events, Run& run,
                const std::vector<std::int64_t>& consumed) {
    const Addition addition{lease, expected, events, run, consumed};
    return append_all({&addition, 1});
  }

  virtual Expected<std::vector<Event>> load(const std::string& run) = 0;
  virtual Expected<std::vector<RunSummary>> list() = 0;
  virtual Expected<RunSummary> summary(const std::string& run) = 0;

  /// Takes the lease of a run nobody holds, whose holder `is_dead` says is gone, or whose lease has expired. A held one
  /// is a fault `run-is-driven` that names the owner.
  virtual Expected<Lease> acquire(const Lease& wanted, Time now, Millis lasts, bool (*is_dead)(const Lease&)) = 0;
  virtual Status renew(Lease& lease, Time now, Millis lasts) = 0;
  virtual Status release(const Lease& lease) = 0;
  virtual Expected<std::optional<Lease>> holder_of(const std::string& run) = 0;

  virtual Expected<std::int64_t> request(const ControlRequest& request) = 0;
  virtual Expected<std::vector<ControlRequest>> requests(const std::string& run) = 0;
  /// Takes a request back; false if it was answered meanwhile.
  virtual Expected<bool> withdraw(std::int64_t request) = 0;

  /// What all runs share (shares.h). Costs nothing until it is used.
  virtual Shares& shares() = 0;
};

/// What a run looks like in a list, made from its state.
RunSummary summarise(const std::string& id, const Run& run);

}  // namespace baton
