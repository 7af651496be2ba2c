// Writes what happens to runs, as it is told to: for measuring how the dashboard keeps up. Usage: bench_events
// STATE_DIR Reads lines: `run ID` adds a finished run, `begin` one that is at work, `use` an event of that one and a
// line to its log. Answers each with the time in nanoseconds (of the monotonic clock) at which it was begun: others see
// a commit before its sync has returned, so a time after that would be too late.
#include <sys/stat.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>

#include "journal/sqlite_journal.h"

using namespace baton;

namespace {

Time now() {
  return time_from_ms(
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count());
}

struct Subject {
  Lease lease;
  Run run;
  std::uint64_t events = 0;
};

class Writer {
 public:
  explicit Writer(const std::string& state_dir) : state_dir_(state_dir) {
    journal_ = std::move(SqliteJournal::open(state_dir, SqliteJournal::Mode::read_write).value());
    plan_->workflow = "bench";
    plan_->dialect = "markdown";
    auto work = std::make_shared<Work>();
    work->command = {"/bin/true"};
    for (const char* id : {"one", "two", "three"}) plan_->steps.push_back({id, {}, work, {}, {}, false});
  }

  void add_finished(const std::string& id) {
    Subject s = take(id);
    std::vector<Event> events = first_events();
    for (std::size_t i = 0; i < plan_->steps.size(); ++i) {
      events.push_back({now(), event::AttemptAdmitted{step_index(i), 1, "command", {}, {}}});
      events.push_back({now(), event::AttemptStarted{step_index(i), 1, 1, now()}});
      events.push_back({now(), event::AttemptEnded{step_index(i), 1, false, {}, 0, {}, now()}});
    }
    append(s, events);
  }

  void begin() {
    busy_ = take("busybusy");
    std::vector<Event> events = first_events();
    events.push_back({now(), event::AttemptAdmitted{step_index(0), 1, "command", {}, {}}});
    events.push_back({now(), event::AttemptStarted{step_index(0), 1, 1, now()}});
    append(busy_, events);
    std::string folder = state_dir_ + "/runs";
    for (const char* part : {"", "/busybusy", "/logs"}) ::mkdir((folder += part).c_str(), 0777);
    log_.open(folder + "/one.1.out");
  }

  void use() {
    tokens_ += 10;
    append(busy_, {{now(), event::AttemptUsed{step_index(0), 1, {{tokens_, tokens_, 0, 0}, Cost{tokens_ * 1000}, 1}}}});
    log_ << "a line of what is printed at " << tokens_ << ", as long as lines are" << std::endl;
  }

 private:
  Subject take(const std::string& id) {
    Subject s;
    s.lease.run = id;
    s.lease.owner = "bench";
    s.lease = journal_->acquire(s.lease, now(), Millis{3'600'000}, [](const Lease&) { return true; }).value();
    return s;
  }
  std::vector<Event> first_events() {
    return {{now(), event::RunCreated{plan_, {}}}, {now(), event::DriverTook{1, "bench", 1}}};
  }
  void append(Subject& s, const std::vector<Event>& events) {
    for (const Event& e : events) (void)s.run.apply(e);
    if (!journal_->append(s.lease, Seq{s.events}, events, s.run, {})) std::exit(1);
    s.events += events.size();
  }

  std::string state_dir_;
  std::unique_ptr<SqliteJournal> journal_;
  std::shared_ptr<Plan> plan_ = std::make_shared<Plan>();
  Subject busy_;
  std::ofstream log_;
  std::int64_t tokens_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  Writer writer{argv[1]};
  std::string word;
  while (std::cin >> word) {
    std::string id;
    const auto time = std::chrono::steady_clock::now().time_since_epoch();
    if (word == "run" && std::cin >> id) writer.add_finished(id);
    if (word == "begin") writer.begin();
    if (word == "use") writer.use();
    std::cout << std::chrono::nanoseconds{time}.count() << std::endl;
  }
  return 0;
}
