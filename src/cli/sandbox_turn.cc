#include "cli/sandbox_turn.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/requests.h"
#include "cli/sandboxes.h"
#include "io/waiting.h"

namespace baton::cli {
namespace {

constexpr int waits_max = 1000;  // of 10 ms

/// What a driver was asked for at its start is stored with the event that it took the run.
bool has_driver_on_record(const Project& project, const std::string& run) {
  auto journal = project.journal_to_read();
  if (!journal) return false;
  const auto lease = living_driver(**journal, run);
  if (!lease || !*lease) return false;
  const auto events = (*journal)->load(run);
  return events && std::ranges::any_of(*events, [&](const Event& event) {
           const auto* took = std::get_if<event::DriverTook>(&event.body);
           return took != nullptr && took->epoch == (*lease)->epoch;
         });
}

}  // namespace

Status SandboxTurn::await(const Project& project, const std::string& sandbox) {
  const std::string path = project.root() + "/sandbox/" + sandbox;
  if (!folder_.is_open()) folder_ = FileLock::on_folder(path);
  if (!folder_.is_open()) return fault("file-unreadable", fmt::format("cannot open {}", project.shown(path)));
  for (int waits = 0; waits < waits_max; ++waits) {
    if (folder_.try_take()) return {};
    const auto run = newest_run_in(project, sandbox);
    if (!run) return std::unexpected(run.error());
    if (*run && has_driver_on_record(project, **run)) return {};
    pause_for(Millis{10});
  }
  return fault("run-is-driven",
               fmt::format("another process has been about to go on in the sandbox '{}' for 10 s", sandbox),
               "let it go on or end it, then try again");
}

}  // namespace baton::cli
