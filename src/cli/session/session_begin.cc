#include "cli/session/session_begin.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "cli/agent_runtimes.h"
#include "cli/drive.h"
#include "cli/follow.h"
#include "cli/go_on.h"
#include "cli/random.h"
#include "cli/reporter.h"
#include "cli/run_settings.h"
#include "cli/safety_policy.h"
#include "cli/session/session_end.h"
#include "cli/session/session_files.h"
#include "cli/session/session_only.h"
#include "cli/session/session_target.h"
#include "cli/start_run.h"
#include "dialect/session/session_plan.h"
#include "engine/run_folder.h"
#include "io/file_lock.h"

namespace baton::cli {
namespace {

void refuse_foreign_options(const RunOptions& options, Faults& faults) {
  const auto refuse = [&](bool given, const char* option, const char* why) {
    if (!given) return;
    faults.push_back({"option-not-for-sessions", fmt::format("{} is not for sessions: {}", option, why)});
  };
  refuse(!options.inputs.empty() || !options.file.empty(), "--input", "their tasks say what they read");
  refuse(options.isolation == "worktree", "--isolation worktree", "their tasks work in the project's own folder");
}

session::SessionTerms terms_of(const session::FoundSession& found, const Config& config, const std::string& runtime) {
  session::SessionTerms terms{.id = found.id, .folder = found.folder};
  Policy& policy = terms.policy;
  policy.retries = retries_of(config, "", own_runtime(config, runtime), policy.retries);
  policy.limit_retries = config.integer("limits.rate_limit_retries").value_or(0);
  policy.timeout = config.duration("limits.step_timeout").value_or(Millis{0});
  policy.retry_delay = config.duration("limits.retry_delay").value_or(policy.retry_delay);
  policy.stop_grace = config.duration("limits.stop_grace").value_or(policy.stop_grace);
  policy.stall = config.duration("limits.stall").value_or(Millis{0});
  return terms;
}

void add_options(const Project& project, const session::FoundSession& found, const RunOptions& options, CheckedRun& p) {
  auto& o = p.settings.options;
  o["session"] = found.id;
  o["session_folder"] = found.folder;
  o["folder"] = run_folder(project.state_dir(), p.id).path;
  if (options.with_commit) o["with_commit"] = "1";
  if (options.no_archive) o["no_archive"] = "1";
  if (!options.only.empty()) o["only"] = join(options.only, ",");
}

std::expected<CheckedRun, Faults> prepare(const Project& project, const session::FoundSession& found,
                                          const RunOptions& options) {
  Faults faults = session::faults_of(found);
  CheckedRun p;
  p.id = random_word(8);
  refuse_foreign_options(options, faults);
  const SessionFiles files{project.root(), found.folder};
  if (const auto file = files.session_file(); !file) {
    faults.push_back(file.error());
    faults.back().severity = Severity::warning;  // what is known of it then is what its folder shows
  }
  if (has_errors(faults)) return std::unexpected(std::move(faults));
  auto list = files.todo();
  if (!list) {
    faults.push_back(list.error());
    return std::unexpected(std::move(faults));
  }
  std::ranges::copy(list->faults, std::back_inserter(faults));
  std::ranges::copy(files.plan().warnings, std::back_inserter(faults));
  if (!options.only.empty()) *list = only_these(std::move(*list), options.only, files, faults);
  p.plan = session::make_plan(*list, terms_of(found, project.config(), options.runtime));
  // Read strictly, a box says nothing: the task's file is looked at when its turn comes.
  const bool boxes_count = done_policy(project.config()) == session::DonePolicy::either;
  if (boxes_count) p.found = session::found_steps(*list);
  p.settings = first_settings(project.config(), options, draw(), faults);
  complete_terms(p, project, options, faults);
  add_options(project, found, options, p);
  if (has_errors(faults)) return std::unexpected(std::move(faults));
  p.told = std::move(faults);
  return p;
}

/// The newest run of the session; nullopt if there is none.
Expected<std::optional<RunSummary>> last_run_of(const Project& project, const std::string& session) {
  auto journal = project.journal_to_read();
  if (!journal && journal.error().code == "journal-missing") return std::nullopt;
  if (!journal) return std::unexpected(journal.error());
  auto runs = (*journal)->list();
  if (!runs) return std::unexpected(runs.error());
  const auto found =
      std::ranges::find_if(*runs, [&](const RunSummary& r) { return r.dialect == "session" && r.workflow == session; });
  return found != runs->end() ? std::optional{*found} : std::nullopt;
}

bool has_ended(const RunSummary& run) { return is_over(run.state) || run.state == RunState::failed; }

/// Whoever drove a run to its end may have died, or be about to write, before the session's files say so. What is begun
/// next goes by the files, and would do again what is done. True if they were written now.
bool see_to_files(const Project& project, const std::string& run) {
  auto journal = project.journal_to_write();
  if (!journal) return false;  // whoever begins one says so
  await_driver_gone(**journal, run);
  const auto left = (*journal)->holder_of(run);
  if (!left || !*left || (*left)->owner.empty()) return false;  // it was given up in order, which is after that
  complete_files(project, **journal, run);
  await_driver_gone(**journal, run);  // another one may have been quicker
  return true;
}

int begin(const Project& project, const session::FoundSession& found, const RunOptions& options) {
  const Common& common = project.common();
  auto prepared = prepare(project, found, options);
  if (!prepared) return print(common, prepared.error()), exit_refused;
  print(common, project.config().notes());
  return begin_run(project, std::move(*prepared), options);
}

/// An archive that was begun and not finished.
int finish_archive(const Project& project, const session::FoundSession& found) {
  const bool older = found.folder.starts_with(".workflow/.archives/");
  const std::string source = (older ? ".workflow/" : ".workflow/active/") + found.id;
  if (auto done = archive_session(project, source); !done) return print(project.common(), done.error()), exit_failed;
  say(project.common(), fmt::format("the session is complete and in the archive: {}", found.id));
  return exit_done;
}

/// Goes on with a run that is not over.
int take_up(Project project, const std::string& id, const RunOptions& options) {
  const Common common = project.common();
  auto subject = open_subject(std::move(project), id);
  if (!subject) return print(common, subject.error()), exit_refused;
  Faults faults;
  auto changed = changed_settings(subject->run.settings(), subject->project.config(), options, faults);
  if (has_errors(faults)) return print(common, faults), exit_refused;
  std::vector<EventBody> asks(changed ? 2 : 1, EventBody{event::ResumeAsked{}});
  if (changed) asks.front() = event::SettingsChanged{std::move(*changed)};
  return go_on(*subject, common, std::move(asks), options);
}

}  // namespace

int run_session(Project project, const RunOptions& options) {
  const Common common = project.common();
  const std::string named = options.resume_session.empty() ? options.target : options.resume_session;
  auto found = find_session(project, named, options.yes);
  if (!found) return print(common, found.error()), exit_refused;
  const auto last = last_run_of(project, found->id);
  if (last && *last && has_ended(**last) && see_to_files(project, (*last)->id)) {
    found = find_session(project, found->id, options.yes);
    if (!found) return print(common, found.error()), exit_refused;
    if (found->place == session::SessionPlace::archived && !found->archiving) {
      say(common, fmt::format("the session is complete and in the archive: {}", found->id));
      return exit_done;
    }
  }
  if (found->place == session::SessionPlace::archived && found->archiving) return finish_archive(project, *found);
  if (found->place == session::SessionPlace::archived) {
    print(common, Fault{"session-archived", fmt::format("{} is in the archive: {}", found->id, found->folder),
                        "move it back to .workflow/active/ to go on with it"});
    return exit_refused;
  }
  // One process at a time begins a run of a session: two that did so at once would do its tasks twice.
  FileLock lock = FileLock::on_folder(project.root() + "/" + found->folder);
  const bool is_ours = lock.try_take();
  auto open = last_run_of(project, found->id);
  if (!open) return print(common, open.error()), exit_refused;
  if (*open && has_ended(**open)) open->reset();
  if (!*open && !is_ours) {
    print(common, Fault{"session-at-work", fmt::format("another process is about to run {}", found->id),
                        "wait for it; 'baton list' shows its run"});
    return exit_refused;
  }
  if (!*open) return begin(project, *found, options);
  if (options.resume_session.empty()) {
    print(common, Fault{"session-at-work", fmt::format("run {} of {} is not over", (*open)->id, found->id),
                        fmt::format("go on with it: baton run --resume-session {}; or give it up: baton cancel {}",
                                    found->id, (*open)->id)});
    return exit_refused;
  }
  return take_up(std::move(project), (*open)->id, options);
}

}  // namespace baton::cli
