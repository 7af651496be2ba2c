#include "dialect/markdown/sandbox_state.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/boost_json.h"
#include "base/text.h"
#include "core/facts.h"
#include "text/json_members.h"
#include "text/json_value.h"

namespace baton {
namespace {

namespace json = boost::json;

Expected<json::object> parse_record(std::string_view text, const std::string& file) {
  auto value = parse_json(text);
  if (value && value->is_object()) return std::move(value->as_object());
  return fault("bad-validation-file",
               value ? fmt::format("{} does not hold a JSON object", file)
                     : fmt::format("{} is not JSON: {}", file, value.error()),
               "mend it, or remove it: it is left as it is");
}

/// Without a `${{ sandbox }}` at its beginning.
std::string_view without_template(std::string_view path) {
  const auto end = path.find("}}");
  if (!path.starts_with("${{") || end == std::string_view::npos || trim(path.substr(3, end - 3)) != "sandbox")
    return path;
  path.remove_prefix(end + 2);
  while (path.starts_with('/')) path.remove_prefix(1);
  return path;
}

/// `${{ sandbox }}/outputs/x`, `sandbox/ID/outputs/x` and `./outputs/x` are all `outputs/x`.
std::string beneath_sandbox(std::string_view output, const std::string& sandbox) {
  std::string_view path = without_template(trim(output));
  const auto strip = [&](std::string_view prefix) {
    if (path.starts_with(prefix)) path.remove_prefix(prefix.size());
  };
  strip("./");
  strip("sandbox/" + sandbox + "/");
  return std::string{path};
}

/// From the sandbox, also where the output is elsewhere in the project.
std::string from_sandbox(const std::string& output, const std::string& sandbox) {
  const std::string folder = "sandbox/" + sandbox + "/";
  return output.starts_with(folder) ? output.substr(folder.size()) : "../../" + output;
}

std::string_view status_of(RunState state) {
  switch (state) {
    case RunState::queued:
      return "pending";
    case RunState::running:
    case RunState::paused:
    case RunState::parked:
    case RunState::reviewing:
      return "in_progress";
    case RunState::completed:
    case RunState::accepted:
      return "completed";
    case RunState::failed:
    case RunState::cancelled:
    case RunState::rejected:
      break;
  }
  return "failed";
}

SandboxState state_of_plan(const Plan& plan, const std::string& sandbox, const std::string& run_id) {
  SandboxState state;
  state.sandbox = sandbox;
  state.run = run_id;
  state.workflow = plan.workflow;
  state.version = plan.version;
  if (const auto last = final_step(plan); last && !plan.steps[at(*last)].work->output.empty()) {
    state.final_step = plan.steps[at(*last)].id;
  }
  return state;
}

// --- Writing ----------------------------------------------------------------------------------------------------

/// As JSON.stringify(value, null, 2) writes it, which is how these files look.
void write_value(const json::value& value, std::size_t indent, std::string& out) {
  const auto line = [&](std::size_t depth) { out.append(1, '\n').append(2 * depth, ' '); };
  if (value.is_object() && !value.as_object().empty()) {
    out += '{';
    bool first = true;
    for (const auto& [key, member] : value.as_object()) {
      if (!std::exchange(first, false)) out += ',';
      line(indent + 1);
      out += json_quote(key) + ": ";
      write_value(member, indent + 1, out);
    }
    line(indent);
    out += '}';
  } else if (value.is_array() && !value.as_array().empty()) {
    out += '[';
    bool first = true;
    for (const json::value& item : value.as_array()) {
      if (!std::exchange(first, false)) out += ',';
      line(indent + 1);
      write_value(item, indent + 1, out);
    }
    line(indent);
    out += ']';
  } else {
    out += written_json(value);
  }
}

void set_entry(json::object& steps, const SandboxState::Entry& entry) {
  json::value& value = steps[entry.step];
  if (!value.is_object()) value.emplace_object();
  json::object& object = value.as_object();
  object["output"] = json::string{entry.output};
  object["validated"] = entry.validated.has_value();
  if (entry.validated) {
    object["validatedAt"] = json::string{rfc3339(*entry.validated)};
  } else if (const auto stale = object.find("validatedAt"); stale != object.end()) {
    object.stable_erase(stale);
  }
}

}  // namespace

Expected<SandboxRecord> read_sandbox_record(std::string_view text, const std::string& sandbox,
                                            const std::string& file) {
  auto root = parse_record(text, file);
  if (!root) return std::unexpected(root.error());
  SandboxRecord record;
  record.workflow = string_at(*root, "workflow");
  record.status = string_at(*root, "status");
  record.run = string_at(*root, "run");
  const json::value* steps = root->if_contains("steps");
  if (steps == nullptr || !steps->is_object()) return record;
  for (const auto& [id, value] : steps->as_object()) {
    if (!value.is_object()) continue;
    const json::object& entry = value.as_object();
    const json::value* validated = entry.if_contains("validated");
    const bool says = validated != nullptr && validated->is_bool();
    record.steps[std::string{id}] = {.output = beneath_sandbox(string_at(entry, "output"), sandbox),
                                     .validated = says && validated->as_bool(),
                                     .denied = says && !validated->as_bool(),
                                     .dated = !string_at(entry, "validatedAt").empty()};
  }
  return record;
}

SandboxState sandbox_state(const std::string& run_id, const Run& run) {
  SandboxState state = state_of_plan(run.plan(), option_of(run, "sandbox"), run_id);
  state.status = status_of(run.state());
  state.created = run.created();
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    const StepIndex i = step_index(n);
    const std::string& output = run.step(i).work->output;
    if (output.empty()) continue;
    // What was made while the run went on has no name for its output before its turn came.
    const bool is_planned = n < run.plan().steps.size();
    if (!is_planned && (run.never_existed(i) || output.find("${{") != std::string::npos)) continue;
    std::optional<Time> validated;
    if (run.of(i).state == StepState::completed && !run.of(i).state.is_replaced()) validated = run.checked_at(i);
    state.steps.push_back({run.step(i).id, from_sandbox(output, state.sandbox), validated});
  }
  return state;
}

