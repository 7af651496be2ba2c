// The verb about skills: what is found, one of them, a copy of it for the project.
#include <unistd.h>

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "cli/project_skills.h"
#include "cli/reporter.h"
#include "cli/verbs.h"
#include "engine/real_files.h"
#include "view/json_text.h"
#include "view/words.h"

namespace baton::cli {
namespace {

namespace fs = std::filesystem;

// All of them -------------------------------------------------------------------------------------------------------

std::string skill_text(const FoundSkill& found, const std::vector<FoundSkill>& all) {
  std::string text = fmt::format("{:<24}  {}\n", one_line(found.skill.name), one_line(found.shown));
  const auto further = [&](const std::string& line) { text += fmt::format("{:<24}  {}\n", "", one_line(line)); };
  if (found.broken) further(fmt::format("cannot be read: {}", found.broken->message));
  if (found.shadowed_by) further(fmt::format("shadowed by {}", all[*found.shadowed_by].shown));
  if (!found.skill.description.empty()) further(shorten(one_line(found.skill.description), 100));
  return text;
}

std::string warnings_json(const Faults& warnings) {
  std::vector<std::string> texts;
  for (const Fault& w : warnings) texts.push_back(w.message);
  return json_of(texts);
}

JsonObject skill_json(const FoundSkill& found, const FoundSkill* shadow) {
  JsonObject object;
  object.text("name", found.skill.name)
      .text("folder_name", found.folder_name)
      .text("path", found.file)
      .text("origin", to_text(found.origin))
      .text("description", found.skill.description)
      .flag("inputless", found.skill.inputless)
      .flag("shadowed", shadow != nullptr)
      .raw("shadowed_by", shadow == nullptr ? "null" : json_quote(shadow->file))
      .raw("warnings", warnings_json(found.skill.warnings));
  if (found.broken) object.raw("error", to_json(*found.broken));
  return object;
}

/// Where no skills but those built in were found.
std::string no_others_text(SkillRegistry& registry) {
  std::vector<std::string> folders;
  for (const SkillRoot& root : registry.roots()) folders.push_back(root.shown);
  return fmt::format("no others; looked in {} and plugins/*/skills\n'baton init' makes a first one\n",
                     join(folders, ", "));
}

int list_skills(const Common& common, SkillRegistry& registry) {
  const std::vector<FoundSkill>& all = registry.all();
  print(common, registry.left_out());
  std::string text;
  std::vector<std::string> items;
  for (const FoundSkill& found : all) {
    if (common.json) {
      items.push_back(skill_json(found, found.shadowed_by ? &all[*found.shadowed_by] : nullptr).done());
    } else {
      text += skill_text(found, all);
    }
  }
  if (common.json) {
    text = "[" + join(items, ",\n ") + "]\n";
  } else if (std::ranges::all_of(all, [](const FoundSkill& f) { return f.origin == SkillOrigin::built_in; })) {
    text += no_others_text(registry);
  }
  write_out(STDOUT_FILENO, common.json ? text : printable(text));
  return exit_done;
}

// One of them -------------------------------------------------------------------------------------------------------

std::string fields_text(const FoundSkill& found, const Skill& skill, const std::vector<std::string>& files) {
  std::string text;
  const auto field = [&](const char* name, const std::string& value) {
    if (!value.empty()) text += fmt::format("{:<14}  {}\n", name, one_line(value));
  };
  field("name", skill.name);
  field("from", found.folder.empty() ? found.shown : found.shown + "/SKILL.md");
  field("description", skill.description);
  field("model", skill.model);
  field("tools", join(skill.tools, ", "));
  if (skill.timeout) field("timeout", brief(*skill.timeout));
  field("inputless", skill.inputless ? "true" : "");
  field("license", skill.license);
  field("compatibility", skill.compatibility);
  for (const auto& [key, value] : skill.metadata) field("metadata", fmt::format("{}: {}", key, value));
  for (const std::string& file : files) field("file", file);
  return text;
}

std::string skill_json(const FoundSkill& found, const Skill& skill, const std::vector<std::string>& files) {
  JsonObject metadata;
  for (const auto& [key, value] : skill.metadata) metadata.text(key, value);
  FoundSkill whole = found;
  whole.skill = skill;
  JsonObject object = skill_json(whole, nullptr);
  object.text("model", skill.model).raw("tools", json_of(skill.tools));
  if (skill.timeout) object.number("timeout_ms", skill.timeout->count());
  object.text("license", skill.license)
      .text("compatibility", skill.compatibility)
      .raw("metadata", metadata.done())
      .raw("files", json_of(files))
      .text("body", skill.body);
  return object.done();
}

int show_skill(const Common& common, SkillRegistry& registry, const FoundSkill& found) {
  auto skill = registry.load(found);
  if (!skill) return print(common, skill.error()), exit_refused;
  print(common, skill->warnings);
  const std::vector<std::string> files = SkillRegistry::files_of(found);
  write_out(STDOUT_FILENO, common.json ? skill_json(found, *skill, files) + "\n"
                                       : printable(fields_text(found, *skill, files) + "\n" + skill->body + "\n"));
  return exit_done;
}

// A copy of it ------------------------------------------------------------------------------------------------------

/// Copies the skill's files into a folder that is new. Links were left out already by whoever listed them.
Status copy_files(const FoundSkill& found, const std::string& text, const std::string& to) {
  if (auto written = RealFiles{}.write(to + "/SKILL.md", text); !written) return written;
  for (const std::string& name : SkillRegistry::files_of(found)) {
    std::error_code error;
    const fs::path target = fs::path{to} / name;
    fs::create_directories(target.parent_path(), error);
    if (!error) fs::copy_file(fs::path{found.folder} / name, target, error);
    if (error) return fault("file-failed", fmt::format("cannot copy {}: {}", name, error.message()));
  }
  return {};
}

int export_skill(const Project& project, SkillRegistry& registry, const FoundSkill& found) {
  const Common& common = project.common();
  const std::string home = project.root() + "/.baton";
  const std::string folder = home + "/skills/" + found.folder_name;
  std::error_code error;
  if (found.origin == SkillOrigin::project || fs::exists(fs::symlink_status(folder, error))) {
    const std::string where = found.origin == SkillOrigin::project ? found.shown : project.shown(folder);
    print(common,
          Fault{"skill-exists", fmt::format("the project has a skill '{}' already, in {}", found.folder_name, where),
                "change that one, or move it away first"});
    return exit_refused;
  }
  auto text = registry.text_of(found);
  if (!text) return print(common, text.error()), exit_refused;
  if (auto made = Project::make_state_folder(home); !made) return print(common, made.error()), exit_failed;
  // Beside it first, so that a copy is there whole or not at all; hidden folders are no skills.
  const std::string beside = fmt::format("{}/skills/.{}.{}.tmp", home, found.folder_name, ::getpid());
  Status copied = copy_files(found, *text, beside);
  if (copied) fs::rename(beside, folder, error);
  if (copied && error) copied = fault("file-failed", fmt::format("cannot write {}: {}", folder, error.message()));
  if (!copied) {
    fs::remove_all(beside, error);
    return print(common, copied.error()), exit_failed;
  }
  if (common.json) {
    write_out(STDOUT_FILENO,
              JsonObject{}.text("name", found.folder_name).text("path", folder + "/SKILL.md").done() + "\n");
  } else if (!common.quiet) {
    write_out(STDOUT_FILENO, printable(fmt::format("made {}/SKILL.md\n", project.shown(folder))));
  }
  return exit_done;
}

}  // namespace

int skills_verb(const Common& common, const std::string& name, bool export_it) {
  auto project = Project::open(common);
  if (!project) return print(common, project.error()), exit_refused;
  ProjectSkills skills{*project};
  if (name.empty() && export_it) {
    print(common, Fault{"bad-usage", "--export needs the name of a skill", "'baton skills' lists them"});
    return exit_refused;
  }
  if (name.empty()) return list_skills(common, skills.registry());
  const auto found = skills.registry().find(name);
  if (found) {
    return export_it ? export_skill(*project, skills.registry(), *found)
                     : show_skill(common, skills.registry(), *found);
  }
  for (const FoundSkill& other : skills.registry().all()) {
    if (other.broken && other.folder_name == name) return print(common, *other.broken), exit_refused;
  }
  print(common, unknown_skill(name, skills.names()));
  return exit_refused;
}

}  // namespace baton::cli
