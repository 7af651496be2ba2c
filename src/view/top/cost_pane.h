#pragma once

#include <vector>

#include "core/run.h"
#include "view/top/document.h"

namespace baton::top {

/// What a run has used, by step and by model.
std::vector<Entry> cost_entries(const Run& run);

}  // namespace baton::top
