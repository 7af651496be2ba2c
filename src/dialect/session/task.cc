#include "dialect/session/task.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/boost_json.h"
#include "base/text.h"
#include "dialect/session/task_id.h"
#include "text/json_members.h"
#include "text/json_patch.h"

namespace baton::session {
namespace {

namespace json = boost::json;

OnError on_error_of(std::string_view word) {
  if (word.empty()) return OnError::unstated;
  if (word == "skip_optional" || word == "skip") return OnError::skip_optional;
  if (word == "retry_once") return OnError::retry_once;
  if (word == "continue") return OnError::go_on;
  if (word == "manual_intervention") return OnError::ask;
  return OnError::fail;  // also for words that nobody knows: going on would be a guess
}

PreStep pre_step(const json::value& value, std::size_t position) {
  PreStep step;
  const auto* object = value.if_object();
  if (object == nullptr) {
    step.name = fmt::format("step {}", position);
    step.commands.push_back(as_text(value));
    return step;
  }
  step.name = text_at(*object, {"step", "name"});
  if (step.name.empty()) step.name = fmt::format("step {}", position);
  step.action = text_at(*object, {"action", "description"});
  step.commands = texts_at(*object, {"commands", "command"});
  step.output_to = text_at(*object, {"output_to"});
  step.on_error = on_error_of(text_at(*object, {"on_error"}));
  return step;
}

ApproachStep approach_step(const json::value& value, std::size_t position) {
  ApproachStep step;
  step.number = std::to_string(position);
  const auto* object = value.if_object();
  if (object == nullptr) {
    step.title = as_text(value);
    return step;
  }
  if (std::string number = text_at(*object, {"step"}); !number.empty()) step.number = std::move(number);
  step.title = text_at(*object, {"title", "name"});
  step.description = text_at(*object, {"description"});
  step.modification_points = texts_at(*object, {"modification_points", "actions"});
  step.logic_flow = texts_at(*object, {"logic_flow"});
  step.depends_on = texts_at(*object, {"depends_on"});
  step.output = text_at(*object, {"output"});
  step.command = text_at(*object, {"command"});
  return step;
}

Artifact artifact(const json::value& value) {
  Artifact a;
  const auto* object = value.if_object();
  if (object == nullptr) {
    a.path = as_text(value);
    return a;
  }
  a.type = text_at(*object, {"type"});
  a.source = text_at(*object, {"source"});
  a.path = text_at(*object, {"path"});
  a.priority = text_at(*object, {"priority"});
  a.usage = text_at(*object, {"usage", "note"});
  a.contains = text_at(*object, {"contains"});
  return a;
}

/// An entry of `files`.
TargetFile changed_file(const json::value& value) {
  const auto* object = value.if_object();
  if (object == nullptr) return target_file(as_text(value));
  TargetFile file;
  file.path = text_at(*object, {"path"});
  file.function = text_at(*object, {"target"});
  file.change = text_at(*object, {"action"});
  const std::string change = join(texts_at(*object, {"changes", "change"}), "; ");
  if (!change.empty()) file.change += (file.change.empty() ? "" : ": ") + change;
  return file;
}

template <class Make>
auto made_of(const json::object& object, std::initializer_list<std::string_view> paths, Make make) {
  std::vector<decltype(make(json::value{}))> made;
  const json::value* value = value_at(object, paths);
  if (value == nullptr) return made;
  for (const json::value* item : as_list(*value)) made.push_back(make(*item));
  return made;
}

/// The whole of something that is read item by item: it counts in its place too.
template <class Make>
auto counted(Make make) {
  return [make, position = std::size_t{0}](const json::value& value) mutable { return make(value, ++position); };
}

void read_context(const json::object& o, Task& task) {
  task.requirements = texts_at(o, {"context.requirements", "requirements"});
  task.focus_paths = texts_at(o, {"context.focus_paths", "focus_paths"});
  task.acceptance = texts_at(o, {"context.acceptance", "acceptance", "convergence.criteria", "acceptance_criteria"});
  task.parent = text_at(o, {"context.parent", "parent"});
  if (const json::value* needs =
          value_at(o, {"depends_on", "context.depends_on", "meta.depends_on", "flow_control.requires"})) {
    task.depends_on.emplace();
    for (const json::value* need : as_list(*needs)) {
      std::string id = as_text(*need);
      const bool is_new = std::ranges::find(*task.depends_on, id) == task.depends_on->end();
      if (is_new && !id.empty()) task.depends_on->push_back(std::move(id));
    }
  }
  task.inherited_from = text_at(o, {"context.inherited.from", "inherited.from"});
  task.inherited = texts_at(o, {"context.inherited.context", "inherited.context"});
  task.shared_context = text_at(o, {"context.shared_context", "shared_context"});
  task.artifacts = made_of(o, {"context.artifacts", "artifacts"}, artifact);
  task.context_package_path = text_at(o, {"context_package_path", "context.context_package_path"});
}

void read_flow(const json::object& o, Task& task) {
  task.pre_analysis = made_of(o, {"flow_control.pre_analysis", "pre_analysis"}, counted(pre_step));
  task.approach = made_of(o, {"flow_control.implementation_approach", "implementation_approach", "implementation"},
                          counted(approach_step));
  task.target_files = made_of(o, {"flow_control.target_files", "target_files"}, changed_file);
  for (TargetFile& file : made_of(o, {"files"}, changed_file)) task.target_files.push_back(std::move(file));
  task.verification = text_at(o, {"convergence.verification", "verification"});
  task.test_commands = texts_at(o, {"test.commands"});
}

void read_head(const json::object& o, Task& task) {
  task.title = text_at(o, {"title", "name"});
  task.description = text_at(o, {"description"});
  if (std::string status = text_at(o, {"status"}); !status.empty()) task.status = std::move(status);
  task.type = text_at(o, {"meta.type", "type", "task_type"});
  task.agent = text_at(o, {"meta.agent", "agent"});
  task.model = text_at(o, {"meta.model", "model"});
  task.context_signature = text_at(o, {"meta.context_signature"});
  if (std::string group = text_at(o, {"meta.execution_group", "execution_group", "parallel_group"}); !group.empty()) {
    task.group = std::move(group);
  }
}

/// What its readers expect of a file and it does not have.
std::vector<std::string> missing_of(const json::object& o) {
  const bool nested = o.contains("context") || o.contains("flow_control");
  std::vector<std::string> missing;
  const auto want = [&](std::initializer_list<std::string_view> paths) {
    if (value_at(o, paths) == nullptr) missing.emplace_back(*paths.begin());
  };
  want({"title"});
  want({"status"});
  want({"meta.agent", "agent"});
  want({"depends_on", "context.depends_on", "meta.depends_on", "flow_control.requires"});
  if (nested) {
    want({"meta.type", "type"});
    want({"context"});
    want({"flow_control"});
  } else {
    want({"description"});
    want({"convergence.criteria", "acceptance"});
  }
  return missing;
}

}  // namespace

TargetFile target_file(std::string_view text) {
  const auto is_lines = [](std::string_view part) {
    return !part.empty() && part.find_first_not_of("0123456789-,L") == std::string_view::npos;
  };
  TargetFile file;
  text = trim(text);
  const auto last_part = [&]() -> std::optional<std::string_view> {
    const auto colon = text.rfind(':');
    const bool is_drive = colon == 1;
    if (colon == std::string_view::npos || is_drive || text.find('/', colon) != std::string_view::npos ||
        text.find('\\', colon) != std::string_view::npos) {
      return std::nullopt;
    }
    return text.substr(colon + 1);
  };
  if (const auto part = last_part(); part && is_lines(*part)) {
    file.lines = *part;
    text.remove_suffix(part->size() + 1);
  }
  if (const auto part = last_part(); part) {
    file.function = *part;
    text.remove_suffix(part->size() + 1);
  }
  file.path = text;
  return file;
}

TaskRead read_task(std::string_view text, const std::string& file, const std::string& stem) {
  TaskRead read;
  auto object = read_object(text, file, "corrupt-task-file");
  if (!object) {
    read.faults.push_back(std::move(object.error()));
    return read;
  }
  const auto warn = [&](std::string code, std::string message, std::string help) {
    read.faults.push_back({std::move(code), std::move(message), std::move(help), {file, 1, 1}, Severity::warning});
  };
  Task task;
  task.id = text_at(*object, {"id", "task_id"});
  if (task.id.empty()) {
    read.faults.push_back({"task-without-id",
                           fmt::format("{} has no 'id'", file),
                           fmt::format("add \"id\": \"{}\"", stem),
                           {file, 1, 1}});
    return read;
  }
  if (task.id != stem) {
    warn("task-id-differs", fmt::format("{} says that it is '{}'; it is taken for '{}'", file, task.id, stem),
         "let the id and the file's name be the same");
    task.id = stem;
  }
  read_head(*object, task);
  read_context(*object, task);
  read_flow(*object, task);
  if (const auto missing = missing_of(*object); !missing.empty()) {
    warn("task-incomplete", fmt::format("{} lacks {}", task.id, join(missing, ", ")),
         "it runs all the same; what is missing is taken to be empty");
  }
  read.task = std::move(task);
  return read;
}

std::string on_one_line(const Fault& fault) {
  const Place& at = fault.place;
  if (at.file.empty()) return fault.message;
  if (at.line == 0) return fmt::format("{}: {}", at.file, fault.message);
  return fmt::format("{}:{}:{}: {}", at.file, at.line, at.column, fault.message);
}

}  // namespace baton::session
