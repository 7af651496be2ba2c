#include "plan/expression_evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <map>
#include <optional>
#include <utility>

#include "base/boost_json.h"
#include "base/number.h"
#include "base/text.h"
#include "base/utf8.h"
#include "plan/expression_tree.h"
#include "text/json_value.h"

namespace baton::expression {
namespace {

namespace json = boost::json;

constexpr std::size_t filled_bytes_max = 1U << 20U;        // of all values put into one text
constexpr std::size_t work_max = std::size_t{256} << 20U;  // bytes and items looked at for one step

/// A value, or that there is none.
using Found = std::optional<json::value>;

std::string as_text(const json::value& value) {
  const auto* text = if_text(value);
  return text != nullptr ? std::string{text->data(), text->size()} : written_json(value);
}

Found read_value(std::string_view text) {
  auto value = parse_json(text);
  return value ? Found{std::move(*value)} : std::nullopt;
}

bool is_truthy(const Found& value) {
  if (!value || value->is_null()) return false;
  if (value->is_bool()) return value->get_bool();
  if (is_number(*value)) return !exact(*value).digits.empty();
  if (value->is_string()) return !value->get_string().empty();
  if (value->is_array()) return !value->get_array().empty();
  return !value->get_object().empty();
}

const char* name_of(const Found& value) {
  if (!value) return "nothing";
  if (is_number(*value)) return "a number";
  switch (value->kind()) {
    case json::kind::null:
      return "null";
    case json::kind::bool_:
      return "a truth value";
    case json::kind::int64:
    case json::kind::uint64:
    case json::kind::double_:
      break;
    case json::kind::string:
      return "a text";
    case json::kind::array:
      return "a list";
    case json::kind::object:
      return "an object";
  }
  return "";
}

/// What a dotted path reaches from `value`; null if nothing.
const json::value* walk(const json::value* value, std::string_view path) {
  for (const std::string_view part : split(path, '.')) {
    if (const auto* object = value->if_object()) {
      value = object->if_contains({part.data(), part.size()});
    } else if (const auto* list = value->if_array()) {
      const auto index = parse_whole<std::size_t>(part);
      value = index ? list->if_contains(*index) : nullptr;
    } else {
      return nullptr;
    }
    if (value == nullptr) return nullptr;
  }
  return value;
}

}  // namespace

/// The first fault is kept, and from then on everything is nothing: whoever asked looks at it once, at the end.
class Evaluator::State {
 public:
  State(const Values& values, Surroundings around) : values_{values}, around_{std::move(around)} {}

  void set_self(const std::string& step) {
    if (around_.self == step) return;
    around_.self = step;
    contents_.erase("output");
  }

  /// What was wrong since this was asked last.
  std::optional<Fault> take_fault() { return std::exchange(fault_, std::nullopt); }

  bool is_true(std::string_view condition) {
    const auto tree = tree_of(condition);
    return tree && is_truthy(value_of(*tree));
  }

  std::vector<std::string> items_of(std::string_view source) {
    const std::string_view text = trim(source);
    const bool is_literal = text.starts_with('[');
    const auto tree = is_literal ? std::nullopt : tree_of(text);
    const Found list = is_literal ? read_value(text) : (tree ? value_of(*tree) : std::nullopt);
    const std::string shown = shorten(text, 80);
    if (!list && is_literal) {
      stop("not-a-list", fmt::format("'{}' is no JSON list", shown));
    } else if (!list) {
      stop("unknown-value", fmt::format("'{}' has no value", shown));
    } else if (!list->is_array()) {
      stop("not-a-list", fmt::format("'{}' is {}, not a list", shown, name_of(list)));
    }
    std::vector<std::string> items;
    if (fault_) return items;
    for (const json::value& item : list->get_array()) items.push_back(written_json(item));
    return items;
  }

  std::string fill_in(std::string_view text) {
    std::string out;
    std::size_t filled = 0;
    while (!fault_) {
      const std::size_t open = text.find("${{");
      out += text.substr(0, open);
      if (open == std::string_view::npos) break;
      const std::size_t close = text.find("}}", open + 3);
      if (close == std::string_view::npos) {
        stop("bad-expression", fmt::format("'{}' is never closed", shorten(text.substr(open), 60)));
        break;
      }
      const std::string value = text_of(trim(text.substr(open + 3, close - open - 3)));
      filled += value.size();
      if (filled > filled_bytes_max) {
        stop("value-too-large", fmt::format("the values of a text take more than {} MiB", filled_bytes_max >> 20U),
             "hand a large value on as a file: its path is enough");
      }
      out += value;
      text.remove_prefix(close + 2);
    }
    return out;
  }

