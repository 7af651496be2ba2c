// `team`: one operation on a team session, then stop.
#include <unistd.h>

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "base/boost_json.h"
#include "base/text.h"
#include "cli/drive.h"
#include "cli/follow.h"
#include "cli/load_run.h"
#include "cli/reporter.h"
#include "cli/requests.h"
#include "cli/result_object.h"
#include "cli/run_settings.h"
#include "cli/team/team_advance.h"
#include "cli/team/team_call.h"
#include "cli/team/team_verbs.h"
#include "core/facts.h"
#include "dialect/team/reports.h"
#include "dialect/team/session_edit.h"
#include "dialect/team/status_text.h"
#include "dialect/team/team_plan.h"
#include "engine/real_files.h"
#include "text/json_patch.h"

namespace baton::cli {
namespace {

namespace fs = std::filesystem;

/// A team session that a verb was given, with all that is wrong with it said.
class TeamVerb {
 public:
  TeamVerb(Project project, const TeamOptions& options, const RunOptions& terms)
      : project_(std::move(project)), common_(project_.common()), options_(options), terms_(terms) {}

  int operator()() {
    const std::string& action = options_.action;
    if (action == "callback" || action == "message" || action == "messages") return without_validation(action);
    Faults warnings;
    const bool looks = action == "check" || action == "status" || action == "wait" || action == "report";
    auto open = open_team(project_, options_.session, looks ? Looking::only : Looking::and_mending, warnings);
    if (!open) return print(common_, open.error()), exit_refused;
    print(common_, warnings);
    open_ = std::make_unique<OpenTeam>(std::move(*open));
    if (const auto fault = surplus()) return print(common_, *fault), exit_refused;
    if (action.empty()) return go_on(Asker::nobody);
    if (action == "resume" || action == "continue" || action == "next") return go_on(Asker::person);
    if (action == "check" || action == "status") return check();
    if (action == "wait") return wait();
    if (action == "report") return report();
    if (action == "retry") return retry();
    if (action == "skip") return skip();
    if (action == "extend") return extend();
    std::vector<std::string> known{"check",  "status", "resume", "continue", "next",     "callback", "wait",
                                   "report", "retry",  "skip",   "extend",   "messages", "message"};
    const std::string near = nearest(action, known);
    print(common_, Fault{"bad-usage", fmt::format("'{}' is nothing that can be done with a team", action),
                         near.empty() ? "one of " + join(known, ", ") : fmt::format("did you mean '{}'?", near)});
    return exit_refused;
  }

 private:
  /// What workers and others do beside the run needs the folder and nothing more.
  int without_validation(const std::string& action) {
    const TeamPlace place = find_team(project_, options_.session);
    std::error_code error;
    if (place.folder.empty() || !fs::is_directory(place.path, error)) {
      print(common_, Fault{"team-not-found", "Session directory not found: " + options_.session, team::rerun_hint});
      return exit_refused;
    }
    if (!fs::exists(place.path + "/team-session.json", error) && !fs::exists(place.path + "/.msg", error)) {
      print(common_, Fault{"team-file-missing", "Invalid session: team-session.json missing", team::rerun_hint});
      return exit_refused;
    }
    const TeamFiles files{project_.root(), place.folder};
    if (action == "messages") {
      write_out(STDOUT_FILENO, list_messages(files, options_, common_.json));
      return exit_done;
    }
    const auto said = action == "callback" ? call_back(project_, files, options_) : put_message(files, options_);
    if (!said) return print(common_, said.error()), exit_refused;
    say(common_, *said);
    return exit_done;
  }

  int show(int code) {
    if (common_.json) return write_out(STDOUT_FILENO, status_json()), code;
    write_out(STDOUT_FILENO, printable(shown(project_, *open_)));
    return code;
  }

  /// Words that nobody asked for are a mistake of who wrote them.
  [[nodiscard]] std::optional<Fault> surplus() const {
    const bool takes_one = options_.action == "retry" || options_.action == "skip" || options_.action == "extend";
    const std::size_t most = takes_one ? 1 : 0;
    if (options_.words.size() <= most) return std::nullopt;
    return Fault{"bad-usage", fmt::format("'{}' is too much", options_.words.back()),
                 takes_one ? fmt::format("{} takes one word", options_.action) : "it takes no further words"};
  }

