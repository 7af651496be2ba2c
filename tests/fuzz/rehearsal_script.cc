#include "runtime/rehearsal_script.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)baton::read_rehearsal_script({reinterpret_cast<const char*>(data), size}, "fuzz.yaml");
  return 0;
}
