#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/session/plan_doc.h"
#include "dialect/session/task.h"

namespace baton::session {

/// Values by name. A text is a list of one.
using Variables = std::map<std::string, std::vector<std::string>, std::less<>>;

/// What a task's texts may speak of from the start: `[title]`, `[focus_paths]`, `[requirements]`, …
Variables variables_of(const Task& task, const PlanDoc& plan);

/// A text with its `[name]`s filled in.
struct Filled {
  std::string text;
  std::vector<std::string> env = {};      ///< of a command line: NAME=VALUE
  std::vector<std::string> unknown = {};  ///< names that nothing is known of; they stay as they are
};

/// Once over the text: values are not looked into. A list has a line for each item. `[ ]`, `[x]`, `[0-9]`, `[a, b]`,
/// `[text](link)` and `[^"]` are no variables.
Filled fill_text(std::string_view text, const Variables& variables);

/// The same for a command line, with values as data: they go into the environment, and only `"${NAME}"` into the line,
/// fitted to the quotes it stands in. A list becomes several words where it stands outside of quotes.
Filled fill_command(std::string_view line, const Variables& variables);

/// True if there is a variable in it that has a value.
bool has_variable(std::string_view text, const Variables& variables);

}  // namespace baton::session