SandboxState sandbox_state(const std::string& run_id, const event::RunCreated& created, Time when) {
  const auto sandbox = created.settings.options.find("sandbox");
  SandboxState state =
      state_of_plan(*created.plan, sandbox == created.settings.options.end() ? std::string{} : sandbox->second, run_id);
  state.status = status_of(RunState::queued);
  state.created = when;
  std::vector<bool> found(created.plan->steps.size(), false);
  for (const event::FoundStep& f : created.found) found[at(f.step)] = true;
  for (std::size_t n = 0; n < created.plan->steps.size(); ++n) {
    const Step& step = created.plan->steps[n];
    if (step.work->output.empty()) continue;
    state.steps.push_back(
        {step.id, from_sandbox(step.work->output, state.sandbox), found[n] ? std::optional{when} : std::nullopt});
  }
  return state;
}

std::vector<StepIndex> denied_by_hand(const SandboxRecord& record, const std::string& run_id, const Run& run) {
  const bool has_ended = is_over(run.state()) || run.state() == RunState::failed;
  const bool is_of_end = has_ended && record.run == run_id && record.status == status_of(run.state());
  std::vector<StepIndex> denied;
  for (std::size_t n = 0; n < run.step_count(); ++n) {
    const StepIndex i = step_index(n);
    if (run.of(i).state != StepState::completed || run.of(i).state.is_replaced() || run.step(i).work->output.empty())
      continue;
    const auto entry = record.steps.find(run.step(i).id);
    if (entry != record.steps.end() && entry->second.denied && (entry->second.dated || is_of_end)) denied.push_back(i);
  }
  return denied;
}

Expected<std::string> reflect(const std::optional<std::string>& existing, const SandboxState& state,
                              const std::string& file) {
  json::object before;
  if (existing && !trim(*existing).empty()) {  // nothing: what a power cut may leave of one that was just begun
    auto parsed = parse_record(*existing, file);
    if (!parsed) return std::unexpected(parsed.error());
    before = std::move(*parsed);
  }
  json::object root = before;
  root["workflow"] = json::string{state.workflow};
  if (!state.version.empty()) root["version"] = json::string{state.version};
  root["sandboxId"] = json::string{state.sandbox};
  if (string_at(root, "createdAt").empty()) root["createdAt"] = json::string{rfc3339(state.created)};
  root["status"] = json::string{state.status};
  if (!state.final_step.empty()) root["finalStepId"] = json::string{state.final_step};
  root["run"] = json::string{state.run};
  json::value& steps = root["steps"];
  if (!steps.is_object()) steps.emplace_object();
  for (const SandboxState::Entry& entry : state.steps) set_entry(steps.as_object(), entry);
  if (existing && root == before) return *existing;
  std::string text;
  write_value(root, 0, text);
  if (existing && existing->ends_with('\n')) text += '\n';
  return text;
}

}  // namespace baton
