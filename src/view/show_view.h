#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/run.h"
#include "view/run_facts.h"

namespace baton {

/// Paths of one attempt's files, as the shell lays them out.
struct AttemptPaths {
  std::string prompt;
  std::string log;
};
using PathsOf = std::function<AttemptPaths(const std::string& step, int attempt)>;

/// The object of cli.md, `show RUN --json`. Without steps it is an entry of `list --json`.
std::string show_json(const std::string& id, const Run& run, const RunPlaces& places,
                      const std::optional<DriverFact>& driver, const PathsOf& paths, Time now);

/// The same for people.
std::string show_text(const std::string& id, const Run& run, const RunPlaces& places,
                      const std::optional<DriverFact>& driver, Time now);

}  // namespace baton
