// The files of team sessions, the bus and the tools' requests. Reading must not fall over, and what an edit writes has
// to be readable and has to be left alone by the same edit.
#include "dialect/team/team.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "dialect/team/bus.h"
#include "dialect/team/mcp.h"
#include "dialect/team/reports.h"
#include "dialect/team/session_edit.h"
#include "text/iso_time.h"

namespace {

using namespace baton;
using namespace baton::team;

void require(bool holds) {
  if (!holds) std::abort();
}

void try_files(std::string_view text) {
  TeamTexts texts;
  texts.is_folder = texts.has_roles = texts.has_specs = true;
  texts.session = texts.analysis = std::string{text};
  texts.role_files = {{"roles/a.md", std::string{text}}, {"role-specs/a.md", std::string{text}}};
  const TeamRead read = read_team(texts, "s", "s");
  if (read.is_good()) require(!read.team.tasks.empty() && !read.team.roles.empty());
  (void)read_role({.name = "a", .is_spec = true}, text, "role-specs/a.md", "p");
  (void)read_role({.name = "a"}, text, "roles/a.md", "p");
  SessionState state;
  state.status = "active";
  state.completed = {"A-1"};
  state.known = {"A-1", "A-2"};
  if (const auto once = edited(text, "f", state)) {
    require(read_team_file(*once, "f").file->status == "active");
    require(edited(*once, "f", state) == *once);
  }
}

void try_bus(std::string_view text) {
  std::vector<Message> drafts{{{}, {}, "a", "b", "t", "s", {}}};
  const std::string all = std::string{text} + to_append(text, drafts, time_from_ms(0));
  const std::vector<Message> read = read_bus(all);
  require(!read.empty() && read.back().id == drafts.front().id);
  (void)meta_with(text, {{}, {}, "a", "b", "state_update", "s", std::string{text}}, time_from_ms(0));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  try_files(text);
  try_bus(text);
  (void)read_time(text);
  (void)answer_line(text, "1", [](const ToolCall&) { return ToolAnswer{}; });
  const event::WorkerReported said{step_index(0),    1, "r", "consensus_blocked", "a", std::string{text},
                                   std::string{text}};
  (void)consensus_of(said);
  (void)gap_of(said);
  return 0;
}
