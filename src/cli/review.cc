#include "cli/review.h"

#include <unistd.h>

#include <fmt/core.h>

#include "base/limits.h"
#include "base/text.h"
#include "cli/chain_library.h"
#include "cli/drive.h"
#include "cli/load_run.h"
#include "cli/reporter.h"
#include "cli/run_settings.h"
#include "cli/sandboxes.h"
#include "cli/start_run.h"
#include "core/facts.h"
#include "dialect/chain/verdict.h"
#include "engine/real_files.h"
#include "git/land.h"
#include "git/survey.h"
#include "view/run_facts.h"

namespace baton::cli {
namespace {

bool has_branch(const Run& run) { return !option_of(run, "branch").empty(); }

std::optional<std::string> last_review(const Project& project, const Run& run) {
  const RunPlaces places{project.root(), option_of(run, "folder")};
  for (std::size_t n = run.step_count(); n-- > 0;) {
    const StepIndex i = step_index(n);
    if (run.of(i).state != StepState::completed || !run.step(i).work->reviews || run.of(i).state.is_replaced())
      continue;
    const auto path = output_of(run, i, places);
    auto text = path ? RealFiles{}.read(*path, Limits::output_bytes_max) : std::nullopt;
    return text && *text ? *text : std::nullopt;
  }
  return std::nullopt;
}

/// The branch that the work began from, unless another is named now.
std::string target_of(const Config& config, const Run& run) {
  const auto named = config.all().find("git.base");
  const bool now = named != config.all().end() && named->second.value != option_of(run, "set.git.base") &&
                   named->second.origin == "--set";
  const std::string branch = option_of(run, "base_branch");
  return now || branch.empty() ? config.text("git.base").value_or("") : branch;
}

git::LandOrder land_order(const Project& project, const std::string& id, const Run& run) {
  auto own = project.config_with(recorded_sets(run.settings()));
  const Config& config = own ? *own : project.config();
  const std::string strategy = config.text("git.merge").value_or("merge");
  const std::string task = option_of(run, "task");
  git::LandOrder order;
  order.root = project.root();
  order.branch = option_of(run, "branch");
  order.base_commit = option_of(run, "base_commit");
  order.target = target_of(config, run);
  order.strategy = strategy == "squash"   ? git::LandOrder::Strategy::squash
                   : strategy == "rebase" ? git::LandOrder::Strategy::rebase
                                          : git::LandOrder::Strategy::merge;
  order.message = fmt::format("{}\n\nBaton-Run: {}\n", shorten(trim(task.substr(0, task.find('\n'))), 72), id);
  order.trees = project.worktrees();
  order.run = id;
  return order;
}

/// Says `body` to the run, which nobody else may drive meanwhile: `act` is done first, with the run in hand.
Expected<int> with_run_in_hand(const Project& project, SqliteJournal& journal, const std::string& id,
                               std::function<Expected<EventBody>(const Run&)> act) {
  DriveOrder order;
  order.run = id;
  order.first = std::move(act);
  order.silent = true;
  return drive(project, journal, std::move(order));
}

Expected<EventBody> land_change(const Project& project, const std::string& id, const Run& run) {
  event::ReviewAnswered answer{true, {}, {}};
  if (!has_branch(run)) return answer;
  const git::LandOrder order = land_order(project, id, run);
  auto landed = git::land(order);
  if (!landed) return std::unexpected(landed.error());
  for (const std::string& note : landed->notes) say(project.common(), note);
  answer.landed = landed->commit;
  return answer;
}

/// What is left of a run whose change has landed goes. It has landed whatever comes of that.
void tidy(const Project& project, const std::string& id, const Run& run) {
  if (!has_branch(run)) return;
  if (auto tidied = git::tidy_after(land_order(project, id, run)); !tidied) print(project.common(), tidied.error());
}

/// Where nothing was changed it was refused; anything else went wrong on the way.
int exit_after(const Fault& fault) {
  return fault.code == "run-is-driven" || fault.code.starts_with("accept-") ? exit_refused : exit_failed;
}

Fault not_to_be_reviewed(const std::string& id, const Run& run) {
  return {"nothing-to-review",
          fmt::format("run {} is {}: there is nothing to accept or to reject", id, name(run.state())),
          fmt::format("'baton show {}' tells how it stands", id)};
}

bool can_be_answered(const Run& run) {
  return run.plan().dialect == "chain" && (run.awaits_review() || run.state() == RunState::completed);
}

bool is_accepted_chain(const Run& run) { return run.plan().dialect == "chain" && run.state() == RunState::accepted; }

Fault cannot_continue(const std::string& id, const Run& run) {
  if (run.plan().dialect == "chain" && run.state() == RunState::rejected) {
    return {"cannot-continue",
            fmt::format("run {} was rejected: its change was given up, and there is nothing to add to", id),
            has_branch(run)
                ? fmt::format("start a run of its own; what this one made is kept at refs/baton/rejected/{}", id)
                : "start a run of its own"};
  }
  return {"cannot-continue",
          fmt::format("run {} is {}, and a follow-up goes on from a chain that is finished or waits for a review", id,
                      name(run.state())),
          fmt::format("'baton show {}' tells how it stands", id)};
}

/// The change of an accepted run is on its target, and its tree is gone: what is added begins from there.
Expected<RunSettings> settings_for_a_fresh_tree(const Subject& s) {
  const git::LandOrder order = land_order(s.project, s.id, s.run);
  // Perhaps `accept` was cut off before it had tidied up: an old tree must not be taken for the new one.
  if (auto tidied = git::tidy_after(order); !tidied) return std::unexpected(tidied.error());
  auto survey = git::survey(s.project.root(), order.target);
  if (!survey) return std::unexpected(survey.error());
  RunSettings settings = s.run.settings();
  settings.options["base_commit"] = survey->base_commit;
  if (!survey->base_branch.empty()) settings.options["base_branch"] = survey->base_branch;
  return settings;
}

Status discard(const Subject& s) {
  if (!has_branch(s.run)) return {};
  const git::LandOrder order = land_order(s.project, s.id, s.run);
  return git::discard(order.root, order.trees, s.id, order.branch);
}

Fault landed_before(const std::string& id, const git::LandOrder& order, const std::string& commit) {
  const bool is_merge = order.strategy == git::LandOrder::Strategy::merge;
  return {"landed-already",
          fmt::format("run {} cannot be rejected: {} has its change since an 'accept' that was cut off, as {}", id,
                      order.target, commit.substr(0, 12)),
          fmt::format("it is recorded as accepted; 'git revert {}{}' on {} takes the change back",
                      is_merge ? "-m 1 " : "", commit.substr(0, 12), order.target)};
}

int tell_given_up(const Subject& s) {
  const Common& common = s.project.common();
  if (auto gone = discard(s); !gone) return print(common, gone.error()), exit_failed;
  return say(common, fmt::format("run {} is rejected; its record stays: 'baton show {}'", s.id, s.id)), exit_done;
}

/// Ends a run that waits for a person, and removes its trees.
int give_up(Subject& s, const EventBody& answer) {
  const Common& common = s.project.common();
  auto code = with_run_in_hand(s.project, *s.journal, s.id, [&](const Run&) -> Expected<EventBody> { return answer; });
  if (!code) return print(common, code.error()), exit_after(code.error());
  return tell_given_up(s);
}

/// An `accept` may have been killed when the change was on its target and before that was on record. Then it is not to
/// be rejected any more, and is recorded as what it is.
int refuse_change(Subject& s) {
  if (!has_branch(s.run)) return give_up(s, event::ReviewAnswered{false, {}, {}});
  const Common& common = s.project.common();
  std::string landed;
  auto code = with_run_in_hand(s.project, *s.journal, s.id, [&](const Run& run) -> Expected<EventBody> {
    auto found = git::landed_already(land_order(s.project, s.id, run));
    if (!found) return std::unexpected(found.error());
    // A change of earlier may be there by right, and what was added since is refused.
    if (*found && **found != run.landed()) landed = **found;
    return event::ReviewAnswered{!landed.empty(), {}, landed};
  });
  if (!code) return print(common, code.error()), exit_after(code.error());
  if (landed.empty()) return tell_given_up(s);
  tidy(s.project, s.id, s.run);
  return print(common, landed_before(s.id, land_order(s.project, s.id, s.run), landed)), exit_refused;
}

}  // namespace

int accept_change(Subject& s) {
  const Common& common = s.project.common();
  if (s.run.state() == RunState::accepted) {
    // Perhaps it was cut off before it had tidied up.
    tidy(s.project, s.id, s.run);
    return say(common, fmt::format("run {} is accepted already", s.id)), exit_done;
  }
  if (!can_be_answered(s.run)) return print(common, not_to_be_reviewed(s.id, s.run)), exit_refused;
  auto code =
      with_run_in_hand(s.project, *s.journal, s.id, [&](const Run& run) { return land_change(s.project, s.id, run); });
  if (!code) return print(common, code.error()), exit_after(code.error());
  if (!has_branch(s.run)) return say(common, fmt::format("run {} is accepted", s.id)), exit_done;
  const git::LandOrder order = land_order(s.project, s.id, s.run);
  tidy(s.project, s.id, s.run);
  say(common, fmt::format("run {} is accepted: {} has its change", s.id, order.target));
  return exit_done;
}

int reject_change(Subject& s, const std::string& message) {
  const Common& common = s.project.common();
  if (s.run.state() == RunState::rejected && message.empty()) {
    // Perhaps it was cut off before it had tidied up.
    if (auto gone = discard(s); !gone) return print(common, gone.error()), exit_failed;
    return say(common, fmt::format("run {} is rejected already", s.id)), exit_done;
  }
  if (!can_be_answered(s.run)) return print(common, not_to_be_reviewed(s.id, s.run)), exit_refused;
  if (!message.empty()) {
    ProjectSkills skills{s.project};
    ProjectChains chains{s.project, skills};
    auto begun = go_on_in_background(s, {extension_event(s.run, chains.revise(s.run, message), message)});
    if (!begun) return print(common, begun.error()), exit_failed;
    return say(common, fmt::format("run {} goes on with that; 'baton show {}' tells how", s.id, s.id)), exit_done;
  }
  return refuse_change(s);
}

int reject_conflict(Subject& s, const event::GateAnswered& answer) { return give_up(s, answer); }

int accept_if_asked_to(const Project& project, SqliteJournal& journal, const std::string& id, int code) {
  if (code != exit_waiting) return code;
  const auto run = load_run(journal, id);
  if (!run || !run->awaits_review()) return code;
  const std::string asked = option_of(*run, "set.review.auto_accept");
  const bool automatic = (asked.empty() ? project.config().text("review.auto_accept").value_or("") : asked) == "true";
  const auto review = last_review(project, *run);
  if (!automatic || !review || !chain::read_verdict(*review).passed) return code;
  auto landed = with_run_in_hand(project, journal, id, [&](const Run& r) { return land_change(project, id, r); });
  if (!landed) {
    print(project.common(), landed.error());
    return code;  // it still waits for a person
  }
  tidy(project, id, *run);
  return exit_done;
}

int follow_up(Project project, const RunOptions& options) {
  const Common common = project.common();
  auto task = task_of(options);
  if (!task) return print(common, task.error()), exit_refused;
  if (trim(*task).empty()) {
    return print(common, Fault{"no-task", "a follow-up needs a task", "say what is still to be done: --task \"…\""}),
           exit_refused;
  }
  auto s = open_subject(std::move(project), options.continue_run);
  if (!s) return print(common, s.error()), exit_refused;
  if (!can_be_answered(s->run) && !is_accepted_chain(s->run)) {
    return print(common, cannot_continue(s->id, s->run)), exit_refused;
  }
  ProjectSkills skills{s->project};
  ProjectChains chains{s->project, skills};
  std::vector<EventBody> asks;
  if (is_accepted_chain(s->run) && has_branch(s->run)) {
    auto anew = settings_for_a_fresh_tree(*s);
    if (!anew) return print(common, anew.error()), exit_refused;
    asks.emplace_back(event::SettingsChanged{std::move(*anew)});
  }
  asks.push_back(extension_event(s->run, chains.follow_up(s->run, *task), *task));
  // An old run's folder may have been cleaned away.
  if (auto made = make_run_folders(s->project, s->id); !made) return print(common, made.error()), exit_refused;
  if (options.detach) return go_on_by_itself(*s, common, asks);
  return go_on(*s, common, std::move(asks), options);
}

std::string verdict_text(const Project& project, const Run& run) {
  const auto review = last_review(project, run);
  if (!review) return {};
  const chain::Verdict verdict = chain::read_verdict(*review);
  if (!verdict.known) return "review: no verdict could be read from its answer";
  std::string text = "review: " + shorten(chain::to_text(verdict), 400);
  for (const chain::Issue& issue : verdict.issues) {
    text += fmt::format("\n  {}: {}{}", issue.severity, issue.file.empty() ? "" : issue.file + ": ",
                        shorten(issue.text, 300));
  }
  return text;
}

}  // namespace baton::cli
