// What simdjson's on-demand headers call of its library. Loading the library (and with it a second
// libstdc++) takes longer than most commands do, so it is opened by the first line that is to be read.
#include <dlfcn.h>
#include <simdjson.h>

#include <cstdio>
#include <cstdlib>

namespace simdjson {

internal::atomic_ptr<const implementation>& get_active_implementation() {
  using Function = internal::atomic_ptr<const implementation>& (*)();
  static const Function real = [] {
    void* library = dlopen(SIMDJSON_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    void* found = library == nullptr ? nullptr : dlsym(library, "_ZN8simdjson25get_active_implementationEv");
    if (found == nullptr) {
      std::fprintf(stderr, "baton: cannot load %s: %s\n", SIMDJSON_LIBRARY, dlerror());
      std::abort();
    }
    return reinterpret_cast<Function>(found);
  }();
  return real();
}

// Numbers that simdjson's own fast way cannot tell; unoptimised builds refer to these even where no number is read.
namespace internal {
double from_chars(const char* first) noexcept { return std::strtod(first, nullptr); }
double from_chars(const char* first, const char* /*end*/) noexcept { return std::strtod(first, nullptr); }
}  // namespace internal

}  // namespace simdjson
