#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace baton::markdown {

/// One `${{ … }}` in a text.
struct Expression {
  enum class Kind : std::uint8_t { sandbox, input, step_output, unknown, unclosed };
  Kind kind = Kind::unknown;
  std::string name;         ///< of the input or step
  std::string_view source;  ///< as it stands in the text, with its braces
};

/// A text cut at its expressions: pieces[0] expressions[0] pieces[1] … , always one piece more.
struct Template {
  std::vector<std::string_view> pieces;
  std::vector<Expression> expressions;
};

Template cut(std::string_view text);

/// What an expression stands for. Whoever answers has reported what it could not find.
using Resolve = std::function<std::string(const Expression&)>;

std::string substitute(std::string_view text, const Resolve& resolve);

/// A line for a shell in which every expression became a quoted reference to a variable: whatever a value holds, the
/// shell never reads it as its own language.
struct ShellLine {
  std::string line;
  std::vector<std::string> env;  ///< BATON_VALUE_1=…
};

ShellLine substitute_in_shell(std::string_view text, const Resolve& resolve);

}  // namespace baton::markdown
