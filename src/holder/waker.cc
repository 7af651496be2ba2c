#include <algorithm>

#include "holder/keeper.h"
#include "io/environment.h"

namespace baton {
namespace {

constexpr std::int64_t pauses_ms[] = {1000, 5000, 30'000};

bool has_news(const Run& run) { return run.news > 0 || run.wake.asked || wall_ms() >= run.wake.at_ms; }

/// Exits on record are not worth staying for where nobody is to be woken: the next driver reads them from the log.
bool is_quiet(const Run& run) {
  return run.wake.argv.empty() && std::ranges::all_of(run.attempts, [](const auto& a) {
           return a.second.state == Attempt::State::ended && a.second.recorded;
         });
}

bool is_over(const Run& run) {
  return run.driver == nullptr && (run.attempts.empty() || is_quiet(run)) && run.wake.pid == 0 && !run.wake.asked &&
         run.wake.at_ms == never;
}

}  // namespace

std::int64_t Keeper::tend_wakes(std::int64_t now) {
  std::int64_t due = never;
  for (auto place = runs_.begin(); place != runs_.end();) {
    Run& run = place->second;
    if (is_over(run)) {
      if (run.courier_with_env == courier_.pid()) courier_.say({"forget", run.name});
      place = runs_.erase(place);
      continue;
    }
    ++place;
    if (run.driver != nullptr || run.wake.pid != 0 || run.wake.argv.empty()) continue;
    if (has_news(run) && now >= run.wake.not_before) {
      start_wake(run);
    } else if (has_news(run)) {
      due = std::min(due, run.wake.not_before);
    } else if (run.wake.at_ms != never) {
      due = std::min(due, now + std::max<std::int64_t>(run.wake.at_ms - wall_ms(), 0));
    }
  }
  return due;
}

void Keeper::start_wake(Run& run) {
  const std::string& log = run.log.path();
  const std::string output = log.substr(0, log.rfind('/') + 1) + "wake.log";
  const auto pid = start_program({.argv = run.wake.argv,
                                  .env = merge_environment(run.env, {}, {std::string{attempt_marks[3]} + state_dir_}),
                                  .cwd = run.project_dir,
                                  .stdout_path = output,
                                  .stderr_path = output});
  run.wake.asked = false;
  if (wall_ms() >= run.wake.at_ms) run.wake.at_ms = never;
  if (!pid) return wake_ended(run, false);
  run.wake.pid = *pid;
  wakes_.emplace(*pid, &run);
}

void Keeper::wake_ended(Run& run, bool well) {
  Wake& wake = run.wake;
  wake.pid = 0;
  if (wake.argv.empty()) return;  // its driver left on purpose
  // One that failed or died may have left its work half done, also where it had acknowledged every end: without an
  // exit that waits it is not worth more than a few tries.
  const bool in_vain = !well && wake.failures < std::size(pauses_ms);
  if (run.news == 0 && !in_vain) {
    wake.failures = 0;
    wake.not_before = 0;
    return;
  }
  wake.asked = wake.asked || in_vain;
  wake.not_before = monotonic_ms() + pauses_ms[std::min(wake.failures, std::size(pauses_ms) - 1)];
  ++wake.failures;
}

}  // namespace baton
