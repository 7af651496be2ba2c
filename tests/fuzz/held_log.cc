#include "host/held_log.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  baton::HeldLog log{"run", ""};
  log.take({reinterpret_cast<const char*>(data), size});
  return 0;
}
