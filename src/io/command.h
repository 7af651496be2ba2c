#pragma once

#include <poll.h>

#include <sys/types.h>

#include <cstddef>
#include <expected>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "io/descriptor.h"
#include "io/program.h"

namespace baton {

struct CommandTerms {
  std::string_view input = {};  ///< what it finds on stdin
  Millis lasts_max = Millis::max();
  std::size_t bytes_max = std::numeric_limits<std::size_t>::max();  ///< kept of each output; the rest is read and lost
  bool in_one = false;  ///< what it prints on stderr comes into `out` too, in the order in which it was printed
  /// Its end is waited for until no process has its outputs open any more: one that it started may outlive it.
  bool awaits_outputs = false;
};

/// How a command ended, and what it printed.
struct CommandEnd : ProgramEnd {
  bool in_time = true;  ///< false: its time was up, and it was ended with all of its session
  std::string out = {};
  std::string err = {};
};

/// A program that is at work, with what it has printed so far. One that still is when this ends goes on.
class RunningCommand {
 public:
  /// With the program's own descriptors in place of whatever `program` names. The error says what could not be done.
  static std::expected<RunningCommand, std::string> start(Program program, const CommandTerms& terms);

  /// What is to be waited for before the next look.
  void add_to(std::vector<pollfd>& waits) const;
  /// False: what there is to be waited for does not tell that it has ended.
  [[nodiscard]] bool tells_its_end() const { return static_cast<bool>(process_); }
  /// Reads what there is, without waiting. True once it has ended: end() is whole then.
  bool look();
  /// Its time is up: ends it with all of its session, and waits for that.
  void end_now();
  [[nodiscard]] const CommandEnd& end() const { return end_; }

 private:
  struct Output {
    Descriptor from;
    std::string text;
    void hear(std::size_t bytes_max);
  };

  RunningCommand() = default;
  void finish(const ProgramEnd& how);

  pid_t pid_ = 0;
  Descriptor process_;  ///< readable once it has ended
  Output out_;
  Output err_;
  std::size_t bytes_max_ = 0;
  bool awaits_outputs_ = false;
  CommandEnd end_;
};

/// Runs it to its end. The error says why it could not be started.
std::expected<CommandEnd, std::string> run_command(const Program& program, const CommandTerms& terms = {});

}  // namespace baton
