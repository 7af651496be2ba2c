#pragma once

#include <span>
#include <string>
#include <string_view>

namespace baton::safety {

/// A rule that Baton brings. The examples are part of it: the tests run them all.
struct BuiltInRule {
  std::string_view name;
  std::string_view pattern;  ///< for readings (shell_reader.h): one blank between words, `␣` within them
  std::string_view why;      ///< "it …"
  std::string_view told;     ///< a sentence for agents; empty where another rule's says enough
  std::span<const std::string_view> blocked;   ///< commands it has to fit
  std::span<const std::string_view> harmless;  ///< commands that no rule of ours may fit
};

std::span<const BuiltInRule> built_in_rules();

/// nullptr if there is none of this name.
const BuiltInRule* find_built_in(std::string_view name);

/// The pattern with the parts that rules share (`<home>`) put in.
std::string pattern_of(const BuiltInRule& rule);

}  // namespace baton::safety
