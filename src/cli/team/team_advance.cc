#include "cli/team/team_advance.h"

#include <unistd.h>

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "cli/agent_runtimes.h"
#include "cli/agent_settings.h"
#include "cli/drive.h"
#include "cli/go_on.h"
#include "cli/load_run.h"
#include "cli/project_skills.h"
#include "cli/random.h"
#include "cli/reporter.h"
#include "cli/requests.h"
#include "cli/run_settings.h"
#include "cli/start_run.h"
#include "core/facts.h"
#include "dialect/team/status_text.h"
#include "dialect/team/team_plan.h"
#include "engine/real_files.h"
#include "engine/run_folder.h"
#include "view/event_view.h"

namespace baton::cli {
namespace {

void refuse_foreign_options(const RunOptions& options, Faults& faults) {
  const auto refuse = [&](bool given, const char* option, const char* why) {
    if (!given) return;
    faults.push_back({"option-not-for-teams", fmt::format("{} is not for team sessions: {}", option, why)});
  };
  refuse(!options.inputs.empty() || !options.file.empty(), "--input", "their tasks say what they read");
  refuse(options.isolation == "worktree", "--isolation worktree", "their workers work in the project's own folder");
  refuse(!options.only.empty(), "--only", "'skip' leaves a task out");
}

/// A rehearsal makes things up: none of them goes into the session.
void keep_out(Plan& plan) {
  for (Step& step : plan.steps) {
    auto work = std::make_shared<Work>(*step.work);
    work->output.clear();
    work->answers = true;
    step.work = std::move(work);
  }
}

/// What the configuration says of the roles: model, runtime, time.
void apply_role_terms(std::vector<Step>& steps, const Project& project, const std::string& runtime,
                      bool model_is_given) {
  ProjectSkills skills{project};
  apply_skill_terms(steps, project.config(), skills, model_is_given);
  const std::string of_run = own_runtime(project.config(), runtime);
  for (Step& step : steps) {
    const auto timeout = skill_timeout(project.config(), skills, step.work->skill, step.work->runtime, of_run);
    if (!timeout) continue;
    auto work = std::make_shared<Work>(*step.work);
    work->timeout = *timeout;
    step.work = std::move(work);
  }
}

std::expected<CheckedRun, Faults> prepare(const Project& project, const OpenTeam& open, const RunOptions& options) {
  Faults faults;
  refuse_foreign_options(options, faults);
  CheckedRun p;
  p.id = random_word(8);
  const team::Beginning beginning = team::begin_from(open.team, open.files.reality());
  p.plan = team::make_plan(open.team, {.id = open.files.name(), .policy = team_policy(project.config())});
  if (options.rehearse) keep_out(p.plan);
  apply_role_terms(p.plan.steps, project, options.runtime, !options.model.empty());
  p.settings = first_settings(project.config(), options, draw(), faults);
  p.found = team::found_steps(p.plan, beginning.completed);
  complete_terms(p, project, options, faults);
  auto& o = p.settings.options;
  o["session"] = open.team.file.id;
  o["team_folder"] = open.files.folder();
  o["completion_action"] = open.team.file.completion_action;
  o["team_file"] = open.files.text("team-session.json").value_or("");
  o["folder"] = run_folder(project.state_dir(), p.id).path;
  if (!beginning.claims.empty()) o["team_claims"] = team::to_json(beginning.claims);
  if (!beginning.notes.empty()) o["team_notes"] = team::to_json(beginning.notes);
  if (has_errors(faults)) return std::unexpected(std::move(faults));
  return p;
}

/// Does what is due, or has whoever drives the run do it.
Expected<int> drive_a_beat(const Project& project, SqliteJournal& journal, const NewestTeamRun& run,
                           const std::vector<EventBody>& asks) {
  constexpr int tries_max = 5;
  Expected<int> code{exit_done};
  for (int tries = 0; tries < tries_max; ++tries) {
    DriveOrder order;
    order.run = run.id;
    order.asks = asks;
    order.leave_at_once = true;
    order.silent = true;
    code = drive(project, journal, std::move(order));
    if (code || code.error().code != "run-is-driven") return code;
    if (asks.empty()) return exit_done;
    auto heard = hand_over(project, journal, run.id, requests_of(run.run, asks));
    if (!heard) return std::unexpected(heard.error());
    if (*heard) return exit_done;
  }
  return code;
}

bool has_gates(const Run& run) {
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    if (run.of(step_index(n)).state.is_at_gate()) return true;
  }
  return false;
}

}  // namespace

Policy team_policy(const Config& config) {
  Policy policy = team::TeamTerms{}.policy;
  policy.retries = config.integer("limits.retries").value_or(policy.retries);
  policy.check_retries = policy.retries;
  policy.limit_retries = config.integer("limits.rate_limit_retries").value_or(0);
  policy.timeout = config.duration("limits.step_timeout").value_or(Millis{0});
  policy.retry_delay = config.duration("limits.retry_delay").value_or(policy.retry_delay);
  policy.stop_grace = config.duration("limits.stop_grace").value_or(policy.stop_grace);
  policy.stall = config.duration("limits.stall").value_or(Millis{0});
  return policy;
}

