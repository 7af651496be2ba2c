#include "cli/follow.h"

#include <time.h>

#include "cli/drive.h"
#include "cli/reporter.h"
#include "core/run.h"
#include "engine/real_files.h"
#include "engine/run_folder.h"
#include "host/identity.h"

namespace baton::cli {
namespace {

bool settled(RunState s) { return s != RunState::running && s != RunState::queued; }

}  // namespace

Expected<int> follow(const Project& project, SqliteJournal& journal, const std::string& id) {
  RealClock clock;
  auto reporter =
      make_reporter(project.common(), id, {project.root(), run_folder(project.state_dir(), id).path}, clock);
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
      if (first) reporter->announced(id, run, {command::Announce::What::run_resumed}, clock.now());
      first = false;
    }
    reporter->refresh();
    if (settled(run.state())) break;
    auto lease = journal.holder_of(id);
    if (!lease) return std::unexpected(lease.error());
    const bool driven = *lease && !(*lease)->owner.empty() && !is_certainly_dead((*lease)->owner);
    if (!driven) {
      DriveOrder order;
      order.run = id;
      auto code = drive(project, journal, std::move(order));
      if (code || code.error().code != "run-is-driven") return code;
    }
    constexpr timespec pause{0, 50'000'000};
    ::nanosleep(&pause, nullptr);
  }
  reporter->close(&run, false);
  return exit_code_of(run.state());
}

}  // namespace baton::cli
