#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "plan/expression.h"

namespace baton::expression {

struct Token {
  enum class Kind : std::uint8_t { end, number, text, word, sign };
  Kind kind = Kind::end;
  std::string text = {};  ///< of a text: what it holds; else as it is written
  std::size_t at = 0;
  std::size_t size = 0;  ///< bytes it takes in the source

  [[nodiscard]] bool is_sign(std::string_view sign) const { return kind == Kind::sign && text == sign; }
};

/// The token that begins at or after `from`.
std::expected<Token, ExpressionFault> next_token(std::string_view source, std::size_t from);

}  // namespace baton::expression
