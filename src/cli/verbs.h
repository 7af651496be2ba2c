#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/sandbox_turn.h"

namespace baton::cli {

/// What `run` takes, and what `resume` and `retry` may give anew.
struct RunOptions {
  std::string target;
  std::string task;
  std::string task_file;
  std::vector<std::string> inputs;
  std::string file;
  std::string runtime;
  std::string model;
  std::optional<std::string> rehearse;  ///< set without a file: ""
  std::optional<int> jobs;
  std::string budget;
  std::string token_budget;
  std::string turn_budget;
  std::string timeout;
  bool allow_unpriced = false;  ///< a cap in dollars does not keep a model without a price from starting
  std::string isolation;        ///< worktree or none; empty: what fits
  std::string continue_run;     ///< a follow-up on this run
  std::vector<std::string> only;
  std::optional<std::string> sandbox_id;  ///< go on there
  std::string resume_session;             ///< go on with this session
  bool with_commit = false;               ///< sessions: a commit for each task
  bool no_archive = false;                ///< sessions: one that is finished stays where it is
  bool detach = false;
  bool no_wait = false;
  bool yes = false;
};

int run_verb(const Common& common, const RunOptions& options);
/// `run --sandbox-id`: goes on with the run the journal knows of that sandbox. nullopt: it knows none, so that a new
/// run has to begin there, with `turn` kept until it has. REQUIRES: options.sandbox_id.
std::optional<int> go_on_in_sandbox(const Project& project, const RunOptions& options, SandboxTurn& turn);
int resume_verb(const Common& common, const std::string& run, const RunOptions& anew);
int retry_verb(const Common& common, const std::string& run, const std::string& step, const RunOptions& anew);
int wake_verb(const Common& common, const std::string& run);
int pause_verb(const Common& common, const std::string& run);
int cancel_verb(const Common& common, const std::string& run);
int accept_verb(const Common& common, const std::string& run, const std::string& step);
int reject_verb(const Common& common, const std::string& run, const std::string& step, const std::string& message);

int list_verb(const Common& common);
int show_verb(const Common& common, const std::string& run);
struct LogsOptions {
  std::string run;
  std::string step;
  int attempt = 0;  ///< 0: the last
  bool follow = false;
  bool raw = false;
};
int logs_verb(const Common& common, const LogsOptions& options);
int why_verb(const Common& common, const std::string& run, const std::string& step);
int diff_verb(const Common& common, const std::string& run, bool stat_only);
/// Writes the page of a run to `file`; if none is named, into the run's folder.
int report_verb(const Common& common, const std::string& run, const std::optional<std::string>& file);
int top_verb(const Common& common);

/// Writes both sides of a session whose files disagree.
int session_sync_verb(const Common& common, const std::string& target);
/// What a held process does for a session's task, before its agent starts or after it ended.
struct TaskOptions {
  std::string action;  ///< prepare or commit
  std::string folder;  ///< the session's, from the project's
  std::string id;
  std::string file;  ///< absolute: where the record is kept, or what the agent said
};
int task_verb(const Common& common, const TaskOptions& options);

int check_verb(const Common& common, const std::vector<std::string>& targets);
int plan_verb(const Common& common, const std::string& target, const std::string& format);
struct ValidateOptions {
  std::string file;
  std::string rules;    ///< JSON, or @ and a file that holds it
  bool compat = false;  ///< exit 0 also where checks failed, as the first validator did
};
int validate_verb(const Common& common, const ValidateOptions& options);
int workflows_verb(const Common& common);
/// The keys of a workflow as a JSON Schema, for editors.
int workflow_schema_verb();
int skills_verb(const Common& common, const std::string& name, bool export_it);
struct SafetyOptions {
  std::string action;              ///< test or list
  std::vector<std::string> words;  ///< the command to judge
};
/// `test`: exit 0 if the command is allowed, 1 if it is blocked.
int safety_verb(const Common& common, const SafetyOptions& options);
/// `safety hook --policy FILE`: what claude asks before it runs a command. Reads no configuration, and blocks whatever
/// it cannot judge.
int safety_hook(const std::vector<std::string>& arguments);
int config_verb(const Common& common, bool explain);
int doctor_verb(const Common& common);
int models_verb(const Common& common);
int cost_verb(const Common& common);
int init_verb(const Common& common);
int clean_verb(const Common& common, const std::string& older_than, bool dry_run);

/// `tree prepare` and `tree commit`: what the engine has a held process do to a step's working tree.
struct TreeOptions {
  std::string action;
  std::string root;
  std::string tree;
  std::string branch;
  std::string start;
  std::vector<std::string> merge;
  std::string message;
};
int tree_verb(const TreeOptions& options);

/// What a model wants of its tools, as `file` says (runtime/api/tools.h): what the engine has a held process do.
int tools_verb(const std::string& file);

}  // namespace baton::cli
