#pragma once

#include <string>
#include <vector>

namespace baton {

/// Whose a line of an attempt's output is.
enum class Voice {
  program,   ///< what a program printed, as it is
  agent,     ///< what an agent said
  helper,    ///< what an agent said that the agent started
  tool,      ///< a tool that was used
  trouble,   ///< what went wrong
  note,      ///< what its program has to say
  result,    ///< how it ended
  thinking,  ///< what an agent thought before it spoke
  answer,    ///< what a tool answered
};

/// One line, or several, of what an attempt printed. Of the text nothing is known: it may hold anything.
struct LogLine {
  Voice voice = Voice::program;
  std::string text;

  bool operator==(const LogLine&) const = default;
};
using LogLines = std::vector<LogLine>;

}  // namespace baton