  int go_on(Asker asker) {
    constexpr int tries_max = 5;
    for (int tries = 1;; ++tries) {
      Faults faults;
      std::vector<EventBody> asks;
      if (!open_->is_gone()) asks = asks_to_go_on(project_, *open_, faults, terms_, asker);
      if (has_errors(faults)) return print(common_, faults), exit_refused;
      const int code = advance(project_, *open_, terms_, asks);
      if (code == exit_refused) return code;
      // Steps are numbered on: somebody else may have been quicker, and then these were not taken.
      if (tries == tries_max || terms_.rehearse || !lacks_tasks()) return show(code);
    }
  }

  [[nodiscard]] bool lacks_tasks() const {
    return !open_->is_gone() && !team::differ(open_->run->run, open_->team, open_->files.reality()).missing.empty();
  }

  int check() { return show(exit_done); }

  std::optional<StepIndex> named_task() {
    const std::string task = !options_.words.empty() ? options_.words.front() : options_.task;
    if (open_->is_gone()) {
      print(common_, Fault{"no-team-run",
                           open_->run ? fmt::format("the last run of {} was cancelled", open_->files.folder())
                                      : fmt::format("no run of {} is known here", open_->files.folder()),
                           fmt::format("begin one: baton team {}", open_->files.folder())});
      return std::nullopt;
    }
    const Run& run = open_->run->run;
    const auto step = task.empty() ? std::nullopt : run.find(task);
    if (!step) {
      print(common_, Fault{"unknown-task",
                           task.empty() ? "which task?" : fmt::format("{} has no task '{}'", open_->files.name(), task),
                           fmt::format("'baton team {} check' lists them", open_->files.folder())});
      return std::nullopt;
    }
    const StepState state = run.of(*step).state;
    if (state == StepState::running || state == StepState::checking) {
      print(common_,
            Fault{"step-at-work", fmt::format("task '{}' is at work", task), "wait for it, or cancel the run"});
      return std::nullopt;
    }
    // A dispute is decided by its own name: what comes after it must not start because of something else.
    const auto disputed = team::disputed_task(run);
    if (disputed && *disputed != task && options_.action == "retry") {
      print(common_, Fault{"run-paused", "the run is paused: " + run.pause_reason(),
                           fmt::format("'baton team {} resume' takes it as it is", options_.session)});
      return std::nullopt;
    }
    return step;
  }

  int retry() {
    const auto step = named_task();
    if (!step) return exit_refused;
    const int code = advance(project_, *open_, terms_, {event::RetryAsked{step}});
    return code == exit_refused ? code : show(code);
  }

  int skip() {
    const auto step = named_task();
    if (!step) return exit_refused;
    if (open_->run->run.of(*step).state == StepState::completed) {
      print(common_, Fault{"task-is-done", fmt::format("task '{}' is completed", open_->run->run.step(*step).id),
                           "there is nothing to skip"});
      return exit_refused;
    }
    const int code = advance(project_, *open_, terms_, {event::StepDecided{*step, false, "a person left it out"}});
    return code == exit_refused ? code : show(code);
  }

  /// Adds the tasks of a file to the session's own, then goes on: they are missing in its run.
  int extend() {
    if (options_.words.empty()) {
      return print(common_, Fault{"bad-usage", "extend takes the file with the further tasks"}), exit_refused;
    }
    auto text = read_whole(options_.words.front(), "no-task-file");
    if (!text) return print(common_, text.error()), exit_refused;
    const int code = add_tasks(*text);
    return code == exit_done ? go_on(Asker::nobody) : code;
  }

