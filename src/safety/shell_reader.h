#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace baton::safety {

/// One command or pipeline of a script, written in the one way that patterns look for (command_words.h).
struct Reading {
  std::string text;    ///< `rm -f -r /`, `curl -s URL | sh`, `psql << DROP␣TABLE␣x`
  std::string source;  ///< the words it came from, as far as they stand in one place: `sudo rm -rf "/"`
};

struct Readings {
  std::vector<Reading> all;
  bool complete = true;  ///< false: too long, or nested too deep, to be read to its end
};

/// Every command that a shell would run for this text, as far as it can be told without running it: those in chains,
/// pipes, subshells, command substitutions, here-documents and arguments of other shells too. What a command is only
/// told (`echo "rm -rf /"`, `grep 'DROP TABLE'`) is its argument, and no command.
///
/// Time and memory are bounded by the length of the text, whatever it holds.
Readings read_shell(std::string_view script);

/// How a shell function that calls itself twice in a pipe is written, whatever its name.
constexpr std::string_view fork_bomb = ":(){ :|:& };:";

}  // namespace baton::safety
