#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>

namespace baton {

/// A regular expression of RE2's: its time is linear in the text, whatever the expression and the text are.
class Pattern {
 public:
  /// The error says what is wrong with the expression.
  static std::expected<Pattern, std::string> compile(const std::string& expression);

  /// True if it is found anywhere in `text`; `^` and `$` tie it to the ends.
  [[nodiscard]] bool is_in(std::string_view text) const;

 private:
  struct Compiled;
  explicit Pattern(std::shared_ptr<const Compiled> compiled) : compiled_{std::move(compiled)} {}
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace baton