Status refresh(const Project& project, OpenTeam& open) {
  auto run = run_of_team(project, open.files);
  if (!run) return std::unexpected(run.error());
  open.run = std::move(*run);
  return {};
}

namespace {

/// What a session is read from whose file is broken, and what is said of it.
Expected<team::TeamRead> mended(const OpenTeam& open, const std::string& named, Looking looking, Faults& warnings) {
  const auto& [id, run] = *open.run;
  Fault said{"team-file-rebuilt", {}, {}, {open.files.folder() + "/team-session.json", 0, 0}, Severity::warning};
  if (looking == Looking::only) {
    said.message = fmt::format("team-session.json is corrupt: what is shown is the record of run {}", id);
    said.help = fmt::format("'baton team {} resume' rebuilds it", named);
    warnings.push_back(std::move(said));
    return open.files.read(named, open.files.recorded(id, run));
  }
  auto aside = open.files.rebuild(id, run);
  if (!aside) return std::unexpected(aside.error());
  said.message = fmt::format(
      "team-session.json was corrupt: it is rebuilt from the record of run {}; what it was is in {}", id, *aside);
  warnings.push_back(std::move(said));
  return open.files.read(named);
}

}  // namespace

std::expected<OpenTeam, Faults> open_team(const Project& project, const std::string& named, Looking looking,
                                          Faults& warnings) {
  if (named.empty()) {
    return std::unexpected(Faults{
        {"bad-usage", "Session required. Usage: --session=<path-to-TC-folder>", "baton team .workflow/.team/TC-NAME"}});
  }
  const TeamPlace place = find_team(project, named);
  const auto slash = place.path.find_last_of('/');
  // One that lies elsewhere is looked at there, so that what is wrong with it is said first.
  OpenTeam open{place.folder.empty() ? TeamFiles{place.path.substr(0, slash), place.path.substr(slash + 1)}
                                     : TeamFiles{project.root(), place.folder},
                {},
                {}};
  team::TeamRead read = open.files.read(named);
  if (!place.folder.empty()) {
    if (auto known = refresh(project, open); !known) return std::unexpected(Faults{known.error()});
    const auto is_corrupt = [](const Fault& f) {
      return f.code == "team-file-corrupt" && f.message.find("team-session.json") != std::string::npos;
    };
    if (open.run && std::ranges::any_of(read.faults, is_corrupt)) {
      auto again = mended(open, named, looking, warnings);
      if (!again) return std::unexpected(Faults{again.error()});
      read = std::move(*again);
    }
  }
  if (!read.is_good()) return std::unexpected(std::move(read.faults));
  if (place.folder.empty()) {
    return std::unexpected(Faults{{"team-not-found", fmt::format("{} is not in the project {}", named, project.root()),
                                   "name its project too: -C DIR"}});
  }
  std::ranges::move(read.faults, std::back_inserter(warnings));
  open.team = std::move(read.team);
  return open;
}

Fault held_fault(const TeamFiles& files) {
  return {"file-failed", fmt::format("another process holds the lock of {}", files.folder()),
          "see which one with 'fuser', and try again when it is gone"};
}

std::vector<EventBody> asks_to_go_on(const Project& project, const OpenTeam& open, Faults& faults,
                                     const RunOptions& options, Asker asker) {
  std::vector<EventBody> asks;
  const Run& run = open.run->run;
  refuse_foreign_options(options, faults);
  if (auto changed = changed_settings(run.settings(), project.config(), options, faults)) {
    asks.emplace_back(event::SettingsChanged{std::move(*changed)});
  }
  const bool is_person = asker == Asker::person;
  if (is_person && has_gates(run)) asks.emplace_back(event::GateAnswered{{}, true, "resumed"});
  const bool is_paused = run.state() == RunState::paused;
  if ((is_person && is_paused) || run.state() == RunState::failed) asks.emplace_back(event::ResumeAsked{});
  const team::Difference difference = team::differ(run, open.team, open.files.reality());
  for (const StepIndex step : difference.done) {
    asks.emplace_back(event::StepDecided{step, true, "team-session.json says that it is completed"});
  }
  std::vector<team::Message> notes;
  for (const team::Note& note : difference.notes) {
    notes.push_back({{},
                     {},
                     "executor",
                     "all",
                     note.type,
                     note.summary,
                     fmt::format(R"({{"task_id":{}}})", json_quote(note.task))});
  }
  if (auto said = open.files.append(std::move(notes)); !said) faults.push_back(said.error());
  if (!difference.missing.empty() || !difference.joins.empty()) {
    std::vector<std::string> known;
    for (std::size_t n = 0; n < run.step_count(); ++n) known.push_back(run.step(step_index(n)).id);
    event::PlanExtended e;
    e.by = step_index(0);
    e.first = step_index(run.step_count());
    e.steps = team::further_steps(difference.missing, open.team,
                                  {.id = open.files.name(), .policy = team_policy(project.config())}, known);
    apply_role_terms(e.steps, project, option_of(run, "runtime"), !option_of(run, "model").empty());
    e.joins = difference.joins;
    if (!difference.missing.empty()) e.task = fmt::format("{} further tasks", difference.missing.size());
    asks.emplace_back(std::move(e));
  }
  return asks;
}

