#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/time.h"
#include "runtime/claude_stream.h"
#include "runtime/reset_time.h"
#include "runtime/runtime.h"

namespace baton {

/// What is known of an attempt by Claude Code from all that it printed.
struct ClaudeSeen {
  bool began = false;
  std::string session;
  std::string model;
  std::optional<claude::Result> result;                ///< the last one: it wins
  claude::ErrorMessage error;                          ///< the last one
  std::optional<Millis> rate_limit_delay;              ///< how long the program itself was last told to wait
  std::map<std::string, std::optional<Time>> used_up;  ///< quota windows that refused a request, and their resets
  std::size_t events = 0;
};

/// What the attempt was to deliver.
struct ClaudeTask {
  bool has_output = false;  ///< a file, which is going to be checked
  bool wants_structured_output = false;
};

/// The result says that all went well, and nothing in it speaks against that. Whether it did is for judge_claude: an
/// exit code counts too.
bool tells_success(const claude::Result& result);

/// How it ended: well only if the program ended by itself with exit code 0 after a result that is no error.
/// `offset_of` is for what a program says of a quota's reset by the clock; without it such words say nothing.
Finish judge_claude(const ClaudeSeen& seen, const ClaudeTask& task, const Ended& end, const OffsetOf& offset_of);

}  // namespace baton
