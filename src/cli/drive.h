#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "core/event.h"
#include "core/run.h"
#include "core/shares.h"
#include "core/states.h"
#include "journal/turn_lock.h"

namespace baton::cli {

/// What a command wants of a run that it drives.
struct DriveOrder {
  std::string run;
  std::optional<event::RunCreated> created;  ///< set: a new run; else the run is taken up from the journal
  std::vector<EventBody> asks;               ///< said to the run once it is in hand (ResumeAsked, RetryAsked, ...)
  std::function<Expected<EventBody>(const Run&)> first = {};  ///< done with the run in hand; its answer is said to it
  bool only_what_is_due = false;                              ///< a wake: leave when there is nothing to do here
  bool leave_at_once = false;                                 ///< leave as soon as all that could be done was done
  bool silent = false;                                        ///< reports nothing
  bool unasked = false;                                       ///< takes the default wherever a question would be asked
  bool no_wait = false;                                       ///< leaves when the run is parked
  std::optional<Run>* left = nullptr;                         ///< where the run goes once it is given up
  std::shared_ptr<TurnLock> turn = {};                        ///< given back when what is asked here is on record
};

/// Drives the run until it settles or this process is asked to leave. The answer is an exit code of `run`.
/// A run that somebody else drives is a fault `run-is-driven`.
Expected<int> drive(const Project& project, SqliteJournal& journal, DriveOrder order);

/// Whoever drove a run to its end may have died before its files said so: takes it up once more and does what is due.
void complete_files(const Project& project, SqliteJournal& journal, const std::string& run);

/// The exit code that agrees with a run's state.
int exit_code_of(RunState state);

/// What the configuration says of the things that all runs share.
SharedLimits shared_limits(const Config& config);

/// Makes whoever drives the run look: there is a request, or room for it.
void ring(const Project& project, const std::string& run);

/// There is a request for the run: whoever drives it looks, or, with nobody, it is woken. By the holder where there is
/// one, so that it goes on in the environment it began in and not in ours.
void wake(const Project& project, SqliteJournal& journal, const std::string& run);

/// Starts a `baton wake RUN` that does not end with this process, for runs that go on by themselves.
Status start_in_background(const Project& project, const std::string& run);

}  // namespace baton::cli
