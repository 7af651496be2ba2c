// Verbs that only look: list, show, logs, why.
#include <unistd.h>

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/limits.h"
#include "base/text.h"
#include "cli/load_run.h"
#include "cli/reporter.h"
#include "cli/requests.h"
#include "cli/verbs.h"
#include "engine/real_files.h"
#include "engine/run_folder.h"
#include "io/waiting.h"
#include "runtime/transcript.h"
#include "view/json_text.h"
#include "view/list_view.h"
#include "view/log_view.h"
#include "view/show_view.h"
#include "view/why_view.h"

namespace baton::cli {
namespace {

std::optional<DriverFact> driver_fact(Journal& journal, const std::string& run) {
  const auto lease = living_driver(journal, run);
  if (!lease || !*lease) return std::nullopt;
  return DriverFact{(*lease)->pid, (*lease)->host};
}

/// A project with its journal open for reading.
struct Reading {
  Project project;
  std::unique_ptr<SqliteJournal> journal;
};

std::expected<Reading, Faults> open_reading(const Common& common) {
  auto project = Project::open(common);
  if (!project) return std::unexpected(project.error());
  auto journal = project->journal_to_read();
  if (!journal) return std::unexpected(Faults{journal.error()});
  return Reading{std::move(*project), std::move(*journal)};
}

bool nothing_yet(const Faults& faults) { return faults.size() == 1 && faults.front().code == "journal-missing"; }

/// The run that a verb looks at. Prints the fault itself.
struct Looked {
  Reading reading;
  std::string id;
  Run run;
};

std::optional<Looked> look(const Common& common, const std::string& name) {
  auto project = Project::open(common);
  if (!project) return print(common, project.error()), std::nullopt;
  auto journal = project->journal_with(name);
  if (!journal) return print(common, journal.error()), std::nullopt;
  auto id = resolve_run(**journal, name);
  if (!id) return print(common, id.error()), std::nullopt;
  auto run = load_run(**journal, *id);
  if (!run) return print(common, run.error()), std::nullopt;
  return Looked{{std::move(*project), std::move(*journal)}, std::move(*id), std::move(*run)};
}

}  // namespace

int list_verb(const Common& common) {
  auto reading = open_reading(common);
  std::vector<RunRow> rows;
  if (!reading && !nothing_yet(reading.error())) return print(common, reading.error()), exit_refused;
  if (reading) {
    auto runs = reading->journal->list();
    if (!runs) return print(common, runs.error()), exit_failed;
    rows.reserve(runs->size());
    for (RunSummary& r : *runs) {
      std::optional<DriverFact> driver;
      if (!is_over(r.state)) driver = driver_fact(*reading->journal, r.id);
      rows.push_back({std::move(r.id), std::move(r.workflow), std::move(r.dialect), r.state, std::move(r.task),
                      std::move(r.error), r.done, r.total, std::move(r.current), r.created, r.started, r.finished,
                      r.cost, r.tokens, std::move(r.folder), std::move(r.sandbox), std::move(driver), r.known});
    }
  }
  const Time now = RealClock{}.now();
  write_out(STDOUT_FILENO, common.json ? list_json(rows, now) + "\n" : list_text(rows, now));
  return exit_done;
}

int show_verb(const Common& common, const std::string& name) {
  const auto looked = look(common, name);
  if (!looked) return exit_refused;
  const Project& project = looked->reading.project;
  const RunFolder folder = run_folder(project.state_dir(), looked->id);
  const RunPlaces places{project.root(), folder.path};
  const auto driver = driver_fact(*looked->reading.journal, looked->id);
  const PathsOf paths = [&](const std::string& step, int n) {
    return AttemptPaths{folder.prompt(step, n), folder.output_log(step, n)};
  };
  const Time now = RealClock{}.now();
  write_out(STDOUT_FILENO, common.json ? show_json(looked->id, looked->run, places, driver, paths, now) + "\n"
                                       : show_text(looked->id, looked->run, places, driver, now));
  return exit_done;
}

namespace {

/// Prints what attempts printed, and goes on where it stopped when called again.
class LogPrinter {
 public:
  LogPrinter(RunFolder folder, const LogsOptions& options, bool color)
      : folder_(std::move(folder)), options_(options), color_(color) {}

