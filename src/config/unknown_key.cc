#include "config/unknown_key.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "config/keys.h"

namespace baton {
namespace {

Fault fault_of(std::string message, std::string help) {
  return {"unknown-config-key", std::move(message), std::move(help)};
}

std::string_view head_of(std::string_view key) { return key.substr(0, key.find('.')); }
std::string_view leaf_of(std::string_view key) { return key.substr(key.rfind('.') + 1); }
std::string_view section_of(std::string_view key) {
  const auto dot = key.rfind('.');
  return dot == std::string_view::npos ? std::string_view{} : key.substr(0, dot);
}

/// What the `*` of a pattern probably stands for in this key: all between the first and the last dot.
std::string name_meant(std::string_view key) {
  const auto first = key.find('.');
  const auto last = key.rfind('.');
  if (first == std::string_view::npos) return "NAME";
  return std::string{first == last ? key.substr(first + 1) : key.substr(first + 1, last - first - 1)};
}

std::string filled(std::string_view pattern, const std::string& name) {
  const auto star = pattern.find('*');
  if (star == std::string_view::npos) return std::string{pattern};
  return fmt::format("{}{}{}", pattern.substr(0, star), name, pattern.substr(star + 1));
}

/// The shape is right, the name in it is not.
std::optional<Fault> bad_name(std::string_view key) {
  for (const KeySpec& spec : known_keys()) {
    const auto name = name_in(spec.pattern, key);
    if (!name || spec.pattern.find('*') == std::string_view::npos) continue;
    if (!spec.pattern.starts_with("runtime.")) {
      return fault_of(fmt::format("'{}' in the key '{}' cannot be a name", *name, key),
                      "a name begins with a letter, a digit or '_'; '-' and ':' may follow");
    }
    const std::string near = nearest(*name, runtime_names());
    return fault_of(fmt::format("'{}': there is no runtime '{}'", key, *name),
                    near.empty() ? fmt::format("runtimes: {}", join(runtime_names(), ", "))
                                 : fmt::format("did you mean '{}'?", filled(spec.pattern, near)));
  }
  return std::nullopt;
}

/// `limits = 4`, or a table with nothing in it that is none of ours.
std::optional<Fault> is_table(std::string_view key) {
  for (const KeySpec& spec : known_keys()) {
    const std::string pattern = filled(spec.pattern, name_meant(key));
    if (!pattern.starts_with(std::string{key} + ".")) continue;
    return fault_of(fmt::format("'{}' is a table, not a value", key),
                    fmt::format("write [{}] and its keys below, such as {}", key, pattern.substr(key.size() + 1)));
  }
  return std::nullopt;
}

Fault unknown_section(std::string_view key) {
  std::vector<std::string> heads;
  for (const KeySpec& spec : known_keys()) {
    if (heads.empty() || heads.back() != head_of(spec.pattern)) heads.emplace_back(head_of(spec.pattern));
  }
  const std::string near = nearest(key, heads);
  return fault_of(
      fmt::format("'{}' is not a configuration key", key),
      near.empty() ? fmt::format("tables: {}", join(heads, ", ")) : fmt::format("did you mean [{}]?", near));
}

}  // namespace

Fault unknown_key(std::string_view key) {
  if (auto fault = bad_name(key)) return std::move(*fault);
  if (auto fault = is_table(key)) return std::move(*fault);
  if (section_of(key).empty()) return unknown_section(key);
  const std::string name = name_meant(key);
  std::vector<std::string> beside;  // the last words of the keys in the same table
  std::vector<std::string> all;
  std::string elsewhere;
  for (const KeySpec& spec : known_keys()) {
    all.push_back(filled(spec.pattern, name));
    if (section_of(all.back()) == section_of(key)) beside.emplace_back(leaf_of(all.back()));
    const bool is_same_word = leaf_of(spec.pattern) == leaf_of(key) && spec.pattern.find('*') == std::string_view::npos;
    if (is_same_word && head_of(spec.pattern) != head_of(key)) elsewhere = spec.pattern;
  }
  std::string meant = nearest(leaf_of(key), beside);
  if (!meant.empty()) meant = fmt::format("{}.{}", section_of(key), meant);
  if (meant.empty()) meant = elsewhere;
  if (meant.empty() && beside.empty()) meant = nearest(key, all);
  std::string help =
      meant.empty() ? "'baton config --explain' lists all keys" : fmt::format("did you mean '{}'?", meant);
  if (meant.empty() && !beside.empty()) help = fmt::format("keys of [{}]: {}", section_of(key), join(beside, ", "));
  return fault_of(fmt::format("'{}' is not a configuration key", key), std::move(help));
}

}  // namespace baton
