// The engine over a fake host and a fake clock: RUNS at once, of STEPS each, to their end.
// Usage: bench_engine RUNS STEPS independent|chain [STATE_DIR]. With STATE_DIR the journal is SQLite's in there, so
// that every event is on disk before it counts; without, it is kept in memory. `independent`: held processes that last
// no time, two at once; `chain`: steps inside of the engine, one after the other. Prints: steps a second.
#include "engine/engine.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "journal/memory_journal.h"
#include "journal/sqlite_journal.h"
#include "support/fake_host.h"
#include "support/fake_world.h"

using namespace baton;

namespace {

std::shared_ptr<const Plan> plan_of(std::size_t steps, bool chain) {
  auto plan = std::make_shared<Plan>();
  plan->workflow = "bench";
  plan->dialect = "markdown";
  auto work = std::make_shared<Work>();
  work->command = {"/bin/true"};
  if (chain) work->runtime = "inner";
  for (std::size_t i = 0; i < steps; ++i) {
    Step step;
    step.id = "step-" + std::to_string(i);
    if (chain && i > 0) step.needs = {step_index(i - 1)};
    step.work = work;
    plan->steps.push_back(std::move(step));
  }
  return plan;
}

std::unique_ptr<Journal> journal_at(const char* state_dir) {
  if (state_dir == nullptr) return std::make_unique<MemoryJournal>();
  auto journal = SqliteJournal::open(state_dir, SqliteJournal::Mode::read_write);
  if (!journal) std::puts(journal.error().message.c_str()), std::exit(1);
  return std::move(*journal);
}

struct World {
  test::Mortality mortality;
  test::FakeClock clock{time_from_ms(1'700'000'000'000)};
  test::FakeFiles files{mortality};
  test::OutcomeOf outcome_of = [](const AttemptKey&) { return test::Outcome{}; };
  test::FakeRuntimes runtimes{outcome_of};
  test::FakeHost host{clock, files, mortality, outcome_of, test::Draws{1}};
};

/// All that is due, then the next moment at which something is; false when nothing is left to come.
bool go_on(World& world, Engine& engine) {
  do {
    while (world.host.deliver()) {
    }
    if (auto done = engine.tick(); !done) std::puts(done.error().message.c_str()), std::exit(1);
  } while (engine.has_news());
  std::optional<Time> next = world.host.next_event();
  if (const auto due = engine.next_due(); due && (!next || *due < *next)) next = due;
  if (!next) return false;
  world.clock.set(*next);
  world.host.catch_up();
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5) return 2;
  const auto runs = static_cast<std::size_t>(std::strtoul(argv[1], nullptr, 10));
  const auto steps = static_cast<std::size_t>(std::strtoul(argv[2], nullptr, 10));
  const auto plan = plan_of(steps, std::string_view{argv[3]} == "chain");
  const auto journal = journal_at(argc == 5 ? argv[4] : nullptr);
  World world;
  Engine::Terms terms;
  terms.self = {.owner = "bench", .host = "here", .pid = 1};
  terms.boot = "boot";
  terms.root = "/p";
  terms.state_dir = "/p/.baton";
  const auto start = std::chrono::steady_clock::now();
  Engine engine{{*journal, world.host, world.clock, world.files, world.runtimes}, terms};
  RunSettings settings;
  settings.jobs = 2;
  for (std::size_t i = 0; i < runs; ++i) {
    if (!engine.create("run" + std::to_string(i), {plan, settings})) return 1;
  }
  std::size_t over = 0;
  for (bool more = true; more && over < runs;) {
    more = go_on(world, engine);
    while (over < runs && engine.run("run" + std::to_string(over))->state() == RunState::completed) ++over;
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("%.1f\n", static_cast<double>(runs * steps) / seconds);
  return over == runs ? 0 : 1;
}