  /// Alone with the session: somebody else may add to it at the same time.
  int add_tasks(const std::string& text) {
    FileLock lock = FileLock::on_folder(open_->files.path());
    if (!lock.take_within(team_patience)) return print(common_, held_fault(open_->files)), exit_refused;
    Faults before;
    auto now = open_team(project_, options_.session, Looking::only, before);
    if (!now) return print(common_, now.error()), exit_refused;
    *open_ = std::move(*now);
    Faults faults;
    const std::vector<team::Task> tasks = further_tasks(text, faults);
    print(common_, faults);
    if (has_errors(faults)) return exit_refused;
    const std::string analysis = open_->files.text("task-analysis.json").value_or("");
    const std::string after = team::with_tasks(analysis, tasks);
    if (auto wrote = RealFiles{}.write(open_->files.path("task-analysis.json"), after); !wrote) {
      return print(common_, wrote.error()), exit_failed;
    }
    Faults warnings;
    auto again = open_team(project_, options_.session, Looking::only, warnings);
    if (!again) {
      // Together they are not good: all is as it was.
      (void)RealFiles{}.write(open_->files.path("task-analysis.json"), analysis);
      return print(common_, again.error()), exit_refused;
    }
    std::erase_if(warnings, [&](const Fault& w) {
      return std::ranges::any_of(before, [&](const Fault& b) { return b.message == w.message; });
    });
    print(common_, warnings);
    *open_ = std::move(*again);
    return exit_done;
  }

  std::vector<team::Task> further_tasks(const std::string& text, Faults& faults) const {
    const std::string& file = options_.words.front();
    // A list of tasks alone is fine too.
    const std::string whole =
        trim(text).starts_with('[') ? fmt::format("{{\"roles\":[\"\"],\"tasks\":{}}}", text) : text;
    if (const auto object = read_object(whole, file, "team-file-corrupt"); !object) {
      faults.push_back(object.error());
      faults.back().help = "a JSON list of tasks, or an object with such a list as 'tasks'";
      return {};
    }
    team::AnalysisRead read = team::read_analysis(whole, file, {});
    std::ranges::copy_if(read.faults, std::back_inserter(faults),
                         [](const Fault& f) { return f.message.find("roles array") == std::string::npos; });
    std::vector<team::Task> tasks;
    if (!read.analysis) return tasks;
    for (team::Task& task : read.analysis->tasks) {
      const bool is_there = open_->team.find(task.id) != nullptr || (open_->run && open_->run->run.find(task.id));
      if (is_there) {
        faults.push_back(
            {"duplicate-task", fmt::format("the session has a task '{}' already", task.id), {}, {file, 0, 0}});
        continue;
      }
      if (task.role.empty()) {
        if (const team::Role* role = team::role_by_prefix(open_->team.roles, task.id)) task.role = role->name;
      }
      if (task.subject.empty()) task.subject = task.id;
      tasks.push_back(std::move(task));
    }
    return tasks;
  }

  int report() {
    if (common_.json) return show(exit_done);
    write_out(STDOUT_FILENO,
              printable(shown(project_, *open_) + summaries() + team::next_commands(view(), options_.session)));
    return exit_done;
  }

  [[nodiscard]] team::TeamView view() const {
    if (!open_->run) return team::view_of(open_->team, open_->files.existence());
    return team::view_of(open_->run->run, open_->team, RealClock{}.now(), open_->files.existence());
  }

  /// What was discussed and what was learnt: a line for each file that says something.
  [[nodiscard]] std::string summaries() const {
    std::string out;
    for (const auto& [folder, title] : {std::pair{"discussions", "Discussions:"}, std::pair{"wisdom", "Wisdom:"}}) {
      std::vector<std::string> names;
      std::error_code error;
      for (fs::directory_iterator it{open_->files.path(folder), error}, end; !error && it != end; it.increment(error)) {
        if (it->path().extension() == ".md") names.push_back(it->path().filename().string());
      }
      std::ranges::sort(names);
      std::string lines;
      for (const std::string& name : names) {
        const auto text = open_->files.text(std::string{folder} + "/" + name);
        const std::string line = text ? team::summary_line(name, *text) : std::string{};
        if (!line.empty()) lines += "[executor] " + line + "\n";
      }
      if (!lines.empty()) out += fmt::format("[executor] {}\n{}", title, lines);
    }
    return out;
  }

