#include "cli/sandboxes.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <unordered_map>

#include "base/hash.h"
#include "base/limits.h"
#include "base/text.h"
#include "cli/check_commands.h"
#include "core/facts.h"
#include "engine/markdown_run.h"
#include "engine/output_place.h"
#include "engine/real_files.h"
#include "engine/run_folder.h"

namespace baton::cli {
namespace {

namespace fs = std::filesystem;

/// An output as it stands there now.
struct Look {
  bool there = false;
  std::string digest;
  std::vector<CheckResult> results;
};

/// Where a step's output is, for checks that compare with it; relative to the project root.
using PathOf = std::function<std::optional<std::string>(const std::string& step)>;

/// One whose digest is `known` has been checked already.
Look look_at(const Project& project, const Work& work, const PathOf& path_of, const std::string& known) {
  Look look;
  RealFiles files;
  if (why_not_its_own(files, work, project.root())) return look;
  const auto content = files.read(project.root() + "/" + work.output, Limits::output_bytes_max);
  if (content && !*content) return look;
  look.there = true;
  if (!content) {
    look.results.push_back({"file_readable", false, content.error().message});
  } else {
    look.digest = hex(hash64(**content));
    if (look.digest == known) return look;
    Evidence evidence;
    evidence.output_of = [&](const std::string& step) -> std::optional<std::string> {
      const auto path = path_of(step);
      const auto text = path ? RealFiles{}.read(project.root() + "/" + *path, Limits::output_bytes_max)
                             : Expected<std::optional<std::string>>{std::nullopt};
      return text ? *text : std::nullopt;
    };
    for (const Check* check : command_checks(work.checks)) {
      evidence.commands.push_back(run_check_command(*check, project.root(), project.root() + "/" + work.output));
    }
    look.results = evaluate(work.checks, work.output_format, **content, evidence);
  }
  return look;
}

/// Whose each output is: of steps that wrote the same file, the one that did so last.
std::vector<StepIndex> owners_of_outputs(const Run& run) {
  std::unordered_map<std::string, StepIndex> owners;
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    const StepIndex i = step_index(n);
    const bool counts =
        run.of(i).state == StepState::completed && !run.of(i).state.is_replaced() && !run.digest_of(i).empty();
    if (!counts) continue;
    const auto [owner, is_new] = owners.try_emplace(run.step(i).work->output, i);
    if (!is_new && run.checked_at(i) >= run.checked_at(owner->second)) owner->second = i;
  }
  std::vector<StepIndex> all;
  for (const auto& [path, step] : owners) all.push_back(step);
  std::ranges::sort(all);
  return all;
}

std::vector<std::string> sandboxes_of(const Project& project) {
  std::vector<std::string> ids;
  std::error_code error;
  for (fs::directory_iterator it{fs::path{project.root()} / "sandbox", error}, end; !error && it != end;
       it.increment(error)) {
    if (it->is_directory(error)) ids.push_back(it->path().filename().string());
  }
  return ids;
}

}  // namespace

bool is_sandbox_id(std::string_view id) {
  constexpr std::size_t size_max = 128;
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-';
  };
  return !id.empty() && id.size() <= size_max && std::ranges::all_of(id, fits) && id.front() != '.' &&
         id.find("..") == std::string_view::npos;
}

Status find_sandbox(const Project& project, const std::string& id) {
  if (!is_sandbox_id(id)) {
    return fault("bad-sandbox-id", fmt::format("'{}' cannot be the id of a sandbox", shorten(printable(id), 100)),
                 "it is the name of a folder in sandbox/: letters, digits, '.', '_' and '-'");
  }
  const fs::path all = fs::path{project.root()} / "sandbox";
  std::error_code error;
  if (!fs::is_directory(all / id, error)) {
    const std::string near = nearest(id, sandboxes_of(project));
    return fault(
        "sandbox-not-found", fmt::format("there is no sandbox '{}'", id),
        fmt::format("{}start one with --file or -i", near.empty() ? "" : fmt::format("did you mean '{}'? ", near)));
  }
  if (fs::canonical(all / id, error).parent_path() != fs::canonical(all, error)) {
    return fault("bad-sandbox-id", fmt::format("sandbox '{}' is a link that leads out of the folder of sandboxes", id),
                 "give the id of a folder in sandbox/");
  }
  return {};
}

