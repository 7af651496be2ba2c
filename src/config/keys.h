#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace baton {

/// `names` is a list of ids that is not empty, `patterns` a list of RE2 texts. A `path` is absolute once it is read.
enum class KeyKind {
  text,
  integer,
  number,
  boolean,
  duration,
  list,
  names,
  patterns,
  choice,
  address,   ///< of a server: http:// or https://
  proxy,     ///< the same, or one of SOCKS, or without a scheme
  path,      ///< of a file
  date,      ///< a version that is one
  thinking,  ///< off, on, or a number of tokens
};

/// What a number, or the seconds of a duration, may be.
struct Bounds {
  double least = 0;
  double most = 2147483647;
  bool is_above = false;  ///< `least` itself is too little
};

/// A key that the configuration knows. `*` in the pattern stands for one name.
struct KeySpec {
  std::string_view pattern;
  KeyKind kind;
  std::string_view initial;  ///< the default as text; empty: unset
  std::string_view explanation;
  Bounds bounds = {};
  std::string_view choices = {};  ///< for `choice`, separated by '|'
};

std::span<const KeySpec> known_keys();
const KeySpec* find_key(std::string_view key);

/// The runtimes that `[runtime.NAME]` may name.
const std::vector<std::string>& runtime_names();

/// Whether `name` may stand for the `*` of `pattern`: a runtime that there is, or any id. A dot would end a workflow's.
bool is_name_for(std::string_view pattern, std::string_view name);

/// What stands for the `*` of `pattern` in `key`; "" if it has none, nothing if they do not fit. It need not be a name.
std::optional<std::string_view> name_in(std::string_view pattern, std::string_view key);

/// One name for each key: `workflows.NAME.skills` is `workflows.NAME`.
std::string canonical_key(std::string_view key);

}  // namespace baton
