#include "cli/follow.h"

#include <signal.h>

#include <csignal>
#include <iterator>
#include <memory>

#include "cli/drive.h"
#include "cli/reporter.h"
#include "cli/requests.h"
#include "core/run.h"
#include "engine/real_files.h"
#include "engine/run_folder.h"
#include "io/waiting.h"

namespace baton::cli {
namespace {

volatile std::sig_atomic_t signalled = 0;

/// While it lives, signals that ask to leave are taken note of instead of ending the process.
class HeardSignals {
 public:
  HeardSignals() {
    struct sigaction action{};
    action.sa_handler = [](int signal) { signalled = signal; };
    for (std::size_t i = 0; i < std::size(signals); ++i) ::sigaction(signals[i], &action, &before_[i]);
  }
  ~HeardSignals() {
    for (std::size_t i = 0; i < std::size(signals); ++i) ::sigaction(signals[i], &before_[i], nullptr);
  }
  HeardSignals(const HeardSignals&) = delete;
  HeardSignals& operator=(const HeardSignals&) = delete;

 private:
  static constexpr int signals[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction before_[std::size(signals)]{};
};

bool settled(RunState s) { return s != RunState::running && s != RunState::queued; }

}  // namespace

Expected<int> follow(const Project& project, SqliteJournal& journal, const std::string& id) {
  RealClock clock;
  auto reporter =
      make_reporter(project.common(), id, {project.root(), run_folder(project.state_dir(), id).path}, clock);
  auto heard = std::make_unique<HeardSignals>();
  Run run;
  std::size_t seen = 0;
  std::int64_t version = -1;
  bool first = true;
  for (;;) {
    if (const std::int64_t now = journal.data_version(); now != version) {
      version = now;
      auto events = journal.load(id);
      if (!events) return std::unexpected(events.error());
      for (; seen < events->size(); ++seen) {
        for (const Command& c : run.apply((*events)[seen])) {
          const auto* what = std::get_if<command::Announce>(&c);
          if (!first && what != nullptr) reporter->announced(id, run, *what, (*events)[seen].at);
        }
      }
      if (first) reporter->announced(id, run, {command::Announce::Kind::run_resumed}, clock.now());
      first = false;
    }
    reporter->refresh();
    if (settled(run.state())) break;
    if (signalled != 0) {
      reporter->close(&run, true);
      return 128 + (signalled == SIGINT ? SIGINT : SIGTERM);
    }
    const auto driver = living_driver(journal, id);
    if (!driver) return std::unexpected(driver.error());
    if (!*driver) {
      heard.reset();  // the drive has its own ways with signals
      DriveOrder order;
      order.run = id;
      auto code = drive(project, journal, std::move(order));
      if (code || code.error().code != "run-is-driven") return code;
      heard = std::make_unique<HeardSignals>();
    }
    pause_for(Millis{50});
  }
  if (run.state() != RunState::parked) await_driver_gone(journal, id);
  reporter->close(&run, false);
  return exit_code_of(run.state());
}

void await_driver_gone(SqliteJournal& journal, const std::string& run) {
  constexpr int looks_max = 500;
  for (int looks = 0; looks < looks_max; ++looks) {
    if (const auto driver = living_driver(journal, run); !driver || !*driver) return;
    wait_a_little();
  }
}

}  // namespace baton::cli
