#include "dialect/workspace/task.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/boost_json.h"
#include "base/number.h"
#include "base/text.h"
#include "dialect/workspace/front.h"
#include "dialect/workspace/ids.h"
#include "dialect/workspace/task_body.h"
#include "dialect/workspace/workspace_plan.h"
#include "text/fault_list.h"
#include "text/json_value.h"

namespace baton::workspace {
namespace {

constexpr std::array<std::string_view, 4> next_names{"agent", "director_review", "pipeline_continue", "complete"};
constexpr std::array<std::string_view, 18> own_keys{
    "id",         "status",        "priority",    "from",           "to",          "created_at",    "updated_at",
    "deadline",   "goal_id",       "pipeline_id", "revision_count", "output_path", "output_format", "next_type",
    "next_skill", "next_pipeline", "tags",        "metadata"};

/// Reads the head of one task, and says everything that is wrong with it.
class HeadReader {
 public:
  HeadReader(const Front& front, FaultList& faults) : front_{front}, faults_{faults} {}

  std::string required(const char* key, bool whole = false) {
    const FrontLine* line = front_.find(key);
    if (line != nullptr && !(whole ? line->whole : line->value).empty()) return whole ? line->whole : line->value;
    faults_.error("missing-task-field", line == nullptr ? Spot{1, 1} : Spot{line->line, line->column},
                  fmt::format("the task has no '{}'", key), fmt::format("add a line '{}: …' to its front matter", key));
    return {};
  }

  std::string optional(const char* key) {
    const FrontLine* line = front_.find(key);
    return line == nullptr ? std::string{} : line->value;
  }

  void wrong(const char* key, const std::string& message, const std::string& help) {
    const FrontLine* line = front_.find(key);
    faults_.error("bad-task-value", line == nullptr ? Spot{1, 1} : Spot{line->line, line->column}, message, help);
  }
  void odd(const char* key, const std::string& message, const std::string& help = {}) {
    const FrontLine* line = front_.find(key);
    faults_.warning("bad-task-value", line == nullptr ? Spot{1, 1} : Spot{line->line, line->column}, message, help);
  }

  /// A name that may become part of a path.
  std::string id(const char* key) {
    std::string text = required(key);
    if (!text.empty() && !is_id(text)) wrong(key, fmt::format("'{}' is no name: {}", key, text), name_rule);
    return text;
  }

  /// One of a closed list of words.
  template <class T, class Find>
  T word(const char* key, T otherwise, Find find, const std::string& words) {
    const std::string text = required(key);
    if (text.empty()) return otherwise;
    if (const auto found = find(text)) return *found;
    wrong(key, fmt::format("'{}' cannot be '{}'", key, text), "it is one of " + words);
    return otherwise;
  }

  int count(const char* key) {
    const std::string text = required(key);
    if (text.empty()) return 0;
    if (const auto n = parse_whole<int>(text); n && *n >= 0) return *n;
    wrong(key, fmt::format("'{}' has to be a number from 0: {}", key, text), {});
    return 0;
  }

  static constexpr const char* name_rule = "letters, digits, '.', '-', ':' and '_'; no '/'";

