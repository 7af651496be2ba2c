#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace baton::cli {

/// An option or argument as the command line itself knows it.
struct OptionShape {
  std::vector<std::string> names;    ///< `-y`, `--yes`; none for an argument
  std::string value;                 ///< what it takes (DIR, RUN, KEY=VALUE …); empty for a flag
  std::vector<std::string> choices;  ///< where only these words may stand
  std::string about;
  bool repeats = false;  ///< may be given again
  bool greedy = false;   ///< takes as many values as follow
};

struct VerbShape {
  std::string name;
  std::string about;
  std::vector<OptionShape> options;
  std::vector<OptionShape> arguments;

  /// By one of its names; nullptr if there is none.
  [[nodiscard]] const OptionShape* option(std::string_view name) const;
};

struct CommandShape {
  VerbShape top;  ///< what may stand before the verb
  std::vector<VerbShape> verbs;

  [[nodiscard]] const VerbShape* verb(std::string_view name) const;
};

/// Read off the parser, so that it cannot go out of date.
CommandShape shape_of(const CLI::App& app);

}  // namespace baton::cli
