#include "cli/outputs_turn.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "cli/load_run.h"
#include "cli/requests.h"
#include "core/facts.h"
#include "dialect/markdown/known_files.h"
#include "host/holder_link.h"
#include "plan/path_rule.h"

namespace baton::cli {
namespace {

using Outputs = std::map<std::string, std::string>;  ///< plain path -> step

/// Files of the project. What lies in a run's own sandbox is nobody else's.
void add_output(Outputs& outputs, const std::string& path, const std::string& step, const std::string& sandbox) {
  if (path.empty() || (!sandbox.empty() && path.starts_with("sandbox/" + sandbox + "/"))) return;
  outputs.emplace(path, step);
}

Outputs outputs_of(const Plan& plan, const std::string& sandbox) {
  Outputs outputs;
  for (const markdown::StepFiles& files : markdown::known_files(plan).files) {
    add_output(outputs, files.output, files.step->id, sandbox);
  }
  return outputs;
}

/// With those whose names have become known since it began.
Outputs outputs_of(const Run& run) {
  const std::string sandbox = option_of(run, "sandbox");
  Outputs outputs = outputs_of(run.plan(), sandbox);
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    const Step& step = run.step(step_index(n));
    const bool is_known = !step.work->is_nothing() && step.work->output.find("${{") == std::string::npos;
    if (is_known && !run.of(step_index(n)).state.is_replaced()) {
      add_output(outputs, plain_path(step.work->output), step.id, sandbox);
    }
  }
  return outputs;
}

bool may_be_at_work(RunState state) {
  return state == RunState::queued || state == RunState::running || state == RunState::parked;
}

bool waits_for_a_time(const Run& run) {
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    const StepRun& s = run.of(step_index(n));
    const bool is_deferred = s.state == StepState::ready && run.deferral_of(step_index(n)) != nullptr;
    if (is_deferred || (s.state == StepState::waiting && !s.state.awaits_person())) return true;
  }
  return false;
}

bool has_holder(const Project& project) { return static_cast<bool>(connect_to_holder(project.state_dir())); }

/// Nobody drives it now, but the holder is going to wake it when a delay is over. One that was left on purpose is not
/// woken, and looks the same for as long as a holder is there.
bool may_be_woken(const Project& project, const Run& run) {
  return run.state() == RunState::running && waits_for_a_time(run) && has_holder(project);
}

Status look_at_others(const Project& project, SqliteJournal& journal, const Outputs& outputs, const std::string& self) {
  auto runs = journal.list();
  if (!runs) return std::unexpected(runs.error());
  for (const RunSummary& other : *runs) {
    const bool counts = other.id != self && other.dialect == "markdown" &&
                        (may_be_at_work(other.state) || other.state == RunState::paused);
    if (!counts) continue;
    const auto run = load_run(journal, other.id);
    if (!run || !(is_at_work(journal, other.id, *run) || may_be_woken(project, *run))) continue;
    for (const auto& [path, step] : outputs_of(*run)) {
      const auto ours = outputs.find(path);
      if (ours == outputs.end()) continue;
      return fault("outputs-collide",
                   fmt::format("step '{}' would write '{}', and run {} of '{}' is at work on that file (step '{}')",
                               ours->second, printable(path), other.id, other.workflow, step),
                   fmt::format("wait until it is over, or end it: 'baton cancel {}'", other.id));
    }
  }
  return {};
}

Expected<OutputsTurn> take_outputs(const Project& project, SqliteJournal& journal, const Outputs& outputs,
                                   const std::string& self) {
  if (outputs.empty()) return OutputsTurn{};
  auto turn = std::make_shared<TurnLock>(project.state_dir() + "/outputs.lock");
  if (auto taken = turn->take(); !taken) return std::unexpected(taken.error());
  if (auto free = look_at_others(project, journal, outputs, self); !free) return std::unexpected(free.error());
  return turn;
}

}  // namespace

bool is_at_work(SqliteJournal& journal, const std::string& id, const Run& run) {
  if (!may_be_at_work(run.state())) return run.in_flight() > 0;
  if (run.state() != RunState::running || run.in_flight() > 0) return true;
  const auto driver = living_driver(journal, id);
  return driver && *driver;
}

Expected<OutputsTurn> outputs_of_new_run(const Project& project, SqliteJournal& journal, const Plan& plan,
                                         const std::string& sandbox) {
  return take_outputs(project, journal, outputs_of(plan, sandbox), {});
}

Expected<OutputsTurn> outputs_of_run(const Project& project, SqliteJournal& journal, const std::string& id,
                                     const Run& run) {
  if (run.plan().dialect != "markdown" || is_at_work(journal, id, run)) return OutputsTurn{};
  return take_outputs(project, journal, outputs_of(run), id);
}

}  // namespace baton::cli
