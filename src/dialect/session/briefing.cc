#include "dialect/session/briefing.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "base/boost_json.h"
#include "base/text.h"
#include "dialect/session/session_plan.h"
#include "text/json_members.h"
#include "text/json_value.h"

namespace baton::session {
namespace {

namespace json = boost::json;

constexpr std::size_t summary_bytes_max = 8U << 10U;  // of one task before: the rest is a path away
constexpr std::size_t output_bytes_max = 16U << 10U;  // of one step of preparation

int rank_of(const std::string& priority) {
  constexpr std::array<std::string_view, 4> ranks{"highest", "high", "medium", "low"};
  const auto found = std::ranges::find(ranks, priority);
  return found == ranks.end() ? 2 : static_cast<int>(found - ranks.begin());
}

/// Sections of a text, each with a heading and an empty line after it.
class Sections {
 public:
  void add(std::string_view heading, std::string_view body) {
    while (body.ends_with('\n')) body.remove_suffix(1);
    if (trim(body).empty()) return;
    if (!text_.empty()) text_ += '\n';
    text_ += fmt::format("## {}\n\n{}\n", heading, body);
  }
  void add_list(std::string_view heading, const std::vector<std::string>& items) {
    std::string body;
    for (const std::string& item : items) body += fmt::format("- {}\n", item);
    add(heading, body);
  }
  [[nodiscard]] std::string take() && { return std::move(text_); }

