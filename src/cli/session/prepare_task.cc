// What a task wants to have at hand before its agent starts: commands and files, one after the other (flow_control.h
// says which). Done by a process of its own, so that neither a slow command nor a crash of the engine is in the way.
#include "cli/session/prepare_task.h"

#include <fmt/core.h>

#include <filesystem>

#include "base/limits.h"
#include "base/text.h"
#include "cli/safety_policy.h"
#include "cli/session/session_files.h"
#include "engine/real_files.h"
#include "host/program_path.h"
#include "io/command.h"
#include "io/environment.h"
#include "io/folder.h"
#include "safety/judge.h"

namespace baton::cli {
namespace {

namespace fs = std::filesystem;

constexpr Millis command_lasts_max{300'000};
constexpr std::size_t answer_bytes_max = 2 * session::flow_output_max;

std::vector<std::string> argv_of(const Project& project, const char* action, const TaskToPrepare& task) {
  return {sibling_program("baton"),
          "task",
          action,
          "-C",
          project.root(),
          "--state-dir",
          project.state_dir(),
          "--folder",
          task.folder,
          "--id",
          task.id,
          "--file",
          task.file};
}

/// Lines `first` to `last` of a text; 0 and 0: all of it.
std::string lines_of(const std::string& text, int first, int last) {
  if (first == 0 && last == 0) return text;
  std::string out;
  int number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (number >= first && (last == 0 || number <= last)) out += std::string{line} + "\n";
  }
  return out;
}

/// Only what lies in the project, wherever links lead.
session::FlowAnswer read_file(const std::string& root, const session::FlowAction& action) {
  const auto inside = path_beneath(root, fs::path{root} / action.text);
  if (!inside) return {false, {}, fmt::format("{} leads out of the project", action.text)};
  auto text = RealFiles{}.read(root + "/" + *inside, Limits::file_bytes_max);
  if (!text) return {false, {}, text.error().message};
  if (!*text) return {false, {}, fmt::format("there is no file {}", action.text)};
  return {true, lines_of(**text, action.first_line, action.last_line)};
}

/// Runs the commands of one task, each with the project's folder as its own.
class Commands {
 public:
  Commands(const Project& project, const TaskToPrepare& task) : root_(task.root) {
    if (auto policy = policy_of(project.config()); policy && policy->enabled()) policy_ = std::move(*policy);
  }

  session::FlowAnswer run(const session::FlowAction& action) const {
    if (policy_) {
      const safety::Verdict verdict = safety::judge(*policy_, action.text);
      if (verdict.blocked) return {false, {}, "it is blocked: " + safety::brief_reason(verdict)};
    }
    const auto end = run_command({.argv = {"/bin/sh", "-c", action.text},
                                  .env = merge_environment(own_environment(), {}, action.env),
                                  .cwd = root_},
                                 {.lasts_max = command_lasts_max, .bytes_max = answer_bytes_max});
    if (!end) return {false, {}, end.error()};
    session::FlowAnswer answer{false, end->out};
    if (!end->in_time) {
      answer.why = fmt::format("still running after {}", brief(command_lasts_max));
    } else if (end->signal != 0) {
      answer.why = fmt::format("ended by signal {}", end->signal);
    } else if (end->exit != 0) {
      answer.why = fmt::format("exit code {}: {}", end->exit.value_or(-1), shorten(trim(end->err), 300));
    }
    answer.ok = answer.why.empty();
    return answer;
  }

 private:
  std::string root_;
  std::optional<safety::Policy> policy_;
};

template <class Run>
Status prepare_with(const TaskToPrepare& what, Run run) {
  const SessionFiles files{what.root, what.folder};
  session::TaskRead read = files.task(what.id);
  if (!read.task) return std::unexpected(read.faults.front());
  const session::PlanDoc plan = files.plan();
  session::FlowControl flow{*read.task, plan, {what.root, what.folder, session::foreign_root(*read.task)}};
  while (const auto action = flow.next()) {
    const bool reads = action->kind == session::FlowCommand::Kind::read;
    flow.answer(reads ? read_file(what.root, *action) : run(*action));
  }
  return RealFiles{}.write(what.file, session::to_json(session::record_of(flow)));
}

}  // namespace

std::vector<std::string> prepare_argv(const Project& project, const TaskToPrepare& task) {
  return argv_of(project, "prepare", task);
}

std::vector<std::string> commit_argv(const Project& project, const TaskToPrepare& task) {
  return argv_of(project, "commit", task);
}

git::TreeReport prepare_task(const Project& project, const TaskToPrepare& task) {
  git::TreeReport report;
  report.outcome = "ready";
  if (const auto kept = read_kept(task.file); kept && !kept->failure) return report;  // it is paid for once
  RealFiles{}.make_folder_for(task.file);
  const Commands commands{project, task};
  const Status done = prepare_with(task, [&](const session::FlowAction& action) { return commands.run(action); });
  report.outcome = done ? "ready" : "fault";
  if (!done) report.fault = done.error();
  return report;
}

Status rehearse_preparation(const TaskToPrepare& task) {
  return prepare_with(
      task, [](const session::FlowAction&) -> session::FlowAnswer { return {true, "(not run in a rehearsal)\n"}; });
}

}  // namespace baton::cli
