// When the files that show a run's state are brought up to date: now and then while it goes on, and always when it
// stops.
#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "engine/dialect_run.h"
#include "engine/driven.h"
#include "engine/engine.h"

namespace baton {
namespace {

/// Whoever writes to a file at the same time is done sooner or later.
constexpr int edits_tried_max = 5;
constexpr int edit_rounds_max = 100'000;  // of many edits: there is an end to everything

/// The files are whole each time, so those of a large plan are written less often.
Millis wait_of(const Run& run) {
  constexpr std::int64_t steps_at_once = 500;
  return Millis{100} * (1 + static_cast<std::int64_t>(run.step_count()) / steps_at_once);
}

bool changes(const DialectRun& dialect, const Run& run, const Command& command) {
  using enum command::Announce::Kind;
  if (const auto* begin = std::get_if<command::StartAttempt>(&command)) return dialect.shows(run, begin->step);
  const auto* tell = std::get_if<command::Announce>(&command);
  if (tell == nullptr) return false;
  if (dialect.traits(run).files == FilePace::every_commit) return tell->kind != step_used;
  switch (tell->kind) {
    case run_started:
    case run_resumed:
    case run_paused:
    case run_parked:
    case run_reviewing:
    case run_finished:
      return true;
    case step_finished:
    case step_reported:
      return dialect.shows(run, tell->step);
    case step_started:
    case step_used:
    case step_checked:
    case step_retrying:
    case plan_extended:
    case step_gated:
    case step_quiet:
    case cost_unknown:
    case budget_warning:
    case step_deferred:
      break;
  }
  return false;
}

}  // namespace

/// Called when a tick is committed and before anybody hears of it: who hears that a run ended finds its files so.
void Engine::note_changes(Driven& d, Time now) {
  if (!d.shows_itself()) return;
  if (!d.mirror_due &&
      std::ranges::any_of(d.commands, [&](const Command& c) { return changes(*d.dialect, d.run, c); })) {
    d.mirror_due = now + wait_of(d.run);
  }
  if (d.mirror_due && (!goes_on(d.run) || d.traits().files == FilePace::every_commit)) mirror(d);
  if (!goes_on(d.run) && d.unstored.empty()) acknowledge(d);
}

void Engine::mirror_when_due(Driven& d, Time now) {
  if (!d.mirror_due || *d.mirror_due > now) return;
  d.mirror_due.reset();
  // A process that was stopped for long has perhaps lost the run: then it is not for us to say how it stands.
  if (d.lease.expires > now) mirror(d);
}

/// REQUIRES: all that was applied is stored.
void Engine::mirror(Driven& d) {
  d.mirror_due.reset();
  if (!d.shows_itself() || d.mirrored_events == d.events_stored) return;
  d.mirrored_events = d.events_stored;
  const auto warn = [&](Fault fault) {
    fault.severity = Severity::warning;
    if (!std::exchange(d.mirror_warned, true) && seams_.observer != nullptr) seams_.observer->warned(d.id, fault);
  };
  const auto place = [this](const std::string& path) {
    return path.starts_with('/') ? path : terms_.root + "/" + path;
  };
  const auto read = [&](const std::string& path) { return seams_.files.read(place(path), Limits::output_bytes_max); };
  bool again = true;
  int overtaken = 0;
  for (int rounds = 0; again && overtaken < edits_tried_max && rounds < edit_rounds_max; ++rounds) {
    const auto shown = d.dialect->files(d.run, read);
    if (!shown) return warn(shown.error());
    for (const Fault& note : shown->notes) warn(note);
    again = shown->more;
    bool is_overtaken = false;
    for (const FileEdit& edit : shown->edits) {
      const auto turn = edit.guarded ? seams_.files.guard(place(edit.path)) : std::make_shared<int>(0);
      if (turn == nullptr) {
        is_overtaken = true;
        continue;
      }
      if (edit.before) {
        const auto now = read(edit.path);
        if (!now || *now != edit.before) {
          is_overtaken = true;  // an agent wrote to it meanwhile
          continue;
        }
      }
      Status wrote;
      if (edit.companion) wrote = seams_.files.write(place(edit.companion->path), edit.companion->content);
      if (wrote) wrote = seams_.files.write(place(edit.path), edit.content);
      if (!wrote) {
        warn(wrote.error());
        again = false;
      }
    }
    overtaken += is_overtaken ? 1 : 0;
    again = again || is_overtaken;
  }
}

}  // namespace baton
