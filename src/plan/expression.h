#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fault.h"

namespace baton {

/// What expressions may ask about. Whoever answers looks it up; nothing here does I/O.
class Values {
 public:
  virtual ~Values() = default;
  /// The text of a step's output; nullopt if it has none now (it did not run, or was skipped).
  [[nodiscard]] virtual std::optional<std::string> output_of(const std::string& step) const = 0;
  /// "completed", "skipped", "failed", …; empty if there is no such step.
  [[nodiscard]] virtual std::string state_of(const std::string& step) const = 0;
  /// The path of a step's output, relative to the project root; empty if it has none.
  [[nodiscard]] virtual std::string path_of(const std::string& step) const = 0;
  /// The text of an input of the workflow; nullopt if it was not given.
  [[nodiscard]] virtual std::optional<std::string> input(const std::string& name) const = 0;
  /// Where an input of the workflow is, relative to the project root; empty if it was not given.
  [[nodiscard]] virtual std::string path_of_input(const std::string& name) const = 0;
};

/// What holds around one expression beside the run's values.
struct Surroundings {
  std::string sandbox;
  std::string item;  ///< JSON; empty: there is none
  int index = 0;
  std::string self;  ///< the step itself: `output` in a condition is its output
};

/// The language (docs/expressions.md): literals (12, 'text', "text", true, false, null), references (`sandbox`,
/// `inputs.NAME[.FIELD…]`, `steps.ID.output[.FIELD…]`, `steps.ID.state`, `output[.FIELD…]`, `item[.FIELD…]`, `index`),
/// `== != < <= > >= && || !`, parentheses, `length(x)`, `contains(x, y)`, `exists(x)`. Values are JSON values.
/// `inputs.NAME` and `steps.ID.output` are contents (JSON if they parse as such, else the trimmed text); only where one
/// is all that stands between the braces of a text it is a path. With a field it is that field's value in both. No I/O,
/// and evaluation has a fuel limit.

/// One thing an expression refers to.
struct Reference {
  enum class Kind { sandbox, input, step_output, step_state, own_output, item, index };
  Kind kind = Kind::sandbox;
  std::string name = {};   ///< of the input or step
  std::string field = {};  ///< dotted path into its value; empty: the whole
  std::size_t at = 0;      ///< where it stands in the source
  std::size_t size = 0;    ///< and how many bytes it takes there

  /// A path to somebody's file, where it is all there is in the braces of a text.
  [[nodiscard]] bool is_path() const { return (kind == Kind::input || kind == Kind::step_output) && field.empty(); }
};

/// What is wrong with an expression: a message and where in the source.
struct ExpressionFault {
  std::string message;
  std::size_t at = 0;
};

/// Everything the expression refers to. REQUIRES: `source` is what stands between `${{` and `}}`, or a bare condition.
std::expected<std::vector<Reference>, ExpressionFault> references_of(std::string_view source);

/// A text that an expression compares a step's state with, as in `steps.a.state == 'failed'`.
struct ComparedState {
  std::string step;
  std::string state;
  std::size_t at = 0;  ///< where the text stands in the source
};
std::vector<ComparedState> compared_states(std::string_view source);

/// The one reference the expression is; nothing if it is more than that, or none.
std::optional<Reference> lone_reference(std::string_view source);

/// A reference as it is written.
std::string to_source(const Reference& reference);

/// A text as a literal of the language; it may stand between braces whatever it holds.
std::string quote_text(std::string_view text);

/// What to write instead of a reference; nothing leaves it as it is.
using Rewrite = std::function<std::optional<std::string>(const Reference&)>;

/// An expression with its references written anew. One that cannot be read stays as it is.
std::string rewrite_expression(std::string_view source, const Rewrite& rewrite);

/// The same for every `${{ … }}` in a text.
std::string rewrite_text(std::string_view text, const Rewrite& rewrite);

/// A text that fill_in() gives back as it is: what looks like an expression in it is none.
std::string escape_text(std::string_view text);

/// A condition's truth: false, null, 0, "" , [] and {} are false, as is what is missing.
Expected<bool> is_true(std::string_view condition, const Values& values, const Surroundings& around);

/// The items of a `for_each`, each as compact JSON. Faults: not-a-list, unknown-value.
Expected<std::vector<std::string>> items_of(std::string_view source, const Values& values, const Surroundings& around);

/// A text with every `${{ … }}` in it replaced by its value: texts as they are, other values as JSON. A value that is
/// missing is a fault. What is put in is never looked at again.
Expected<std::string> fill_in(std::string_view text, const Values& values, const Surroundings& around);

}  // namespace baton
