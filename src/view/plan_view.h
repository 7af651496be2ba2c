#pragma once

#include <string>
#include <vector>

#include "plan/plan.h"

namespace baton {

/// How far a plan's work is, where its files say so (sessions): what `baton plan` shows besides the graph.
struct PlanStanding {
  std::vector<std::string> states;  ///< of each step; empty: nobody has begun
  std::vector<StepIndex> order;     ///< what is left to do, as it may run
  std::vector<std::size_t> waves;   ///< of each step, from 1: so many have to be done one after the other; 0: not to be
};

/// Nothing is done yet. REQUIRES: the plan has no cycle.
PlanStanding standing_at_start(const Plan& plan);

/// For people: in execution order, each step further in than what it needs.
std::string plan_tree(const Plan& plan, const PlanStanding& standing);

/// One object: workflow, dialect, version, source, steps (as declared; with `state` where it is known) and `order` (the
/// ids of what is left to do, as they may run).
std::string plan_view_json(const Plan& plan, const PlanStanding& standing);

/// A row a step, as RFC 4180 has it: id, title, state, wave, skill, needs.
std::string plan_csv(const Plan& plan, const PlanStanding& standing);

/// For Graphviz.
std::string plan_dot(const Plan& plan);

/// For Mermaid, as Markdown pages show it.
std::string plan_mermaid(const Plan& plan);

}  // namespace baton
