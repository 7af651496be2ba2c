#include "base/ensure.h"

#include <cstdio>
#include <cstdlib>

namespace baton {

void broken(std::string_view what, std::string_view detail, const char* file, int line) {
  std::fprintf(stderr, "baton: a mistake in Baton itself: %.*s (%.*s) at %s:%d\n", static_cast<int>(what.size()),
               what.data(), static_cast<int>(detail.size()), detail.data(), file, line);
  std::fprintf(stderr, "baton: stopped before writing anything; what was recorded is safe, 'baton resume' goes on\n");
  std::abort();
}

}  // namespace baton
