#include "dialect/session/flow_record.h"

#include <algorithm>
#include <array>

#include "base/boost_json.h"
#include "text/json_members.h"
#include "text/json_patch.h"

namespace baton::session {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 4> states{"done", "skipped", "handed_on", "failed"};

json::object fault_json(const Fault& fault) {
  return {{"code", fault.code}, {"message", fault.message}, {"help", fault.help}};
}

Fault fault_of(const json::object& object, Severity severity) {
  const auto text = [&](std::string_view member) { return std::string{string_at(object, member)}; };
  return {text("code"), text("message"), text("help"), {}, severity};
}

json::object outcome_json(const FlowOutcome& outcome) {
  json::array for_agent;
  for (const std::string& command : outcome.for_agent) for_agent.emplace_back(command);
  return {{"name", outcome.name},
          {"action", outcome.action},
          {"output_to", outcome.output_to},
          {"output", outcome.output},
          {"for_agent", std::move(for_agent)},
          {"state", states.at(static_cast<std::size_t>(outcome.state))},
          {"note", outcome.note}};
}

FlowOutcome outcome_of(const json::object& object) {
  FlowOutcome outcome;
  outcome.name = string_at(object, "name");
  outcome.action = string_at(object, "action");
  outcome.output_to = string_at(object, "output_to");
  outcome.output = string_at(object, "output");
  outcome.note = string_at(object, "note");
  outcome.for_agent = texts_at(object, {"for_agent"});
  const auto state = std::ranges::find(states, string_at(object, "state"));
  outcome.state =
      state == states.end() ? FlowOutcome::State::failed : static_cast<FlowOutcome::State>(state - states.begin());
  return outcome;
}

}  // namespace

FlowRecord record_of(const FlowControl& flow) { return {flow.outcomes(), flow.failure(), flow.warnings()}; }

std::string to_json(const FlowRecord& record) {
  json::array outcomes;
  for (const FlowOutcome& outcome : record.outcomes) outcomes.push_back(outcome_json(outcome));
  json::array warnings;
  for (const Fault& warning : record.warnings) warnings.push_back(fault_json(warning));
  json::object object{{"outcomes", std::move(outcomes)}, {"warnings", std::move(warnings)}};
  if (record.failure) object["failure"] = fault_json(*record.failure);
  return json::serialize(object) + "\n";
}

Expected<FlowRecord> read_flow_record(std::string_view text, const std::string& file) {
  const auto object = read_object(text, file, "corrupt-flow-record");
  if (!object) return std::unexpected(object.error());
  FlowRecord record;
  const auto each = [&](std::string_view key, const auto& add) {
    const json::value* list = value_at(*object, key);
    if (list == nullptr) return;
    for (const json::value* item : as_list(*list)) {
      if (const auto* o = item->if_object()) add(*o);
    }
  };
  each("outcomes", [&](const json::object& o) { record.outcomes.push_back(outcome_of(o)); });
  each("warnings", [&](const json::object& o) { record.warnings.push_back(fault_of(o, Severity::warning)); });
  if (const json::value* failure = value_at(*object, "failure"); failure != nullptr && failure->is_object()) {
    record.failure = fault_of(failure->as_object(), Severity::error);
  }
  return record;
}

Variables variables_after(const Task& task, const PlanDoc& plan, const std::vector<FlowOutcome>& outcomes) {
  Variables variables = variables_of(task, plan);
  for (const FlowOutcome& outcome : outcomes) {
    const bool counts = outcome.state == FlowOutcome::State::done ||
                        (outcome.state == FlowOutcome::State::handed_on && !outcome.output.empty());
    if (counts && !outcome.output_to.empty()) variables[outcome.output_to] = {outcome.output};
  }
  return variables;
}

}  // namespace baton::session
