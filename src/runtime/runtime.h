#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/exit_record.h"
#include "base/time.h"
#include "core/failure.h"
#include "core/usage.h"
#include "plan/plan.h"
#include "runtime/api/answer.h"
#include "runtime/api/http.h"
#include "runtime/prompt_blocks.h"

namespace baton {

/// An earlier attempt of the step that failed before anything was charged to it: what it asked for may still come.
struct UnansweredAttempt {
  int n = 0;
  Time began{};
};

/// Everything a runtime may know of the attempt it is to make.
struct Assignment {
  AttemptKey key;
  const Step* step = nullptr;
  std::string model;
  std::string prompt;                       ///< whole text; empty for command steps
  std::string prompt_path;                  ///< where it was kept
  std::vector<std::string> inputs;          ///< paths of what it reads; results of steps that did not run are left out
  std::vector<std::string> missing_inputs;  ///< those that are not there or, where they are told whole, not readable
  PromptBlocks blocks;          ///< the same for a runtime that can read no files; all empty: only `prompt` is there
  std::string schema;           ///< JSON Schema of the answer, where its dialect wants one; else its step's checks say
  std::string output_path;      ///< absolute; empty if the step has no output
  std::string previous_output;  ///< where its last output before this attempt is kept, absolute; empty: nowhere
  std::string root;             ///< the folder the attempt starts in
  std::string run_folder;
  /// What the step's checks compare its output with, by step: for runtimes that make outputs up.
  std::map<std::string, std::string> compared_outputs;
  /// What other steps' checks ask of this step's output by comparing with it: for the same runtimes.
  std::vector<Check> comparisons;
  std::uint64_t seed = 0;                     ///< of the run; the only chance a runtime has
  Time began{};                               ///< when the attempt first began, also after a re-attachment
  std::vector<UnansweredAttempt> unanswered;  ///< on the same runtime
};

// What a runtime wants done next. ---------------------------------------------------------------
struct Spawn {
  std::vector<std::string> argv;
  std::vector<std::string> env;
  std::vector<std::string> env_unset;
  std::string stdin_path;
};
/// An HTTP request, made by the courier (docs/decisions/0017). An attempt may make several, one after the other, and
/// use tools in between: each is an exchange, a held process with a log of its own, and is told by Printed and Ended.
struct Request {
  int exchange = 1;  ///< of the attempt
  api::HttpRequest request;
  /// Of a prompt whose beginning is worth keeping at the provider: siblings wait until one of them has brought it
  /// there.
  std::uint64_t prefix = 0;
  bool asks = false;  ///< a model, which costs money; not how something stands
};
/// Tools that the model asked for, to be used in the attempt's folder and not outside of it. What they come to is
/// printed as api::read_tool_results reads it.
struct UseTools {
  int exchange = 1;
  std::string uses;  ///< the text of api::tool_uses_file
};
/// The provider has begun to answer, or has answered: what it said of its limits is for all who use it.
struct Meet {
  std::string provider;  ///< by what all who use it know each other
  std::string model;
  int status = 0;
  api::Headers headers;
  std::uint64_t prefix = 0;                        ///< of the prompt, by which siblings know each other
  std::optional<std::int64_t> counted_input = {};  ///< tokens that count against its limits
  std::optional<std::int64_t> counted_output = {};
  bool ended = false;
};
struct WaitUntil {
  Time when;
};
struct Say {
  std::string text;
};
struct Spend {
  Usage usage;          ///< of the attempt so far, from its beginning
  bool is_all = false;  ///< nothing more is begun that costs: it has told its end, or it made the one call there is
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
using Action = std::variant<Spawn, Request, UseTools, Meet, WaitUntil, Say, Spend, WriteOutput, Stop, Finish>;
using Actions = std::vector<Action>;

// What a runtime is told. -----------------------------------------------------------------------
struct Printed {
  std::string_view bytes;  ///< more of its standard output, from the beginning, cut anywhere
};
struct Ended {
  ExitRecord record;
  std::string last_error;  ///< the last line of its standard error, where it did not end well; may be cut
};
struct TimeCame {
  Time now;
};
/// While it waits for a time: nobody wants its result any more. What somebody else has to be told of that is a request;
/// the attempt is over when that has ended, or at once if there is none.
struct Cancelled {};
using Observation = std::variant<Printed, Ended, TimeCame, Cancelled>;

/// A pure state machine for one attempt: begin() once, then next() for all that is seen. No I/O, no clock.
class Runtime {
 public:
  virtual ~Runtime() = default;
  virtual Actions begin(const Assignment& assignment) = 0;
  virtual Actions next(const Observation& observation) = 0;
};

}  // namespace baton
