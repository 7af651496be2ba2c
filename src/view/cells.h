#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace baton {

/// Columns a text takes on a terminal: wide characters two, combining ones none. REQUIRES: no control characters.
std::size_t columns_of(std::string_view text);

/// The text cut (with '…') or padded to exactly `columns`.
std::string fit(std::string_view text, std::size_t columns);

/// The text cut to at most `columns`; not padded.
std::string cut(std::string_view text, std::size_t columns);

}  // namespace baton
