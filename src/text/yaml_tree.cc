#include "text/yaml_tree.h"

namespace baton {

YamlNode::Kind YamlNode::kind() const { return tree_->nodes_[index_].kind; }

bool is_null_word(std::string_view text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

bool YamlNode::is_null() const { return is_scalar() && !is_quoted() && is_null_word(text()); }

bool YamlNode::is_quoted() const { return tree_->nodes_[index_].quoted; }

std::string_view YamlNode::text() const {
  const YamlTree::Node& node = tree_->nodes_[index_];
  if (node.kind != Kind::scalar) return {};
  return std::string_view{tree_->texts_}.substr(node.begin, node.size);
}

int YamlNode::line() const { return tree_->nodes_[index_].line; }
int YamlNode::column() const { return tree_->nodes_[index_].column; }

std::optional<int> YamlNode::lead() const {
  const auto lead = tree_->nodes_[index_].lead;
  return lead < 0 ? std::nullopt : std::optional<int>{static_cast<unsigned char>(lead)};
}

std::size_t YamlNode::size() const {
  const YamlTree::Node& node = tree_->nodes_[index_];
  switch (node.kind) {
    case Kind::scalar:
      return 0;
    case Kind::sequence:
      return node.size;
    case Kind::mapping:
      return node.size / 2;
  }
  return 0;
}

YamlNode YamlNode::item(std::size_t i) const { return {tree_, tree_->children_[tree_->nodes_[index_].begin + i]}; }
YamlNode YamlNode::key(std::size_t i) const { return item(2 * i); }
YamlNode YamlNode::value(std::size_t i) const { return item(2 * i + 1); }

std::optional<YamlNode> YamlNode::find(std::string_view name) const {
  if (!is_mapping()) return std::nullopt;
  for (std::size_t i = 0; i < size(); ++i) {
    if (key(i).text() == name) return value(i);
  }
  return std::nullopt;
}

}  // namespace baton
