#include "cli/main.h"

#include <unistd.h>

#include <fmt/core.h>

#include <csignal>
#include <cstring>
#include <functional>

#include "cli/cli11.h"
#include "cli/completion.h"
#include "cli/reporter.h"
#include "cli/team/team_verbs.h"
#include "cli/verbs.h"

namespace baton::cli {
namespace {

constexpr const char* about =
    "Baton runs workflows of AI agents durably: each step one fresh agent or command, its output checked, retried "
    "with\n"
    "feedback and recorded; nothing finished is ever run twice; a crash at any instant loses nothing.";

constexpr const char* footer =
    "\nFirst steps:  baton init && baton run hello --rehearse\n"
    "Exit codes of run, resume, retry and team wait: 0 completed, 1 failed, 2 refused, 3 waits for a person,\n"
    "4 paused, 5 cancelled, 75 parked until a limit resets, 130/143 interrupted and resumable. All other verbs: 0\n"
    "done, 1 failed, 2 refused.";

/// The command line as a whole: one sub-command a verb, each leaving behind what is to be done.
class CommandLine {
 public:
  /// Where the verb is known, groups behind the one that has it are left out: to make them all takes a millisecond.
  explicit CommandLine(const std::string& verb = {}) : app_(about, "baton") {
    app_.footer(footer);
    app_.require_subcommand(0, 1);
    common_options(&app_);
    app_.set_version_flag("--version", std::string{"baton "} + BATON_VERSION);
    for (const auto add : {&CommandLine::add_runs, &CommandLine::add_controls, &CommandLine::add_looks,
                           &CommandLine::add_definitions, &CommandLine::add_house, &CommandLine::add_team}) {
      if (!app_.get_subcommands([&](const CLI::App* made) { return made->get_name() == verb; }).empty()) return;
      (this->*add)();
    }
  }

  /// What the shells' scripts ask: never an error, never a word more than is wanted.
  int complete(const std::vector<std::string>& words) {
    write_out(STDOUT_FILENO, to_text(cli::complete(shape_of(app_), words)));
    return exit_done;
  }

  int run(int argc, char** argv) {
    try {
      std::vector<std::string> arguments = take_rehearsal_file(argc, argv);
      app_.parse(arguments);
    } catch (const CLI::ParseError& e) {
      if (e.get_exit_code() == 0) return app_.exit(e);
      return refuse(e.what());
    }
    if (!action_) {
      std::fputs(app_.help().c_str(), stdout);
      return exit_done;
    }
    return action_();
  }

 private:
  /// `--rehearse` stands alone or has a value after '=', which the parser has no word for. It wants them in reverse.
  std::vector<std::string> take_rehearsal_file(int argc, char** argv) {
    constexpr std::string_view prefix = "--rehearse=";
    std::vector<std::string> reversed;
    for (int i = argc - 1; i > 0; --i) {
      const std::string_view argument{argv[i]};
      const bool has_file = argument.starts_with(prefix);
      if (has_file) rehearsal_file_ = argument.substr(prefix.size());
      reversed.emplace_back(has_file ? "--rehearse" : argument);
    }
    return reversed;
  }

  int refuse(const std::string& why) {
    std::string verb;
    for (const CLI::App* sub : app_.get_subcommands()) verb = " " + sub->get_name();
    print(common_, Fault{"bad-usage", why, fmt::format("'baton{} --help' shows how it is called", verb)});
    return exit_refused;
  }

  CLI::App* verb(const std::string& name, const std::string& what, std::function<int()> action) {
    CLI::App* sub = app_.add_subcommand(name, what);
    common_options(sub);
    sub->callback([this, f = std::move(action)] { action_ = f; });
    return sub;
  }

  /// Also before the verb, as git has it.
  void common_options(CLI::App* sub) {
    sub->add_option("-C", common_.directory, "work in this folder, as if started there")->type_name("DIR");
    sub->add_option("--state-dir", common_.state_dir, "where runs are kept (default: .baton in the project root)")
        ->type_name("DIR");
    sub->add_option("--color", common_.color, "auto, always or never")
        ->check(CLI::IsMember({"auto", "always", "never"}));
    sub->add_flag("-q", common_.quiet, "say less");
    sub->add_flag("-v", common_.verbose, "say more");
  }

  void json_flag(CLI::App* sub, const std::string& what) { sub->add_flag("--json", common_.json, what); }

  void set_option(CLI::App* sub) {
    sub->add_option("--set", common_.sets, "any configuration key")
        ->type_name("KEY=VALUE")
        ->take_all()
        ->allow_extra_args(false);
  }

