#include "plan/plan_json.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto plan = baton::plan_from_json({reinterpret_cast<const char*>(data), size});
  if (!plan) return 0;
  const std::string written = baton::to_json(*plan);
  const auto again = baton::plan_from_json(written);
  if (!again || baton::to_json(*again) != written) __builtin_trap();
  return 0;
}
