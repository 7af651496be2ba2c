#pragma once

#include <string_view>

namespace baton {

/// For our own mistakes only: says what was broken and stops the process before anything wrong can be written.
/// It stays on in release builds.
[[noreturn]] void broken(std::string_view what, std::string_view detail, const char* file, int line);

}  // namespace baton

#define BATON_ENSURE(condition, what, detail)                \
  do {                                                       \
    if (!(condition)) [[unlikely]] {                         \
      ::baton::broken((what), (detail), __FILE__, __LINE__); \
    }                                                        \
  } while (false)
