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
  Place place = {};    ///< the same for faults
};

/// What the layers are read from. All of it is handed in: nothing here looks at the environment by itself.
struct ConfigSources {
  std::string user_file = {};     ///< ~/.config/baton/baton.toml
  std::string project_file = {};  ///< baton.toml in the project root
  std::string agtop_file = {};    ///< agtop.toml there; read where there is no project_file
  std::vector<std::pair<std::string, std::string>> environment = {};
  std::vector<std::string> sets = {};  ///< KEY=VALUE of --set
};

/// A chain of skills that `[workflows]` names.
struct ConfiguredWorkflow {
  std::string name;
  std::vector<std::string> skills;
  Setting setting;
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
  /// True only where the key is set, or is by default, `true`.
  [[nodiscard]] bool flag(const std::string& key) const;
  /// A list's items. Empty if the key is unset; has() tells that from a list that was set to be empty.
  [[nodiscard]] std::vector<std::string> list(const std::string& key) const;
  [[nodiscard]] bool has(const std::string& key) const;
  /// Those of `[workflows]`, by name.
  [[nodiscard]] std::vector<ConfiguredWorkflow> workflows() const;
  [[nodiscard]] const std::map<std::string, Setting>& all() const { return settings_; }

  /// What its user should know and need not mend: all that another program's file meant there and does not mean here.
  /// Warnings, `agtop-note` all of them.
  [[nodiscard]] const Faults& notes() const { return notes_; }
  /// The project's file that was read, baton.toml or agtop.toml; empty if there is none.
  [[nodiscard]] const std::string& project_file() const { return project_file_; }

 private:
  std::map<std::string, Setting> settings_;
  Faults notes_;
  std::string project_file_;
};

/// The environment's name for a key: limits.jobs -> BATON_LIMITS__JOBS.
std::string environment_name(std::string_view key);

/// One line for people about what a key does; empty if there is no such key.
std::string_view describe_key(std::string_view key);

}  // namespace baton
