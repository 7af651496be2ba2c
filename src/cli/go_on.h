#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/verbs.h"
#include "core/event.h"
#include "core/run.h"

namespace baton::cli {

/// A run that a verb works on, with everything it needs to do so.
struct Subject {
  Project project;
  std::unique_ptr<SqliteJournal> journal;
  std::string id;
  Run run;
};

std::expected<Subject, Faults> open_subject(const Common& common, const std::string& name);
std::expected<Subject, Faults> open_subject(Project project, const std::string& name);

/// Says this to the run and drives it here, or hands it to its driver and watches. The answer is the verb's exit code;
/// the run's result is printed.
int go_on(Subject& s, const Common& common, std::vector<EventBody> asks, const RunOptions& options);

/// Says this to the run and lets it go on by itself.
Status go_on_in_background(Subject& s, const std::vector<EventBody>& asks);
/// The same for a verb with --detach. The answer is its exit code.
int go_on_by_itself(Subject& s, const Common& common, const std::vector<EventBody>& asks);

}  // namespace baton::cli
