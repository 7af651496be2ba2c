#pragma once

#include <string>
#include <unordered_set>

#include "base/fault.h"
#include "text/yaml_tree.h"

namespace baton {

/// A place inside the file that is being read.
struct Spot {
  int line = 0;
  int column = 0;
};

inline Spot spot_of(const YamlNode& node) { return {node.line(), node.column()}; }

/// The faults of one file, gathered in any order. What was said once is not said again: a file may be gone through
/// several times.
class FaultList {
 public:
  explicit FaultList(std::string file) : file_{std::move(file)} {}

  void error(std::string code, Spot spot, std::string message, std::string help = {});
  void warning(std::string code, Spot spot, std::string message, std::string help = {});
  void add(Faults faults);

  /// There are so many that no more are taken: work done only for a message can be left out.
  [[nodiscard]] bool is_full() const;

  /// Looking for the nearest name takes time, and only so many faults are ever shown.
  [[nodiscard]] bool deserves_hint() const;

  /// In the order of their places, at most Limits::faults_max, errors before warnings if some have to go.
  Faults take();

 private:
  [[nodiscard]] bool was_said(const std::string& code, Spot spot, const std::string& message);

  std::string file_;
  Faults faults_;
  std::unordered_set<std::string> said_;
};

}  // namespace baton