  void terms(CLI::App* sub) {
    sub->add_option("--runtime", options_.runtime, "runtime of every step that does not name its own")
        ->type_name("NAME");
    sub->add_option("--model", options_.model, "model of every step that does not name its own")->type_name("NAME");
    sub->add_option("--jobs", options_.jobs, "steps at once (default 4)")->type_name("N");
    sub->add_option("--budget", options_.budget, "dollars the run may spend before it is paused")->type_name("USD");
    sub->add_option("--token-budget", options_.token_budget, "tokens the run may use before it is paused")
        ->type_name("N");
    sub->add_option("--turn-budget", options_.turn_budget, "answers of models the run may take before it is paused")
        ->type_name("N");
    sub->add_option("--timeout", options_.timeout, "time the run may take before it is paused (90s, 20m, 2h)")
        ->type_name("D");
    sub->add_flag("--allow-unpriced", options_.allow_unpriced,
                  "start though dollars are capped and nobody knows what a model costs");
    set_option(sub);
    sub->add_flag("--no-wait", options_.no_wait, "exit 75 instead of waiting when a limit parks the run");
    sub->add_flag("-y,--yes", options_.yes, "take the default wherever a question would be asked");
    json_flag(sub, "events as one JSON object a line on stdout");
  }

  void add_runs() {
    CLI::App* run = verb("run", "run a workflow", [this] { return run_verb(common_, options_); });
    run->add_option(
        "TARGET", options_.target,
        "a workflow's name or file, a chain of skills by name, a session's folder or id, a task's file, a workspace's "
        "folder, or a pipeline by name");
    run->add_option("--task", options_.task, "the user's task")->type_name("TEXT");
    run->add_option("--task-file", options_.task_file, "the user's task from a file (- is stdin)")->type_name("FILE");
    run->add_option("-i,--input", options_.inputs,
                    "a named input: a file's path, inline JSON, or - for stdin; repeatable")
        ->type_name("NAME=VALUE")
        ->take_all()
        ->allow_extra_args(false);
    run->add_option("--file", options_.file, "the same as -i content=FILE")->type_name("FILE");
    run->add_option("--resume-session", options_.resume_session, "go on with what is incomplete in this session")
        ->type_name("SESSION");
    run->add_flag("--with-commit", options_.with_commit, "sessions: a commit of its own files for each task");
    run->add_flag("--no-archive", options_.no_archive, "sessions: leave one that is finished where it is");
    run->add_option("--sandbox-id", options_.sandbox_id, "go on with what is incomplete in this sandbox")
        ->type_name("ID");
    run->add_flag_function(
        "--rehearse", [this](std::int64_t) { options_.rehearse = rehearsal_file_; },
        "no key, no network, no cost: the built-in rehearsal runtime stands in for every step; "
        "--rehearse=FILE scripts answers, delays and faults");
    run->add_option("--isolation", options_.isolation,
                    "worktree: a git worktree and branch of its own (default for chains in a repository), or none")
        ->check(CLI::IsMember({"worktree", "none"}));
    run->add_option("--continue", options_.continue_run, "a follow-up task on a finished or reviewing chain")
        ->type_name("RUN");
    run->add_option("--only", options_.only, "just these steps")->type_name("STEP")->take_all();
    run->add_flag("--detach", options_.detach, "return at once with the run's id on stdout; the run goes on");
    terms(run);
    CLI::App* resume = verb("resume", "go on with a paused, parked, interrupted or failed run",
                            [this] { return resume_verb(common_, run_, options_); });
    run_argument(resume);
    resume->add_flag("--detach", options_.detach, "return at once; the run goes on");
    terms(resume);
    CLI::App* retry = verb("retry", "run a failed (or the named) step and what depends on it again",
                           [this] { return retry_verb(common_, run_, step_, options_); });
    run_argument(retry);
    retry->add_option("STEP", step_, "the step; default: every failed one");
    retry->add_flag("--detach", options_.detach, "return at once; the run goes on");
    terms(retry);
  }

  void run_argument(CLI::App* sub) {
    sub->add_option("RUN", run_, "a run's id, a unique prefix of one, or 'last'")->required();
  }

