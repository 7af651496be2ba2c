#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plan/expression.h"

/// How an expression is built. Of use to the files of the language only.
namespace baton::expression {

constexpr std::size_t source_bytes_max = 64U << 10U;
constexpr std::size_t nodes_max = 10'000;
constexpr std::size_t depth_max = 64;

struct Node {
  enum class Kind : std::uint8_t {
    null,
    truth,
    number,
    text,
    reference,
    negation,
    both,    // of all its children
    either,  // of its children
    equal,
    unequal,
    less,
    less_or_equal,
    greater,
    greater_or_equal,
    length,
    contains,
    exists,
  };
  Kind kind = Kind::null;
  std::size_t at = 0;        ///< in the source
  bool truth = false;        ///< of a truth value
  std::string text = {};     ///< of a text; of a number: as it is written
  Reference reference = {};  ///< of a reference
  std::vector<std::size_t> children = {};
};

/// The nodes of one expression; no path through them is longer than depth_max allows, so walking may call itself.
struct Tree {
  std::vector<Node> nodes;
  std::size_t root = 0;

  [[nodiscard]] const Node& top() const { return nodes[root]; }
};

std::expected<Tree, ExpressionFault> parse(std::string_view source);

}  // namespace baton::expression
