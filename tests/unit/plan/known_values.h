#pragma once

#include <map>
#include <set>
#include <string>

#include "plan/expression.h"

namespace baton {

/// A run's values, written down.
struct KnownValues : Values {
  std::map<std::string, std::string> outputs;
  std::map<std::string, std::string> states;
  std::map<std::string, std::string> paths;
  std::map<std::string, std::string> inputs;
  std::map<std::string, std::string> input_paths;
  mutable int looked_up = 0;

  static std::optional<std::string> find(const std::map<std::string, std::string>& map, const std::string& key) {
    const auto found = map.find(key);
    return found == map.end() ? std::nullopt : std::optional{found->second};
  }
  [[nodiscard]] std::optional<std::string> output_of(const std::string& step) const override {
    ++looked_up;
    return find(outputs, step);
  }
  [[nodiscard]] std::string state_of(const std::string& step) const override { return find(states, step).value_or(""); }
  [[nodiscard]] std::string path_of(const std::string& step) const override { return find(paths, step).value_or(""); }
  [[nodiscard]] std::optional<std::string> input(const std::string& name) const override { return find(inputs, name); }
  [[nodiscard]] std::string path_of_input(const std::string& name) const override {
    return find(input_paths, name).value_or("");
  }
};

}  // namespace baton
