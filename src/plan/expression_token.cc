#include "plan/expression_token.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace baton::expression {
namespace {

using ReadToken = std::expected<Token, ExpressionFault>;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool begins_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

// An id may have these signs in it, and there is no arithmetic they could be mistaken for.
bool continues_word(char c) { return begins_word(c) || is_digit(c) || c == '.' || c == '-' || c == ':'; }

std::unexpected<ExpressionFault> refuse(std::string message, std::size_t at) {
  return std::unexpected(ExpressionFault{std::move(message), at});
}

ReadToken read_word(std::string_view source, std::size_t at) {
  std::size_t end = at;
  while (end < source.size() && continues_word(source[end])) ++end;
  return Token{Token::Kind::word, std::string{source.substr(at, end - at)}, at, end - at};
}

std::size_t skip_digits(std::string_view source, std::size_t at) {
  while (at < source.size() && is_digit(source[at])) ++at;
  return at;
}

/// As JSON writes numbers.
ReadToken read_number(std::string_view source, std::size_t at) {
  const std::size_t first = at + (source[at] == '-' ? 1 : 0);
  std::size_t end = skip_digits(source, first);
  if (end == first) return refuse("a number is expected after '-'", at);
  if (end - first > 1 && source[first] == '0') return refuse("a number cannot begin with 0", at);
  if (end + 1 < source.size() && source[end] == '.' && is_digit(source[end + 1])) end = skip_digits(source, end + 1);
  if (end < source.size() && (source[end] == 'e' || source[end] == 'E')) {
    const std::size_t sign = end + 1 < source.size() && (source[end + 1] == '+' || source[end + 1] == '-') ? 1 : 0;
    const std::size_t last = skip_digits(source, end + 1 + sign);
    if (last > end + 1 + sign) end = last;
  }
  if (end < source.size() && continues_word(source[end])) {
    return refuse(
        fmt::format("'{}' is no number", shorten(read_word(source, at + (source[at] == '-' ? 1 : 0))->text, 40)), at);
  }
  return Token{Token::Kind::number, std::string{source.substr(at, end - at)}, at, end - at};
}

ReadToken read_text(std::string_view source, std::size_t at) {
  const char quote = source[at];
  std::string text;
  for (std::size_t i = at + 1; i < source.size(); ++i) {
    if (source[i] == quote) return Token{Token::Kind::text, std::move(text), at, i + 1 - at};
    if (source[i] != '\\') {
      text += source[i];
      continue;
    }
    if (++i == source.size()) break;
    constexpr std::string_view plain = "\\'\"}{$";
    if (source[i] == 'n') {
      text += '\n';
    } else if (source[i] == 't') {
      text += '\t';
    } else if (plain.find(source[i]) != std::string_view::npos) {
      text += source[i];
    } else {
      return refuse("only \\n, \\t, \\\\, \\', \\\", \\{, \\} and \\$ can follow a backslash", i - 1);
    }
  }
  return refuse("the text that begins here is never closed", at);
}

ReadToken read_sign(std::string_view source, std::size_t at) {
  constexpr std::array<std::string_view, 11> signs{"==", "!=", "<=", ">=", "&&", "||", "<", ">", "!", "(", ")"};
  const std::string_view rest = source.substr(at);
  for (const std::string_view sign : signs) {
    if (rest.starts_with(sign)) return Token{Token::Kind::sign, std::string{sign}, at, sign.size()};
  }
  if (rest.starts_with(',')) return Token{Token::Kind::sign, ",", at, 1};
  if (rest.starts_with('=')) return refuse("write '==' to compare", at);
  if (rest.starts_with('&') || rest.starts_with('|')) return refuse("write '&&' or '||'", at);
  if (rest.starts_with("${{")) return refuse("an expression cannot stand inside another one", at);
  return refuse(fmt::format("'{}' is not expected here", printable(rest.substr(0, 1))), at);
}

}  // namespace

ReadToken next_token(std::string_view source, std::size_t from) {
  const std::size_t at = std::min(source.find_first_not_of(" \t\r\n", from), source.size());
  if (at == source.size()) return Token{Token::Kind::end, "", at, 0};
  const char c = source[at];
  if (begins_word(c)) return read_word(source, at);
  if (is_digit(c) || c == '-') return read_number(source, at);
  if (c == '\'' || c == '"') return read_text(source, at);
  return read_sign(source, at);
}

}  // namespace baton::expression
