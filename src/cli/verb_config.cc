#include <unistd.h>

#include <fmt/core.h>

#include "base/text.h"
#include "cli/reporter.h"
#include "cli/verbs.h"
#include "config/keys.h"
#include "view/json_text.h"

namespace baton::cli {

int config_verb(const Common& common, bool explain) {
  auto project = Project::open(common);
  if (!project) return print(common, project.error()), exit_refused;
  std::string text;
  JsonObject json;
  const auto& settings = project->config().all();
  for (const auto& [key, setting] : settings) {
    json.raw(key, JsonObject{}.text("value", setting.value).text("origin", setting.origin).done());
    text += explain ? fmt::format("{:<24} = {:<12}  # {}; {}\n", key, setting.value, setting.origin, describe_key(key))
                    : fmt::format("{} = {}\n", key, setting.value);
  }
  if (explain) {
    for (const KeySpec& key : known_keys()) {
      if (settings.contains(std::string{key.pattern})) continue;
      text += fmt::format("{:<24}   {:<12}  # not set; {}\n", key.pattern, "", key.explanation);
    }
    text += fmt::format("\nlayers, later ones win: defaults, the user's baton.toml, {}/baton.toml, BATON_*, --set\n",
                        project->root());
  }
  write_out(STDOUT_FILENO, common.json ? json.done() + "\n" : printable(text));
  return exit_done;
}

}  // namespace baton::cli
