#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/run.h"
#include "view/run_facts.h"

namespace baton {

/// One run of a list.
struct RunRow {
  std::string id, workflow, dialect;
  RunState state = RunState::queued;
  std::string task;
  std::optional<Failure> error;
  std::size_t done = 0, total = 0;
  std::vector<std::string> current;
  Time created{}, started{}, finished{};
  std::optional<Cost> cost;
  Tokens tokens;
  std::string folder, sandbox;
  std::optional<DriverFact> driver;
  Cost known{};  ///< of the cost, what is known
};

std::string list_json(const std::vector<RunRow>& rows, Time now);
std::string list_text(const std::vector<RunRow>& rows, Time now);

}  // namespace baton