Expected<std::optional<std::string>> newest_run_in(const Project& project, const std::string& sandbox) {
  auto journal = project.journal_to_read();
  if (!journal && journal.error().code == "journal-missing") return std::nullopt;
  if (!journal) return std::unexpected(journal.error());
  auto runs = (*journal)->list();
  if (!runs) return std::unexpected(runs.error());
  const auto found =
      std::ranges::find_if(*runs, [&](const RunSummary& r) { return r.sandbox == sandbox && r.dialect == "markdown"; });
  return found == runs->end() ? std::nullopt : std::optional{found->id};
}

Expected<std::optional<SandboxRecord>> record_of(const Project& project, const std::string& sandbox) {
  const std::string file = validation_file(sandbox);
  auto text = RealFiles{}.read(project.root() + "/" + file, Limits::output_bytes_max);
  if (!text) return std::unexpected(text.error());
  if (!*text) return std::nullopt;
  auto record = read_sandbox_record(**text, sandbox, file);
  if (!record) return std::unexpected(record.error());
  return std::move(*record);
}

Status write_first_record(const Project& project, const std::string& run, const event::RunCreated& created, Time now) {
  const SandboxState state = sandbox_state(run, created, now);
  const std::string file = validation_file(state.sandbox);
  const std::string path = project.root() + "/" + file;
  RealFiles files;
  auto before = files.read(path, Limits::output_bytes_max);
  if (!before) return std::unexpected(before.error());
  auto after = reflect(*before, state, file);
  if (!after) return std::unexpected(after.error());
  // Where there was none, a power cut takes nothing: it is written anew when the run goes on, and synced at its end.
  return *before ? files.write(path, *after) : files.write_soon(path, *after);
}

std::optional<std::string> input_in(const Project& project, const std::string& sandbox, const std::string& name) {
  for (const char* ending : {".json", ".md"}) {
    std::string path = fmt::format("sandbox/{}/inputs/{}{}", sandbox, name, ending);
    std::error_code error;
    if (fs::is_regular_file(project.root() + "/" + path, error)) return path;
  }
  return std::nullopt;
}

std::map<std::string, std::string> inputs_in(const Project& project, const std::string& sandbox) {
  std::map<std::string, std::string> inputs;
  std::error_code error;
  for (fs::directory_iterator it{fs::path{project.root()} / "sandbox" / sandbox / "inputs", error}, end;
       !error && it != end; it.increment(error)) {
    const std::string name = it->path().stem().string();
    if (auto path = input_in(project, sandbox, name)) inputs[name] = std::move(*path);
  }
  return inputs;
}

std::vector<event::FoundStep> steps_found(const Project& project, const Plan& plan, const std::string& sandbox,
                                          const SandboxRecord& record) {
  const PathOf path_of = [&](const std::string& id) -> std::optional<std::string> {
    const auto other = find_step(plan, id);
    return other ? std::optional{plan.steps[at(*other)].work->output} : std::nullopt;
  };
  std::vector<event::FoundStep> found;
  std::vector<bool> is_found(plan.steps.size(), false);
  for (const StepIndex i : execution_order(plan)) {
    const Step& step = plan.steps[at(i)];
    const auto entry = record.steps.find(step.id);
    if (step.work->output.empty() || entry == record.steps.end() || !entry->second.validated) continue;
    // What its commands speak of is known only when its turn comes: then it has to come.
    if (step.flow != nullptr && step.flow->deferred && !command_checks(step.work->checks).empty()) continue;
    // The same step may have written another file once: that says nothing of this one.
    const std::string& recorded = entry->second.output;
    const std::string folder = "sandbox/" + sandbox + "/";
    const bool same = recorded.empty() || folder + recorded == step.work->output || recorded == step.work->output ||
                      recorded == "../../" + step.work->output;
    if (!same || !std::ranges::all_of(step.needs, [&](StepIndex need) { return is_found[at(need)]; })) continue;
    const Look look = look_at(project, *step.work, path_of, {});
    if (!look.there || !all_passed(look.results)) continue;
    is_found[at(i)] = true;
    found.push_back({i, look.digest});
  }
  return found;
}

