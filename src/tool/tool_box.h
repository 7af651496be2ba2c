#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "runtime/api/tools.h"

namespace baton::tool {

struct Terms {
  std::string folder;       ///< where the tools work
  std::string scratch;      ///< where the output of commands is kept meanwhile
  std::string temporary;    ///< a folder of the commands' own; empty: none
  std::string state;        ///< Baton's own folder, closed to all tools, as is `.git`; empty: none
  bool unconfined = false;  ///< commands are run where the kernel cannot confine them, too
  Millis command_lasts_max{120'000};
  /// Says why a command must not be run; nothing: it may.
  std::function<std::optional<std::string>(std::string_view command)> forbids = {};
};

/// Carries out what a model wants of its tools, one after the other. What goes wrong becomes an answer to the model,
/// but where a command cannot be confined, nothing more is carried out.
api::ToolAnswer use_tools(const std::vector<api::ToolUse>& uses, const Terms& terms);

}  // namespace baton::tool
