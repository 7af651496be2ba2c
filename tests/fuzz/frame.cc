#include "base/frame.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes{reinterpret_cast<const char*>(data), size};
  const baton::Decoded decoded = baton::decode_frame(bytes);
  if (decoded.kind == baton::Decoded::Kind::whole && decoded.size > size) __builtin_trap();
  (void)baton::open_line(bytes);
  return 0;
}
