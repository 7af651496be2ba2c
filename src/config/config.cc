#include "config/config.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "config/keys.h"
#include "config/toml_layer.h"

namespace baton {
namespace {

/// Puts layers on top of each other and gathers what is wrong with them.
class Layers {
 public:
  void put(const std::string& key, const std::string& value, const std::string& origin, const Place& place) {
    const KeySpec* spec = find_key(key);
    if (spec == nullptr) {
      std::vector<std::string> names;
      for (const KeySpec& k : known_keys()) names.emplace_back(k.pattern);
      const std::string near = nearest(key, names);
      faults.push_back({"unknown-config-key", fmt::format("'{}' is not a configuration key", key),
                        near.empty() ? "'baton config' lists all keys" : fmt::format("did you mean '{}'?", near),
                        place.file.empty() ? Place{origin} : place});
      return;
    }
    if (const std::string expected = misfit(*spec, value); !expected.empty()) {
      faults.push_back({"bad-config-value", fmt::format("'{}' of {} is not {}", value, key, expected),
                        fmt::format("give {} {}", key, expected), place.file.empty() ? Place{origin} : place});
      return;
    }
    settings[key] = {value, origin};
  }

  void put_file(const std::string& path) {
    for (const TomlEntry& e : read_toml(path, faults)) {
      put(e.key, e.value, fmt::format("{}:{}", path, e.place.line), e.place);
    }
  }

  std::map<std::string, Setting> settings;
  Faults faults;
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

}  // namespace

std::expected<Config, Faults> Config::load(const ConfigSources& sources) {
  Layers layers;
  for (const KeySpec& key : known_keys()) {
    if (!key.initial.empty()) layers.settings[std::string{key.pattern}] = {std::string{key.initial}, "default"};
  }
  layers.put_file(sources.user_file);
  layers.put_file(sources.project_file);
  for (const auto& [name, value] : sources.environment) {
    if (const auto key = key_of(name)) layers.put(*key, value, name, {});
  }
  for (const std::string& set : sources.sets) {
    const auto equals = set.find('=');
    if (equals == std::string::npos) {
      layers.faults.push_back({"bad-config-value", fmt::format("--set {} has no '='", set), "write --set KEY=VALUE"});
    } else {
      layers.put(set.substr(0, equals), set.substr(equals + 1), "--set", {});
    }
  }
  if (has_errors(layers.faults)) return std::unexpected(std::move(layers.faults));
  Config config;
  config.settings_ = std::move(layers.settings);
  return config;
}

std::optional<std::string> Config::text(const std::string& key) const {
  const auto found = settings_.find(key);
  return found == settings_.end() ? std::nullopt : std::optional{found->second.value};
}

std::optional<int> Config::integer(const std::string& key) const {
  const auto value = text(key);
  if (!value) return std::nullopt;
  int number = 0;
  std::from_chars(value->data(), value->data() + value->size(), number);
  return number;
}

std::optional<double> Config::number(const std::string& key) const {
  const auto value = text(key);
  if (!value) return std::nullopt;
  double number = 0;
  std::from_chars(value->data(), value->data() + value->size(), number);
  return number;
}

std::vector<std::string> Config::list(const std::string& key) const {
  const auto value = text(key);
  if (!value || value->empty()) return {};
  if (auto items = read_toml_list(*value)) return std::move(*items);
  std::vector<std::string> items;
  for (const std::string_view item : split(*value, ',')) {
    if (!trim(item).empty()) items.emplace_back(trim(item));
  }
  return items;
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