 private:
  void stop(std::string code, std::string message, std::string help = {}) {
    if (!fault_) fault_ = Fault{std::move(code), std::move(message), std::move(help)};
  }

  std::optional<Tree> tree_of(std::string_view source) {
    auto tree = parse(source);
    if (tree) return std::move(*tree);
    stop("bad-expression",
         fmt::format("'{}': {} (at {})", shorten(source, 80), tree.error().message, tree.error().at + 1));
    return std::nullopt;
  }

  void spend(std::size_t work) {
    work_ += work;
    if (work_ > work_max) stop("value-too-large", "working the expressions out takes too long");
  }

  /// What an expression of a text stands for.
  std::string text_of(std::string_view source) {
    const auto tree = tree_of(source);
    if (!tree) return {};
    const Node& top = tree->top();
    if (top.kind == Node::Kind::reference && top.reference.is_path()) return path_of(top.reference);
    const Found value = value_of(*tree);
    if (!value) {
      stop("unknown-value", fmt::format("'{}' has no value", shorten(source, 80)),
           "look whether the step before wrote it; a 'when' with exists(…) can guard against it");
      return {};
    }
    return as_text(*value);
  }

  /// An input that was not given has none, and that is no fault.
  std::string path_of(const Reference& reference) {
    if (reference.kind == Reference::Kind::input) return values_.path_of_input(reference.name);
    std::string path = values_.path_of(reference.name);
    if (path.empty()) stop("unknown-value", fmt::format("'{}' has no path", to_source(reference)));
    return path;
  }

  Found value_of(const Tree& tree) { return value_of(tree, tree.top()); }

  // As deep as the tree at most, and that is limited.
  Found value_of(const Tree& tree, const Node& node) {
    using Kind = Node::Kind;
    const auto child = [&](std::size_t i) { return value_of(tree, tree.nodes[node.children[i]]); };
    spend(1);
    if (fault_) return std::nullopt;
    switch (node.kind) {
      case Kind::null:
        return json::value(nullptr);  // braces would make a list of it
      case Kind::truth:
        return json::value(node.truth);
      case Kind::number:
        return read_value(node.text);
      case Kind::text:
        return json::value(json::string{node.text.data(), node.text.size()});
      case Kind::reference:
        return referred(node.reference);
      case Kind::negation:
        return json::value(!is_truthy(child(0)));
      case Kind::both:
      case Kind::either:
        return chain(tree, node);
      case Kind::equal:
      case Kind::unequal:
        return json::value(are_equal(child(0), child(1)) == (node.kind == Kind::equal));
      case Kind::less:
      case Kind::less_or_equal:
      case Kind::greater:
      case Kind::greater_or_equal:
        return json::value(is_ordered(node.kind, child(0), child(1)));
      case Kind::length:
        return json::value(length_of(child(0)));
      case Kind::contains:
        return json::value(contains(child(0), child(1)));
      case Kind::exists: {
        const Found value = child(0);
        return json::value(value && !value->is_null());
      }
    }
    return std::nullopt;
  }

  /// Looks no further than it has to, so `exists(x) && x.y > 1` is safe.
  Found chain(const Tree& tree, const Node& node) {
    const bool ends_at = node.kind == Node::Kind::either;
    for (const std::size_t child : node.children) {
      if (is_truthy(value_of(tree, tree.nodes[child])) == ends_at) return json::value(ends_at);
    }
    return json::value(!ends_at);
  }

  /// What is missing is like null.
  bool are_equal(const Found& a, const Found& b) {
    const json::value null;
    const json::value& left = a ? *a : null;
    const json::value& right = b ? *b : null;
    if (left.is_structured() && right.is_structured()) spend(written_json(left).size());
    return same(left, right);
  }

  bool is_ordered(Node::Kind kind, const Found& a, const Found& b) {
    auto order = std::strong_ordering::equal;
    if (a && b && is_number(*a) && is_number(*b)) {
      order = compare_numbers(*a, *b);
    } else if (a && b && if_text(*a) != nullptr && if_text(*b) != nullptr) {
      order = a->get_string().compare(b->get_string()) <=> 0;
    } else {
      stop("bad-expression", fmt::format("{} and {} cannot be put in order", name_of(a), name_of(b)),
           "compare numbers with numbers and texts with texts; exists(…) tells whether there is a value");
      return false;
    }
    if (kind == Node::Kind::less) return order < 0;
    if (kind == Node::Kind::less_or_equal) return order <= 0;
    return kind == Node::Kind::greater ? order > 0 : order >= 0;
  }

