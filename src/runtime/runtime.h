#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/time.h"
#include "core/failure.h"
#include "core/usage.h"
#include "host/attempt_host.h"
#include "plan/plan.h"

namespace baton {

/// Everything a runtime may know of the attempt it is to make.
struct Assignment {
  AttemptKey key;
  const Step* step = nullptr;
  std::string model;
  std::string prompt;       ///< whole text; empty for command steps
  std::string prompt_path;  ///< where it was kept
  std::string output_path;  ///< absolute; empty if the step has no output
  std::string root;         ///< the folder the attempt starts in
  std::string run_folder;
  /// What the step's checks compare its output with, by step: for runtimes that make outputs up.
  std::map<std::string, std::string> compared_outputs;
  std::uint64_t seed = 0;  ///< of the run; the only chance a runtime has
  Time began{};            ///< when the attempt first began, also after a re-attachment
};

// What a runtime wants done next. ---------------------------------------------------------------
struct Spawn {
  std::vector<std::string> argv;
  std::vector<std::string> env;
  std::vector<std::string> env_unset;
  std::string stdin_path;
};
struct WaitUntil {
  Time when;
};
struct Say {
  std::string text;
};
struct Spend {
  Usage usage;  ///< of the attempt so far, from its beginning
};
struct WriteOutput {
  std::string content;  ///< to the step's output path
};
/// The attempt's process has nothing more to do but is still there: end it. Its end is then told as any other.
struct Stop {
  Millis grace{5000};  ///< between TERM and KILL
};
/// The attempt is over. No failure: it ended well, and its output is now to be checked.
struct Finish {
  std::optional<Failure> failure;
  std::optional<Failure> note = {};  ///< it ended well, but this has to be said of it (`response-truncated`)
};
using Action = std::variant<Spawn, WaitUntil, Say, Spend, WriteOutput, Stop, Finish>;
using Actions = std::vector<Action>;

// What a runtime is told. -----------------------------------------------------------------------
struct Printed {
  std::string_view bytes;  ///< more of its standard output, from the beginning, cut anywhere
};
struct Ended {
  ExitRecord record;
  std::string last_error;  ///< the last line of its standard error, where it did not end well
};
struct TimeCame {
  Time now;
};
using Observation = std::variant<Printed, Ended, TimeCame>;

/// A pure state machine for one attempt: begin() once, then next() for all that is seen. No I/O, no clock.
class Runtime {
 public:
  virtual ~Runtime() = default;
  virtual Actions begin(const Assignment& assignment) = 0;
  virtual Actions next(const Observation& observation) = 0;
};

}  // namespace baton
