#include "config/config.h"

#include <fmt/core.h>

#include <filesystem>

#include "base/number.h"
#include "config/agtop.h"
#include "config/keys.h"
#include "config/toml_layer.h"
#include "config/unknown_key.h"
#include "config/value_check.h"

namespace baton {
namespace {

/// Puts layers on top of each other and gathers what is wrong with them.
class Layers {
 public:
  void put(Given given, const std::string& origin) {
    // A table with nothing in it sets nothing. That its name is one of ours is asked all the same.
    const bool is_empty_table = given.as == WrittenAs::table && is_table(given.key);
    if (is_empty_table) return;
    const Place place = given.place.file.empty() ? Place{origin} : given.place;
    const KeySpec* spec = find_key(given.key);
    if (spec == nullptr) {
      Fault fault = unknown_key(given.key);
      fault.place = place;
      faults.push_back(std::move(fault));
      return;
    }
    const std::vector<Misfit> wrong = misfits(*spec, given);
    const std::string& name = given.written.empty() ? given.key : given.written;
    for (const Misfit& m : wrong) faults.push_back(fault_of(m, name, m.place.file.empty() ? place : m.place));
    if (!wrong.empty()) return;
    if (spec->kind == KeyKind::path) given.value = whole_path(given.value, root, home);
    settings[canonical_key(given.key)] = {std::move(given.value), origin, place};
  }

  void put_all(std::vector<Given> layer) {
    for (Given& given : layer) {
      const std::string origin = fmt::format("{}:{}", given.place.file, given.place.line);
      put(std::move(given), origin);
    }
  }

  void put_set(const std::string& set) {
    const auto equals = set.find('=');
    if (equals == std::string::npos) {
      faults.push_back({"bad-config-value", fmt::format("--set {} has no '='", set), "write --set KEY=VALUE"});
    } else {
      put({set.substr(0, equals), set.substr(equals + 1)}, "--set");
    }
  }

  std::map<std::string, Setting> settings;
  Faults faults;
  std::string root;  ///< of the project: what relative paths are beneath
  std::string home;

 private:
  /// A table that may stand there empty. One of a workflow may not: it would be a chain of nothing.
  static bool is_table(const std::string& key) {
    if (key.starts_with("workflows.")) return false;
    for (const KeySpec& spec : known_keys()) {
      const std::string_view section = spec.pattern.substr(0, spec.pattern.rfind('.'));
      const std::string_view first = section.substr(0, section.find('.'));
      const auto name = name_in(section, key);
      if (key == first || (name && is_name_for(section, *name))) return true;
    }
    return false;
  }
};

/// BATON_LIMITS__JOBS -> limits.jobs. Names without `__` are not ours to read: BATON_RUN and the like are a step's.
std::optional<std::string> key_of(std::string_view name) {
  constexpr std::string_view prefix = "BATON_";
  if (!name.starts_with(prefix) || name.find("__") == std::string_view::npos) return std::nullopt;
  std::string key;
  name.remove_prefix(prefix.size());
  while (!name.empty()) {
    const bool dot = name.starts_with("__");
    const char c = name.front();
    key += dot ? '.' : (c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
    name.remove_prefix(dot ? 2 : 1);
  }
  return key;
}

bool is_there(const std::string& file) {
  std::error_code error;
  return !file.empty() && std::filesystem::exists(file, error);
}

}  // namespace

std::expected<Config, Faults> Config::load(const ConfigSources& sources) {
  Layers layers;
  layers.root = std::filesystem::path{sources.project_file}.parent_path().string();
  for (const auto& [name, value] : sources.environment) {
    if (name == "HOME") layers.home = value;
  }
  Config config;
  for (const KeySpec& key : known_keys()) {
    if (!key.initial.empty()) layers.settings[std::string{key.pattern}] = {std::string{key.initial}, "default"};
  }
  layers.put_all(read_toml(sources.user_file, layers.faults));
  if (is_there(sources.project_file)) {
    config.project_file_ = sources.project_file;
    layers.put_all(read_toml(sources.project_file, layers.faults));
    if (is_there(sources.agtop_file)) config.notes_.push_back(agtop_is_not_read(sources.agtop_file));
  } else if (is_there(sources.agtop_file)) {
    config.project_file_ = sources.agtop_file;
    layers.put_all(from_agtop(read_toml(sources.agtop_file, layers.faults), sources.agtop_file, config.notes_));
  }
  for (const auto& [name, value] : sources.environment) {
    if (const auto key = key_of(name)) layers.put({*key, value}, name);
    if (auto note = agtop_variable(name)) config.notes_.push_back(std::move(*note));
  }
  for (const std::string& set : sources.sets) layers.put_set(set);
  if (has_errors(layers.faults)) return std::unexpected(std::move(layers.faults));
  config.settings_ = std::move(layers.settings);
  return config;
}

std::optional<std::string> Config::text(const std::string& key) const {
  const auto found = settings_.find(canonical_key(key));
  return found == settings_.end() ? std::nullopt : std::optional{found->second.value};
}

std::optional<int> Config::integer(const std::string& key) const {
  const auto value = text(key);
  return value ? std::optional{parse_whole<int>(*value).value_or(0)} : std::nullopt;
}

std::optional<double> Config::number(const std::string& key) const {
  const auto value = text(key);
  return value ? std::optional{parse_whole<double>(*value).value_or(0)} : std::nullopt;
}

bool Config::flag(const std::string& key) const { return text(key) == "true"; }

bool Config::has(const std::string& key) const { return settings_.contains(canonical_key(key)); }

std::vector<std::string> Config::list(const std::string& key) const {
  const auto value = text(key);
  if (!value) return {};
  return read_toml_list(*value).value_or(std::vector<std::string>{});
}

std::vector<ConfiguredWorkflow> Config::workflows() const {
  std::vector<ConfiguredWorkflow> found;
  for (const auto& [key, setting] : settings_) {
    if (const auto name = name_in("workflows.*", key)) found.push_back({std::string{*name}, list(key), setting});
  }
  return found;
}

std::optional<Millis> Config::duration(const std::string& key) const {
  const auto value = text(key);
  if (!value) return std::nullopt;
  const auto parsed = parse_duration(*value);
  return parsed ? std::optional{*parsed} : std::nullopt;
}

std::string environment_name(std::string_view key) {
  std::string name = "BATON_";
  for (const char c : key) {
    if (c == '.') {
      name += "__";
    } else {
      name += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
  }
  return name;
}

std::string_view describe_key(std::string_view key) {
  const KeySpec* spec = find_key(key);
  return spec == nullptr ? std::string_view{} : spec->explanation;
}

}  // namespace baton
