#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/exit_record.h"
#include "base/fault.h"
#include "base/time.h"

namespace baton {

/// Another attempt of the same run, that has to exit with 0 by itself in less than that time.
struct SpawnCondition {
  std::string step;
  int attempt = 0;
  Millis within = Millis::max();
};

/// A process to be held. It starts in a session of its own with its output going straight to files.
/// Or, with a request file, an HTTP call to be made by the courier: it has the environment given when attaching (for
/// keys and proxies), answers to the same files (docs/courier.md), and is held, recorded and told in the same way.
struct SpawnSpec {
  AttemptKey key;
  std::vector<std::string> argv;
  std::vector<std::string> env;        ///< NAME=VALUE, on top of the environment given when attaching
  std::vector<std::string> env_unset;  ///< names removed from that environment
  std::string cwd;
  std::string stdin_path;  ///< a file to read from; empty: nothing
  std::string stdout_path;
  std::string stderr_path;
  Millis deadline{0};  ///< stopped after this much running time, engine or not; 0: never
  Millis grace{5000};  ///< between TERM and KILL
  int slots = 0;       ///< starts only while fewer than this many of the run's attempts run; 0: at once
  std::optional<SpawnCondition> after = {};  ///< starts only when that has ended so; else it is dropped
  std::string request_path = {};  ///< an HTTP call: the file that says which; then there is no argv, env, cwd or stdin
};

struct AttemptStartedNotice {
  AttemptKey key;
  int pid = 0;
  Time at{};
};
struct AttemptExitedNotice {
  ExitRecord record;
};
/// Nothing is known of how it ended and nothing of it is alive any more.
struct AttemptLostNotice {
  AttemptKey key;
};
/// An end cannot be written down now, so it cannot be told either; the host tries again until it can.
struct HostTroubleNotice {
  AttemptKey key;  ///< the run's; no step's
  std::string message;
};
using HostNotice = std::variant<AttemptStartedNotice, AttemptExitedNotice, AttemptLostNotice, HostTroubleNotice>;

/// What is known of an attempt when an engine comes back to its run.
struct Sighting {
  enum class Kind { waiting, alive, exited };
  AttemptKey key;
  Kind kind = Kind::alive;
  int pid = 0;
  Time started{};
  bool frozen = false;
  ExitRecord record = {};  ///< for `exited`
};

/// Who holds the processes of attempts. The real one is the holder program; tests have a small world of their own.
/// Notices arrive through the function given to `listen`, never from inside one of these calls.
class AttemptHost {
 public:
  virtual ~AttemptHost() = default;

  virtual void listen(std::function<void(const HostNotice&)> sink) = 0;

  /// Makes this process the driver of `run` for the host, and tells what it knows of the run's attempts: those waiting
  /// for a slot, those alive, and every exit on record whether or not it was acknowledged. An attempt that was given
  /// to `spawn` by an earlier engine and is in none of these and left no trace of a start was never started.
  virtual Expected<std::vector<Sighting>> attach(const std::string& run) = 0;

  /// True if there is a trace that the attempt was started (so, if nothing else is known of it, its fate is unknown).
  virtual bool was_started(const AttemptKey& key) = 0;

  /// The processor time of all the attempt's processes, in some unit: while it grows, something is alive there.
  virtual std::uint64_t work_done(const AttemptKey& key) = 0;

  /// One with a condition starts, at the earliest, when the end of the attempt it waits for is on record; if that ends
  /// in any other way, or is not known here, a notice says that this one ended without having run.
  virtual void spawn(const SpawnSpec& spec) = 0;

  /// Ends the attempt's whole tree: TERM, after `grace` KILL. Ends in a notice: exited, or lost for one that this host
  /// has no child of (leftovers of a holder that died are found and ended too).
  virtual void stop(const AttemptKey& key, Millis grace) = 0;

  /// From now on at most so many of the run's attempts run at once; those that wait already are meant too.
  virtual void set_slots(const std::string& run, int slots) = 0;

  /// From now on attempts of the run that print more than so many bytes are stopped; 0: none is.
  virtual void limit_logs(const std::string& run, std::int64_t bytes_max) = 0;

  /// Stops / lets go on every process of the run's attempts; while frozen nothing waiting for a slot starts. Calls in
  /// flight go on to their end.
  virtual void freeze(const std::string& run) = 0;
  virtual void thaw(const std::string& run) = 0;

  /// The exit, or that it is lost, is in the journal: the host may forget it.
  virtual void acknowledge(const AttemptKey& key) = 0;

  /// The exit is known, and what comes after it is in the host's hands (another attempt, or a time to wake): nobody has
  /// to be woken for it. It is kept until it is acknowledged.
  virtual void note(const AttemptKey& key) = 0;

  /// Asks for a `baton wake RUN` at that time if nobody drives the run then; nullopt takes the request back.
  virtual void wake_at(const std::string& run, std::optional<Time> when) = 0;
};

}  // namespace baton
