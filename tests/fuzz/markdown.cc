#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

#include "dialect/markdown/reader.h"
#include "plan/plan_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text{reinterpret_cast<const char*>(data), size};
  (void)baton::looks_like_markdown_workflow(text);
  // What is after a form feed is another workflow, which steps may name: so both ends of a sub-workflow are fuzzed.
  const std::size_t cut = text.find('\f');
  const std::string other = cut == std::string::npos ? text : text.substr(cut + 1);
  baton::Binding binding{.sandbox = "sandbox/x", .inputs = {{"content", "${{ item }} }}"}}};
  binding.others.find = [&](const std::string& name) -> std::optional<baton::MarkdownSource> {
    return baton::MarkdownSource{other, name + ".md", name};
  };
  const auto workflow = baton::read_markdown({text.substr(0, cut), "fuzz.md", "fuzz"}, binding, {});
  if (!workflow) return 0;
  const std::string written = baton::to_json(workflow->plan);
  const auto again = baton::plan_from_json(written);
  if (!again || baton::to_json(*again) != written) __builtin_trap();
  return 0;
}
