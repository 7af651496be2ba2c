#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace baton::markdown {

/// A text in which some values may be known only when a step's turn comes. What is known is told apart from what is
/// not, so that nothing a known value holds is ever taken for an expression.
class Composed {
 public:
  Composed() = default;
  explicit Composed(std::string_view text) { add_text(text); }
  static Composed expression(std::string source);

  void add_text(std::string_view text);
  void add_expression(std::string source);
  void add(const Composed& other);

  /// There is nothing left to be filled in.
  [[nodiscard]] bool is_known() const;
  [[nodiscard]] bool is_empty() const { return parts_.empty(); }

  /// As it stands in a step whose texts are filled in later (`deferred`), or in one whose texts are not looked at
  /// again. REQUIRES: `deferred`, or is_known().
  [[nodiscard]] std::string text(bool deferred) const;

  /// The one expression that it is.
  [[nodiscard]] std::optional<std::string> lone_expression() const;

  /// It differs from item to item, or from round to round.
  [[nodiscard]] bool speaks_of_item() const;

  /// What it ends with, as far as that is known.
  [[nodiscard]] std::string_view known_end() const;

  [[nodiscard]] std::size_t size() const;
  void trim();

 private:
  struct Part {
    std::string text;
    bool is_expression = false;
  };
  std::vector<Part> parts_;
};

}  // namespace baton::markdown
