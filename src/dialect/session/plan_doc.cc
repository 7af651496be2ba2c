#include "dialect/session/plan_doc.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/boost_json.h"
#include "base/letters.h"
#include "base/text.h"
#include "dialect/session/todo_line.h"
#include "text/json_members.h"
#include "text/json_patch.h"

namespace baton::session {
namespace {

namespace json = boost::json;

/// An item of `execution_graph.phases`: a list of ids, or an object that has one.
std::vector<std::string> phase_tasks(const json::value& phase) {
  if (const auto* object = phase.if_object()) return texts_at(*object, {"tasks", "task_ids"});
  std::vector<std::string> ids;
  for (const json::value* id : as_list(phase)) ids.push_back(as_text(*id));
  return ids;
}

}  // namespace

std::string_view name(ExecutionModel model) {
  switch (model) {
    case ExecutionModel::sequential:
      return "sequential";
    case ExecutionModel::parallel:
      return "parallel";
    case ExecutionModel::phased:
      return "phased";
    case ExecutionModel::tdd:
      return "tdd";
    case ExecutionModel::unstated:
      break;
  }
  return "unstated";
}

ExecutionModel model_of(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, ExecutionModel>, 6> words{{
      {"sequential", ExecutionModel::sequential},
      {"serial", ExecutionModel::sequential},
      {"parallel", ExecutionModel::parallel},
      {"phased", ExecutionModel::phased},
      {"phase-based", ExecutionModel::phased},
      {"tdd", ExecutionModel::tdd},
  }};
  const std::string low = lower(text);
  std::size_t first = std::string::npos;
  ExecutionModel model = ExecutionModel::unstated;
  for (const auto& [word, meaning] : words) {
    const auto at = low.find(word);
    if (at >= first) continue;
    first = at;
    model = meaning;
  }
  return model;
}

PlanDoc read_impl_plan(std::string_view text) {
  PlanDoc doc;
  bool in_fence = false;
  for (std::string_view line : split(text, '\n')) {
    if (trim(line).starts_with("```")) in_fence = !in_fence;
    if (in_fence) continue;
    const auto note = read_note(line);
    if (!note || note->key != "execution model") continue;
    doc.model_text = trim(note->value);
    doc.model = model_of(doc.model_text);
    return doc;
  }
  return doc;
}

PlanDoc read_plan_json(std::string_view text, const std::string& file) {
  PlanDoc doc;
  auto object = read_object(text, file, "corrupt-plan-file");
  if (!object) {
    doc.warnings.push_back(std::move(object.error()));
    doc.warnings.back().severity = Severity::warning;
    return doc;
  }
  doc.summary = text_at(*object, {"summary"});
  doc.model_text = text_at(*object, {"recommended_execution", "execution_model"});
  doc.model = model_of(doc.model_text);
  doc.task_ids = texts_at(*object, {"task_ids"});
  doc.tech_stack = texts_at(*object, {"shared_context.tech_stack", "tech_stack"});
  doc.conventions = texts_at(*object, {"shared_context.conventions", "conventions"});
  if (const json::value* phases = value_at(*object, "execution_graph.phases")) {
    for (const json::value* phase : as_list(*phases)) doc.phases.push_back(phase_tasks(*phase));
  }
  return doc;
}

PlanDoc joined(PlanDoc plan_json, PlanDoc impl_plan) {
  if (plan_json.model == ExecutionModel::unstated) {
    plan_json.model = impl_plan.model;
    plan_json.model_text = std::move(impl_plan.model_text);
  }
  std::ranges::move(impl_plan.warnings, std::back_inserter(plan_json.warnings));
  return plan_json;
}

}  // namespace baton::session
