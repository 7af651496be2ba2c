#pragma once

#include <string>

#include "cli/go_on.h"
#include "cli/verbs.h"

namespace baton::cli {

/// `accept` of a change: lands it on its target branch, and only then is it on record as accepted. Can be repeated
/// after any crash. The answer is the verb's exit code.
int accept_change(Subject& s);

/// `reject` of a change. Without a message its trees go and the record stays; with one a revision goes on in the same
/// tree.
int reject_change(Subject& s, const std::string& message);

/// `reject` of a run that waits in the midst of its work for a person to resolve a conflict.
int reject_conflict(Subject& s, const event::GateAnswered& answer);

/// After a drive that ended with this exit code: takes the change where `review.auto_accept` is set and the verdict
/// passed. The answer is the exit code that counts.
int accept_if_asked_to(const Project& project, SqliteJournal& journal, const std::string& id, int code);

/// `run --continue RUN --task TEXT`: one more step on a finished or reviewing run, followed to its end.
int follow_up(Project project, const RunOptions& options);

/// What the last review said, for people; empty if there was none.
std::string verdict_text(const Project& project, const Run& run);

}  // namespace baton::cli
