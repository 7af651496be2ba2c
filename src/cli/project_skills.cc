#include "cli/project_skills.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>

#include "base/text.h"
#include "skill/built_in.h"

namespace baton::cli {
namespace {

std::string environment_path(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value == '/' ? value : std::string{};
}

std::string absolute(const std::string& path, const std::string& root, const std::string& home) {
  if (path.starts_with('/')) return path;
  return path.starts_with("~/") ? home + path.substr(1) : root + "/" + path;
}

SkillPlaces places_of(const Project& project) {
  SkillPlaces places;
  places.project = project.root();
  places.home = environment_path("HOME");
  places.config_home = environment_path("XDG_CONFIG_HOME");
  if (places.config_home.empty() && !places.home.empty()) places.config_home = places.home + "/.config";
  for (const std::string& path : project.config().list("skills.paths")) {
    places.extra.push_back(absolute(path, places.project, places.home));
  }
  places.built_in = built_in_skills();
  return places;
}

}  // namespace

ProjectSkills::ProjectSkills(const Project& project) : registry_{places_of(project)} {}

std::optional<SkillFinder::Facts> ProjectSkills::facts_of(const std::string& name) {
  const auto known = facts_.find(name);
  if (known != facts_.end()) return known->second;
  const auto found = registry_.find(name);
  const auto facts = found ? std::optional<Facts>{{found->skill.inputless}} : std::nullopt;
  return facts_.emplace(name, facts).first->second;
}

std::vector<std::string> ProjectSkills::names() {
  std::vector<std::string> names;
  for (const FoundSkill& found : registry_.all()) {
    if (!found.broken && !found.shadowed_by) names.push_back(found.skill.name);
  }
  std::ranges::sort(names);
  const auto repeated = std::ranges::unique(names);
  names.erase(repeated.begin(), repeated.end());
  return names;
}

std::optional<SkillText> ProjectSkills::find(const std::string& name) {
  const auto found = registry_.find(name);
  if (!found) return std::nullopt;
  auto skill = registry_.load(*found);
  if (!skill) return std::nullopt;
  SkillText text{std::move(skill->body), found->folder, {}};
  for (const std::string& file : SkillRegistry::files_of(*found)) text.files.push_back(found->folder + "/" + file);
  return text;
}

Faults ProjectSkills::troubles() {
  Faults faults;
  const auto add = [&](const std::string& name, const Fault& why) {
    faults.push_back({"skill-unreadable", fmt::format("skill '{}' cannot be read: {}", name, why.message), why.help,
                      why.place, Severity::warning});
  };
  for (const auto& [name, facts] : facts_) {
    if (const auto found = facts ? registry_.find(name) : std::nullopt) {
      if (const auto skill = registry_.load(*found); !skill) add(name, skill.error());
      continue;
    }
    // That it is not found is already said; a file of that name which cannot be read explains it.
    for (const FoundSkill& other : registry_.all()) {
      if (other.broken && other.folder_name == name) add(name, *other.broken);
    }
  }
  return faults;
}

Fault unknown_skill(const std::string& name, const std::vector<std::string>& names) {
  const std::string near = nearest(name, names);
  std::string help = near.empty() ? std::string{} : fmt::format("did you mean '{}'? ", near);
  help += names.empty() ? "none were found; 'baton skills' says where they are looked for"
                        : fmt::format("skills found: {}", shorten(join(names, ", "), 400));
  return {"unknown-skill", fmt::format("there is no skill '{}'", name), help};
}

}  // namespace baton::cli
