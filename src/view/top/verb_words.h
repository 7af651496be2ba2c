#pragma once

#include <string>
#include <string_view>

namespace baton::top {

/// What a verb of ours said, as one line. Faults are told without their places; warnings only where there is nothing
/// else to be told.
std::string verb_words(std::string_view out, std::string_view err);

}  // namespace baton::top
