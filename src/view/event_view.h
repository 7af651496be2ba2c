#pragma once

#include <string>

#include "core/command.h"
#include "core/run.h"
#include "view/run_facts.h"

namespace baton {

/// The line that `--json` prints for it (cli.md, `--json` events), without its newline.
std::string event_json(const std::string& id, const Run& run, const RunPlaces& places, const command::Announce& what,
                       Time at);
std::string said_json(const std::string& id, const Run& run, StepIndex step, std::string_view text, Time at);
/// The last line of a driver that leaves its run unfinished.
/// It waits for a place; `before` runs have to make room first.
std::string queued_json(const std::string& id, std::size_t before, Time at);
std::string interrupted_json(const std::string& id, Time at);

/// The plain line for people where there is no terminal; empty where there is nothing to say.
std::string event_line(const std::string& id, const Run& run, const RunPlaces& places, const command::Announce& what,
                       Time at);

}  // namespace baton
