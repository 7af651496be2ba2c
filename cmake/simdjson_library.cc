// What simdjson's on-demand headers call of its library. Loading the library (and with it a second libstdc++) takes
// longer than most commands do, so it is opened by the first line that is to be read.
#include <dlfcn.h>
#include <simdjson.h>

#include <cstdio>
#include <cstdlib>

namespace simdjson {
namespace {

template <class Function>
Function loaded(const char* name) {
  static void* const library = dlopen(SIMDJSON_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  void* found = library == nullptr ? nullptr : dlsym(library, name);
  if (found == nullptr) {
    std::fprintf(stderr, "baton: cannot load %s: %s\n", SIMDJSON_LIBRARY, dlerror());
    std::abort();
  }
  return reinterpret_cast<Function>(found);
}

}  // namespace

internal::atomic_ptr<const implementation>& get_active_implementation() {
  using Function = internal::atomic_ptr<const implementation>& (*)();
  static const auto real = loaded<Function>("_ZN8simdjson25get_active_implementationEv");
  return real();
}

// Never called by us; builds without optimisation refer to them.
namespace internal {

double from_chars(const char* first) noexcept {
  return loaded<double (*)(const char*)>("_ZN8simdjson8internal10from_charsEPKc")(first);
}

double from_chars(const char* first, const char* end) noexcept {
  return loaded<double (*)(const char*, const char*)>("_ZN8simdjson8internal10from_charsEPKcS2_")(first, end);
}

}  // namespace internal
}  // namespace simdjson