 private:
  std::string text_;
};

/// Beneath a heading of ours; a fence that no line of the text can close.
std::string fenced(std::string_view text) {
  std::string fence = "```";
  while (text.find(fence) != std::string_view::npos) fence += '`';
  std::string out = fence + "\n";
  out += text;
  if (!text.ends_with('\n')) out += '\n';
  return out + fence + "\n";
}

std::vector<std::string> filled(const std::vector<std::string>& texts, const Variables& variables) {
  std::vector<std::string> out;
  for (const std::string& text : texts) out.push_back(fill_text(text, variables).text);
  return out;
}

std::string approach_text(const Task& task, const Variables& variables) {
  std::string out;
  for (const ApproachStep& step : task.approach) {
    out += fmt::format("{}. {}\n", step.number, fill_text(step.title, variables).text);
    const auto line = [&](std::string_view label, const std::string& text) {
      if (!text.empty()) out += fmt::format("   {}{}\n", label, text);
    };
    line("", fill_text(step.description, variables).text);
    for (const std::string& point : filled(step.modification_points, variables)) line("- change: ", point);
    for (const std::string& point : filled(step.logic_flow, variables)) line("- then: ", point);
    line("After steps: ", join(step.depends_on, ", "));
    line("Command: ", fill_text(step.command, variables).text);
    line("Gives: ", step.output);
  }
  return out;
}

std::vector<std::string> target_lines(const Task& task) {
  std::vector<std::string> lines;
  for (const TargetFile& file : task.target_files) {
    std::string line = fmt::format("`{}`", file.path);
    if (!file.function.empty()) line += fmt::format(", {}", file.function);
    if (!file.lines.empty()) line += fmt::format(", lines {}", file.lines);
    if (!file.change.empty()) line += fmt::format(": {}", file.change);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> artifact_lines(const Task& task) {
  std::vector<std::string> lines;
  for (const Artifact& a : by_priority(task.artifacts)) {
    std::string line = a.priority.empty() ? std::string{} : fmt::format("({}) ", a.priority);
    line += a.path.empty() || a.path.find("{{") != std::string::npos ? a.source : fmt::format("`{}`", a.path);
    for (const std::string& more : {a.type, a.usage, a.contains}) {
      if (!more.empty()) line += fmt::format("; {}", more);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string prepared_text(const std::vector<FlowOutcome>& prepared) {
  std::string out;
  for (const FlowOutcome& step : prepared) {
    if (step.state == FlowOutcome::State::skipped || trim(step.output).empty()) continue;
    out += fmt::format("### {}{}\n\n", step.output_to.empty() ? step.name : step.output_to,
                       step.action.empty() ? "" : fmt::format(" ({})", step.action));
    out += fenced(shorten(step.output, output_bytes_max)) + "\n";
  }
  return out;
}

/// What is left of the preparation for the agent.
std::vector<std::string> handed_on_lines(const std::vector<FlowOutcome>& prepared) {
  std::vector<std::string> lines;
  for (const FlowOutcome& step : prepared) {
    if (step.state == FlowOutcome::State::skipped) {
      lines.push_back(fmt::format("{}: could not be had ({}); it was optional", step.name, step.note));
      continue;
    }
    if (step.state != FlowOutcome::State::handed_on) continue;
    std::string line = step.name;
    if (!step.action.empty()) line += ": " + step.action;
    for (const std::string& command : step.for_agent) line += fmt::format("\n  - {}", command);
    if (!step.output_to.empty()) line += fmt::format("\n  - this is what [{}] stands for", step.output_to);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string dependencies_text(const std::vector<DependencySummary>& dependencies) {
  std::string out;
  for (const DependencySummary& d : dependencies) {
    out += fmt::format("### {}{}\n\n", d.id, d.title.empty() ? "" : ": " + d.title);
    const std::string_view text = trim(d.text);
    out += text.empty() ? "It is done; it left no summary.\n" : fenced(shorten(text, summary_bytes_max));
    const bool cut = text.size() > summary_bytes_max;
    if (cut && !d.path.empty()) out += fmt::format("\nThis is its beginning. The whole is in `{}`.\n", d.path);
    out += "\n";
  }
  return out;
}

std::string paths_text(const ContextPackage& p) {
  std::string out = fmt::format("- Session: {} in `{}`\n", p.session, p.folder);
  out += fmt::format("- Task file: `{}`\n", task_path(p.folder, p.task.id));
  out += fmt::format("- Summaries: `{}/.summaries/`\n", p.folder);
  if (!p.task.context_package_path.empty()) {
    out += fmt::format("- Context package: `{}`\n", p.task.context_package_path);
  }
  return out;
}

std::string closing(const ContextPackage& p) {
  return fmt::format(
      "When all of the acceptance criteria hold, write a summary to `{}`: what was done, a section `### Files "
      "Modified` "
      "with a line `- `path`: what` for each file, and what tasks after this one have to know. End with a message that "
      "says the same in short.\n\nThe task's status, the list of tasks and the session's file are kept for you: leave "
      "them as they are.\n",
      summary_path(p.folder, p.task.id));
}

json::array list_of(const std::vector<std::string>& texts) {
  json::array out;
  for (const std::string& text : texts) out.emplace_back(text);
  return out;
}

json::object artifacts_json(const Task& task) {
  json::object out;
  json::array roles;
  for (const Artifact& a : by_priority(task.artifacts)) {
    json::object entry{{"path", a.path}, {"priority", a.priority}};
    if (!a.usage.empty()) entry["usage"] = a.usage;
    const bool is_first = !out.contains(a.type);
    if (a.type.empty() || a.type == "individual_role_analysis" || !is_first) {
      roles.push_back(std::move(entry));
    } else {
      out[a.type] = std::move(entry);
    }
  }
  out["role_analyses"] = std::move(roles);
  return out;
}

}  // namespace

std::vector<Artifact> by_priority(std::vector<Artifact> artifacts) {
  std::vector<std::size_t> order(artifacts.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair{rank_of(artifacts[i].priority), i}; });
  std::vector<Artifact> sorted;
  for (const std::size_t i : order) sorted.push_back(std::move(artifacts[i]));
  return sorted;
}

std::string briefing(const ContextPackage& p) {
  const Task& task = p.task;
  Sections s;
  s.add(fmt::format("Task {}: {}", task.id, task.title), task.description.empty()
                                                             ? fmt::format("Implement task {}: {}", task.id, task.title)
                                                             : fill_text(task.description, p.variables).text);
  s.add_list("Requirements", filled(task.requirements, p.variables));
  s.add_list("Acceptance criteria", task.acceptance);
  s.add("Verification", task.verification);
  s.add_list("Focus paths", task.focus_paths);
  s.add_list("Target files", target_lines(task));
  s.add("Implementation approach", approach_text(task, p.variables));
  s.add_list("Artifacts, the most important first", artifact_lines(task));
  s.add("Prepared for this task", prepared_text(p.prepared));
  s.add_list("To be prepared by you, in this order, before you begin", handed_on_lines(p.prepared));
  s.add("Done before, and needed here", dependencies_text(p.dependencies));
  s.add("Session", paths_text(p));
  s.add_list(task.inherited_from.empty() ? "Inherited context" : "Inherited from " + task.inherited_from,
             task.inherited);
  s.add("Shared context", task.shared_context);
  s.add_list("Tech stack", p.plan.tech_stack);
  s.add_list("Conventions", p.plan.conventions);
  s.add("To finish", closing(p));
  return std::move(s).take();
}

std::string context_json(const ContextPackage& p, const std::string& task_text) {
  json::object outputs;
  for (const FlowOutcome& step : p.prepared) {
    if (!step.output.empty()) outputs[step.output_to.empty() ? step.name : step.output_to] = step.output;
  }
  json::array dependencies;
  for (const DependencySummary& d : p.dependencies) {
    dependencies.push_back(json::object{{"id", d.id}, {"title", d.title}, {"path", d.path}, {"summary", d.text}});
  }
  auto task = parse_json(task_text);
  json::object out;
  out["task"] = task ? std::move(*task) : json::value{};
  out["artifacts"] = artifacts_json(p.task);
  out["flow_context"] = json::object{{"step_outputs", std::move(outputs)}};
  out["session"] = json::object{{"workflow_dir", p.folder + "/"},
                                {"context_package_path", p.task.context_package_path},
                                {"todo_list_path", p.folder + "/TODO_LIST.md"},
                                {"summaries_dir", p.folder + "/.summaries/"},
                                {"task_json_path", task_path(p.folder, p.task.id)}};
  out["dependencies"] = std::move(dependencies);
  out["inherited"] = json::object{{"from", p.task.inherited_from}, {"context", list_of(p.task.inherited)}};
  return written_json(out) + "\n";
}

}  // namespace baton::session