  void add_controls() {
    CLI::App* pause = verb("pause", "freeze a run, whoever drives it", [this] { return pause_verb(common_, run_); });
    run_argument(pause);
    json_flag(pause, "faults as JSON lines");
    CLI::App* cancel = verb("cancel", "stop a run, whoever drives it", [this] { return cancel_verb(common_, run_); });
    run_argument(cancel);
    json_flag(cancel, "faults as JSON lines");
    CLI::App* accept = verb("accept", "take a run's change, or approve what it waits for",
                            [this] { return accept_verb(common_, run_, step_); });
    run_argument(accept);
    accept->add_option("STEP", step_, "just this gate; default: all that wait");
    set_option(accept);
    json_flag(accept, "faults as JSON lines");
    CLI::App* reject = verb("reject", "throw a run's change away, or (-m) have it revised; reject what it waits for",
                            [this] { return reject_verb(common_, run_, step_, message_); });
    run_argument(reject);
    reject->add_option("STEP", step_, "just this gate; default: all that wait");
    reject->add_option("-m", message_, "why")->type_name("TEXT");
    json_flag(reject, "faults as JSON lines");
    CLI::App* wake = verb("wake", "what the holder runs: take the run if it is free, do what is due, stop",
                          [this] { return wake_verb(common_, run_); });
    run_argument(wake);
  }

  void add_looks() {
    json_flag(verb("list", "all runs, newest first", [this] { return list_verb(common_); }), "an array of runs");
    CLI::App* show =
        verb("show", "one run with its steps, attempts, checks and cost", [this] { return show_verb(common_, run_); });
    run_argument(show);
    json_flag(show, "one object");
    CLI::App* logs = verb("logs", "what attempts printed", [this] {
      logs_.run = run_;
      logs_.step = step_;
      return logs_verb(common_, logs_);
    });
    run_argument(logs);
    logs->add_option("STEP", step_, "just this step");
    logs->add_option("--attempt", logs_.attempt, "this attempt (default: the last)")->type_name("N");
    logs->add_flag("-f,--follow", logs_.follow, "go on until the run ends");
    logs->add_flag("--raw", logs_.raw, "byte for byte, an agent's events as they came");
    CLI::App* why = verb("why", "the chain of events that led to a step's state",
                         [this] { return why_verb(common_, run_, step_); });
    run_argument(why);
    why->add_option("STEP", step_, "the step")->required();
    CLI::App* diff = verb("diff", "what a run changed in its worktree, new files included",
                          [this] { return diff_verb(common_, run_, stat_only_); });
    run_argument(diff);
    diff->add_flag("--stat", stat_only_, "just the files and how much of each");
    json_flag(diff, "one object with the files");
    CLI::App* report = verb("report", "one page: graph, timeline, cost, checks, prompts, outputs",
                            [this] { return report_verb(common_, run_, file_); });
    run_argument(report);
    report->add_option("-o", file_, "where the page goes (default: report.html in the run's folder; - is stdout)")
        ->type_name("FILE");
    json_flag(report, "faults as JSON lines");
    set_option(verb("top", "the dashboard: all runs at a glance", [this] { return top_verb(common_); }));
  }

  void add_definitions() {
    CLI::App* check = verb("check", "every fault of a definition at once; starts nothing",
                           [this] { return check_verb(common_, targets_); });
    check->add_option("TARGET", targets_, "workflows by name or file")->required();
    json_flag(check, "faults as JSON lines on stderr");
    CLI::App* plan = verb("plan", "the graph and the order; starts nothing",
                          [this] { return plan_verb(common_, options_.target, format_); });
    plan->add_option("TARGET", options_.target, "a workflow's name or file")->required();
    plan->add_option("--format", format_, "tree, json, dot, mermaid or csv")
        ->check(CLI::IsMember({"tree", "json", "dot", "mermaid", "csv"}));
    json_flag(plan, "the same as --format json");
    CLI::App* validate = verb("validate", "check one output file against rules; exit 0 if it passes, 1 if not",
                              [this] { return validate_verb(common_, validate_); });
    validate->add_option("FILE", validate_.file, "the output")->required();
    validate->add_option("RULES-JSON", validate_.rules, "the rules of 'validate' as JSON, or @FILE")->required();
    validate->add_flag("--compat", validate_.compat, "exit 0 also if checks failed");
    json_flag(validate, "faults as JSON lines on stderr");
    CLI::App* workflows = verb("workflows", "what can be run, and where it was found",
                               [this] { return schema_ ? workflow_schema_verb() : workflows_verb(common_); });
    workflows->add_flag("--schema", schema_, "instead: the keys of a workflow as a JSON Schema, for editors");
    json_flag(workflows, "an array");
    CLI::App* skills = verb("skills", "the skills that are found, from where, and what shadows what",
                            [this] { return skills_verb(common_, skill_, export_); });
    skills->add_option("NAME", skill_, "this one: its fields, its files and its text");
    skills->add_flag("--export", export_, "copy it to .baton/skills/NAME, to be changed there; overwrites nothing");
    json_flag(skills, "an array; with NAME one object");
  }

