#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fault.h"

namespace baton {

class YamlTree;

/// One value of a YAML document. A handle, as cheap as a pointer; it lives as long as its tree.
class YamlNode {
 public:
  enum class Kind : std::uint8_t { scalar, sequence, mapping };

  [[nodiscard]] Kind kind() const;
  [[nodiscard]] bool is_scalar() const { return kind() == Kind::scalar; }
  [[nodiscard]] bool is_sequence() const { return kind() == Kind::sequence; }
  [[nodiscard]] bool is_mapping() const { return kind() == Kind::mapping; }

  /// A plain scalar that says "nothing": empty, `~` or `null`.
  [[nodiscard]] bool is_null() const;

  /// False for plain scalars, whose text may stand for a number or a truth value.
  [[nodiscard]] bool is_quoted() const;
  [[nodiscard]] std::string_view text() const;  ///< of a scalar; empty otherwise

  [[nodiscard]] int line() const;    ///< in the whole file, from 1
  [[nodiscard]] int column() const;  ///< in characters, from 1

  /// How many characters after column() the text begins, if it stands on that line just as text() gives it: not in a
  /// block, not folded, without escapes.
  [[nodiscard]] std::optional<int> lead() const;

  /// Items of a sequence, entries of a mapping; 0 for scalars.
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] YamlNode item(std::size_t i) const;   ///< of a sequence
  [[nodiscard]] YamlNode key(std::size_t i) const;    ///< of a mapping: always a scalar
  [[nodiscard]] YamlNode value(std::size_t i) const;  ///< of a mapping

  /// The value of `key` in a mapping, if it is there.
  [[nodiscard]] std::optional<YamlNode> find(std::string_view key) const;

 private:
  friend class YamlTree;
  YamlNode(const YamlTree* tree, std::uint32_t index) : tree_{tree}, index_{index} {}

  const YamlTree* tree_;
  std::uint32_t index_;
};

/// A YAML document as a tree with places. All nodes lie in three arrays: two million of them (the most there may be)
/// take some 60 MB. An alias is the anchored node itself, shared.
class YamlTree {
 public:
  /// The one value of the document; nothing if the document is empty.
  [[nodiscard]] std::optional<YamlNode> root() const {
    if (nodes_.empty()) return std::nullopt;
    return YamlNode{this, root_};
  }

 private:
  friend class YamlNode;
  friend class YamlBuilder;

  struct Node {
    YamlNode::Kind kind;
    bool quoted;
    std::int8_t lead;  // -1: the text does not stand there as it is
    std::int32_t line;
    std::int32_t column;
    std::uint32_t begin;  // of its text in texts_, or of its children in children_
    std::uint32_t size;   // bytes, or children: a mapping has two for every entry
  };

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> children_;
  std::string texts_;
  std::uint32_t root_ = 0;
};

/// What came out of reading. Without a tree the faults say why; with one they are what is wrong in it (a key that is
/// there twice: the first one counts).
struct YamlRead {
  std::optional<YamlTree> tree;
  Faults faults;
};

/// A text that stands for nothing where it is not in quotes: empty, `~` or `null`.
bool is_null_word(std::string_view text);

/// Reads one document. Understands `${{ … }}` anywhere, also bare in flow lists, where strict YAML does not. YAML's own
/// tags for texts, numbers, truth values and null hold; others are refused. Everything that could make a small file
/// large or deep is refused (base/limits.h). `lines_before`: how many lines of `file` stand before `text`.
YamlRead read_yaml(std::string_view text, const std::string& file, int lines_before = 0);

/// The first byte that cannot be in a text file (NUL, not UTF-8), with its place.
std::optional<Fault> find_bad_bytes(std::string_view text, const std::string& file);

}  // namespace baton
