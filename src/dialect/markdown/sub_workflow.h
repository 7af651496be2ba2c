#pragma once

#include <optional>

#include "dialect/markdown/meaning.h"
#include "dialect/markdown/scope.h"

namespace baton::markdown {

/// Ids of made steps begin with their step's: no other step may be called so.
void report_taken_ids(const std::vector<StepDraft>& drafts, const StepNumbers& numbers, FaultList& faults);

/// Ids of steps that are made while a run goes on grow by this much.
constexpr std::size_t made_id_room = 12;
constexpr std::size_t id_bytes_max = 128;

/// The workflow that a step names, as steps of this one. Nothing if there is none, or if it cannot be read: that was
/// reported then.
std::optional<MadeSteps> make_workflow(const StepDraft& draft, const Scope& scope, Meaning& meaning,
                                       const MarkdownDefaults& defaults, Library& library, FaultList& faults);

}  // namespace baton::markdown