  std::size_t length_of(const Found& value) {
    if (!value || value->is_null()) return 0;
    if (value->is_array()) return value->get_array().size();
    if (value->is_object()) return value->get_object().size();
    const auto* text = if_text(*value);
    if (text == nullptr) {
      stop("bad-expression", fmt::format("{} has no length", name_of(value)), "length is for texts, lists and objects");
      return 0;
    }
    spend(text->size());
    return static_cast<std::size_t>(count_characters(*text));
  }

  bool contains(const Found& whole, const Found& part) {
    if (!whole || whole->is_null()) return false;
    const json::value wanted = part.value_or(json::value{});
    if (const auto* list = whole->if_array()) {
      spend(list->size());
      if (wanted.is_structured()) spend(written_json(*whole).size());
      return std::ranges::any_of(*list, [&](const json::value& item) { return same(item, wanted); });
    }
    const auto* text = if_text(wanted);
    const bool may_hold = if_text(*whole) != nullptr || whole->is_object();
    if (!may_hold || text == nullptr) {
      stop("bad-expression", fmt::format("{} cannot contain {}", name_of(whole), name_of(part)),
           "contains looks for a text in a text, a key in an object, or a value in a list");
      return false;
    }
    const std::string_view word{text->data(), text->size()};
    if (const auto* object = whole->if_object()) return object->contains({word.data(), word.size()});
    const auto& hay = whole->get_string();
    spend(hay.size());
    return std::string_view{hay.data(), hay.size()}.find(word) != std::string_view::npos;
  }

  // What is referred to -----------------------------------------------------------------------------------------------

  Found referred(const Reference& reference) {
    using Kind = Reference::Kind;
    switch (reference.kind) {
      case Kind::sandbox:
        return json::value(json::string{around_.sandbox.data(), around_.sandbox.size()});
      case Kind::index:
        return around_.index > 0 ? Found{json::value(around_.index)} : std::nullopt;
      case Kind::step_state: {
        const std::string state = values_.state_of(reference.name);
        return state.empty() ? std::nullopt : Found{json::value(json::string{state.data(), state.size()})};
      }
      case Kind::input:
        return field_of("inputs." + reference.name, reference, [&] { return values_.input(reference.name); });
      case Kind::step_output:
        return field_of("steps." + reference.name, reference, [&] { return values_.output_of(reference.name); });
      case Kind::own_output:
        return field_of("output", reference,
                        [&] { return around_.self.empty() ? std::nullopt : values_.output_of(around_.self); });
      case Kind::item:
        return field_of("item", reference,
                        [&] { return around_.item.empty() ? std::nullopt : std::optional{around_.item}; });
    }
    return std::nullopt;
  }

  template <class Look>
  Found field_of(const std::string& whose, const Reference& reference, Look look) {
    const auto [known, is_new] = contents_.try_emplace(whose);
    if (is_new) {
      if (const std::optional<std::string> text = look()) {
        spend(text->size());
        known->second = read_value(*text);
        const std::string_view plain = trim(*text);
        if (!known->second) known->second = json::value(json::string{plain.data(), plain.size()});
      }
    }
    if (!known->second) return std::nullopt;
    if (reference.field.empty()) return known->second;
    const json::value* field = walk(&*known->second, reference.field);
    return field == nullptr ? std::nullopt : Found{*field};
  }

  const Values& values_;
  Surroundings around_;
  std::map<std::string, Found> contents_;
  std::size_t work_ = 0;
  std::optional<Fault> fault_;
};

Evaluator::Evaluator(const Values& values, Surroundings around)
    : state_{std::make_unique<State>(values, std::move(around))} {}
Evaluator::~Evaluator() = default;

void Evaluator::set_self(const std::string& step) { state_->set_self(step); }

Expected<bool> Evaluator::is_true(std::string_view condition) {
  const bool truth = state_->is_true(condition);
  if (auto fault = state_->take_fault()) return std::unexpected(std::move(*fault));
  return truth;
}

Expected<std::vector<std::string>> Evaluator::items_of(std::string_view source) {
  auto items = state_->items_of(source);
  if (auto fault = state_->take_fault()) return std::unexpected(std::move(*fault));
  return items;
}

Expected<std::string> Evaluator::fill_in(std::string_view text) {
  std::string filled = state_->fill_in(text);
  if (auto fault = state_->take_fault()) return std::unexpected(std::move(*fault));
  return filled;
}

bool is_json(std::string_view text) { return parse_json(text).has_value(); }

}  // namespace baton::expression
