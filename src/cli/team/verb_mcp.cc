// `mcp --team`: the calls of a team's workers as tools for agents that speak the Model Context Protocol.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "cli/reporter.h"
#include "cli/team/team_advance.h"
#include "cli/team/team_call.h"
#include "cli/team/team_verbs.h"
#include "dialect/team/mcp.h"

namespace baton::cli {
namespace {

TeamOptions options_of(const team::ToolCall& call) {
  TeamOptions o;
  o.role = call.role;
  o.task = call.task;
  o.kind = call.kind;
  o.attempt = call.attempt;
  o.id = call.id;
  o.message = call.summary;
  o.data = call.data;
  o.severity = call.severity;
  o.from = call.from;
  o.to = call.to;
  o.type = call.type;
  if (call.last && *call.last > 0) o.last = static_cast<std::size_t>(*call.last);
  return o;
}

team::ToolAnswer answer_of(const std::expected<std::string, Faults>& said) {
  if (said) return {*said, false};
  std::string text;
  for (const Fault& f : said.error()) text += to_text(f);
  return {text, true};
}

}  // namespace

int mcp_verb(const Common& common, const std::string& named) {
  const char* own = std::getenv("BATON_SESSION");
  const std::string session = named.empty() && own != nullptr ? own : named;
  auto project = Project::open(common);
  if (!project) return print(common, project.error()), exit_refused;
  const TeamPlace place = find_team(*project, session);
  std::error_code error;
  if (session.empty() || place.folder.empty() || !std::filesystem::is_directory(place.path, error)) {
    print(common, Fault{"team-not-found", "Session directory not found: " + session,
                        "name the session, or let a worker of a team start this"});
    return exit_refused;
  }
  const TeamFiles files{project->root(), place.folder};
  const auto call = [&](const team::ToolCall& asked) -> team::ToolAnswer {
    const TeamOptions options = options_of(asked);
    if (asked.tool == "team_callback") return answer_of(call_back(*project, files, options));
    if (asked.tool == "team_message") return answer_of(put_message(files, options));
    if (asked.tool == "team_messages") return {list_messages(files, options, false), false};
    Faults warnings;
    auto open = open_team(*project, session, Looking::only, warnings);
    if (!open) return answer_of(std::unexpected(open.error()));
    return {shown(*project, *open), false};
  };
  for (std::string line; std::getline(std::cin, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    if (const auto answer = team::answer_line(line, BATON_VERSION, call)) write_out(STDOUT_FILENO, *answer + "\n");
  }
  return exit_done;
}

}  // namespace baton::cli