namespace {

/// Its output holds nothing but what was made for it: it can be put together once more.
bool is_put_together(const Run& run, StepIndex i) {
  const FlowRun* flow = run.flow_of(i);
  return flow != nullptr && run.step(i).flow->is_composite() && !flow->digest.empty();
}

}  // namespace

std::vector<EventBody> changed_lists(const Project& project, const Run& run) {
  std::vector<EventBody> changes;
  for (const StepIndex i : owners_of_outputs(run)) {
    if (!is_put_together(run, i)) continue;
    const auto text = RealFiles{}.read(project.root() + "/" + run.step(i).work->output, Limits::output_bytes_max);
    const bool is_same = text && *text && hex(hash64(**text)) == run.digest_of(i);
    if (!is_same)
      changes.emplace_back(event::OutputChanged{.step = i, .results = {}, .digest = {}, .put_together = true});
  }
  return changes;
}

std::vector<EventBody> changed_outputs(const Project& project, const std::string& id, const Run& run) {
  const PathOf path_of = [&](const std::string& id) -> std::optional<std::string> {
    const auto other = run.find(id);
    return other ? std::optional{run.step(*other).work->output} : std::nullopt;
  };
  std::vector<EventBody> changes = changed_lists(project, run);
  std::vector<StepIndex> denied;
  // One that cannot be read says nothing; that it is so is told when it would be written.
  if (const auto record = record_of(project, option_of(run, "sandbox")); record && *record) {
    denied = denied_by_hand(**record, id, run);
  }
  for (const StepIndex i : denied) changes.emplace_back(event::RetryAsked{i});
  for (const StepIndex i : owners_of_outputs(run)) {
    if (std::ranges::find(denied, i) != denied.end() || is_put_together(run, i)) continue;
    Look look = look_at(project, *run.step(i).work, path_of, run.digest_of(i));
    if (!look.there) {
      changes.emplace_back(event::RetryAsked{i});
    } else if (look.digest != run.digest_of(i)) {
      changes.emplace_back(event::OutputChanged{i, std::move(look.results), look.digest});
    }
  }
  return changes;
}

std::vector<EventBody> spoilt_outputs(const Project& project, const std::string& id, const Run& run) {
  if (run.plan().dialect != "markdown") return {};
  std::vector<EventBody> spoilt = changed_outputs(project, id, run);
  std::erase_if(spoilt, [](const EventBody& change) {
    const auto* changed = std::get_if<event::OutputChanged>(&change);
    return changed != nullptr && !changed->put_together && all_passed(changed->results);
  });
  return spoilt;
}

Status make_run_folders(const Project& project, const std::string& run) {
  const std::string folder = run_folder(project.state_dir(), run).path;
  for (const char* part : {"logs", "prompts"}) {
    std::error_code error;
    fs::create_directories(folder + "/" + part, error);
    if (error) return fault("no-state-folder", fmt::format("cannot make {}: {}", folder, error.message()));
  }
  return {};
}

bool is_same_work(const Plan& recorded, const Plan& now, bool some_left_out) {
  if (!some_left_out && recorded.steps.size() != now.steps.size()) return false;
  const auto needs_of = [](const Plan& plan, const Step& step) {
    std::vector<std::string> ids;
    for (const StepIndex need : step.needs) ids.push_back(plan.steps[at(need)].id);
    return ids;
  };
  std::unordered_map<std::string_view, const Step*> by_id;
  for (const Step& step : now.steps) by_id.emplace(step.id, &step);
  return std::ranges::all_of(recorded.steps, [&](const Step& step) {
    const auto found = by_id.find(step.id);
    if (found == by_id.end()) return false;
    const Step& other = *found->second;
    const bool same_flow =
        step.flow == nullptr || other.flow == nullptr ? step.flow == other.flow : *step.flow == *other.flow;
    return *step.work == *other.work && same_flow && step.final == other.final &&
           needs_of(recorded, step) == needs_of(now, other);
  });
}

}  // namespace baton::cli
