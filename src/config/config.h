#pragma once

#include <expected>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "base/time.h"

namespace baton {

/// One configured value and where it came from.
struct Setting {
  std::string value;   ///< as text; lists as JSON
  std::string origin;  ///< `default`, a file with its line, `BATON_LIMITS__JOBS`, `--set`
};

/// What the layers are read from. All of it is handed in: nothing here looks at the environment by itself.
struct ConfigSources {
  std::string user_file;     ///< ~/.config/baton/baton.toml
  std::string project_file;  ///< baton.toml in the project root
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<std::string> sets;  ///< KEY=VALUE of --set
};

/// Layered per key: defaults, the user's file, the project's file, BATON_*, flags.
class Config {
 public:
  /// Every fault at once: unknown keys with the nearest known one, values of the wrong kind, broken TOML.
  static std::expected<Config, Faults> load(const ConfigSources& sources);

  [[nodiscard]] std::optional<std::string> text(const std::string& key) const;
  [[nodiscard]] std::optional<int> integer(const std::string& key) const;
  [[nodiscard]] std::optional<Millis> duration(const std::string& key) const;
  [[nodiscard]] std::optional<double> number(const std::string& key) const;
  /// A list's items; those of a text that is no list are parted by commas. Empty if the key is unset.
  [[nodiscard]] std::vector<std::string> list(const std::string& key) const;
  [[nodiscard]] const std::map<std::string, Setting>& all() const { return settings_; }

 private:
  std::map<std::string, Setting> settings_;
};

/// The environment's name for a key: limits.jobs -> BATON_LIMITS__JOBS.
std::string environment_name(std::string_view key);

/// One line for people about what a key does; empty if there is no such key.
std::string_view describe_key(std::string_view key);

}  // namespace baton
