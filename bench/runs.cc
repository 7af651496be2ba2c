// Fills a state folder with finished runs, for measuring `list`. Usage: bench_runs STATE_DIR COUNT
#include <cstdio>
#include <cstdlib>

#include "journal/sqlite_journal.h"

using namespace baton;

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  auto journal = SqliteJournal::open(argv[1], SqliteJournal::Mode::read_write);
  if (!journal) return std::puts(journal.error().message.c_str()), 1;
  auto plan = std::make_shared<Plan>();
  plan->workflow = "bench";
  plan->dialect = "markdown";
  auto work = std::make_shared<Work>();
  work->command = {"/bin/true"};
  plan->steps.push_back({"only", {}, work, {}, {}, true});
  const long count = std::strtol(argv[2], nullptr, 10);
  for (long i = 0; i < count; ++i) {
    const Time now = time_from_ms(1'700'000'000'000 + i * 1000);
    Lease self;
    self.run = "run" + std::to_string(i);
    self.owner = "bench";
    auto lease = (*journal)->acquire(self, now, Millis{1000}, [](const Lease&) { return true; });
    if (!lease) return 1;
    event::AttemptEnded ended{step_index(0), 1, false, {}, 0, {}, now};
    const std::vector<Event> events = {{now, event::RunCreated{plan, {}}},
                                       {now, event::DriverTook{1, "bench", 1}},
                                       {now, event::AttemptAdmitted{step_index(0), 1, "command", {}, {}}},
                                       {now, event::AttemptStarted{step_index(0), 1, 1, now}},
                                       {now, ended}};
    Run run;
    for (const Event& e : events) (void)run.apply(e);
    if (!(*journal)->append(*lease, Seq{0}, events, run, {})) return 1;
  }
  return 0;
}
