#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/time.h"
#include "core/usage.h"
#include "runtime/line_cutter.h"

namespace baton {

/// What `claude -p --output-format stream-json --verbose` prints, as far as it matters to us.
namespace claude {

/// A turn begins. There may be several in a run.
struct Began {
  std::string session;
  std::string model;
};

struct Said {
  std::string text;
  bool by_helper = false;  ///< by an agent that the agent started
};

struct UsedTool {
  std::string name;
  std::string about;    ///< what of its input says most: a command, a path, a pattern
  std::string command;  ///< of a tool that runs one: the whole of it
  bool by_helper = false;
};

/// A tool did not do what was asked of it. Told only to who wants it: see ClaudeStream::Wants.
struct ToolFailed {
  std::string message;
  bool by_helper = false;
};

/// What a tool answered; told only to who wants it, and cut.
struct ToolAnswered {
  std::string message;
};

/// One line of one message of the model's. Several lines may belong to one message and repeat its usage.
struct Message {
  std::string id;
  std::string model;
  Tokens tokens;
  std::int64_t cache_write_1h = 0;  ///< of tokens.cache_write
  bool by_helper = false;
};

/// The program's own words where the model's are missing.
struct ErrorMessage {
  std::string error;  ///< authentication_failed, rate_limit, server_error, …
  std::optional<int> status;
};

/// A request failed, and the program is going to repeat it.
struct Retries {
  std::int64_t attempt = 0;
  std::int64_t attempts_max = 0;
  Millis delay{0};
  std::optional<int> status;
  std::string error;
};

struct Denied {
  std::string tool;
  std::string message;
};

struct RateLimit {
  std::string status;  ///< allowed, allowed_warning, rejected
  std::string window;  ///< five_hour, seven_day, …
  std::optional<Time> resets;
};

struct ModelUsage {
  std::string model;
  Tokens tokens;
  std::int64_t cache_write_1h = 0;
  std::optional<Cost> cost;
};

/// A turn is over; the program may still begin another.
struct Result {
  bool is_error = false;
  bool tells_error = false;  ///< it says whether it is one
  std::string subtype;       ///< programs that follow this format may leave it out
  std::string terminal_reason;
  std::string stop_reason;
  std::optional<int> api_error_status;
  std::string api_error;
  std::string text;
  std::vector<std::string> errors;
  bool has_structured_output = false;
  std::string structured_output;  ///< JSON
  std::int64_t turns = 0;
  std::optional<Cost> total_cost;                        ///< of the whole session, earlier runs of it included
  std::optional<std::vector<ModelUsage>> session_usage;  ///< likewise; not every program tells it
  std::optional<std::vector<ModelUsage>> turn_usage;     ///< since the last result; older versions do not tell
  std::optional<Tokens> turn_tokens;                     ///< of this turn's main loop alone, and 0 after some stops
  std::int64_t turn_cache_write_1h = 0;                  ///< of turn_tokens->cache_write
  std::vector<std::string> denials;                      ///< names of tools
  std::string session;
};

/// A notice of the program's: another model was taken, say.
struct Notice {
  std::string text;
};

/// A line that is no event at all.
struct Garbage {
  std::string text;
};

/// Lines too long to be read were passed over.
struct PassedOver {
  std::size_t lines = 0;
};

/// What the model thought before it spoke.
struct Thought {
  std::string text;
};

using Event = std::variant<Began, Said, UsedTool, Message, ErrorMessage, Retries, Denied, RateLimit, Result, Notice,
                           Garbage, PassedOver, ToolFailed, Thought, ToolAnswered>;
using Events = std::vector<Event>;

}  // namespace claude

/// Reads the stream as it comes: bytes cut anywhere, lines of megabytes, events of versions to come, and what is no
/// event. What it tells is the same however the bytes were cut.
class ClaudeStream {
 public:
  /// The results of tools are most of a stream, and matter only to who reads it to people.
  enum class Wants { outcome, transcript };

  ClaudeStream();
  explicit ClaudeStream(Wants wants);
  ~ClaudeStream();
  ClaudeStream(ClaudeStream&&) noexcept;
  ClaudeStream& operator=(ClaudeStream&&) noexcept;

  claude::Events read(std::string_view bytes);

  /// There will be no more bytes: an unfinished line is read as it is.
  claude::Events end();

 private:
  class Reader;

  void tell_passed_over(claude::Events& events);

  LineCutter lines_;
  std::size_t passed_over_told_ = 0;
  std::unique_ptr<Reader> reader_;
};

}  // namespace baton
