#include "cli/definition.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>

#include "base/limits.h"
#include "base/text.h"
#include "cli/agent_runtimes.h"
#include "cli/agent_settings.h"
#include "cli/chains.h"
#include "cli/project_skills.h"
#include "cli/workspace/workspace_target.h"
#include "engine/real_files.h"
#include "io/folder.h"

namespace baton::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* workflow_folders[] = {"workflows", ".baton/workflows"};

bool is_workflow_file(const fs::path& path) {
  auto text = RealFiles{}.read(path.string(), Limits::file_bytes_max);
  return text && *text && looks_like_markdown_workflow(**text);
}

/// The workflow file of that name, whatever is wrong with it.
std::optional<FoundWorkflow> find_by_name(const Project& project, const std::string& name) {
  if (!is_workflow_name(name)) return std::nullopt;
  for (const char* folder : workflow_folders) {
    const fs::path path = fs::path{project.root()} / folder / (name + ".md");
    std::error_code error;
    if (fs::is_regular_file(path, error)) return FoundWorkflow{name, path.string(), folder, false};
  }
  return std::nullopt;
}

std::vector<std::string> workflow_names(const Project& project) {
  std::vector<std::string> names;
  for (const FoundWorkflow& w : find_workflows(project)) names.push_back(w.name);
  return names;
}

/// The workflows that the steps of another one may name.
OtherWorkflows others_of(const Project& project) {
  return {.find = [&project](const std::string& name) -> std::optional<MarkdownSource> {
            const auto found = find_by_name(project, name);
            if (!found) return std::nullopt;
            auto text = RealFiles{}.read(found->path, Limits::file_bytes_max);
            if (!text || !*text) return std::nullopt;
            return MarkdownSource{**text, project.shown(found->path), name};
          },
          .names = [&project] { return workflow_names(project); }};
}

}  // namespace

std::vector<FoundWorkflow> find_workflows(const Project& project, std::vector<std::string>* others) {
  std::vector<FoundWorkflow> found;
  for (const char* folder : workflow_folders) {
    std::vector<FoundWorkflow> here;
    std::error_code error;
    for (fs::directory_iterator it{fs::path{project.root()} / folder, error}, end; !error && it != end;
         it.increment(error)) {
      if (it->path().extension() != ".md") continue;
      if (!is_workflow_file(it->path())) {
        if (others != nullptr) others->push_back(project.shown(it->path().string()));
        continue;
      }
      here.push_back({it->path().stem().string(), it->path().string(), folder, false});
    }
    std::ranges::sort(here, {}, &FoundWorkflow::name);
    for (FoundWorkflow& w : here) {
      w.shadowed = std::ranges::any_of(found, [&](const FoundWorkflow& f) { return f.name == w.name; });
      found.push_back(std::move(w));
    }
  }
  return found;
}

Expected<FoundWorkflow> find_target(const Project& project, const std::string& target) {
  if (target.empty()) {
    return fault("no-target", "no workflow was named",
                 "'baton workflows' lists what there is; 'baton init' makes a first one");
  }
  std::error_code error;
  // What merely has the same name as a workflow does not hide it: a folder, or a file that is none.
  const auto by_name = find_by_name(project, target);
  if (fs::is_regular_file(target, error) && (!by_name || is_workflow_file(target))) {
    const fs::path path = fs::absolute(target).lexically_normal();
    return FoundWorkflow{path.stem().string(), path.string(), path.parent_path().string(), false};
  }
  if (by_name) return *by_name;
  if (fs::exists(target, error)) {
    return fault("not-a-workflow", fmt::format("'{}' is not a workflow file", target),
                 "give a Markdown file with 'steps:' in its front matter, or a workflow's name");
  }
  std::vector<std::string> names = workflow_names(project);
  for (const auto& [name, chain] : find_chains(project)) {
    if (chain.shadowed_by.empty()) names.push_back(name);
  }
  for (const workspace::Pipeline& pipeline : find_pipelines(project)) names.push_back(pipeline.id());
  const std::string near = nearest(target, names);
  std::string help = fmt::format("workflows found: {}", join(names, ", "));
  if (!near.empty()) help = fmt::format("did you mean '{}'? {}", near, help);
  return fault("unknown-workflow", fmt::format("there is no workflow '{}'", target), help);
}

MarkdownDefaults defaults_from(const Config& config) {
  MarkdownDefaults d;
  if (const auto retries = config.integer("limits.retries")) d.agent_retries = d.command_retries = *retries;
  if (const auto delay = config.duration("limits.retry_delay")) d.retry_delay = *delay;
  if (const auto grace = config.duration("limits.stop_grace")) d.agent_grace = d.command_grace = *grace;
  if (const auto timeout = config.duration("limits.step_timeout")) d.step_timeout = *timeout;
  if (const auto stall = config.duration("limits.stall")) d.agent_stall = *stall;
  d.inputless_skills = config.list("markdown.inputless_skills");
  return d;
}

ReadFile files_of(const Project& project) {
  return [root = project.root()](const std::string& path) -> Expected<std::string> {
    const auto inside = path_beneath(root, fs::path{root} / path);
    if (!inside) return fault("path-leaves-folder", fmt::format("{} leads out of the project", path));
    auto text = RealFiles{}.read(root + "/" + *inside, Limits::file_bytes_max);
    if (!text) return std::unexpected(text.error());
    if (!*text) return fault("file-unreadable", fmt::format("there is no file {}", path));
    return std::move(**text);
  };
}

std::expected<Workflow, Faults> read_definition(const Project& project, const FoundWorkflow& found,
                                                const Binding& binding, SkillNews news, const std::string& runtime) {
  auto text = RealFiles{}.read(found.path, Limits::file_bytes_max);
  const std::string file = project.shown(found.path);
  if (!text) {
    Fault f = text.error();
    f.place.file = file;
    f.help = f.code == "file-too-large" ? "a workflow file may have 16 MiB" : "";
    return std::unexpected(Faults{f});
  }
  if (!*text) return std::unexpected(Faults{{"unknown-workflow", fmt::format("there is no file {}", file)}});
  ProjectSkills skills{project};
  MarkdownDefaults defaults = defaults_from(project.config());
  defaults.skills = &skills;
  std::map<std::pair<std::string, std::string>, std::optional<Millis>> timeouts;  // the same few over and over
  const std::string own = own_runtime(project.config(), runtime);
  defaults.skill_timeout = [&](const std::string& skill, const std::string& named) {
    const auto [known, is_new] = timeouts.try_emplace({skill, named});
    if (is_new) known->second = skill_timeout(project.config(), skills, skill, named, own);
    return known->second;
  };
  defaults.warn_of_missing_skills = news == SkillNews::told;
  Binding with_files = binding;
  if (!with_files.read_file) with_files.read_file = files_of(project);
  with_files.others = others_of(project);
  auto workflow = read_markdown({**text, file, found.name}, with_files, defaults);
  if (news == SkillNews::told) {
    std::ranges::move(skills.troubles(), std::back_inserter(workflow ? workflow->warnings : workflow.error()));
  }
  return workflow;
}

void make_skills_count(Faults& faults) {
  for (Fault& f : faults) {
    if (f.code == "unknown-skill" || f.code == "skill-unreadable") f.severity = Severity::error;
  }
}

Binding stand_in_binding() { return {.sandbox = "sandbox/ID", .inputs = {}}; }

bool is_there(const Project& project, const std::string& path) {
  std::error_code error;
  return fs::exists(fs::path{project.root()} / path, error);
}

}  // namespace baton::cli
