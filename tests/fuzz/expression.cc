#include "plan/expression.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace {

/// Everything has a value: the text itself.
class Echo : public baton::Values {
 public:
  [[nodiscard]] std::optional<std::string> output_of(const std::string& step) const override { return step; }
  [[nodiscard]] std::string state_of(const std::string& step) const override { return step; }
  [[nodiscard]] std::string path_of(const std::string& step) const override { return step; }
  [[nodiscard]] std::optional<std::string> input(const std::string& name) const override { return name; }
  [[nodiscard]] std::string path_of_input(const std::string& name) const override { return name; }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text{reinterpret_cast<const char*>(data), size};
  const Echo values;
  const baton::Surroundings around{.sandbox = "s", .item = text, .index = 1, .self = "x"};
  const auto references = baton::references_of(text);
  (void)baton::is_true(text, values, around);
  (void)baton::items_of(text, values, around);
  (void)baton::fill_in(text, values, around);
  // What is written anew reads as the same, and what is quoted or escaped comes back.
  if (references) {
    const std::string again =
        baton::rewrite_expression(text, [](const baton::Reference& reference) { return baton::to_source(reference); });
    if (again != text) __builtin_trap();
  }
  if (baton::fill_in(baton::escape_text(text), values, around) != text) __builtin_trap();
  if (text.size() < 1000 && baton::fill_in("${{ " + baton::quote_text(text) + " }}", values, around) != text) {
    __builtin_trap();
  }
  return 0;
}