 private:
  const Front& front_;
  FaultList& faults_;
};

Next read_next(HeadReader& head) {
  Next next;
  next.kind = head.word(
      "next_type", Next::Kind::complete,
      [](const std::string& word) -> std::optional<Next::Kind> {
        const auto* const found = std::ranges::find(next_names, word);
        if (found == next_names.end()) return std::nullopt;
        return static_cast<Next::Kind>(found - next_names.begin());
      },
      "agent, director_review, pipeline_continue, complete");
  if (next.kind == Next::Kind::agent) next.target = head.id("next_skill");
  if (next.kind == Next::Kind::pipeline_continue) next.target = head.required("next_pipeline");
  return next;
}

std::vector<std::string> read_tags(const Front& front, HeadReader& head) {
  std::vector<std::string> tags;
  const FrontLine* line = front.find("tags");
  if (line == nullptr || line->whole.empty()) return tags;
  if (line->whole.starts_with("[\"") || line->whole == "[]") {  // as we write those that have commas in them
    const auto list = parse_json(line->whole);
    if (list && list->is_array()) {
      for (const boost::json::value& tag : list->get_array()) {
        if (const auto* text = if_text(tag)) tags.emplace_back(text->c_str());
      }
      return tags;
    }
    head.odd("tags", "'tags' begins like a JSON list and is none");
  }
  std::string_view words = line->whole;
  if (words.starts_with('[') && words.ends_with(']')) words = words.substr(1, words.size() - 2);
  for (const std::string_view tag : split(words, ',')) {
    if (!trim(tag).empty()) tags.emplace_back(trim(tag));
  }
  return tags;
}

std::string read_metadata(const Front& front, HeadReader& head) {
  const FrontLine* line = front.find("metadata");
  if (line == nullptr || line->whole.empty()) return {};
  const auto value = parse_json(line->whole);
  if (value && value->is_object()) return value->get_object().empty() ? std::string{} : line->whole;
  head.odd("metadata", "'metadata' is no JSON object, and counts as empty", "write it as {\"key\": …} on one line");
  return {};
}

Task read_head(const Front& front, FaultList& faults) {
  HeadReader head{front, faults};
  Task task;
  task.id = head.id("id");
  if (revision_of_step(task.id) != 0) {
    head.wrong("id", fmt::format("'id' cannot end like a revision's: {}", task.id),
               "':r' and a number name the revisions of a task in a run");
  }
  task.status = head.word(
      "status", TaskStatus::pending, [](const std::string& w) { return task_status(w); },
      "pending, assigned, in_progress, completed, in_review, approved, revision, failed, blocked, deferred, cancelled");
  task.priority =
      head.word("priority", Priority::p2, [](const std::string& w) { return priority(w); }, "P0, P1, P2, P3");
  task.from = head.id("from");
  task.to = head.id("to");
  task.created_at = head.required("created_at");
  task.updated_at = head.required("updated_at");
  task.deadline = head.optional("deadline");
  task.goal_id = head.optional("goal_id");
  task.pipeline_id = head.optional("pipeline_id");
  task.revision_count = head.count("revision_count");
  task.output_path = head.required("output_path", true);
  task.output_format = head.required("output_format", true);
  task.next = read_next(head);
  task.tags = read_tags(front, head);
  task.metadata = read_metadata(front, head);
  for (const FrontLine& line : front.lines) {
    if (std::ranges::find(own_keys, line.key) == own_keys.end()) task.others.emplace_back(line.key, line.whole);
  }
  return task;
}

std::string stem_of(const std::string& file) {
  const std::size_t slash = file.rfind('/');
  std::string name = slash == std::string::npos ? file : file.substr(slash + 1);
  return name.ends_with(".md") ? name.substr(0, name.size() - 3) : name;
}

/// A task is found, locked and written to by its id: two files with one id would be taken for each other.
void check_name(const std::string& id, const std::string& file, const Front& front, FaultList& faults) {
  if (id.empty() || file.empty() || stem_of(file) == id) return;
  const FrontLine* line = front.find("id");
  faults.error("bad-task-value", {line->line, line->column},
               fmt::format("the file is called '{}.md' and its task '{}'", stem_of(file), id),
               fmt::format("write 'id: {}', or call the file '{}.md'", stem_of(file), id));
}

std::string tags_text(const std::vector<std::string>& tags) {
  const auto needs_list = [](const std::string& tag) {
    return tag.empty() || tag.find_first_of(",\n\r") != std::string::npos || tag.starts_with('[') ||
           std::string{trim(tag)} != tag;
  };
  if (std::ranges::none_of(tags, needs_list)) return join(tags, ", ");
  std::vector<std::string> quoted;
  for (const std::string& tag : tags) quoted.push_back(json_quote(tag));
  return "[" + join(quoted, ",") + "]";
}

}  // namespace

std::string_view name(Next::Kind kind) { return next_names.at(static_cast<std::size_t>(kind)); }

TaskRead read_task(std::string_view text, const std::string& file) {
  if (auto bad = find_bad_bytes(text, file)) return {std::nullopt, {std::move(*bad)}};
  const auto front = read_front(text, file);
  if (!front) return {std::nullopt, {front.error()}};
  if (!front->present) {
    return {std::nullopt,
            {{"no-front-matter",
              "there is no front matter: the file has to begin with a line '---'",
              "put 'id', 'status', 'priority', 'from', 'to' and the others between two lines '---'",
              {file, 1, 1}}}};
  }
  FaultList faults{file};
  Task task = read_head(*front, faults);
  TaskBody body = read_body(text.substr(front->body));
  task.goal = std::move(body.goal);
  task.inputs = std::move(body.inputs);
  task.requirements = std::move(body.requirements);
  const Spot at_body{front->body_line, 1};
  if (task.goal.empty() && task.requirements.empty()) {
    faults.error("missing-task-field", at_body, "the task has no goal and no requirements",
                 "write '- **Goal:** …' beneath '## Context', and what has to be done beneath '## Requirements'");
  } else if (task.goal.empty() || task.requirements.empty()) {
    faults.warning("missing-task-field", at_body,
                   fmt::format("the task has no {}", task.goal.empty() ? "goal" : "requirements"));
  }
  check_name(task.id, file, *front, faults);
  Faults found = faults.take();
  if (has_errors(found)) return {std::nullopt, std::move(found)};
  return {std::move(task), std::move(found)};
}

bool looks_like_task(std::string_view text) {
  const auto front = read_front(text, "");
  if (!front || !front->present) return false;
  const auto has = [&](const char* key) { return front->find(key) != nullptr; };
  return has("id") && has("status") && has("to") && !has("steps");
}

std::string write_task(const Task& task) {
  std::string text = "---\n";
  const auto line = [&](std::string_view key, std::string_view value) {
    text += fmt::format("{}: {}\n", key, on_one_line(value));
  };
  const auto if_set = [&](std::string_view key, std::string_view value) {
    if (!value.empty()) line(key, value);
  };
  line("id", task.id);
  line("status", name(task.status));
  line("priority", name(task.priority));
  line("from", task.from);
  line("to", task.to);
  line("created_at", task.created_at);
  line("updated_at", task.updated_at);
  if_set("deadline", task.deadline);
  if_set("goal_id", task.goal_id);
  if_set("pipeline_id", task.pipeline_id);
  line("revision_count", std::to_string(task.revision_count));
  line("output_path", task.output_path);
  line("output_format", task.output_format);
  line("next_type", name(task.next.kind));
  if (task.next.kind == Next::Kind::agent) line("next_skill", task.next.target);
  if (task.next.kind == Next::Kind::pipeline_continue) line("next_pipeline", task.next.target);
  if (!task.tags.empty()) line("tags", tags_text(task.tags));
  if_set("metadata", task.metadata);
  for (const auto& [key, value] : task.others) line(key, value);
  return text + "---\n\n" + write_body(task);
}

std::string edit_task(std::string_view text, const TaskChange& change) {
  std::vector<std::pair<std::string, std::string>> values{{"status", std::string{name(change.status)}},
                                                          {"updated_at", change.updated_at}};
  if (change.revision_count) values.emplace_back("revision_count", std::to_string(*change.revision_count));
  return with_values(text, values);
}

}  // namespace baton::workspace
