#include "dialect/team/worker_prompt.h"

#include <fmt/core.h>

#include <utility>

#include "base/text.h"

namespace baton::team {
namespace {

void list(std::string& out, const char* title, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  out += fmt::format("{}:\n", title);
  for (const std::string& line : lines) out += fmt::format("- {}\n", line);
}

void describe(std::string& out, const TaskBrief& brief, const std::string& folder) {
  const Task& task = brief.task;
  out += fmt::format("### {}: {}\n", task.id, task.subject);
  if (brief.is_done) out += "Its artifact is there already: see whether it is whole, and go on if it is.\n";
  if (!task.description.empty()) out += fmt::format("\n{}\n\n", trim(task.description));
  list(out, "Steps", task.steps);
  list(out, "Key files", task.key_files);
  list(out, "Results to build on", brief.upstream);
  if (brief.upstream.empty()) list(out, "Results to build on", task.upstream);
  list(out, "Left out by a person, so do without", brief.left_out);
  list(out, "What others found of those results", brief.caveats);
  list(out, "Success criteria", task.success_criteria);
  list(out, "Constraints", task.constraints);
  std::vector<std::string> artifacts;
  for (const std::string& path : task.artifacts) artifacts.push_back(fmt::format("{}/{}", folder, path));
  list(out, "Write this, it is what counts", artifacts);
  out += '\n';
}

std::string head(const WorkerBrief& b) {
  std::string out = fmt::format("You are the team worker `{}` of the team `{}`.\n\n", b.role.name, b.team_name);
  out += fmt::format("role: {}\n", b.role.name);
  out += fmt::format("{}: {}/{}\n", b.role.file.starts_with("role-specs/") ? "role_spec" : "role_file",
                     b.session_folder, b.role.file);
  out += fmt::format("session: {}\n", b.session_folder);
  out += fmt::format("session_id: {}\n", b.session_id);
  out += fmt::format("team_name: {}\n", b.team_name);
  out += fmt::format("requirement: {}\n", b.requirement);
  out += fmt::format("inner_loop: {}\n\n", b.also.empty() ? "false" : "true");
  return out;
}

std::string guidelines(const WorkerBrief& b) {
  const std::string prefix = b.role.prefix.empty() ? b.role.name : b.role.prefix;
  return fmt::format(
      "## Guidelines\n"
      "- Do tasks of your own prefix `{0}-*` and of nobody else; make no tasks for others and start no workers.\n"
      "- Begin every message with `[{1}]`, and speak to the executor only.\n"
      "- Your role is told above. Read what the session knows: `{2}/wisdom/`, and write what others should know "
      "there.\n"
      "- What follows when you are done is the executor's business: end when you are done.\n\n",
      prefix, b.role.name, b.session_folder);
}

std::string reporting(const WorkerBrief& b) {
  std::string out = "## Reporting\n";
  out +=
      "The environment has the command for it, `$BATON_CALLBACK`; add the kind and a summary of less than 200 "
      "characters:\n\n";
  const char* task = b.also.empty() ? "" : " --task ID";
  constexpr std::pair<const char*, const char*> calls[] = {{"progress", "30%: what is done"},
                                                           {"blocker", "what is in the way"},
                                                           {"capability_gap", "what nobody here can do"},
                                                           {"consensus_blocked --severity HIGH", "what is disputed"},
                                                           {"error", "why it cannot be done"},
                                                           {"complete", "what was made"}};
  for (const auto& [kind, text] : calls) {
    out += fmt::format("    $BATON_CALLBACK{} --kind {} -m \"[{}] {}\"\n", task, kind, b.role.name, text);
  }
  out += "\nIf you cannot run commands, leave it: that you ended and what you wrote say enough.\n\n";
  return out;
}

std::string workflow(const WorkerBrief& b) {
  if (b.also.empty()) {
    return "## Workflow\n"
           "1. See whether the artifact is there already and whole: then go to 4.\n"
           "2. Read what the task builds on.\n"
           "3. Do the task as your role says, write its artifact, and verify it.\n"
           "4. Report `complete` once, and end.\n";
  }
  return "## Workflow\n"
         "1. Take the tasks above in their order, one after the other. Those whose artifact is there and whole are "
         "done.\n"
         "2. Do each as your role says, write its artifact, verify it, and report `complete` for it with its id.\n"
         "3. Leave heavy work to helpers of your own, so that you keep the whole in mind.\n"
         "4. Stop early on a consensus_blocked HIGH or after 3 errors, and say so.\n"
         "5. End with one report on all tasks.\n";
}

}  // namespace

std::string worker_prompt(const WorkerBrief& b) {
  std::string out;
  if (!b.failure.empty()) {
    out += fmt::format(
        "Attempt {} at this failed: {}. See what it left behind before you go on, and do not make the same mistake "
        "again.\n\n",
        b.attempt - 1, b.failure);
  }
  out += head(b);
  out += b.also.empty() ? "## Your task\n\n" : "## Your tasks, in this order\n\n";
  describe(out, b.task, b.session_folder);
  for (const TaskBrief& more : b.also) describe(out, more, b.session_folder);
  if (!b.requests.empty()) {
    out += "## Asked of your role by others\n";
    for (const std::string& request : b.requests) out += fmt::format("- {}\n", request);
    out += '\n';
  }
  return out + guidelines(b) + reporting(b) + workflow(b);
}

}  // namespace baton::team
