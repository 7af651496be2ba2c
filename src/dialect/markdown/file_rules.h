#pragma once

#include <vector>

#include "dialect/markdown/library.h"
#include "dialect/markdown/reader.h"

namespace baton::markdown {

/// What the steps of a whole plan write and read, as far as that is known before it runs. Files that two of them write
/// go to the faults of the file that the later step stands in; inputs that are not there are answered.
std::vector<AbsentInput> check_files(const Plan& plan, WorkflowFile& file, Library& library, const Binding& binding);

}  // namespace baton::markdown
