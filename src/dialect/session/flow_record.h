#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fault.h"
#include "dialect/session/flow_control.h"

namespace baton::session {

/// What came of a task's preparation, to be kept in the run's folder: it is paid for once, and every attempt of the
/// task is told the same.
struct FlowRecord {
  std::vector<FlowOutcome> outcomes = {};
  std::optional<Fault> failure = {};
  Faults warnings = {};
};

FlowRecord record_of(const FlowControl& flow);

std::string to_json(const FlowRecord& record);
/// Fault: corrupt-flow-record. Such a record is made anew.
Expected<FlowRecord> read_flow_record(std::string_view text, const std::string& file);

/// What `[name]` stands for in the task's texts once it is prepared.
Variables variables_after(const Task& task, const PlanDoc& plan, const std::vector<FlowOutcome>& outcomes);

}  // namespace baton::session
