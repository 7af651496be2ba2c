#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

#include "dialect/markdown/reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text{reinterpret_cast<const char*>(data), size};
  (void)baton::looks_like_markdown_workflow(text);
  (void)baton::read_markdown({text, "fuzz.md", "fuzz"}, {"sandbox/x", {}}, {});
  return 0;
}