  void add_house() {
    CLI::App* config =
        verb("config", "settings and where they come from", [this] { return config_verb(common_, explain_); });
    config->add_flag("--explain", explain_, "every key, its value, its origin and what it does");
    config->add_option("--set", common_.sets, "any configuration key")
        ->type_name("KEY=VALUE")
        ->take_all()
        ->allow_extra_args(false);
    json_flag(config, "one object");
    json_flag(verb("doctor", "what is there to work with: programs, versions, keys, kernel features",
                   [this] { return doctor_verb(common_); }),
              "one object");
    CLI::App* safety = verb("safety", "what the blocked patterns say of a command; exit 0: allowed, 1: blocked",
                            [this] { return safety_verb(common_, safety_); });
    safety->add_option("ACTION", safety_.action, "test COMMAND: the verdict, explained; list: all patterns")
        ->check(CLI::IsMember({"test", "list"}))
        ->required();
    safety->add_option("COMMAND", safety_.words, "a command line in quotes, - for stdin, or its words behind --");
    safety->add_option("--set", common_.sets, "any configuration key")
        ->type_name("KEY=VALUE")
        ->take_all()
        ->allow_extra_args(false);
    json_flag(safety, "one object");
    json_flag(verb("models", "models, aliases, prices, and what providers offer (asks the network)",
                   [this] { return models_verb(common_); }),
              "one object");
    json_flag(verb("cost", "what was spent, by day, workflow, model and skill", [this] { return cost_verb(common_); }),
              "one object");
    verb("completion", "print a script that completes Baton's words in a shell",
         [this] {
           write_out(STDOUT_FILENO, completion_script(shell_));
           return exit_done;
         })
        ->add_option("SHELL", shell_, "bash, zsh or fish")
        ->check(CLI::IsMember({"bash", "zsh", "fish"}))
        ->required();
    verb("init", "a first baton.toml, workflow and skill; overwrites nothing", [this] { return init_verb(common_); });
    CLI::App* clean = verb("clean", "remove the folders of finished runs",
                           [this] { return clean_verb(common_, older_than_, dry_run_); });
    clean->add_option("--older-than", older_than_, "only runs that ended this long ago (default 7d)")->type_name("D");
    clean->add_flag("--dry-run", dry_run_, "say what would be removed");
    CLI::App* session = verb("session", "write both sides of a session whose files disagree",
                             [this] { return session_sync_verb(common_, session_); });
    session->add_option("ACTION", session_action_, "sync")->check(CLI::IsMember({"sync"}))->required();
    session->add_option("SESSION", session_, "a session's folder or id; default: the one active one");
    json_flag(session, "one object");
    add_tree();
    add_task();
    CLI::App* tools = verb("tools", "what a held process does for a model", [this] { return tools_verb(tools_file_); });
    tools->group("");
    tools->add_option("FILE", tools_file_)->required();
  }

  /// With --session the words after the verb begin with the action.
  void take_team_session() {
    if (team_session_.empty()) return;
    if (!team_.action.empty()) team_.words.insert(team_.words.begin(), team_.action);
    team_.action = team_.session;
    team_.session = team_session_;
  }

