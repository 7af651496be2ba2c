#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dialect/session/variables.h"

namespace baton::session {

/// Where a session's paths begin.
struct Roots {
  std::string project = {};  ///< absolute; may be empty
  std::string session = {};  ///< the session's folder, relative to the project: `.workflow/active/WFS-x`
  std::string foreign = {};  ///< the project's folder on the machine where the plan was made; may be empty
};

/// The folder that an absolute path to a file of a session begins with: what stands before `/.workflow/`.
std::string root_of_path(std::string_view path);

/// The project folder that a task's absolute paths were written for, if it has any.
std::string foreign_root(const Task& task);

/// A command of `pre_analysis`, and who can carry it out.
struct FlowCommand {
  enum class Kind : std::uint8_t {
    shell,  ///< a command line
    read,   ///< a file of the project
    agent,  ///< only an agent can: it is handed on as it is written
  };
  Kind kind = Kind::agent;
  std::string text;    ///< the command line, or the file's path from the project's folder
  int first_line = 0;  ///< of a file that is to be read in part; 0: the whole
  int last_line = 0;
  std::string original;  ///< as it is written
  std::string why = {};  ///< why it is for an agent
};

/// `bash(…)`, `Read(…)`, a bare command line of a well-known program; all else is for an agent. Paths outside of the
/// project are too: nothing but the project is read.
FlowCommand classify(std::string_view command, const Roots& roots);

}  // namespace baton::session
