#include <fmt/core.h>

#include <array>
#include <utility>

#include "base/text.h"
#include "plan/expression_reference.h"
#include "plan/expression_token.h"
#include "plan/expression_tree.h"

namespace baton::expression {
namespace {

/// One function for each level of the grammar, from the loosest to the tightest:
///   either := both { "||" both }        both := comparison { "&&" comparison }
///   comparison := unary [ ("==" | "<" | …) unary ]
///   unary := "!" unary | "(" either ")" | literal | reference | function "(" either { "," either } ")"
/// A fault is kept and everything ends quickly: callers look at it once, at the end.
class Parser {
 public:
  explicit Parser(std::string_view source) : source_{source} {}

  std::expected<Tree, ExpressionFault> parse() {
    advance(0);
    const std::size_t root = read_either();
    if (!fault_ && token_.kind != Token::Kind::end) {
      refuse(fmt::format("'{}' is not expected here", shorten(token_.text, 40)));
    }
    if (fault_) return std::unexpected(std::move(*fault_));
    tree_.root = root;
    return std::move(tree_);
  }

 private:
  using Kind = Node::Kind;

  void refuse(std::string message) { refuse(std::move(message), token_.at); }
  void refuse(std::string message, std::size_t at) {
    if (!fault_) fault_ = ExpressionFault{std::move(message), at};
    token_ = {};
  }

  void advance() { advance(token_.at + token_.size); }
  void advance(std::size_t from) {
    if (fault_) return;
    auto token = next_token(source_, from);
    if (token) {
      token_ = std::move(*token);
    } else {
      refuse(std::move(token.error().message), token.error().at);
    }
  }

  std::size_t add(Node node) {
    if (tree_.nodes.size() >= nodes_max) refuse("the expression has too many parts", node.at);
    if (fault_) return 0;
    tree_.nodes.push_back(std::move(node));
    return tree_.nodes.size() - 1;
  }

  std::size_t read_either() { return read_chain("||", Kind::either, &Parser::read_both); }
  std::size_t read_both() { return read_chain("&&", Kind::both, &Parser::read_comparison); }

  /// However long the chain is, it is one node: walking it needs no depth.
  std::size_t read_chain(std::string_view sign, Kind kind, std::size_t (Parser::*read_part)()) {
    Node chain{.kind = kind, .at = token_.at};
    chain.children.push_back((this->*read_part)());
    while (!fault_ && token_.is_sign(sign)) {
      advance();
      chain.children.push_back((this->*read_part)());
    }
    return chain.children.size() == 1 ? chain.children.front() : add(std::move(chain));
  }

  std::size_t read_comparison() {
    const std::size_t left = read_unary();
    const auto kind = comparison();
    if (fault_ || !kind) return left;
    const std::size_t at = token_.at;
    advance();
    const std::size_t right = read_unary();
    if (!fault_ && comparison()) refuse("comparisons cannot be chained: join them with '&&'");
    return add({.kind = *kind, .at = at, .children = {left, right}});
  }

  [[nodiscard]] std::optional<Kind> comparison() const {
    constexpr std::array<std::pair<std::string_view, Kind>, 6> signs{{{"==", Kind::equal},
                                                                      {"!=", Kind::unequal},
                                                                      {"<", Kind::less},
                                                                      {"<=", Kind::less_or_equal},
                                                                      {">", Kind::greater},
                                                                      {">=", Kind::greater_or_equal}}};
    for (const auto& [sign, kind] : signs) {
      if (token_.is_sign(sign)) return kind;
    }
    return std::nullopt;
  }

  std::size_t read_unary() {
    if (++depth_ > depth_max) refuse(fmt::format("the expression is nested more than {} deep", depth_max));
    const std::size_t node = fault_ ? 0 : read_primary();
    --depth_;
    return node;
  }

  std::size_t read_primary() {
    const Token token = token_;
    switch (token.kind) {
      case Token::Kind::end:
        refuse(source_.empty() || trim(source_).empty() ? "the expression is empty" : "the expression ends too early");
        return 0;
      case Token::Kind::number:
        advance();
        return add({.kind = Kind::number, .at = token.at, .text = token.text});
      case Token::Kind::text:
        advance();
        return add({.kind = Kind::text, .at = token.at, .text = token.text});
      case Token::Kind::word:
        advance();
        return read_word(token);
      case Token::Kind::sign:
        return read_signed(token);
    }
    return 0;
  }

  std::size_t read_signed(const Token& token) {
    if (token.is_sign("!")) {
      advance();
      const std::size_t child = read_unary();
      return add({.kind = Kind::negation, .at = token.at, .children = {child}});
    }
    if (!token.is_sign("(")) {
      refuse(fmt::format("a value is expected before '{}'", token.text));
      return 0;
    }
    advance();
    const std::size_t inside = read_either();
    close(token.at);
    return inside;
  }

  void close(std::size_t opened_at) {
    if (fault_) return;
    if (token_.is_sign(")")) return advance();
    refuse("the parenthesis that opens here is never closed", opened_at);
  }

  std::size_t read_word(const Token& word) {
    if (token_.is_sign("(")) return read_call(word);
    if (word.text == "null") return add({.kind = Kind::null, .at = word.at});
    if (word.text == "true" || word.text == "false") {
      return add({.kind = Kind::truth, .at = word.at, .truth = word.text == "true"});
    }
    auto reference = read_reference(word.text, word.at);
    if (!reference) {
      refuse(std::move(reference.error().message), word.at);
      return 0;
    }
    return add({.kind = Kind::reference, .at = word.at, .reference = std::move(*reference)});
  }

  std::size_t read_call(const Token& name) {
    struct Function {
      std::string_view name;
      Kind kind;
      std::size_t arguments;
    };
    constexpr std::array<Function, 3> functions{
        {{"length", Kind::length, 1}, {"contains", Kind::contains, 2}, {"exists", Kind::exists, 1}}};
    for (const Function& function : functions) {
      if (function.name != name.text) continue;
      Node call{.kind = function.kind, .at = name.at};
      const std::size_t opened_at = token_.at;
      do {
        advance();
        call.children.push_back(read_either());
      } while (!fault_ && token_.is_sign(","));
      close(opened_at);
      if (!fault_ && call.children.size() != function.arguments) {
        refuse(
            fmt::format("{} takes {} value{}", function.name, function.arguments, function.arguments == 1 ? "" : "s"),
            name.at);
      }
      return add(std::move(call));
    }
    refuse(fmt::format("there is no function '{}': there are length, contains and exists", shorten(name.text, 40)),
           name.at);
    return 0;
  }

  std::string_view source_;
  Token token_;
  Tree tree_;
  std::optional<ExpressionFault> fault_;
  std::size_t depth_ = 0;
};

}  // namespace

std::expected<Tree, ExpressionFault> parse(std::string_view source) {
  if (source.size() > source_bytes_max) {
    return std::unexpected(
        ExpressionFault{fmt::format("an expression has at most {} KiB", source_bytes_max >> 10U), 0});
  }
  return Parser{source}.parse();
}

}  // namespace baton::expression
