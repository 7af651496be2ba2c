#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "dialect/markdown/expression.h"
#include "text/yaml_values.h"

namespace baton::markdown {

/// What an expression at a place stands for.
using ResolveAt = std::function<Composed(const Expression& expression, Spot spot)>;

struct CommandLine {
  std::vector<Composed> argv;
  std::vector<std::pair<std::string, Composed>> env;  ///< the values that a shell line refers to

  [[nodiscard]] bool is_known() const;
};

/// `is_line`: one text for the shell; otherwise a program and its arguments. No value ever becomes part of a shell's
/// language.
CommandLine make_command(const std::vector<Located>& items, bool is_line, const ResolveAt& resolve);

}  // namespace baton::markdown
