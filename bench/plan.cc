// A recorded plan is read from a file into the core and run to its end over fakes.
// Usage: bench_plan make FILE COUNT, bench_plan run FILE
// Prints: steps, milliseconds to read, milliseconds to run, peak memory in MB.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>

#include "core/dispatcher.h"
#include "core/run.h"
#include "peak.h"
#include "plan/plan_json.h"

using namespace baton;

namespace {

double ms_since(std::chrono::steady_clock::time_point from) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - from).count();
}

std::string plan_text(std::size_t count) {
  Plan plan;
  plan.workflow = "bench";
  plan.dialect = "markdown";
  auto work = std::make_shared<Work>();
  work->command = {"/bin/true"};
  for (std::size_t i = 0; i < count; ++i) {
    Step step;
    step.id = "step-" + std::to_string(i);
    if (i >= 10) step.needs = {step_index(i - 10), step_index(i / 2)};
    step.work = work;
    plan.steps.push_back(std::move(step));
  }
  return to_json(plan);
}

std::size_t run_to_end(std::shared_ptr<const Plan> plan) {
  Run run;
  Time now = time_from_ms(1);
  RunSettings settings;
  settings.jobs = 8;
  (void)run.apply({now, event::RunCreated{std::move(plan), settings}});
  (void)run.apply({now, event::DriverTook{1, "bench", 1}});
  Dispatcher dispatcher;
  const std::vector<Dispatcher::Candidate> candidates{{"bench", &run, 0}};
  std::deque<StepIndex> at_work;
  const std::string runtime = "command";
  while (run.state() == RunState::running) {
    while (const auto a = dispatcher.next(candidates, now, [&](const Run&, StepIndex) { return runtime; })) {
      (void)run.apply({now, event::AttemptAdmitted{a->step, 1, runtime, {}, {}}});
      (void)run.apply({now, event::AttemptStarted{a->step, 1, 1, now}});
      at_work.push_back(a->step);
    }
    now += Millis{1};
    event::AttemptEnded ended;
    ended.step = at_work.front();
    ended.attempt = 1;
    ended.exit = 0;
    ended.finished = now;
    at_work.pop_front();
    (void)run.apply({now, ended});
    (void)run.take_touched();
  }
  return run.count(StepState::completed);
}

std::string read_whole(const char* path) {
  std::string text(std::filesystem::file_size(path), '\0');
  std::ifstream{path}.read(text.data(), static_cast<std::streamsize>(text.size()));
  return text;
}

int run_plan(const char* path) {
  const auto start = std::chrono::steady_clock::now();
  std::string text = read_whole(path);
  auto plan = plan_from_json(text);
  if (!plan) return 1;
  text = {};
  const double read_ms = ms_since(start);
  const std::size_t count = plan->steps.size();
  const std::size_t done = run_to_end(std::make_shared<const Plan>(std::move(*plan)));
  const double all_ms = ms_since(start);
  std::printf("%zu %.1f %.1f %ld\n", done, read_ms, all_ms - read_ms, bench::peak_mb());
  return done == count ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string verb = argc > 2 ? argv[1] : "";
  if (verb == "run" && argc == 3) return run_plan(argv[2]);
  if (verb != "make" || argc != 4) return 2;
  std::ofstream{argv[2]} << plan_text(std::strtoul(argv[3], nullptr, 10));
  return 0;
}
