#pragma once

#include <string>

#include "plan/plan.h"

namespace baton {

/// What `baton plan` shows. REQUIRES of all four: the plan has no cycle.

/// For people: in execution order, each step further in than what it needs.
std::string plan_tree(const Plan& plan);

/// One object: workflow, dialect, version, source, steps (as declared) and `order` (the ids as they may run).
std::string plan_view_json(const Plan& plan);

/// For Graphviz.
std::string plan_dot(const Plan& plan);

/// For Mermaid, as Markdown pages show it.
std::string plan_mermaid(const Plan& plan);

}  // namespace baton
