#pragma once

#include <expected>
#include <string>
#include <vector>

namespace baton {

/// Where in a user's file something stands. Lines and columns count from 1; 0 means "no particular one".
struct Place {
  std::string file;
  int line = 0;
  int column = 0;
};

enum class Severity { error, warning };

/// Something a user can mend: what is wrong, where, and how to put it right.
/// `code` is a stable kebab-case word with a page in docs/errors/.
struct Fault {
  std::string code;
  std::string message;
  std::string help = {};
  Place place = {};
  Severity severity = Severity::error;
};

using Faults = std::vector<Fault>;

/// For what the world or a user can make fail. Our own mistakes go through ensure().
template <class T>
using Expected = std::expected<T, Fault>;
using Status = std::expected<void, Fault>;

inline std::unexpected<Fault> fault(std::string code, std::string message, std::string help = {}) {
  return std::unexpected(Fault{std::move(code), std::move(message), std::move(help)});
}

/// True if any of these is an error and not only a warning.
bool has_errors(const Faults& faults);

/// The form of cli.md: `error[code]: message`, `  --> file:line:column`, `  help: ...`, each on its own line.
std::string to_text(const Fault& fault);

/// The form of cli.md for `--json`: {"type":"error","code","message","file","line","column","help"}.
std::string to_json(const Fault& fault);

}  // namespace baton
