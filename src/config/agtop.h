#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fault.h"
#include "config/toml_layer.h"

namespace baton {

// The settings of agtop, another program that chained skills. Whoever used it has an `agtop.toml`; it is read as it is,
// and what does not mean the same here is said. All notes are warnings, `agtop-note`.

/// Its file's keys as ours. Keys of ours are taken too. `notes` gets what changes, each with its place.
std::vector<Given> from_agtop(std::vector<Given> given, const std::string& file, Faults& notes);

/// There is a baton.toml beside it.
Fault agtop_is_not_read(const std::string& file);

/// `name` is a variable that agtop read and we do not.
std::optional<Fault> agtop_variable(std::string_view name);

}  // namespace baton
