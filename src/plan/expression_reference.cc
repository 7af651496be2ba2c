#include "plan/expression_reference.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"

namespace baton::expression {
namespace {

using Kind = Reference::Kind;
using ReadReference = std::expected<Reference, ExpressionFault>;

/// Cuts at the first dot; what is after it goes to `rest`.
std::string_view take_part(std::string_view& rest) {
  const std::size_t dot = rest.find('.');
  const std::string_view part = rest.substr(0, dot);
  rest.remove_prefix(dot == std::string_view::npos ? rest.size() : dot + 1);
  return part;
}

std::unexpected<ExpressionFault> unknown(std::string_view word, std::size_t at) {
  return std::unexpected(ExpressionFault{
      fmt::format(
          "'{}' is not known: there are sandbox, inputs.NAME, steps.ID.output, steps.ID.state, output, item and "
          "index",
          shorten(printable(word), 60)),
      at});
}

/// `ID.output`, `ID.output.FIELD` or `ID.state`, where the id may have dots itself.
ReadReference read_step(std::string_view word, std::string_view rest, std::size_t at) {
  const std::size_t begin = static_cast<std::size_t>(rest.data() - word.data());
  std::string_view after = rest;
  take_part(after);
  while (!after.empty()) {
    const std::size_t dot = static_cast<std::size_t>(after.data() - word.data()) - 1;
    const std::string_view part = take_part(after);
    if (part != "output" && part != "state") continue;
    if (part == "state" && !after.empty()) return unknown(word, at);
    return Reference{part == "state" ? Kind::step_state : Kind::step_output,
                     std::string{word.substr(begin, dot - begin)}, std::string{after}, at, word.size()};
  }
  return std::unexpected(ExpressionFault{
      fmt::format("'{}' does not say what of the step is meant: write steps.ID.output or steps.ID.state",
                  shorten(printable(word), 60)),
      at});
}

}  // namespace

ReadReference read_reference(std::string_view word, std::size_t at) {
  const auto parts = split(word, '.');
  if (std::ranges::any_of(parts, [](std::string_view part) { return part.empty(); })) return unknown(word, at);
  std::string_view rest = word;
  const std::string_view first = take_part(rest);
  const auto made = [&](Kind kind, std::string_view name, std::string_view field) {
    return Reference{kind, std::string{name}, std::string{field}, at, word.size()};
  };
  if (first == "item") return made(Kind::item, "", rest);
  if (first == "output") return made(Kind::own_output, "", rest);
  if (word == "sandbox") return made(Kind::sandbox, "", "");
  if (word == "index") return made(Kind::index, "", "");
  if (first == "inputs" && !rest.empty()) {
    const std::string_view name = take_part(rest);
    return made(Kind::input, name, rest);
  }
  if (first == "steps" && !rest.empty()) return read_step(word, rest, at);
  return unknown(word, at);
}

}  // namespace baton::expression