  void add_team() {
    CLI::App* team = verb("team", "one operation on a team session, then stop", [this] {
      take_team_session();
      return team_verb(common_, team_, options_);
    });
    team->add_option("SESSION", team_.session, "a team session's folder or name");
    team->add_option("--session", team_session_, "the same; then the first word is the action")->type_name("SESSION");
    team->add_option("ACTION", team_.action,
                     "check (status), resume (continue, next), wait, report, callback, message, messages, retry TASK, "
                     "skip TASK, extend FILE; "
                     "default: validate, reconcile, start what is ready, stop");
    team->add_option("WORD", team_.words, "the TASK of retry and skip, the FILE of extend");
    const auto text = [&](const char* name, std::string& value, const char* what, const char* type) {
      team->add_option(name, value, what)->type_name(type)->take_last();
    };
    text("--role", team_.role, "callback: who says it (default: BATON_ROLE)", "ROLE");
    text("--task", team_.task, "callback: of which task (default: BATON_STEP)", "TASK");
    text("--kind", team_.kind, "callback: complete, progress, error, blocker, capability_gap or consensus_blocked",
         "KIND");
    team->add_option("--attempt", team_.attempt, "callback: of which attempt (default: BATON_ATTEMPT)")
        ->type_name("N")
        ->take_last();
    text("--id", team_.id, "callback: said twice with one id, it counts once (default: made from what is said)", "ID");
    text("-m,--message,--summary", team_.message, "callback, message: what is said", "TEXT");
    text("--data", team_.data, "callback, message: a JSON object", "JSON");
    text("--severity", team_.severity, "callback of kind consensus_blocked: HIGH, MEDIUM or LOW", "WORD");
    text("--from", team_.from, "message, messages: who says it", "ROLE");
    text("--to", team_.to, "message, messages: to whom", "ROLE");
    text("--type", team_.type, "message, messages: of which type", "TYPE");
    team->add_option("--last", team_.last, "messages: so many (default 20, at most 100)")->type_name("N");
    team->add_flag_function(
        "--rehearse", [this](std::int64_t) { options_.rehearse = rehearsal_file_; },
        "the built-in rehearsal runtime stands in for every worker");
    terms(team);
    CLI::App* mcp = verb("mcp", "a server of tools for agents, over standard input and output",
                         [this] { return mcp_verb(common_, team_.session); });
    mcp->add_flag("--team", mcp_team_, "the calls of a team's workers")->required();
    mcp->add_option("SESSION", team_.session, "a team session's folder or name (default: BATON_SESSION)");
  }

  /// The same for tasks of sessions.
  void add_task() {
    CLI::App* task =
        verb("task", "what a held process does for a session's task", [this] { return task_verb(common_, task_); });
    task->group("");
    task->add_option("ACTION", task_.action)->check(CLI::IsMember({"prepare", "commit"}))->required();
    task->add_option("--folder", task_.folder)->required();
    task->add_option("--id", task_.id)->required();
    task->add_option("--file", task_.file)->required();
  }

  /// For our own processes only, so that it is in no group and no list (HACKING.md).
  void add_tree() {
    CLI::App* tree =
        verb("tree", "what a held process does to a step's working tree", [this] { return tree_verb(tree_); });
    tree->group("");
    tree->add_option("ACTION", tree_.action)->check(CLI::IsMember({"prepare", "commit"}))->required();
    tree->add_option("--root", tree_.root);
    tree->add_option("--tree", tree_.tree)->required();
    tree->add_option("--branch", tree_.branch);
    tree->add_option("--start", tree_.start);
    tree->add_option("--merge", tree_.merge)->take_all()->allow_extra_args(false);
    tree->add_option("--message", tree_.message);
  }

  CLI::App app_;
  Common common_;
  RunOptions options_;
  LogsOptions logs_;
  ValidateOptions validate_;
  SafetyOptions safety_;
  TreeOptions tree_;
  TaskOptions task_;
  std::string tools_file_;
  TeamOptions team_;
  std::string team_session_;
  bool mcp_team_ = false;
  std::optional<std::string> file_;
  std::string session_action_;
  std::string session_;
  std::string rehearsal_file_;
  std::string run_;
  std::string step_;
  std::string message_;
  std::string format_ = "tree";
  std::string older_than_ = "7d";
  std::vector<std::string> targets_;
  std::string skill_;
  std::string shell_;
  bool schema_ = false;
  bool explain_ = false;
  bool export_ = false;
  bool dry_run_ = false;
  bool stat_only_ = false;
  std::function<int()> action_;
};

/// The first word that is neither an option nor the value of one.
std::string verb_in(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word{argv[i]};
    if (!word.starts_with('-')) return std::string{word};
    const bool are_letters = !word.starts_with("--");  // which may stand together: -qC DIR
    if ((are_letters && word.ends_with('C')) || word == "--state-dir" || word == "--color") ++i;
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away must not take a run with it
  if (argc == 2 && std::strcmp(argv[1], "--version") == 0) {
    write_out(STDOUT_FILENO, "baton " BATON_VERSION "\n");
    return exit_done;
  }
  if (argc >= 2 && std::strcmp(argv[1], "__complete") == 0) return CommandLine{}.complete({argv + 2, argv + argc});
  // Asked before every command of every agent: no parser, no project, no configuration.
  if (argc >= 3 && std::strcmp(argv[1], "safety") == 0 && std::strcmp(argv[2], "hook") == 0) {
    return safety_hook({argv + 3, argv + argc});
  }
  return CommandLine{verb_in(argc, argv)}.run(argc, argv);
}

}  // namespace baton::cli