namespace {

/// Sees to it that there is a run to go on with: one process at a time begins one. An exit code if there is none.
std::optional<int> ensure_run(const Project& project, SqliteJournal& journal, OpenTeam& open,
                              const RunOptions& options) {
  const Common& common = project.common();
  FileLock lock = FileLock::on_folder(open.files.path());
  if (!lock.take_within(team_patience)) return print(common, held_fault(open.files)), exit_refused;
  if (auto known = refresh(project, open); !known) return print(common, known.error()), exit_refused;
  if (!open.is_gone() && !options.rehearse) return std::nullopt;
  auto prepared = prepare(project, open, options);
  if (!prepared) return print(common, prepared.error()), exit_refused;
  const std::string id = prepared->id;
  auto order = make_ready(project, std::move(*prepared));
  if (!order) return print(common, order.error()), exit_refused;
  if (auto begun = record_run(project, journal, *order); !begun) return print(common, begun.error()), exit_refused;
  auto run = load_run(journal, id);
  if (!run) return print(common, run.error()), exit_failed;
  open.run = NewestTeamRun{id, std::move(*run)};
  return std::nullopt;
}

/// What runs share belongs to living processes: a wake stays with the run, and this one need not.
Expected<int> hand_to_wake(const Project& project, SqliteJournal& journal, const NewestTeamRun& run,
                           const std::vector<EventBody>& asks) {
  if (auto started = start_in_background(project, run.id); !started) return std::unexpected(started.error());
  auto heard = hand_over(project, journal, run.id, requests_of(run.run, asks));
  if (!heard) return std::unexpected(heard.error());
  return exit_done;
}

}  // namespace

int advance(const Project& project, OpenTeam& open, const RunOptions& options, const std::vector<EventBody>& asks) {
  const Common& common = project.common();
  auto journal = project.journal_to_write();
  if (!journal) return print(common, journal.error()), exit_refused;
  if (const auto refused = ensure_run(project, **journal, open, options)) return *refused;
  const bool is_done = open.run->run.state() == RunState::completed && asks.empty();
  if (is_done) return exit_done;
  const SharedLimits shared = shared_limits(project.config());
  const bool stays = shared.concurrent_runs > 0 || shared.concurrent_steps > 0;
  auto code =
      stays ? hand_to_wake(project, **journal, *open.run, asks) : drive_a_beat(project, **journal, *open.run, asks);
  if (!code) return print(common, code.error()), exit_failed;
  if (options.rehearse) {
    if (auto run = load_run(**journal, open.run->id)) open.run->run = std::move(*run);
    return *code;
  }
  if (auto known = refresh(project, open); !known) return print(common, known.error()), exit_failed;
  return open.run && open.run->run.state() == RunState::failed ? exit_failed : exit_done;
}

namespace {

/// A run that was over before: its first and its last word, for whoever reads events.
void tell_again(const Project& project, const NewestTeamRun& known) {
  if (!project.common().json) return;
  const RunPlaces places{project.root(), run_folder(project.state_dir(), known.id).path};
  using Announced = command::Announce::Kind;
  for (const Announced kind : {Announced::run_started, Announced::run_finished}) {
    write_out(STDOUT_FILENO, event_json(known.id, known.run, places, {kind}, known.run.finished()) + "\n");
  }
}

}  // namespace

int run_through(Project project, OpenTeam& open, const RunOptions& options) {
  const Common common = project.common();
  auto journal = project.journal_to_write();
  if (!journal) return print(common, journal.error()), exit_refused;
  if (const auto refused = ensure_run(project, **journal, open, options)) return *refused;
  Faults faults;
  std::vector<EventBody> asks = asks_to_go_on(project, open, faults, options, Asker::person);
  if (has_errors(faults)) return print(common, faults), exit_refused;
  if (open.run->run.state() == RunState::completed && asks.empty()) {
    tell_again(project, *open.run);
    return exit_done;
  }
  auto subject = open_subject(std::move(project), open.run->id);
  if (!subject) return print(common, subject.error()), exit_refused;
  if (options.detach) {
    if (auto begun = go_on_in_background(*subject, asks); !begun) return print(common, begun.error()), exit_failed;
    write_out(STDOUT_FILENO, subject->id + "\n");
    return exit_done;
  }
  return go_on(*subject, common, std::move(asks), options);
}

std::string shown(const Project& /*project*/, const OpenTeam& open) {
  const Time now = RealClock{}.now();
  if (!open.run) return team::status_text(team::view_of(open.team, open.files.existence()), now);
  const team::TeamView view = team::view_of(open.run->run, open.team, now, open.files.existence());
  const RunState state = open.run->run.state();
  if (state == RunState::completed && view.is_whole()) return team::banner(view);
  std::string out = team::status_text(view, now);
  if (state == RunState::failed || state == RunState::completed) out += team::stall_text(view);
  return out;
}

}  // namespace baton::cli
