#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dialect/chain/workflows.h"

namespace baton::chain {

/// The workflow that an answer of `route` names: alone on a line, however it is marked (backticks, quotes, bold), in a
/// line of a few words that says nothing else ("use plan-build"), or as `workflow` of a JSON object. Only names of
/// `workflows` count. Prose that merely has one in it names none.
std::optional<std::string> route_answer(std::string_view answer, const Workflows& workflows);

}  // namespace baton::chain
