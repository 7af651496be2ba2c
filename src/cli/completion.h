#pragma once

#include <string>
#include <vector>

#include "cli/command_shape.h"

namespace baton::cli {

/// What may stand where the cursor is.
struct Completion {
  struct Candidate {
    std::string value;
    std::string about = {};
  };
  enum class Paths { none, files, folders };

  std::vector<Candidate> candidates;
  Paths paths = Paths::none;  ///< the shell adds paths of its own
  bool open_ended = false;    ///< no blank after it: more of the same word follows
};

/// A command line up to the cursor, understood as far as it goes.
struct TypedLine {
  struct Given {
    const OptionShape* option;
    std::string value;
  };

  const VerbShape* verb = nullptr;
  std::vector<std::string> arguments;
  std::vector<Given> given;              ///< options with their values
  const OptionShape* awaited = nullptr;  ///< the value under the cursor is this one's
  std::string lead;                      ///< of the word under the cursor: what stands before the value (`--color=`)
  std::string current;                   ///< the value or word under the cursor, as far as it is typed
  bool names_option = false;             ///< it begins an option's name

  /// The last value given for the option; empty if there is none.
  [[nodiscard]] std::string value_of(std::string_view name) const;
};

/// `words`: what follows `baton`; the last one is under the cursor and may be empty.
TypedLine understand(const CommandShape& shape, const std::vector<std::string>& words);

/// Everything that fits there. Looks at the project, never changes it, and says nothing about what it cannot read.
Completion complete(const CommandShape& shape, const std::vector<std::string>& words);

/// What `baton __complete` prints: a line with what kind it is, then a candidate a line, its meaning after a tab.
std::string to_text(const Completion& completion);

/// The script of `baton completion SHELL`; empty for a shell that is not known.
std::string completion_script(const std::string& shell);

}  // namespace baton::cli
