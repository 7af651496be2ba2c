#include "dialect/workspace/task_body.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "base/text.h"
#include "dialect/workspace/front.h"

namespace baton::workspace {
namespace {

using Lines = std::vector<std::string_view>;

Lines lines_of(std::string_view text) {
  Lines lines = split(text, '\n');
  for (std::string_view& line : lines) {
    if (line.ends_with('\r')) line.remove_suffix(1);
  }
  return lines;
}

bool is_heading(std::string_view line, std::string_view word) {
  return line.starts_with("## ") && trim(line.substr(3)) == word;
}

std::size_t find_heading(const Lines& lines, std::size_t from, std::string_view word) {
  for (std::size_t i = from; i < lines.size(); ++i) {
    if (is_heading(lines[i], word)) return i;
  }
  return lines.size();
}

/// The last `## Output` that says where to write; else the last one outside a fence; else the end.
std::size_t find_output(const Lines& lines, std::size_t from) {
  std::size_t plain = lines.size();
  bool fenced = false;
  std::size_t told = lines.size();
  for (std::size_t i = from; i < lines.size(); ++i) {
    if (trim(lines[i]).starts_with("```")) fenced = !fenced;
    if (!is_heading(lines[i], "Output")) continue;
    if (!fenced) plain = i;
    std::size_t next = i + 1;
    while (next < lines.size() && trim(lines[next]).empty()) ++next;
    if (next < lines.size() && lines[next].starts_with("- **Write to:**")) told = i;
  }
  return told < lines.size() ? told : plain;
}

/// Lines as one text without blank lines around it.
std::string joined(const Lines& lines, std::size_t from, std::size_t to) {
  while (from < to && trim(lines[from]).empty()) ++from;
  while (to > from && trim(lines[to - 1]).empty()) --to;
  std::string text;
  for (std::size_t i = from; i < to; ++i) {
    if (i > from) text += '\n';
    text += lines[i];
  }
  return text;
}

/// `- **Goal:** …` at the line's begin, whatever its case; nullopt if it is another line.
std::optional<std::string_view> after_label(std::string_view line, std::string_view label) {
  const std::string_view item = trim(line);
  if (item.size() < 4 || (item.front() != '-' && item.front() != '*')) return std::nullopt;
  std::string_view rest = trim(item.substr(1));
  if (!rest.starts_with("**")) return std::nullopt;
  rest.remove_prefix(2);
  const std::size_t end = rest.find(":**");
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view found = rest.substr(0, end);
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  if (found.size() < label.size() ||
      !std::equal(label.begin(), label.end(), found.begin(), [&](char l, char f) { return same(f, l); })) {
    return std::nullopt;
  }
  return trim(rest.substr(end + 3));
}

bool is_label(std::string_view line) { return line.starts_with("- **") && line.find(":**") != std::string_view::npos; }

std::size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(" \t"), line.size()); }

/// Up to two blanks at the front of a goal's further lines are ours.
std::string_view outdented(std::string_view line) {
  for (int n = 0; n < 2 && line.starts_with(' '); ++n) line.remove_prefix(1);
  return line;
}

/// A line `  - \`path\` — what it is`.
std::optional<TaskInput> input_of(std::string_view line) {
  const std::string_view item = trim(line);
  if (!item.starts_with("- `")) return std::nullopt;
  const std::size_t end = item.find('`', 3);
  if (end == std::string_view::npos || end == 3) return std::nullopt;
  std::string_view rest = trim(item.substr(end + 1));
  for (const std::string_view dash : {"—", "–", "-", ":"}) {
    if (!rest.starts_with(dash)) continue;
    rest.remove_prefix(dash.size());
    break;
  }
  return TaskInput{std::string{item.substr(3, end - 3)}, std::string{trim(rest)}};
}

void read_inputs(const Lines& lines, std::size_t from, std::size_t to, TaskBody& body) {
  for (std::size_t i = from; i < to; ++i) {
    if (auto input = input_of(lines[i])) {
      body.inputs.push_back(std::move(*input));
    } else if (!body.inputs.empty() && indent_of(lines[i]) >= 4 && !trim(lines[i]).empty()) {
      body.inputs.back().description += '\n';
      body.inputs.back().description += lines[i].substr(4);
    }
  }
}

void read_context(const Lines& lines, std::size_t from, std::size_t to, TaskBody& body) {
  std::size_t inputs = from;
  for (std::size_t i = from; i < to; ++i) {
    const auto goal = after_label(lines[i], "goal");
    if (!goal) continue;
    std::size_t end = i + 1;
    // Bare list items with a back-quoted file belong to no goal, even where nobody put a label above them.
    while (end < to && !is_label(lines[end])) ++end;
    Lines rest{*goal};
    for (std::size_t n = i + 1; n < end; ++n) rest.push_back(outdented(lines[n]));
    body.goal = joined(rest, 0, rest.size());
    inputs = end;
    break;
  }
  read_inputs(lines, inputs, to, body);
}

void write_goal(const Task& task, std::string& text) {
  const Lines lines = lines_of(task.goal);
  text += fmt::format("- **Goal:** {}\n", lines.front());
  for (std::size_t i = 1; i < lines.size(); ++i) {
    text += lines[i].empty() ? "\n" : fmt::format("  {}\n", lines[i]);
  }
}

std::string what_follows(const Next& next) {
  switch (next.kind) {
    case Next::Kind::agent:
      return "Send to " + next.target;
    case Next::Kind::director_review:
      return "Return to Director for review";
    case Next::Kind::pipeline_continue:
      return "Continue pipeline " + next.target;
    case Next::Kind::complete:
      break;
  }
  return "Task complete";
}

}  // namespace

TaskBody read_body(std::string_view text) {
  TaskBody body;
  const Lines lines = lines_of(text);
  const std::size_t context = find_heading(lines, 0, "Context");
  std::size_t requirements = find_heading(lines, context < lines.size() ? context : 0, "Requirements");
  if (context == lines.size() && requirements == lines.size()) {
    std::size_t first = 0;
    while (first < lines.size() && trim(lines[first]).empty()) ++first;
    if (first < lines.size() && lines[first].starts_with("# ")) ++first;  // its title
    body.requirements = joined(lines, first, find_output(lines, first));
    return body;
  }
  if (context < lines.size()) {
    std::size_t end = requirements;
    if (end == lines.size()) end = find_output(lines, context + 1);
    read_context(lines, context + 1, end, body);
  }
  if (requirements < lines.size()) {
    body.requirements = joined(lines, requirements + 1, find_output(lines, requirements + 1));
  }
  return body;
}

std::string write_body(const Task& task) {
  std::string text = fmt::format("# Task: {}\n\n## Assignment\n", task.id);
  text += fmt::format("- **From:** {}\n- **To:** {}\n- **Priority:** {}\n- **Deadline:** {}\n\n## Context\n", task.from,
                      task.to, name(task.priority), task.deadline.empty() ? "next cycle" : task.deadline);
  write_goal(task, text);
  text += "- **Input files:**\n";
  for (const TaskInput& input : task.inputs) {
    const Lines lines = lines_of(input.description);
    text += fmt::format("  - `{}` — {}\n", input.path, lines.front());
    for (std::size_t i = 1; i < lines.size(); ++i) text += fmt::format("    {}\n", lines[i]);
  }
  text += fmt::format("\n## Requirements\n\n{}\n\n## Output\n", task.requirements);
  text += fmt::format("- **Write to:** `{}`\n- **Format:** {}\n- **Then:** {}\n", task.output_path,
                      on_one_line(task.output_format), what_follows(task.next));
  return text;
}

}  // namespace baton::workspace
