#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "base/fault.h"
#include "dialect/markdown/reader.h"
#include "plan/check.h"

namespace baton {

/// The rules of `validate` as one JSON object, for an output that stands alone: there are no steps to compare with and
/// no sandbox. Every fault at once; `file` is what their places are called.
std::expected<std::vector<Check>, Faults> read_rules(std::string_view text, const std::string& file,
                                                     OutputFormat format, const ReadFile& read_file);

}  // namespace baton
