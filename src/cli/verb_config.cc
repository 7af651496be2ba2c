#include <unistd.h>

#include <fmt/core.h>

#include "base/text.h"
#include "cli/chains.h"
#include "cli/reporter.h"
#include "cli/verbs.h"
#include "config/keys.h"
#include "view/json_text.h"

namespace baton::cli {
namespace {

std::string explained(std::string_view key, std::string_view value, std::string_view origin) {
  return fmt::format("{:<28} = {:<12}  # {}; {}\n", key, value, origin, describe_key(key));
}

/// The keys that have no value, and the chains that need no key.
std::string explained_rest(const Project& project) {
  const Config& config = project.config();
  std::string text;
  for (const auto& [name, chain] : find_chains(project)) {
    if (chain.is_built_in) text += explained("workflows." + name, json_of(chain.skills), chain.origin);
  }
  for (const KeySpec& key : known_keys()) {
    if (config.has(std::string{key.pattern})) continue;
    const bool is_named = key.pattern.find('*') != std::string_view::npos;
    text += fmt::format("{:<28}   {:<12}  # {}; {}\n", key.pattern, "", is_named ? "for each name" : "not set",
                        key.explanation);
  }
  const std::string& file = config.project_file();
  return text + fmt::format("\nlayers, later ones win: defaults, the user's baton.toml, {}, BATON_*, --set\n",
                            file.empty() ? project.root() + "/baton.toml" : file);
}

}  // namespace

int config_verb(const Common& common, bool explain) {
  auto project = Project::open(common);
  if (!project) return print(common, project.error()), exit_refused;
  print(common, project->config().notes());
  std::string text;
  JsonObject json;
  for (const auto& [key, setting] : project->config().all()) {
    json.raw(key, JsonObject{}.text("value", setting.value).text("origin", setting.origin).done());
    text += explain ? explained(key, setting.value, setting.origin) : fmt::format("{} = {}\n", key, setting.value);
  }
  if (explain) text += explained_rest(*project);
  write_out(STDOUT_FILENO, common.json ? json.done() + "\n" : printable(text));
  return exit_done;
}

}  // namespace baton::cli
