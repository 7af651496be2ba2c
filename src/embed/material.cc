#include "embed/material.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error_code.h"
#include "base/limits.h"
#include "dialect/workspace/ids.h"
#include "dialect/workspace/prompt_layout.h"
#include "io/folder.h"
#include "skill/registry.h"

namespace baton {
namespace embed {

Task public_task(const workspace::Task& t) {
  Task task;
  task.id = t.id;
  task.status = name(t.status);
  task.priority = name(t.priority);
  task.from = t.from;
  task.to = t.to;
  task.revision_count = t.revision_count;
  task.goal = t.goal;
  for (const workspace::TaskInput& input : t.inputs) task.inputs.push_back({input.path, input.description});
  task.requirements = t.requirements;
  task.output_path = t.output_path;
  task.output_format = t.output_format;
  return task;
}

ExecutionError error_of(ExecutionErrorCode code, std::string message, const std::string& task) {
  return {.code = code, .message = std::move(message), .task_id = task};
}

workspace::SquadsRead squads_of(const Folder& folder, const std::string& project_root) {
  const auto text_in = [](const Folder& where, const std::string& file) {
    auto text = where.read(file, Limits::file_bytes_max);
    return text ? std::move(*text) : std::nullopt;
  };
  if (const auto text = text_in(folder, "skills.yaml")) return workspace::read_squads(*text, "skills.yaml");
  const std::string shared = ".agents/skills.yaml";
  if (const auto root = Folder::open(project_root)) {
    if (const auto text = text_in(*root, shared)) return workspace::read_squads(*text, shared);
  }
  workspace::SquadsRead read{workspace::built_in_squads(), {}};
  std::vector<std::string> folders;
  for (const std::string& squad : folder.list("outputs", true)) {
    for (const std::string& skill : folder.list("outputs/" + squad, true))
      folders.push_back(fmt::format("{}/{}", squad, skill));
  }
  workspace::Squads found = workspace::squads_of_folders(folders);
  for (auto& [skill, entry] : found.skills) read.squads.skills.try_emplace(skill, std::move(entry));
  return read;
}

namespace {

static_assert(static_cast<int>(ExecutionErrorCode::tool_loop_limit) == static_cast<int>(ErrorCode::tool_loop_limit));

SkillContent content_of(const FoundSkill& found, const Skill& skill) {
  SkillContent content{skill.name, skill.description, skill.body, {}, {}};
  const auto folder = Folder::open(found.folder);
  for (const std::string& file : SkillRegistry::files_of(found)) {
    if (!file.starts_with("references/") || !file.ends_with(".md")) continue;
    auto text = folder ? folder->read(file, Limits::skill_bytes_max) : std::unexpected(folder.error());
    if (text && *text) {
      content.references.push_back({file.substr(file.rfind('/') + 1), std::move(**text)});
    } else {
      content.warnings.push_back(file + " cannot be read");
    }
  }
  std::ranges::sort(content.references, {}, &Reference::path);
  return content;
}

std::variant<SkillContent, ExecutionError> find_skill(const std::string& name, const std::string& root) {
  SkillPlaces places;
  places.project = root;
  SkillRegistry registry{places};
  const auto found = registry.find(name);
  if (!found) return error_of(ExecutionErrorCode::skill_not_found, "there is no skill '" + name + "'", "");
  const auto skill = registry.load(*found);
  if (!skill) return error_of(ExecutionErrorCode::skill_not_found, skill.error().message, "");
  return content_of(*found, *skill);
}

std::variant<Task, ExecutionError> find_task(const std::string& root, const std::string& id) {
  const auto wrong = [&](std::string message) {
    return error_of(ExecutionErrorCode::task_not_executable, std::move(message), id);
  };
  const auto folder = Folder::open(root);
  if (!folder) return wrong(folder.error().message);
  const auto text = folder->read(workspace::task_path(id), Limits::file_bytes_max);
  if (!text) return wrong(text.error().message);
  if (!*text) return wrong("there is no task '" + id + "'");
  const workspace::TaskRead read = workspace::read_task(**text, workspace::task_path(id));
  if (!read.task) return wrong(to_text(read.faults.front()));
  return public_task(*read.task);
}

}  // namespace
}  // namespace embed

inline namespace v1 {

std::string_view to_string(ExecutionErrorCode code) noexcept {
  const auto n = static_cast<std::size_t>(code);
  return n < error_codes ? name(static_cast<ErrorCode>(code)) : "UNKNOWN";
}

std::variant<Task, ExecutionError> load_task(const std::filesystem::path& workspace, const std::string& id) noexcept {
  try {
    return embed::find_task(workspace.string(), id);
  } catch (const std::exception& e) {
    return embed::error_of(ExecutionErrorCode::unknown, e.what(), "");
  }
}

std::variant<SkillContent, ExecutionError> load_skill(const std::string& name,
                                                      const std::filesystem::path& project_root) noexcept {
  try {
    return embed::find_skill(name, project_root.string());
  } catch (const std::exception& e) {
    return embed::error_of(ExecutionErrorCode::unknown, e.what(), "");
  }
}

Prompt build_prompt(const PromptParams& params) {
  workspace::PromptMaterial m;
  m.skill_body = params.skill.body;
  for (const Reference& r : params.skill.references) m.references.push_back({r.path, r.content});
  m.context = params.product_context;
  for (const UpstreamOutput& o : params.upstream_outputs) m.inputs.push_back({o.path, o.description, o.content});
  const Task& t = params.task;
  m.task.id = t.id;
  m.task.from = t.from;
  m.task.priority = workspace::priority(t.priority).value_or(workspace::Priority::p2);
  m.task.goal = t.goal;
  m.task.requirements = t.requirements;
  m.task.revision_count = t.revision_count;
  m.task.output_format = t.output_format;
  const workspace::Prompt prompt = workspace::build_prompt(m);
  return {prompt.system, prompt.user()};
}

}  // namespace v1
}  // namespace baton
