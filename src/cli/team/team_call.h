#pragma once

#include "cli/team/team_files.h"
#include "cli/team/team_verbs.h"

namespace baton::cli {

/// What a worker says of its task: left for whoever drives the run, which is woken if nobody does. Said twice, it is
/// left once. Answers what became of it, for people.
std::expected<std::string, Faults> call_back(const Project& project, const TeamFiles& files,
                                             const TeamOptions& options);

/// Puts a message on the bus.
std::expected<std::string, Faults> put_message(const TeamFiles& files, TeamOptions options);

/// The messages that are asked for, a line each.
std::string list_messages(const TeamFiles& files, const TeamOptions& options, bool json);

}  // namespace baton::cli
