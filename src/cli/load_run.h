#pragma once

#include <string>

#include "core/run.h"
#include "journal/journal.h"

namespace baton::cli {

/// The run as its journal tells it.
inline Expected<Run> load_run(Journal& journal, const std::string& id) {
  auto events = journal.load(id);
  if (!events) return std::unexpected(events.error());
  Run run;
  for (const Event& e : *events) (void)run.apply(e);
  return run;
}

}  // namespace baton::cli
