// The one function of simdjson's library that its on-demand headers call. Loading the library (and with it a second
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

}  // namespace simdjson
