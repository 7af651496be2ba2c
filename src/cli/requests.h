#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "core/event.h"
#include "core/run.h"

namespace baton::cli {

/// What somebody asks of a run that another process drives, as that one finds it.
struct Request {
  std::string kind;
  std::string argument;
};
Request request_of(const Run& run, const EventBody& ask);
std::vector<Request> requests_of(const Run& run, const std::vector<EventBody>& asks);

/// Leaves them for whoever drives the run, all at once, and waits until they are answered. False: he does not react;
/// then they are taken back.
Expected<bool> hand_over(const Project& project, SqliteJournal& journal, const std::string& run,
                         const std::vector<Request>& requests);

/// Waits until they are answered. False: not within the time a driver that is well needs.
Expected<bool> until_answered(SqliteJournal& journal, const std::string& run, const std::vector<std::int64_t>& left);

/// The lease of a process that drives the run; nullopt if nobody has it who may be alive.
Expected<std::optional<Lease>> living_driver(Journal& journal, const std::string& run);

/// Between two looks at what others do.
void wait_a_little();

}  // namespace baton::cli