  [[nodiscard]] std::string status_json() const {
    const team::TeamView v = view();
    constexpr const char* states[] = {"completed", "running", "pending", "failed", "skipped", "not_created"};
    std::string tasks;
    for (const team::TaskLine& task : v.tasks) {
      tasks += fmt::format(R"({}{{"id":{},"role":{},"state":"{}"}})", tasks.empty() ? "" : ",", json_quote(task.id),
                           json_quote(task.role), states[static_cast<std::size_t>(task.state)]);
    }
    return fmt::format(
               R"({{"session":{},"run":{},"state":{},"progress":{{"done":{},"total":{}}},"stopped":{},"tasks":[{}]}})",
               json_quote(v.folder), open_->run ? json_quote(open_->run->id) : "null",
               open_->run ? json_quote(name(v.state)) : "null", v.done(), v.tasks.size(),
               v.stopped.empty() ? "null" : json_quote(v.stopped), tasks) +
           "\n";
  }

  /// Until the pipeline ends or needs a person. Whoever waits drives nothing, so it may be ended at any time.
  int wait() {
    constexpr Millis wake_every{30'000};
    if (!open_->run) {
      return print(common_, Fault{"no-team-run", fmt::format("no run of {} is known here", open_->files.folder()),
                                  fmt::format("begin one: baton team {}", open_->files.folder())}),
             exit_refused;
    }
    auto journal = project_.journal_to_write();
    if (!journal) return print(common_, journal.error()), exit_refused;
    const std::string id = open_->run->id;
    std::int64_t version = -1;
    std::size_t done = 0;
    Time woken{};
    for (;;) {
      if (const std::int64_t now = (*journal)->data_version(); now != version) {
        version = now;
        auto run = load_run(**journal, id);
        if (!run) return print(common_, run.error()), exit_failed;
        open_->run = NewestTeamRun{id, std::move(*run)};
      }
      const Run& run = open_->run->run;
      const bool goes_on =
          run.state() == RunState::running || run.state() == RunState::queued || run.state() == RunState::parked;
      if (const std::size_t now = run.count(StepState::completed); now != done) {
        done = now;
        say(common_, fmt::format("{} of {} tasks completed", done, run.step_total()));
      }
      if (run.state() == RunState::parked && terms_.no_wait) break;
      if (!goes_on) break;
      // Should everybody who could be told have died, it goes on all the same.
      if (const Time now = RealClock{}.now(); now - woken > wake_every) {
        woken = now;
        wake(project_, **journal, id);
      }
      wait_a_little();
    }
    if (open_->run->run.state() != RunState::parked) await_driver_gone(**journal, id);
    const bool is_over = open_->run->run.state() == RunState::completed;
    const int code = show(is_over && !view().is_whole() ? exit_failed : exit_code_of(open_->run->run.state()));
    print_result(project_, **journal, id);
    return code;
  }

  Project project_;
  Common common_;
  const TeamOptions& options_;
  const RunOptions& terms_;
  std::unique_ptr<OpenTeam> open_;
};

}  // namespace

int team_verb(const Common& common, const TeamOptions& options, const RunOptions& terms) {
  auto project = Project::open(common);
  if (!project) return print(common, project.error()), exit_refused;
  return TeamVerb{std::move(*project), options, terms}();
}

int run_team(Project project, const RunOptions& options) {
  const Common common = project.common();
  Faults warnings;
  auto open = open_team(project, options.target, Looking::and_mending, warnings);
  if (!open) return print(common, open.error()), exit_refused;
  print(common, warnings);
  const Project again = project;
  const int code = run_through(std::move(project), *open, options);
  if (code == exit_refused || common.json || options.detach) return code;
  if (auto known = refresh(again, *open); !known || !open->run) return code;
  const RunState state = open->run->run.state();
  if (state == RunState::completed || state == RunState::failed)
    write_out(STDOUT_FILENO, printable(shown(again, *open)));
  return code;
}

std::expected<Plan, Faults> team_definition(const Project& project, const std::string& target, Faults& warnings) {
  const TeamPlace place = find_team(project, target);
  const auto slash = place.path.find_last_of('/');
  const TeamFiles files = place.folder.empty() ? TeamFiles{place.path.substr(0, slash), place.path.substr(slash + 1)}
                                               : TeamFiles{project.root(), place.folder};
  team::TeamRead read = files.read(target);
  if (!read.is_good()) return std::unexpected(std::move(read.faults));
  warnings = std::move(read.faults);
  return team::make_plan(read.team, {.id = files.name(), .policy = team_policy(project.config())});
}

}  // namespace baton::cli
