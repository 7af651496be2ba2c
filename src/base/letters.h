#pragma once

#include <string>
#include <string_view>

namespace baton {

/// Latin capitals as small letters; everything else as it is.
std::string lower(std::string_view text);

}  // namespace baton
