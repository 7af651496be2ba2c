// report: a run as one page.
#include <unistd.h>

#include "cli/load_run.h"
#include "cli/page_place.h"
#include "cli/reporter.h"
#include "cli/verbs.h"
#include "core/facts.h"
#include "engine/real_files.h"
#include "engine/run_folder.h"
#include "engine/shown_file.h"
#include "git/diff.h"
#include "view/report/report.h"

namespace baton::cli {
namespace {

constexpr std::size_t text_bytes_max = 1U << 20U;

std::string reported_text(const std::string& path) {
  return path.empty() ? std::string{} : RealFiles{}.read_from(path, 0, text_bytes_max);
}

void add_diff(const Project& project, const Run& run, RunReport& report) {
  const git::DiffOrder order{project.root(), option_of(run, "worktree"), option_of(run, "branch"),
                             option_of(run, "base_commit")};
  if (order.tree.empty() || order.start.empty()) {
    report.no_diff = "The run worked in place: it has no worktree whose changes could be told.";
    return;
  }
  auto diff = git::diff(order, {});
  if (diff) {
    report.diff = std::move(*diff);
  } else {
    report.no_diff = diff.error().message;
  }
}

}  // namespace

int report_verb(const Common& common, const std::string& name, const std::optional<std::string>& file) {
  auto project = Project::open(common);
  if (!project) return print(common, project.error()), exit_refused;
  auto journal = project->journal_with(name);
  if (!journal) return print(common, journal.error()), exit_refused;
  auto id = resolve_run(**journal, name);
  if (!id) return print(common, id.error()), exit_refused;
  auto events = (*journal)->load(*id);
  if (!events) return print(common, events.error()), exit_refused;
  Run run;
  for (const Event& e : *events) (void)run.apply(e);
  const RunFolder folder = run_folder(project->state_dir(), *id);
  // The run's own folder may have been cleaned away, and is made again.
  if (!file) RealFiles{}.make_folder_for(folder.path + "/report.html");
  const auto place = PagePlace::find(file.value_or(folder.path + "/report.html"));
  if (!place) return print(common, place.error()), exit_refused;
  RunReport report{.id = *id,
                   .run = &run,
                   .events = &*events,
                   .places = {project->root(), folder.path},
                   .now = RealClock{}.now(),
                   .version = BATON_VERSION};
  report.prompt = [&](const std::string& step, int n) { return reported_text(folder.prompt(step, n)); };
  const std::vector<std::string> ours{project->root(), folder.path, option_of(run, "worktree")};
  report.output = [&](const std::string& step) {
    const ShownFile made =
        read_shown(output_of(run, *run.find(step), report.places).value_or(""), ours, text_bytes_max);
    return made.outside.empty() ? made.text : "It lies outside the project and is not shown: " + made.outside;
  };
  add_diff(*project, run, report);
  const std::string page = report_html(report);
  if (auto written = place->write(page); !written) return print(common, written.error()), exit_failed;
  if (const auto path = place->path()) write_out(STDOUT_FILENO, project->shown(*path) + "\n");
  return exit_done;
}

}  // namespace baton::cli
