#pragma once

#include <string>

#include "runtime/runtime.h"

namespace baton {

/// A step's own `command:`. Inputs reach it by environment and files, its exit code decides, what it prints is its
/// text.
class CommandRuntime final : public Runtime {
 public:
  Actions begin(const Assignment& assignment) override;
  Actions next(const Observation& observation) override;

 private:
  Actions printed(std::string_view bytes);

  std::string line_;  ///< begun, but not ended yet
};

}  // namespace baton
