#pragma once

#include <span>
#include <string_view>

namespace baton {

/// A key of agtop's file. Those that are keys of ours with the same meaning have no row.
struct AgtopKey {
  enum class Matters { always, if_true, if_elsewhere };

  std::string_view pattern;  ///< with at most one `*`, for a name
  std::string_view ours;     ///< the key it becomes; empty: none
  std::string_view note;     ///< what changes, after the key's name; empty: nothing
  std::string_view help = {};
  Matters matters = Matters::always;
};
std::span<const AgtopKey> agtop_keys();

/// What agtop puts where its file says nothing, and we do not.
struct AgtopDefault {
  std::string_view key;
  std::string_view ours;  ///< how to have the same
};
std::span<const AgtopDefault> agtop_defaults();

/// The skills of which agtop has settings of its own.
std::span<const std::string_view> agtop_skills();

/// A variable of the environment that sets one of its keys.
struct AgtopVariable {
  std::string_view name;
  std::string_view ours;  ///< the key of ours
};
std::span<const AgtopVariable> agtop_variables();

}  // namespace baton