  void print_news(const Run& run) {
    for (std::size_t n = 0; n < run.step_count(); ++n) {
      const std::string& id = run.step(step_index(n)).id;
      if (!options_.step.empty() && id != options_.step) continue;
      const std::span<const Attempt> attempts = shown_attempts(run, step_index(n));
      for (const Attempt& a : attempts) {
        const bool last = static_cast<std::size_t>(a.n) == attempts.size();
        if (options_.attempt == 0 ? !last && !options_.follow : a.n != options_.attempt) continue;
        const std::string head = fmt::format("==> {} (attempt {})\n", id, a.n);
        print_attempt(head, id, a.n, run.interned(a.runtime));
        for (int exchange = 2; has_exchange(id, exchange, a.n); ++exchange) {
          print_attempt(head, RunFolder::exchange(id, exchange), a.n, run.interned(a.runtime));
        }
      }
    }
  }

  /// Nothing more is read: what has no end yet is printed as it is.
  void finish() {
    for (auto& [path, source] : sources_) print_lines(source.head, source.transcript->end());
  }

 private:
  /// A file that attempts write to, and how far it was read.
  struct Source {
    std::string path;
    std::string head;
    std::uint64_t read = 0;
    std::unique_ptr<Transcript> transcript;
  };

  [[nodiscard]] bool has_exchange(const std::string& step, int exchange, int attempt) const {
    return ::access(folder_.output_log(RunFolder::exchange(step, exchange), attempt).c_str(), F_OK) == 0;
  }

  void print_attempt(const std::string& head, const std::string& step, int attempt, std::string_view runtime) {
    print_news(head, source(folder_.output_log(step, attempt), make_transcript(runtime)));
    print_news(head, source(folder_.error_log(step, attempt), make_error_transcript(runtime)));
  }

  Source& source(const std::string& path, std::unique_ptr<Transcript> transcript) {
    Source& found = sources_[path];
    if (found.transcript == nullptr) found = {path, {}, 0, std::move(transcript)};
    return found;
  }

  void print_news(const std::string& head, Source& source) {
    source.head = head;
    for (;;) {
      const std::string more = RealFiles{}.read_from(source.path, source.read, 64U << 10U);
      if (more.empty()) return;
      source.read += more.size();
      if (options_.raw) {
        write_out(STDOUT_FILENO, more);
      } else {
        print_lines(head, source.transcript->read(more));
      }
    }
  }

  void print_lines(const std::string& head, const LogLines& lines) {
    if (lines.empty()) return;
    std::string text;
    if (options_.step.empty() && head != last_head_) text += head;
    last_head_ = head;
    for (const LogLine& line : lines) text += log_text(line, color_);
    write_out(STDOUT_FILENO, text);
  }

  RunFolder folder_;
  LogsOptions options_;
  bool color_;
  std::map<std::string, Source> sources_;
  std::string last_head_;
};

}  // namespace

int logs_verb(const Common& common, const LogsOptions& options) {
  auto looked = look(common, options.run);
  if (!looked) return exit_refused;
  if (!options.step.empty() && !looked->run.find(options.step)) {
    return print(common, Fault{"unknown-step", fmt::format("run {} has no step '{}'", looked->id, options.step),
                               fmt::format("'baton show {}' lists its steps", looked->id)}),
           exit_refused;
  }
  LogPrinter printer{run_folder(looked->reading.project.state_dir(), looked->id), options,
                     use_color(common, STDOUT_FILENO)};
  printer.print_news(looked->run);
  while (options.follow && (looked->run.state() == RunState::running || looked->run.state() == RunState::queued)) {
    pause_for(Millis{100});
    if (auto again = load_run(*looked->reading.journal, looked->id)) looked->run = std::move(*again);
    printer.print_news(looked->run);
  }
  printer.finish();
  return exit_done;
}

int why_verb(const Common& common, const std::string& name, const std::string& step) {
  const auto looked = look(common, name);
  if (!looked) return exit_refused;
  const auto index = looked->run.find(step);
  if (!index) {
    return print(common, Fault{"unknown-step", fmt::format("run {} has no step '{}'", looked->id, step),
                               fmt::format("'baton show {}' lists its steps", looked->id)}),
           exit_refused;
  }
  auto events = looked->reading.journal->load(looked->id);
  if (!events) return print(common, events.error()), exit_failed;
  write_out(STDOUT_FILENO, printable(why_text(looked->run, *events, *index)));
  return exit_done;
}

}  // namespace baton::cli
