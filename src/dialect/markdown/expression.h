#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dialect/markdown/composed.h"
#include "plan/expression.h"

namespace baton::markdown {

/// One `${{ … }}` in a text.
struct Expression {
  std::string_view source;        ///< as it stands in the text, with its braces
  std::string_view inner;         ///< without them
  std::optional<Reference> lone;  ///< if it is one reference and nothing else
  std::string problem;            ///< why it cannot be read; empty if it can
};

/// A text cut at its expressions: pieces[0] expressions[0] pieces[1] … , always one piece more.
struct Template {
  std::vector<std::string_view> pieces;
  std::vector<Expression> expressions;
};

Template cut(std::string_view text);

/// What an expression stands for. Whoever answers has reported what it could not find.
using Resolve = std::function<Composed(const Expression&)>;

Composed substitute(std::string_view text, const Resolve& resolve);

/// A line for a shell in which every expression became a quoted reference to a variable: whatever a value holds, the
/// shell never reads it as its own language.
struct ShellLine {
  std::string line;
  std::vector<std::pair<std::string, Composed>> env;  ///< BATON_VALUE_1, …
};

ShellLine substitute_in_shell(std::string_view text, const Resolve& resolve);

}  // namespace baton::markdown
