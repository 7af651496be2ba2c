#include "cli/team/team_call.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>

#include "base/boost_json.h"
#include "base/number.h"
#include "base/text.h"
#include "cli/drive.h"
#include "dialect/team/reports.h"
#include "engine/real_files.h"
#include "journal/event_codec.h"
#include "text/json_value.h"

namespace baton::cli {
namespace {

constexpr std::size_t text_bytes_max = 64U << 10U;

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string{} : std::string{value};
}

Fault bad(std::string message, std::string help = {}) { return {"bad-callback", std::move(message), std::move(help)}; }

/// The data with the severity in it.
Expected<std::string> data_of(const TeamOptions& options) {
  if (options.data.empty() && options.severity.empty()) return std::string{};
  auto value = parse_json(options.data.empty() ? "{}" : options.data);
  if (!value || !value->is_object()) return std::unexpected(bad("--data is no JSON object"));
  if (!options.severity.empty()) value->as_object()["severity"] = options.severity;
  return written_json(*value);
}

/// What is missing is what the environment of the worker says.
std::expected<TeamOptions, Faults> complete(TeamOptions o) {
  Faults faults;
  if (o.role.empty()) o.role = from_environment("BATON_ROLE");
  if (o.task.empty()) o.task = from_environment("BATON_STEP");
  const std::string attempt = from_environment("BATON_ATTEMPT");
  if (!o.attempt && !attempt.empty()) o.attempt = parse_whole<int>(attempt).value_or(0);
  if (o.role.empty()) faults.push_back(bad("--role is missing", "who says it"));
  if (o.task.empty()) faults.push_back(bad("--task is missing", "of which task"));
  if (!team::is_report_kind(o.kind)) {
    std::vector<std::string> kinds{std::begin(team::report_kinds), std::end(team::report_kinds)};
    faults.push_back(bad(o.kind.empty() ? "--kind is missing" : fmt::format("there is no kind '{}'", o.kind),
                         "one of " + join(kinds, ", ")));
  }
  if (!o.severity.empty() && !team::is_severity(o.severity)) {
    faults.push_back(bad(fmt::format("there is no severity '{}'", o.severity), "one of HIGH, MEDIUM, LOW"));
  }
  if (o.message.size() > text_bytes_max || o.data.size() > text_bytes_max) {
    faults.push_back(bad("it is too long", "say it in less than 200 characters, and put the rest into a file"));
  }
  if (!faults.empty()) return std::unexpected(std::move(faults));
  return o;
}

bool is_left(SqliteJournal& journal, const std::string& run, const std::string& id) {
  const auto open = journal.requests(run);
  return open && std::ranges::any_of(*open, [&](const ControlRequest& r) {
           if (r.kind != "worker.reported") return false;
           const auto body = decode(r.kind, r.argument);
           const auto* said = body ? std::get_if<event::WorkerReported>(&*body) : nullptr;
           return said != nullptr && said->id == id;
         });
}

}  // namespace

std::expected<std::string, Faults> call_back(const Project& project, const TeamFiles& files,
                                             const TeamOptions& options) {
  auto given = complete(options);
  if (!given) return std::unexpected(given.error());
  auto data = data_of(*given);
  if (!data) return std::unexpected(Faults{data.error()});
  auto known = run_of_team(project, files);
  if (!known) return std::unexpected(Faults{known.error()});
  if (!*known) {
    return std::unexpected(Faults{{"no-team-run", fmt::format("no run of {} is known here", files.folder()),
                                   fmt::format("begin one: baton team {}", files.folder())}});
  }
  const Run& run = (*known)->run;
  const auto step = run.find(given->task);
  if (!step) {
    return std::unexpected(Faults{{"unknown-task", fmt::format("{} has no task '{}'", files.name(), given->task),
                                   fmt::format("'baton team {} check' lists them", files.folder())}});
  }
  auto journal = project.journal_to_write();
  if (!journal) return std::unexpected(Faults{journal.error()});
  if (run.step(*step).work->skill != given->role) {
    // Whoever it is: it is noted, and the run is looked over.
    auto noted = files.append({{{},
                                {},
                                "executor",
                                "all",
                                "warning",
                                fmt::format("callback of '{}' for {}, which is {}'s: {}", given->role, given->task,
                                            run.step(*step).work->skill, shorten(given->message, 200)),
                                fmt::format(R"({{"task_id":{}}})", json_quote(given->task))}});
    if (!noted) return std::unexpected(Faults{noted.error()});
    wake(project, **journal, (*known)->id);
    return fmt::format("'{}' is not the role of {}: noted on the bus", given->role, given->task);
  }
  // Without a word on the attempt the present one is meant.
  const int attempt = given->attempt.value_or(static_cast<int>(run.of(*step).attempts.size()));
  event::WorkerReported said{*step, attempt, given->id, given->kind, given->role, given->message, *data};
  if (said.id.empty()) said.id = team::report_id(given->task, attempt, said.kind, said.text, said.data);
  const bool is_known = std::ranges::any_of(run.reports(), [&](const Report& r) { return r.said.id == said.id; });
  if (is_known || is_left(**journal, (*known)->id, said.id)) return "said before";
  auto request = (*journal)->request({0, (*known)->id, "worker.reported", encode(said), RealClock{}.now()});
  if (!request) return std::unexpected(Faults{request.error()});
  wake(project, **journal, (*known)->id);
  return fmt::format("{} of {} is left for the executor", said.kind, given->task);
}

std::expected<std::string, Faults> put_message(const TeamFiles& files, TeamOptions options) {
  if (options.from.empty()) options.from = options.role.empty() ? from_environment("BATON_ROLE") : options.role;
  if (options.from.empty()) return std::unexpected(Faults{bad("--from is missing", "who says it")});
  auto data = data_of(options);
  if (!data) return std::unexpected(Faults{data.error()});
  team::Message draft{{}, {}, options.from, options.to, options.type, options.message, *data};
  team::fill_in(draft);
  if (auto said = files.append({draft}); !said) return std::unexpected(Faults{said.error()});
  return fmt::format("{} → {} ({}) {}", draft.from, draft.to, draft.type, draft.summary);
}

std::string list_messages(const TeamFiles& files, const TeamOptions& options, bool json) {
  constexpr std::size_t most = 100;
  const std::vector<team::Message> messages = team::filtered(
      files.messages(), {options.from, options.to, options.type, std::clamp(options.last, std::size_t{1}, most)});
  std::string out;
  for (const team::Message& m : messages) {
    if (json) {
      out += (out.empty() ? "[" : ",") + team::to_json(m);
    } else {
      out += printable(team::to_line(m)) + "\n";
    }
  }
  if (json) return (out.empty() ? "[" : out) + "]\n";
  return out.empty() ? "No messages recorded yet.\n" : out;
}

}  // namespace baton::cli
