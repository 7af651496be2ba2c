#include "dialect/workspace/squads.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "dialect/workspace/paths.h"
#include "text/fault_list.h"
#include "text/yaml_values.h"

namespace baton::workspace {
namespace {

struct Row {
  const char* skill;
  const char* squad;
  std::vector<std::string> feeds;
};

Squads make_built_in_squads() {
  Squads squads;
  squads.foundation = foundation_skill;
  squads.skills[foundation_skill] = {.feeds_all = true};
  const std::vector<Row> rows{
      {"content-strategy", "strategy", {"copywriting", "programmatic-seo", "social-content"}},
      {"pricing-strategy", "strategy", {"copywriting", "page-cro"}},
      {"launch-strategy", "strategy", {"email-sequence", "social-content", "paid-ads", "page-cro"}},
      {"marketing-ideas", "strategy", {}},
      {"marketing-psychology", "strategy", {}},
      {"competitor-alternatives", "strategy", {"copywriting", "programmatic-seo"}},
      {"copywriting", "creative", {"page-cro", "copy-editing"}},
      {"copy-editing", "creative", {"page-cro"}},
      {"social-content", "creative", {}},
      {"cold-email", "creative", {}},
      {"paid-ads", "creative", {}},
      {"programmatic-seo", "creative", {}},
      {"schema-markup", "creative", {}},
      {"page-cro", "convert", {"copywriting", "form-cro", "popup-cro"}},
      {"form-cro", "convert", {}},
      {"signup-flow-cro", "convert", {"onboarding-cro"}},
      {"popup-cro", "convert", {}},
      {"free-tool-strategy", "convert", {}},
      {"onboarding-cro", "activate", {"email-sequence"}},
      {"email-sequence", "activate", {"analytics-tracking"}},
      {"paywall-upgrade-cro", "activate", {}},
      {"referral-program", "activate", {"analytics-tracking"}},
      {"analytics-tracking", "measure", {}},
      {"ab-test-setup", "measure", {}},
      {"seo-audit", "measure", {"content-strategy", "programmatic-seo"}},
  };
  for (const Row& row : rows) squads.skills[row.skill] = {.squad = row.squad, .feeds = row.feeds};
  return squads;
}

/// One `skills.yaml`, and everything that is wrong with it.
class SquadsReader {
 public:
  explicit SquadsReader(FaultList& faults) : faults_{faults} {}

  Squads read(const YamlNode& root) {
    const auto squads = root.find("squads");
    const auto skills = root.find("skills");
    if (!root.is_mapping() || !skills || !skills->is_mapping()) {
      wrong(spot_of(root), "the file has no 'skills'", "list them: 'skills: {NAME: {squad: SQUAD}}'");
      return {};
    }
    read_names(squads);
    for (std::size_t i = 0; i < skills->size(); ++i) read_skill(skills->key(i), skills->value(i));
    read_foundation(root);
    check_feeds();
    for (const auto& [name, spot] : squads_) {
      const auto of_it = [&](const auto& skill) { return skill.second.squad == name; };
      if (std::ranges::none_of(result_.skills, of_it)) wrong(spot, fmt::format("squad '{}' has no skill", name), {});
    }
    return std::move(result_);
  }

 private:
  void wrong(Spot spot, std::string message, std::string help) {
    faults_.error("bad-skills-file", spot, std::move(message), std::move(help));
  }

  void read_names(const std::optional<YamlNode>& squads) {
    if (!squads || !squads->is_mapping()) return;
    for (std::size_t i = 0; i < squads->size(); ++i) {
      const YamlNode key = squads->key(i);
      if (is_id(key.text())) {
        squads_.emplace(std::string{key.text()}, spot_of(key));
      } else {
        wrong(spot_of(key), fmt::format("'{}' cannot be a folder's name", key.text()), {});
      }
    }
  }

  void read_skill(const YamlNode& key, const YamlNode& value) {
    SkillEntry entry;
    if (!is_id(key.text())) return wrong(spot_of(key), fmt::format("'{}' is no skill's name", key.text()), {});
    if (value.is_mapping()) {
      if (const auto squad = value.find("squad"); squad && !squad->is_null()) {
        entry.squad = squad->text();
        if (!squads_.contains(entry.squad)) {
          wrong(spot_of(*squad), fmt::format("there is no squad '{}'", entry.squad), "add it to 'squads'");
        }
      }
      if (const auto text = value.find("description")) entry.description = text->text();
      if (const auto feeds = value.find("downstream")) {
        if (feeds->is_scalar() && feeds->text() == "all") {
          entry.feeds_all = true;
        } else {
          for (const Located& name : read_texts(*feeds, "downstream", faults_)) {
            entry.feeds.push_back(name.text);
            feeds_.emplace_back(std::string{key.text()}, name);
          }
        }
      }
    }
    result_.skills[std::string{key.text()}] = std::move(entry);
  }

  void read_foundation(const YamlNode& root) {
    const auto foundation = root.find("foundation_skill");
    if (!foundation || foundation->is_null()) return;
    result_.foundation = foundation->text();
    if (!result_.skills.contains(result_.foundation)) {
      wrong(spot_of(*foundation), fmt::format("the foundation skill '{}' is none of the skills", result_.foundation),
            {});
    }
  }

  void check_feeds() {
    for (const auto& [skill, fed] : feeds_) {
      if (fed.text == skill) {
        wrong(fed.spot, fmt::format("'{}' cannot be downstream of itself", skill), {});
      } else if (!result_.skills.contains(fed.text)) {
        wrong(fed.spot, fmt::format("there is no skill '{}'", fed.text), {});
      }
    }
  }

  FaultList& faults_;
  Squads result_;
  std::map<std::string, Spot> squads_;
  std::vector<std::pair<std::string, Located>> feeds_;
};

}  // namespace

std::string Squads::squad_of(std::string_view skill) const {
  const auto found = skills.find(skill);
  return found == skills.end() ? std::string{} : found->second.squad;
}

const Squads& built_in_squads() {
  static const Squads squads = make_built_in_squads();
  return squads;
}

SquadsRead read_squads(std::string_view text, const std::string& file) {
  YamlRead yaml = read_yaml(text, file);
  SquadsRead read{{}, std::move(yaml.faults)};
  if (!yaml.tree || !yaml.tree->root()) return read;
  FaultList faults{file};
  read.squads = SquadsReader{faults}.read(*yaml.tree->root());
  for (Fault& f : faults.take()) read.faults.push_back(std::move(f));
  return read;
}

Squads squads_of_folders(const std::vector<std::string>& folders) {
  Squads squads;
  for (const std::string& folder : folders) {
    const std::size_t slash = folder.find('/');
    if (slash == std::string::npos) continue;
    const std::string skill = folder.substr(slash + 1);
    if (is_id(folder.substr(0, slash)) && is_id(skill)) squads.skills[skill] = {.squad = folder.substr(0, slash)};
  }
  return squads;
}

}  // namespace baton::workspace
