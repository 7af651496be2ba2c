#pragma once

#include <string_view>

namespace baton {

/// Writes all of it, however many calls that takes. 0, or the errno of the one that failed.
int write_all(int fd, std::string_view bytes);

}  // namespace baton
