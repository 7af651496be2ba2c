// What an attempt finds when it begins, and what keeps it from beginning: all before it has cost anything.
#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "engine/driven.h"
#include "engine/engine.h"
#include "engine/output_place.h"
#include "engine/run_outputs.h"

namespace baton {

/// What lies at its output's path from before the attempt gives way: an output counts only for the attempt that wrote
/// it. Answers why it cannot.
std::optional<Failure> Engine::set_aside(Driven& d, StepIndex step, int attempt) {
  const Work& work = *d.run.step(step).work;
  if (work.answers || !is_set_aside(d.run, step) || why_outside(seams_.files, work, terms_.root)) return std::nullopt;
  const std::string output = output_path(d, step);
  if (!seams_.files.is_there(output) && !seams_.files.is_link(output)) return std::nullopt;
  Work aside = work;
  aside.output = aside_path(d.run, d.writers, step, attempt);
  if (auto wrong = why_outside(seams_.files, aside, terms_.root)) {
    return Failure{"path-leaves-folder", std::move(*wrong), false};
  }
  auto moved = seams_.files.move(output, terms_.root + "/" + aside.output);
  return moved ? std::nullopt : std::optional{Failure{moved.error().code, moved.error().message, false}};
}

/// An engine before us admitted it and may have died before it began: then what it finds at its output's path is not
/// its own.
bool Engine::is_yet_to_begin(Driven& d, StepIndex step, int attempt) {
  const Attempt& a = *d.run.attempt(step, attempt);
  if (a.state != AttemptState::admitted || a.stopping != Attempt::Stopping::no) return false;
  if (!seams_.runtimes.is_held(d.run.interned(a.runtime))) {
    return !seams_.files.is_there(terms_.root + "/" + aside_path(d.run, d.writers, step, attempt));
  }
  if (!ensure_attached(d) || (a.detail && a.detail->boot != terms_.boot)) return false;
  const AttemptKey key = key_of(d, step, attempt);
  return std::ranges::find(d.sightings, key, &Sighting::key) == d.sightings.end() && !seams_.host.was_started(key);
}

/// What the attempt is going to look for: its prompt, and the folder for its output.
bool Engine::lay_out(const Assignment& assignment) {
  if (!assignment.prompt.empty()) {
    if (auto kept = seams_.files.write_soon(assignment.prompt_path, assignment.prompt); !kept) {
      broken_ = kept.error();
      return false;
    }
  }
  // A command that writes its output finds the folder for it, also where that is a part's own (`sandbox/ID/PART/`).
  if (!assignment.output_path.empty()) seams_.files.make_folder_for(assignment.output_path);
  return true;
}

/// What it is to write would lie elsewhere: not even a folder is made there, and nothing is paid for it.
bool Engine::ended_for_place(Driven& d, StepIndex step) {
  auto wrong = why_outside(seams_.files, *d.run.step(step).work, terms_.root);
  if (wrong) ended(d, step, Finish{Failure{"path-leaves-folder", std::move(*wrong), false}}, nullptr);
  return wrong.has_value();
}

/// What it was to read is not there: it ends before it has cost anything. Of what waits for another's end this cannot
/// be said yet.
bool Engine::ended_for_lack(Driven& d, StepIndex step, const Session& session) {
  const std::vector<std::string>& missing = session.assignment.missing_inputs;
  if (missing.empty() || d.run.is_conditional(step)) return false;
  std::string what = fmt::format("the input '{}' is not there", printable(join(missing, "', '")));
  if (!d.run.step(step).needs.empty()) what += ", and none of the steps before wrote it";
  ended(d, step, Finish{Failure{"input-not-found", std::move(what), false}}, nullptr);
  return true;
}

bool Engine::ended_for(Driven& d, StepIndex step, std::optional<Failure> obstacle) {
  if (obstacle) ended(d, step, Finish{std::move(obstacle)}, nullptr);
  return !d.sessions.contains(step);
}

/// True as well where what it looks for could not be laid out: nothing starts then.
bool Engine::ended_before_start(Driven& d, StepIndex step, const Session& session) {
  return ended_for_place(d, step) || !lay_out(session.assignment) || ended_for_lack(d, step, session) ||
         ended_for_price(d, step, session);
}

}  // namespace baton
