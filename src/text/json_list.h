#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace baton {

/// The items of a JSON list as texts, one after the other: a million of them need not be in memory as values at once.
/// What separates them is checked, what they are is left to whoever parses them. Throws std::invalid_argument if it is
/// no list.
class JsonList {
 public:
  explicit JsonList(std::string_view text);
  std::optional<std::string_view> next();

  /// How many items there are in all, judging by those met so far.
  [[nodiscard]] std::size_t expected() const { return met_ == 0 ? 0 : text_.size() / (at_ / met_) + 1; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t met_ = 0;
};

/// An object with one of its members, a list, taken out: `rest` has an empty list in its place.
struct WithoutList {
  std::string rest;
  std::string_view list;  ///< points into the text
};
/// Throws std::invalid_argument if `object` is none, or has no such member.
WithoutList take_out_list(std::string_view object, std::string_view key);

}  // namespace baton
