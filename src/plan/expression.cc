#include "plan/expression.h"

#include "base/text.h"
#include "plan/expression_evaluate.h"
#include "plan/expression_tree.h"

namespace baton {

using expression::Evaluator;
using expression::Node;

std::expected<std::vector<Reference>, ExpressionFault> references_of(std::string_view source) {
  auto tree = expression::parse(source);
  if (!tree) return std::unexpected(std::move(tree.error()));
  std::vector<Reference> references;
  // Nodes are numbered as they are read: a reference that stands first comes first.
  for (Node& node : tree->nodes) {
    if (node.kind == Node::Kind::reference) references.push_back(std::move(node.reference));
  }
  return references;
}

std::vector<ComparedState> compared_states(std::string_view source) {
  std::vector<ComparedState> compared;
  const auto tree = expression::parse(source);
  if (!tree) return compared;
  for (const Node& node : tree->nodes) {
    if (node.kind != Node::Kind::equal && node.kind != Node::Kind::unequal) continue;
    const auto take = [&](const Node& asked, const Node& with) {
      const bool is_state = asked.kind == Node::Kind::reference && asked.reference.kind == Reference::Kind::step_state;
      if (is_state && with.kind == Node::Kind::text) compared.push_back({asked.reference.name, with.text, with.at});
    };
    const Node& left = tree->nodes[node.children[0]];
    const Node& right = tree->nodes[node.children[1]];
    take(left, right);
    take(right, left);
  }
  return compared;
}

std::optional<Reference> lone_reference(std::string_view source) {
  auto tree = expression::parse(source);
  if (!tree || tree->top().kind != Node::Kind::reference) return std::nullopt;
  return tree->top().reference;
}

std::string to_source(const Reference& reference) {
  const std::string field = reference.field.empty() ? "" : "." + reference.field;
  switch (reference.kind) {
    case Reference::Kind::sandbox:
      return "sandbox";
    case Reference::Kind::input:
      return "inputs." + reference.name + field;
    case Reference::Kind::step_output:
      return "steps." + reference.name + ".output" + field;
    case Reference::Kind::step_state:
      return "steps." + reference.name + ".state";
    case Reference::Kind::own_output:
      return "output" + field;
    case Reference::Kind::item:
      return "item" + field;
    case Reference::Kind::index:
      return "index";
  }
  return {};
}

std::string quote_text(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '\\' || c == '\'' || c == '}') out += '\\';  // '}}' would end the expression
    out += c;
  }
  return out + "'";
}

std::string rewrite_expression(std::string_view source, const Rewrite& rewrite) {
  const auto references = references_of(source);
  if (!references) return std::string{source};
  std::string out;
  std::size_t done = 0;
  for (const Reference& reference : *references) {
    const auto written = rewrite(reference);
    if (!written) continue;
    out += source.substr(done, reference.at - done);
    out += *written;
    done = reference.at + reference.size;
  }
  return out.append(source.substr(done));
}

std::string rewrite_text(std::string_view text, const Rewrite& rewrite) {
  std::string out;
  std::size_t done = 0;
  for (std::size_t open = text.find("${{"); open != std::string_view::npos; open = text.find("${{", done)) {
    const std::size_t close = text.find("}}", open + 3);
    if (close == std::string_view::npos) break;
    out += text.substr(done, open + 3 - done);
    out += rewrite_expression(text.substr(open + 3, close - open - 3), rewrite);
    out += "}}";
    done = close + 2;
  }
  return out.append(text.substr(done));
}

std::string escape_text(std::string_view text) {
  std::string out;
  std::size_t done = 0;
  for (std::size_t at = text.find("${{"); at != std::string_view::npos; at = text.find("${{", done)) {
    out += text.substr(done, at - done);
    out += "${{ '${{' }}";
    done = at + 3;
  }
  return out.append(text.substr(done));
}

Expected<bool> is_true(std::string_view condition, const Values& values, const Surroundings& around) {
  return Evaluator{values, around}.is_true(condition);
}

Expected<std::vector<std::string>> items_of(std::string_view source, const Values& values, const Surroundings& around) {
  return Evaluator{values, around}.items_of(source);
}

Expected<std::string> fill_in(std::string_view text, const Values& values, const Surroundings& around) {
  return Evaluator{values, around}.fill_in(text);
}

}  // namespace baton
